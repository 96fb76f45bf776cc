"""Two Reno flows of different round trips, whose phases lock on a drop-tail link, beside ns-2.35.

Which of the two is ahead hangs on the round trips to within a packet's time on the line, so the
lock is compared over drawn ones.
"""

from functools import cache

import numpy as np

from .oracle import rows, run
from .test_ns2_laws import LINUX

#: The Linux of that agent, 2.6.22, had no RACK yet: no timer starts anew at an ACK that only SACKs.
BEFORE_RACK = LINUX | {"rack_tlp": False}


def drawn() -> list[dict[str, str]]:
    """Give the runs of ns-2 with drawn round trips, and no random delay before sending."""
    return [
        row
        for row in rows("ns2/phase.csv")
        if float(row["overhead_s"]) == 0 and row["rtt_a_s"] != "0.02"
    ]


@cache
def share(rtt_a_s: str, rtt_b_s: str, seed: int) -> float:
    """Give the first flow's share of the goodput."""
    starts = np.random.default_rng(seed).uniform(0, 1, 2)
    result = run(
        seed=seed,
        duration="220 s",
        network={
            "kind": "dumbbell",
            "rate": "10 Mbit/s",
            "rtt": f"{rtt_a_s} s",
            "buffer": "33 packets",
        },
        traffic=[
            {
                "kind": "flows",
                "name": name,
                "law": "reno",
                "transport": BEFORE_RACK,
                "start": f"{start:.6f} s",
                "rtt": f"{rtt} s",
            }
            for name, start, rtt in zip("ab", starts, (rtt_a_s, rtt_b_s), strict=True)
        ],
        measure={"warmup": "20 s", "series": "none"},
    )
    goodput = result.flows["goodput_bps"]
    return float(goodput[result.flows["traffic"] == "a"][0] / goodput.sum())


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
