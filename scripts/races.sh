#!/usr/bin/env bash
# What threads of a run hand each other: in every order of their steps, with up to four switches between
# threads against their will (loom), and whole runs on several threads under ThreadSanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."

LOOM_MAX_PREEMPTIONS=4 RUSTFLAGS="--cfg loom" \
    cargo test --quiet --release --target-dir target/loom -p headgate-netsim --test loom

if ! rustup component list --toolchain nightly 2>/dev/null | grep -q "rust-src (installed)"; then
    echo "ThreadSanitizer is left out: it needs nightly Rust with its sources" \
        "(rustup toolchain install nightly --component rust-src)"
    exit
fi
host=$(rustc -vV | sed -n 's/host: //p')
RUSTFLAGS="-Zsanitizer=thread" cargo +nightly test --quiet --profile simtest -Zbuild-std --target "$host" \
    --target-dir target/races -p headgate-netsim --test oracle -- threads
