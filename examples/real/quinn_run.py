"""Transfer a file over QUIC with quinn, through the simulated network.

python examples/real/quinn_run.py [MEGABYTES]

The client and server are the Cargo package in `quinn/`, which is built first.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from answer import SCENARIO, report

import headgate

PACKAGE = Path(__file__).with_name("quinn")
TARGET = PACKAGE.parents[2] / "target" / "quinn"


def build() -> Path:
    """Build the program and return its path."""
    if shutil.which("cargo") is None:
        sys.exit("this example needs Rust (https://rustup.rs)")
    words = ["--quiet", "--release", "--locked", "--manifest-path", str(PACKAGE / "Cargo.toml")]
    subprocess.run(["cargo", "build", *words, "--target-dir", str(TARGET)], check=True)
    return TARGET / "release" / "headgate-quinn-transfer"


def main() -> None:
    """Run server and client in their hosts, and report the result."""
    count = round(float(sys.argv[1] if len(sys.argv) > 1 else "10") * 1e6)
    program = str(build())
    with tempfile.TemporaryDirectory() as folder, headgate.emulate(SCENARIO) as net:
        certificate = f"{folder}/certificate"
        words = [program, "serve", certificate]
        server = net.start("b", words, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        server.stdout.readline()
        words = [program, "fetch", certificate, f"{net.address('b')}:4433", str(count)]
        done = net.run("a", words, check=True, capture_output=True, text=True, timeout=55)
    report(net.result, "quinn", float(done.stdout))


main()
