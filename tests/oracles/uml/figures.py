"""Figures of a batch that `boot.py` ran: a row for each scenario."""

import csv
from pathlib import Path
from typing import Any

import numpy as np

from .boot import Run

#: The start is another matter: figures are of what comes after, but for `first`.
WARMUP_S = 10.0
#: Linux's states of a connection from which its window shrinks: Recovery and Loss.
RECOVERY = 3


def table(path: Path) -> np.ndarray[Any, Any]:
    """Read samples as a record array."""
    return np.genfromtxt(path, delimiter=",", names=True)


def of_flow(samples: np.ndarray[Any, Any]) -> dict[str, float]:
    """Goodput, retransmissions and recoveries of one flow."""
    late = samples[samples["t_s"] >= WARMUP_S]
    elapsed_s = late["t_s"][-1] - late["t_s"][0]
    recovers = late["state"] >= RECOVERY
    return {
        "goodput_mbps": 8e-6 * (late["acked_bytes"][-1] - late["acked_bytes"][0]) / elapsed_s,
        "retransmissions_first": late["retrans"][0],
        "retransmissions": late["retrans"][-1] - late["retrans"][0],
        "recoveries": np.count_nonzero(recovers[1:] & ~recovers[:-1]),
    }


def of_run(run: Run, flows: np.ndarray[Any, Any], queue: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Sum flows up, and take the mean of the packets that wait behind the one in service."""
    each = [of_flow(flows[flows["flow"] == flow]) for flow in np.unique(flows["flow"])]
    waiting = np.maximum(queue["packets"][queue["t_s"] >= WARMUP_S] - 1, 0)
    sums = {name: sum(figures[name] for figures in each) for name in each[0]}
    queues = {"queue_packets": waiting.mean(), "drops_all": queue["drops"][-1]}
    return {
        "run": run.name,
        "bottleneck": run.bottleneck,
        "law": run.flows[0][0],
        "flows": len(each),
        **sums,
        **queues,
    }


def of_batch(runs: list[Run], out: Path) -> list[dict[str, Any]]:
    """Give the rows of a batch whose samples are in `out`."""
    flows, queues = table(out / "flows.csv"), table(out / "queues.csv")
    return [
        of_run(run, flows[flows["scenario"] == at], queues[queues["scenario"] == at])
        for at, run in enumerate(runs)
    ]


def write(rows: list[dict[str, Any]], path: Path) -> None:
    """Write rows as CSV, four digits after the point."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(
                {
                    key: f"{value:.10g}" if isinstance(value, float) else value
                    for key, value in row.items()
                }
            )
