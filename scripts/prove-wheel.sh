#!/bin/sh
# Prove that the wheel in dist/ installs in a fresh environment and runs where there is no Rust, and
# that with all extras it makes every recipe of the cookbook.
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
clone_path=$PATH
PATH=$room/venv/bin:/usr/bin:/bin
command -v headgate >/dev/null
headgate catalog
headgate run "$root/examples/first.toml" --out "$room/run"
test -s "$room/run/flows.parquet"
cd "$root"
PATH=$clone_path
"$room/venv/bin/pip" install --quiet -c constraints.txt --find-links dist "$(ls dist/headgate-*.whl)[all]"
HEADGATE_VENV=$room/venv .venv/bin/python -m pytest --quiet tests/unit/test_cookbook.py
echo "The wheel installs and runs without Rust, and makes the cookbook: $(ls dist/headgate-*.whl)"
