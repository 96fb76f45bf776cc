"""Measure what this machine holds in `headgate emulate`: the table of docs/reference/emulate.md.

python scripts/emulate_table.py [SECONDS]
"""

import subprocess
import sys
import warnings
from collections.abc import Iterator

import headgate
from headgate.base.terminal import echo
from headgate.engine.live.emulation import Emulation
from headgate.engine.live.estimate import estimate

TAKE = """
import socket
taken, _ = socket.create_server(("", 5001)).accept()
while taken.recv(1 << 20):
    pass
"""
GIVE = """
import socket, sys, time
given, chunk, until_s = socket.socket(), bytes(1 << 18), time.monotonic() + float(sys.argv[1])
while given.connect_ex(("b", 5001)):
    given.close(); given = socket.socket(); time.sleep(0.05)
while time.monotonic() < until_s:
    given.sendall(chunk)
"""
SIZE = {"kind": "pareto", "mean": "15 packets", "shape": 1.5}
#: Rate of the bottleneck in Mbit/s, simulated Web users beside one real flow.
CASES = ((100, 0), (300, 0), (1000, 0), (2500, 0), (100, 1000), (1000, 1000), (1000, 10_000))


def scenario(rate_mbps: int, users: int, duration_s: float) -> headgate.Scenario:
    """Make a dumbbell with two live hosts, and users."""
    web = {"kind": "web", "cca": "cubic", "users": users, "size": SIZE}
    return headgate.dumbbell(
        rate=f"{rate_mbps} Mbit/s",
        rtt="20 ms",
        buffer="1 BDP",
        flows=[{"kind": "live"}, *([web] if users else [])],
    ).replaced({"duration": f"{duration_s + 5} s"})


def run(net: Emulation, seconds: float) -> None:
    """Have one TCP connection send as fast as it can."""
    with net:
        sink = net.start("b", [sys.executable, "-c", TAKE], stderr=subprocess.DEVNULL)
        source = net.start("a", [sys.executable, "-c", GIVE, str(seconds)])
        net.wait([source, sink])


def rows(seconds: float) -> Iterator[list[str]]:
    """Give a row of the table for each case."""
    for rate_mbps, users in CASES:
        chosen = scenario(rate_mbps, users, seconds)
        net = headgate.emulate(chosen)
        run(net, seconds)
        loop, flows = net.result.meta["live"]["loop"], net.result.tables["live_flows"]
        late_ms = [1e3 * loop[f"lateness_{name}_s"] for name in ("p50", "p99", "p99_9", "max")]
        packets_s = loop["written"] / net.result.meta["live"]["ended_s"]
        yield [
            f"{rate_mbps:,}",
            f"{users:,}",
            f"{flows['goodput_bps'].max() / 1e6:.0f}",
            f"{packets_s:,.0f}",
            *(f"{late:.2f}" for late in late_ms),
            f"{loop['seconds_late']} of {loop['seconds']}",
            f"{estimate(chosen).load:.1%}",
        ]


def main() -> None:
    """Print the table as Markdown."""
    warnings.simplefilter("ignore")
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 30.0
    heads = ["link, Mbit/s", "simulated Web users", "goodput of real TCP, Mbit/s"]
    heads += ["real packets a second", "late p50, ms", "p99", "p99.9", "max"]
    heads += ["seconds above 5 ms", "simulated part"]
    echo(f"| {' | '.join(heads)} |")
    echo(f"|{'---|' * len(heads)}")
    for row in rows(seconds):
        echo(f"| {' | '.join(row)} |")


main()
