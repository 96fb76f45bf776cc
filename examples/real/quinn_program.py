"""The server and client of quinn, a Cargo package in `quinn/`."""

import shutil
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).with_name("quinn")
TARGET = PACKAGE.parents[2] / "target" / "quinn"


def build() -> Path:
    """Build the program and return its path."""
    if shutil.which("cargo") is None:
        sys.exit("this example needs Rust (https://rustup.rs)")
    words = ["--quiet", "--release", "--locked", "--manifest-path", str(PACKAGE / "Cargo.toml")]
    subprocess.run(["cargo", "build", *words, "--target-dir", str(TARGET)], check=True)
    return TARGET / "release" / "headgate-quinn-transfer"
