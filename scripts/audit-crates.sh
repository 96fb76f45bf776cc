#!/usr/bin/env bash
# Licences, bans and sources of the crates, and their advisories where the database can be had.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo deny --version >/dev/null 2>&1; then
    echo "cargo-deny is needed: cargo install --locked cargo-deny" >&2
    exit 1
fi
cargo deny --locked check bans licenses sources
for package in examples/embedding quic-bench; do
    cargo deny --locked --manifest-path $package/Cargo.toml check --config $package/deny.toml licenses sources
done

says=$(mktemp)
trap 'rm -f "$says"' EXIT
if cargo deny --locked check advisories 2>"$says"; then
    echo "advisories: none"
elif grep -q 'failed to fetch advisory database' "$says"; then
    echo "advisories: NOT CHECKED, since their database cannot be fetched from here"
else
    cat "$says" >&2
    exit 1
fi
