"""The same cases in Headgate, and the same figures of them."""

from functools import cache
from typing import Any

import numpy as np
from tests.oracles.oracle import run

from headgate import Result
from headgate_studies.conform.kernel.cases import KernelCase
from headgate_studies.conform.kernel.path import QUICK_ACKS, lay_path, read_mean_queue

from .kernel import Case


def traffic(case: Case) -> list[dict[str, Any]]:
    """Give the flows."""
    return [
        {"kind": "flows", "cca": cca, "start": f"{start} s"}
        | {"source": "senders", "receiver": "receivers"}
        | ({"size": f"{segments} packets"} if segments else {})
        for cca, start, segments in case.flows
    ]


@cache
def simulate(case: Case, repeat: int) -> Result:
    """Run a case as a repeat has it."""
    return simulate_starts(case.repeated(repeat), repeat)


def simulate_starts(case: Case, seed: int = 1) -> Result:
    """Run a case with its own starts."""
    path = KernelCase("alone", case.name, (), case.rtt_ms, case.buffer, case.loss)
    return run(
        seed=seed,
        duration=f"{case.duration_s} s",
        network=lay_path(path),
        transport={"preset": "linux", "quick_acks": QUICK_ACKS},
        traffic=traffic(case),
        measure={"warmup": f"{case.from_s} s", "series": {"interval": "20 ms"}},
    )


def figures(case: Case, repeat: int, flow: int) -> dict[str, float]:
    """Give a flow's figures under the names that the kernel's have."""
    whole = simulate(case, repeat)
    return {
        "goodput_mbps": float(whole.flows["goodput_bps"][flow]) / 1e6,
        "mean_queue": read_mean_queue(whole),
        "retransmissions": float(whole.flows["retransmissions_total"][flow]),
        "retransmissions_measured": float(whole.flows["retransmissions"][flow]),
        "recoveries_measured": float(whole.flows["recoveries"][flow]),
        "probe_rtts_measured": probe_rtts(case, whole),
    }


def probe_rtts(case: Case, result: Result) -> float:
    """Count how often BBR, alone, falls to its least window."""
    series = result.series
    flow = series.where((series["of"] == "flow") & (series["t_s"] > case.from_s))
    low = flow["cwnd_packets"] <= 4
    return float(np.sum(low[1:] & ~low[:-1]))
