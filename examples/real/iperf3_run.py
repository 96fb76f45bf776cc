"""Run iperf3 through the simulated network: python examples/real/iperf3_run.py [SECONDS]."""

import json
import shutil
import subprocess
import sys

from answer import SCENARIO, report

import headgate


def main() -> None:
    """Run a server and a client, and report the client's measurements."""
    if shutil.which("iperf3") is None:
        sys.exit("this example needs iperf3 (Debian: apt-get install iperf3)")
    seconds = sys.argv[1] if len(sys.argv) > 1 else "10"
    with headgate.emulate(SCENARIO) as net:
        net.start("a", ["iperf3", "--server", "--one-off", "--json"], stdout=subprocess.DEVNULL)
        net.run("a", "while ! grep -q ':1451 ' /proc/net/tcp6 /proc/net/tcp; do sleep 0.05; done")
        words = ["iperf3", "--client", "a", "--time", seconds, "--json"]
        client = net.run("b", words, capture_output=True, text=True, timeout=55)
    found = json.loads(client.stdout)
    if "error" in found:
        sys.exit(f"iperf3: {found['error']}")
    report(net.result, "iperf3", found["end"]["streams"][0]["sender"]["mean_rtt"] / 1e6)


main()
