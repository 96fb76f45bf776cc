"""Figures of a batch that `boot.py` ran: a row for each scenario, and whether it kept time."""

from pathlib import Path
from typing import Any

import numpy as np

from ..rows import write_rows
from .boot import Run

#: The start is another matter: figures are of what comes after, but for `first`.
WARMUP_S = 10.0
#: Linux's states of a connection from which its window shrinks: Recovery and Loss.
RECOVERY = 3
#: A batch is left out if 1 % of its samples came later than this after the one before, or one of
#: them by a round trip: the machine did not keep time.
INTERVAL_S = 0.010
LATE_S = 0.0025
GAP_S = 0.040
#: The kernel's threshold before anything set it.
NEVER_SET = 2**31 - 1


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


def first_threshold(samples: np.ndarray[Any, Any]) -> tuple[float, float]:
    """Give the first threshold of a flow, and when its slow start had ended; -1 and -1 if never."""
    ended = samples[(samples["ssthresh"] > 0) & (samples["ssthresh"] < NEVER_SET)]
    return (float(ended["ssthresh"][0]), float(ended["t_s"][0])) if len(ended) else (-1.0, -1.0)


def kept_time(flows: np.ndarray[Any, Any]) -> bool:
    """Whether the samples came in time; connections are made in the first second."""
    times_s = np.unique(flows["t_s"][(flows["flow"] == 0) & (flows["t_s"] > 1)])
    gaps_s = np.diff(times_s)
    late_s = float(np.percentile(gaps_s, 99)) - INTERVAL_S
    return late_s <= LATE_S and float(gaps_s.max()) <= GAP_S


def of_run(run: Run, flows: np.ndarray[Any, Any], queue: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Sum flows up, and take the mean of the packets that wait behind the one in service."""
    numbers = np.unique(flows["flow"])
    each = [of_flow(flows[flows["flow"] == flow]) for flow in numbers]
    waiting = np.maximum(queue["packets"][queue["t_s"] >= WARMUP_S] - 1, 0)
    sums = {name: sum(figures[name] for figures in each) for name in each[0]}
    queues = {"queue_packets": waiting.mean(), "drops_all": queue["drops"][-1]}
    return {
        "run": run.name,
        "bottleneck": run.bottleneck,
        "cca": run.flows[0][0],
        "flows": len(each),
        **sums,
        **queues,
        "first_ssthresh": first_threshold(flows[flows["flow"] == numbers[0]])[0],
        "sender_qdisc": run.sender_qdisc,
    }


def of_join(run: Run, flows: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Give what became of the second of two flows, which begins beside the first."""
    (beside, _), (_, start_s) = run.flows
    joins = flows[flows["flow"] == np.unique(flows["flow"])[1]]
    threshold, ended_s = first_threshold(joins)

    def goodput_mbps(begin_s: float, end_s: float) -> float:
        kept = joins[(joins["t_s"] >= begin_s) & (joins["t_s"] <= end_s)]
        elapsed_s = kept["t_s"][-1] - kept["t_s"][0]
        return float(8e-6 * (kept["acked_bytes"][-1] - kept["acked_bytes"][0]) / elapsed_s)

    return {
        "beside": beside,
        "start_s": start_s,
        "first_ssthresh": threshold,
        "ended_s": round(ended_s - start_s, 4),
        "goodput_first10_mbps": goodput_mbps(start_s, start_s + WARMUP_S),
        "goodput_mbps": goodput_mbps(start_s + WARMUP_S, np.inf),
    }


def of_batch(runs: list[Run], out: Path) -> list[dict[str, Any]]:
    """Give the rows of a batch whose samples are in `out`; none if it did not keep time."""
    flows, queues = table(out / "flows.csv"), table(out / "queues.csv")
    if not kept_time(flows):
        return []
    each = [(run, flows[flows["scenario"] == at], at) for at, run in enumerate(runs)]
    if runs[0].name.startswith("join"):
        return [of_join(run, of) for run, of, _ in each]
    return [of_run(run, of, queues[queues["scenario"] == at]) for run, of, at in each]


def write(rows: list[dict[str, Any]], path: Path) -> None:
    """Write rows as CSV, in ten digits."""
    write_rows(path, [{key: _shortened(value) for key, value in row.items()} for row in rows])


def _shortened(value: Any) -> Any:
    return f"{value:.10g}" if isinstance(value, float) else value
