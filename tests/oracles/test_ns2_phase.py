"""Two Reno flows of different round trips, whose phases lock on a drop-tail link, beside ns-2.35.

Which of the two is ahead hangs on the round trips to within a packet's time on the line, so the
lock is compared over drawn ones.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest

from .oracle import rows, run
from .test_ns2_ccas import LINUX

#: The Linux of that agent, 2.6.22, lacked RACK: no timer restarts at an ACK that only SACKs.
BEFORE_RACK = LINUX | {"rack_tlp": False}
#: Of the line, and of each packet on it; how many sources the cross traffic has.
RATE_MBPS, PACKET_BITS, SOURCES = 10, 12_000, 50


def drawn() -> list[dict[str, str]]:
    """Give the runs of ns-2 with drawn round trips, and no random delay before sending."""
    return [
        row
        for row in rows("ns2/phase.csv")
        if float(row["overhead_s"]) == 0 and row["rtt_a_s"] != "0.02"
    ]


def sources(cross: float, seed: int) -> list[dict[str, Any]]:
    """Give what takes so much of the line, with packets as large as the others."""
    rate_mbps = cross * RATE_MBPS / SOURCES
    period_s = PACKET_BITS / (rate_mbps * 1e6)
    return [
        {
            "kind": "flows",
            "name": f"cross {at}",
            "cca": {"name": "constant", "rate_mbps": rate_mbps},
            "transport": BEFORE_RACK,
            "start": f"{start:.6f} s",
        }
        for at, start in enumerate(np.random.default_rng([seed, 1]).uniform(0, period_s, SOURCES))
    ]


@cache
def share(rtt_a_s: str, rtt_b_s: str, seed: int, cross: float = 0) -> float:
    """Give the first flow's share of the goodput of both."""
    starts = np.random.default_rng(seed).uniform(0, 1, 2)
    result = run(
        seed=seed,
        duration="220 s",
        network={
            "kind": "dumbbell",
            "rate": f"{RATE_MBPS} Mbit/s",
            "rtt": f"{rtt_a_s} s",
            "buffer": "33 packets",
        },
        traffic=[
            {
                "kind": "flows",
                "name": name,
                "cca": "reno",
                "transport": BEFORE_RACK,
                "start": f"{start:.6f} s",
                "rtt": f"{rtt} s",
            }
            for name, start, rtt in zip("ab", starts, (rtt_a_s, rtt_b_s), strict=True)
        ]
        + (sources(cross, seed) if cross else []),
        measure={"warmup": "20 s", "series": "none"},
    )
    goodput, traffic = result.flows["goodput_bps"], result.flows["traffic"]
    a, b = (float(goodput[traffic == name][0]) for name in "ab")
    return a / (a + b)


def test_the_same_flow_is_ahead_by_as_much() -> None:
    mine, other = [], []
    for row in drawn():
        a, b = float(row["goodput_a_bps"]), float(row["goodput_b_bps"])
        other.append(a / (a + b))
        mine.append(share(row["rtt_a_s"], row["rtt_b_s"], int(row["seed"])))
    assert len(mine) == 8
    # the lock goes either way
    assert min(other) < 0.3
    assert max(other) > 0.8
    assert np.max(np.abs(np.subtract(mine, other))) < 0.1
    assert abs(np.mean(mine) - np.mean(other)) < 0.05


@pytest.mark.parametrize("cross", [0.01, 0.05])
def test_cross_traffic_in_packets_of_the_same_size_loosens_the_lock_as_much(cross: float) -> None:
    repeats = [row for row in rows("ns2/phase_cross.csv") if float(row["cross"]) == cross]
    both = [(float(row["goodput_a_bps"]), float(row["goodput_b_bps"])) for row in repeats]
    other = [a / (a + b) for a, b in both]
    mine = [share("0.02", "0.04", int(row["seed"]), cross) for row in repeats]
    assert abs(np.mean(mine) - np.mean(other)) < 0.05
