"""The cases in Headgate: the figures that the kernel's runs were summed up to."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import headgate

from .cases import AFTER_S, DURATION_S, EVENT_S, KEPT_S, Case


def run(case: Case, seed: int) -> dict[str, float]:
    """Run a case under the preset `linux`."""
    with tempfile.TemporaryDirectory() as folder:
        scenario = headgate.Scenario.model_validate(
            {
                "network": case.network(Path(folder)),
                "traffic": [{"kind": "flows", "cca": "cubic"}],
                "transport": "linux",
                "duration": f"{DURATION_S} s",
                "seed": seed,
                "measure": {"series": {"interval": "10 ms"}},
            }
        )
        result = scenario.run()
    flows, series = result.flows, result.series
    of_flow = np.asarray(series["of"]) == "flow"
    times_s = np.asarray(series["t_s"])[of_flow]
    windows = np.asarray(series["cwnd_packets"])[of_flow]

    def select(from_s: float, until_s: float) -> Any:
        return windows[(times_s >= from_s) & (times_s < until_s)]

    return {
        "goodput_mbps": float(flows["goodput_bps"][0]) / 1e6,
        "retransmissions": float(flows["retransmissions_total"][0]),
        "cwnd_before": float(np.median(select(EVENT_S - 1, EVENT_S))),
        "cwnd_kept": float(np.max(select(*(case.ended_s + after_s for after_s in KEPT_S)))),
        "cwnd_after": float(np.median(select(AFTER_S - 1, AFTER_S))),
        "timeouts": float(flows["timeouts_total"][0]),
        "recoveries": float(flows["recoveries_total"][0]),
        "undone": float(flows["undone_total"][0]),
        "spurious_timeouts": float(flows["spurious_timeouts_total"][0]),
    }
