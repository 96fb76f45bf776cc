#!/bin/sh
# Say in one sentence what this machine lacks for a build; print nothing when all is there.
# Usage: need-tools.sh PYTHON [dev]     (dev: also what `make test` needs of Rust)
python=$1

fail() {
    echo "headgate: $1" >&2
    exit 1
}

have() {
    command -v "$1" >/dev/null 2>&1
}

"$python" -c '' 2>/dev/null || fail "Python >= 3.11 is missing ('$python' does not run): install it, or name one with 'make PYTHON=/path/to/python3'."
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "Python >= 3.11 is needed, '$python' is $("$python" -c 'import platform; print(platform.python_version())'): install a newer one, or name it with 'make PYTHON=/path/to/python3'."
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "Python's venv module is missing: install it (on Debian and Ubuntu: apt-get install python3-venv)."
have cc || fail "a C compiler is missing ('cc' not found): install one (on Debian and Ubuntu: apt-get install build-essential)."
{ have cargo && have rustc; } || fail "a Rust toolchain >= 1.85 is missing ('cargo' not found): install one from https://rustup.rs."
rust=$(rustc --version 2>/dev/null | cut -d ' ' -f 2)
[ -n "$rust" ] || fail "'rustc --version' fails: install or choose a Rust toolchain >= 1.85 (rustup default stable)."
minor=$(echo "$rust" | cut -d . -f 2)
[ "$(echo "$rust" | cut -d . -f 1)" -gt 1 ] || [ "$minor" -ge 85 ] ||
    fail "Rust >= 1.85 is needed, rustc is $rust: update it (rustup update stable)."

[ "${2:-}" = dev ] || exit 0
cargo fmt --version >/dev/null 2>&1 || fail "rustfmt is missing: install it (rustup component add rustfmt)."
cargo clippy --version >/dev/null 2>&1 || fail "clippy is missing: install it (rustup component add clippy)."
