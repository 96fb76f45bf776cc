"""Measures the cases on this machine's kernel: `python -m tests.oracles.bursts.measure OUT.csv`."""

from __future__ import annotations

import argparse
import fnmatch
import json
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import headgate

from ..rows import read_rows, write_rows
from .cases import BURST_SEGMENTS, CASES, SEGMENT_BYTES, Case

HERE = Path(__file__).parent
REPEATS = 5
#: No limit but the congestion window, and nothing remembered from one run to the next.
BUFFERS = (
    "sysctl -qw net.ipv4.tcp_no_metrics_save=1 net.ipv4.tcp_wmem='4096 4194304 67108864'"
    " net.ipv4.tcp_rmem='4096 33554432 67108864'"
)
#: A repeat with packets later than this says nothing of the kernel.
LATE_S = 0.002


def run(case: Case, number: int) -> tuple[list[dict[str, Any]], float]:
    """Let this kernel run a case; gives its lines, and how late 99.9 % of its packets were."""
    scenario = headgate.Scenario.model_validate(
        {
            "network": case.network(),
            "traffic": [{"kind": "live"}],
            "duration": f"{case.duration_s + 2} s",
            "seed": number,
        }
    )
    with headgate.emulate(scenario) as net:
        rows = observe(net, case)
    path = {"case": case.name, "repeat": number, "kernel": platform.release().split("-")[0]}
    return [path | row for row in rows], net.result.meta["live"]["loop"]["lateness_p99_9_s"]


def observe(net: Any, case: Case) -> list[dict[str, Any]]:
    """Let this kernel send; gives the figures of sender and receiver, burst by burst."""
    options = {"stdout": subprocess.PIPE, "text": True}
    for host in net.hosts:
        net.run(host, BUFFERS, check=True)
    size, bursts = str(SEGMENT_BYTES * BURST_SEGMENTS), str(case.bursts)
    receiver = [sys.executable, str(HERE / "kernel_receiver.py"), size, bursts]
    sink = net.start("b", receiver, **options)
    net.run("b", "while ! grep -q ':1389 ' /proc/net/tcp; do sleep 0.01; done")
    sender = [sys.executable, str(HERE / "kernel_sender.py"), "b", case.cca, size, bursts]
    source = net.start("a", [*sender, str(case.pause_s)], **options)
    net.wait([sink, source])
    arrived_s, sent = json.loads(sink.communicate()[0]), json.loads(source.communicate()[0])
    return [line(row, at_s) for row, at_s in zip(sent, arrived_s, strict=True)]


def line(row: dict[str, Any], arrived_s: float) -> dict[str, Any]:
    """Give a burst's line: its completion at both ends, and the window around its start."""
    receiver_ms = 1e3 * (arrived_s - row.pop("begun_s"))
    burst = {"burst": row.pop("burst"), "receiver_ms": round(receiver_ms, 2)}
    return burst | row | {"sender_ms": round(row["sender_ms"], 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--cases", nargs="*", default=["*"])
    parser.add_argument("--repeats", type=int, default=REPEATS)
    options = parser.parse_args()
    rows = read_rows(options.out)
    known = {(row["case"], int(row["repeat"])) for row in rows}
    for number in range(1, options.repeats + 1):
        for case in CASES:
            named = any(fnmatch.fnmatch(case.name, name) for name in options.cases)
            if not named or (case.name, number) in known:
                continue
            found, late_s = run(case, number)
            kept = late_s <= LATE_S
            print(
                f"{case.name} {number}: {'kept' if kept else 'left out'}, {late_s:.4f} s",
                flush=True,
            )
            if kept:
                rows.extend(found)
                write_rows(options.out, rows)


if __name__ == "__main__":
    main()
