"""Two runs of one scenario: by an algorithm of the catalogue, and by the slow program of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from headgate import Result, dumbbell

SLOW = Path(__file__).parents[1] / "oracles" / "slow"
#: Payload of a packet's 1500 B with the preset `linux`.
PAYLOAD = 1448 / 1500
#: Every packet is acknowledged and paced alone, as by the authors' programs over UDP.
PLAIN: dict[str, Any] = {
    "preset": "linux",
    "delayed_ack": False,
    "pacing_bursts": False,
    "whole_windows": False,
}


def share_link(
    *flows: dict[str, Any],
    rate_mbps: float,
    rtt_ms: float,
    warmup_s: float,
    seed: int = 1,
    **more: Any,
) -> Result:
    """Let flows share a link; rows of the port's queue each millisecond."""
    given = {"buffer": "4 BDP", "duration": "60 s", "transport": PLAIN, "access": "direct"} | more
    return dumbbell(
        rate=f"{rate_mbps:g} Mbit/s",
        rtt=f"{rtt_ms:g} ms",
        flows=list(flows),
        measure={"warmup": f"{warmup_s:g} s", "series": {"interval": "1 ms"}},
        **given,
    ).run(seed=seed)


def utilisation(result: Result, rate_mbps: float) -> float:
    """Return the share of the link's rate that the flows used."""
    return float(result.flows["goodput_bps"].sum()) / (rate_mbps * 1e6 * PAYLOAD)


def queue_after(result: Result, warmup_s: float) -> np.ndarray:
    """Return the rows of the queue after this time, packets."""
    series = result.series
    rows = (series["of"] == "port") & (series["t_s"] > warmup_s)
    return np.asarray(series["queue_packets"][rows])


def fairness(result: Result) -> float:
    """Return Jain's index of the rates."""
    rates = np.asarray(result.flows["goodput_bps"])
    return float(rates.sum() ** 2 / (len(rates) * (rates**2).sum()))
