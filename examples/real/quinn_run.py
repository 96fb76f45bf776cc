"""Transfer a file over QUIC with quinn, through the simulated network.

python examples/real/quinn_run.py [MEGABYTES]

The client and server are the Cargo package in `quinn/`, which is built first.
"""

import subprocess
import sys
import tempfile

from answer import SCENARIO, report
from quinn_program import build

import headgate


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
