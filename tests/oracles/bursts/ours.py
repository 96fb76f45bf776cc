"""The cases in Headgate: the figures that the kernel's runs measured of each burst."""

from __future__ import annotations

from typing import Any

import numpy as np

import headgate

from .cases import BURST_SEGMENTS, Case


def run(case: Case) -> list[dict[str, float]]:
    """Run a case under the preset `linux`; gives the figures of its bursts in order."""
    result = headgate.Scenario.model_validate(
        {
            "network": case.network(),
            "traffic": [
                {
                    "kind": "bursts",
                    "cca": case.cca,
                    "size": f"{BURST_SEGMENTS} packets",
                    "pause": f"{case.pause_s} s",
                    "bursts": case.bursts,
                }
            ],
            "transport": "linux",
            "duration": f"{case.duration_s} s",
            "measure": {"warmup": "0 s", "series": {"interval": "1 ms"}},
        }
    ).run()
    of_flow = np.asarray(result.series["of"]) == "flow"
    times_s = np.asarray(result.series["t_s"])[of_flow]
    windows = np.asarray(result.series["cwnd_packets"])[of_flow]

    def window_at(time_s: float) -> float:
        """Return the window a moment later: no ACK has come by then."""
        return float(windows[np.searchsorted(times_s, time_s + 0.002)])

    flows: Any = result.flows
    columns = {name: np.asarray(flows[name]) for name in flows.columns}
    order = np.argsort(columns["burst"])
    retransmissions = np.cumsum(columns["retransmissions_total"][order])
    return [
        {
            # the kernel's connections were established before their first burst
            "receiver_ms": 1e3 * (columns["fct_receiver_s"][at] - handshake_s),
            "cwnd_begin": window_at(columns["start_s"][at] + handshake_s),
            "retransmissions": float(total),
        }
        for at, total in zip(order, retransmissions, strict=True)
        for handshake_s in [np.nan_to_num(columns["established_s"][at])]
    ]
