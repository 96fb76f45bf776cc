#!/bin/sh
# Prove that the wheel in dist/ installs in a fresh environment and runs where there is no Rust.
# Usage: prove-wheel.sh PYTHON
set -eu
python=$1
root=$PWD
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT INT TERM

"$python" -m venv "$room/venv"
"$room/venv/bin/pip" install --quiet -c constraints.txt dist/headgate-*.whl
cd "$room"
# No cargo on this PATH, no sources in this folder.
PATH=$room/venv/bin:/usr/bin:/bin
command -v headgate >/dev/null
headgate catalog
headgate run "$root/examples/first.toml" --out "$room/run"
test -s "$room/run/flows.parquet"
echo "The wheel installs and runs without Rust: $(cd "$root" && ls dist/headgate-*.whl)"
