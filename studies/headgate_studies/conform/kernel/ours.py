"""A case in simulation."""

from __future__ import annotations

import numpy as np

from headgate import Result
from headgate_studies.conform.kernel.cases import KernelCase
from headgate_studies.conform.kernel.figures import Course, Numbers, Outcome
from headgate_studies.conform.kernel.path import BOTTLENECK, LEAD_S, for_ours


def simulate(case: KernelCase, seed: int, tick_s: float) -> Outcome:
    """Run a case with our laws."""
    result = for_ours(case, seed, tick_s).run()
    flows = result.flows
    return Outcome(
        tuple((flows["goodput_bps"] / 1e6).tolist()),
        read_mean_queue(result),
        float(flows["retransmissions"].sum()),
        float(flows["recoveries"].sum()),
        float(flows["fct_receiver_s"][0]) if case.is_sized else float("nan"),
        tuple(_course(result, name) for name in _names(result)),
        read_queue(result),
        float(result.ports["marks"].sum()),
    )


def _names(result: Result) -> list[str]:
    of_flows = result.series["of"] == "flow"
    return list(dict.fromkeys(result.series["name"][of_flows].tolist()))


def _course(result: Result, name: str) -> Course:
    rows = result.series.where((result.series["of"] == "flow") & (result.series["name"] == name))
    after = rows.where(rows["t_s"] >= LEAD_S)
    return Course(after["t_s"] - LEAD_S, after["cwnd_packets"], after["ssthresh_packets"])


def read_mean_queue(result: Result) -> float:
    """Return the mean number of packets that wait at the bottleneck, simulated."""
    at = result.ports["link"] == BOTTLENECK
    return float(result.ports["mean_queue_packets"][at][0])


def read_queue(result: Result) -> tuple[Numbers, Numbers]:
    """Return its course, from the start of sending."""
    rows = result.series.where(
        (result.series["of"] == "port")
        & (result.series["name"] == BOTTLENECK)
        & (result.series["t_s"] >= LEAD_S)
    )
    return rows["t_s"] - LEAD_S, np.asarray(rows["queue_packets"], np.float64)
