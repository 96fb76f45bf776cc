"""If a machine lacks a tool, one sentence names it and says how to get it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .repository import ROOT

FULL = {
    "cc": "exit 0",
    "cargo": "exit 0",
    "rustc": "echo 'rustc 1.85.0 (4d91de4e4 2025-02-17)'",
    "python": f'exec {sys.executable} "$@"',
    "cut": f'exec {shutil.which("cut")} "$@"',
}


def complaint(tmp_path: Path, **tools: str | None) -> str:
    """Run the check on a machine with only the given tools; return what it says."""
    for name, body in (FULL | tools).items():
        if body is not None:
            (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
            (tmp_path / name).chmod(0o755)
    done = subprocess.run(
        ["/bin/sh", ROOT / "scripts" / "need-tools.sh", tmp_path / "python", "dev"],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert bool(done.stderr) == (done.returncode != 0)
    return done.stderr


def test_a_machine_with_everything_hears_nothing(tmp_path: Path) -> None:
    assert complaint(tmp_path) == ""


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ({"python": None}, "Python >= 3.11 is missing"),
        (
            {"python": 'case "$2" in *version_info*) exit 1;; *python_version*) echo 3.9.2;; esac'},
            "is 3.9.2",
        ),
        ({"python": 'case "$2" in *ensurepip*) exit 1;; esac'}, "python3-venv"),
        ({"cc": None}, "C compiler is missing"),
        ({"cargo": None}, "Rust toolchain >= 1.85 is missing"),
        ({"rustc": "echo 'rustc 1.63.0'"}, "rustc is 1.63.0"),
        ({"rustc": "exit 1"}, "'rustc --version' fails"),
        ({"cargo": 'test "$1" != fmt'}, "rustfmt is missing"),
        ({"cargo": 'test "$1" != clippy'}, "clippy is missing"),
    ],
)
def test_what_is_missing_is_one_sentence(
    tmp_path: Path, tools: dict[str, str | None], said: str
) -> None:
    message = complaint(tmp_path, **tools)
    assert said in message
    assert message.startswith("headgate: ")
    assert len(message.splitlines()) == 1
