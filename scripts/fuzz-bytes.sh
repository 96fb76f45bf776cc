#!/usr/bin/env bash
# Run each fuzz target for so many seconds on its seeds; what was found before is tried first.
# Usage: fuzz-bytes.sh SECONDS
set -euo pipefail
cd "$(dirname "$0")/.."

cargo +nightly --version >/dev/null 2>&1 || { echo "a nightly Rust is needed: rustup toolchain install nightly" >&2; exit 1; }
cargo fuzz --version >/dev/null 2>&1 || { echo "cargo-fuzz is needed: cargo install --locked cargo-fuzz" >&2; exit 1; }

for target in plan arrays snapshot capture; do
    mkdir -p "fuzz/corpus/$target"
    cargo +nightly fuzz run "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -- \
        -max_total_time="$1" -max_len=65536 -rss_limit_mb=2048 -timeout=10
done
