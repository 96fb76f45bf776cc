#!/usr/bin/env bash
# Run the tests of the crates without a machine under Miri, which finds undefined behaviour; those that
# drive algorithms for long are left out, since Miri is some hundred times slower.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo +nightly miri --version >/dev/null 2>&1 || { echo "Miri is needed: rustup +nightly component add miri rust-src" >&2; exit 1; }

cargo +nightly miri test -p headgate-model -- --skip samplers_
cargo +nightly miri test -p headgate-algos --lib --features libm/force-soft-floats
