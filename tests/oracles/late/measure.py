"""Measures the cases on this machine's kernel: `python -m tests.oracles.late.measure OUT.csv`."""

from __future__ import annotations

import argparse
import fnmatch
import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import headgate

from ..rows import read_rows, write_rows
from .cases import AFTER_S, CASES, DURATION_S, EVENT_S, KEPT_S, Case

HERE = Path(__file__).parent
REPEATS = 5
#: No limit but the congestion window, and nothing remembered from one run to the next.
BUFFERS = (
    "sysctl -qw net.ipv4.tcp_no_metrics_save=1 net.ipv4.tcp_wmem='4096 4194304 67108864'"
    " net.ipv4.tcp_rmem='4096 33554432 67108864'"
)
#: A repeat with packets later than this says nothing of the kernel.
LATE_S = 0.002


def run(case: Case, number: int) -> tuple[dict[str, Any], float]:
    """Let this kernel run a case; gives its line, and how late 99.9 % of its packets were."""
    with tempfile.TemporaryDirectory() as folder:
        scenario = headgate.Scenario.model_validate(
            {
                "network": case.network(Path(folder)),
                "traffic": [{"kind": "live"}],
                "duration": f"{DURATION_S + 2} s",
                "seed": number,
            }
        )
        with headgate.emulate(scenario) as net:
            line = observe(net, case)
    path = {"case": case.name, "repeat": number, "kernel": platform.release().split("-")[0]}
    return path | line, net.result.meta["live"]["loop"]["lateness_p99_9_s"]


def observe(net: Any, case: Case) -> dict[str, Any]:
    """Let this kernel send; gives the figures of sender and receiver."""
    options = {"stdout": subprocess.PIPE, "text": True}
    for host in net.hosts:
        net.run(host, BUFFERS, check=True)
    counter = [sys.executable, str(HERE.parent / "byte_counter.py"), "0", str(DURATION_S)]
    sink = net.start("b", counter, **options)
    net.run("b", "while ! grep -q ':1389 ' /proc/net/tcp; do sleep 0.01; done")
    sender = [sys.executable, str(HERE / "kernel_sender.py"), "b", "cubic"]
    kept_s = [case.ended_s + after_s for after_s in KEPT_S]
    times = [str(time_s) for time_s in (EVENT_S, *kept_s, AFTER_S, DURATION_S + 1)]
    source = net.start("a", [*sender, *times], **options)
    net.wait([sink, source])
    got, seen = json.loads(sink.communicate()[0]), json.loads(source.communicate()[0])
    return {"goodput_mbps": round(8e-6 * got["bytes"] / got["span_s"], 3)} | seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--cases", nargs="*", default=["*"])
    options = parser.parse_args()
    rows = read_rows(options.out)
    known = {(row["case"], int(row["repeat"])) for row in rows}
    for number in range(1, REPEATS + 1):
        for case in CASES:
            named = any(fnmatch.fnmatch(case.name, name) for name in options.cases)
            if not named or (case.name, number) in known:
                continue
            row, late_s = run(case, number)
            kept = late_s <= LATE_S
            print(
                f"{case.name} {number}: {'kept' if kept else 'left out'}, {late_s:.4f} s",
                row,
                flush=True,
            )
            if kept:
                rows.append(row)
                write_rows(options.out, rows)


if __name__ == "__main__":
    main()
