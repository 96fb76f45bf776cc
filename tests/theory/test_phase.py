"""Phase effects at a drop-tail queue (Floyd and Jacobson, "Traffic phase effects", 1992)."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pytest

import headgate

#: Up to two thirds of a packet's time on the link of 20 Mbit/s.
JITTER = {"name": "jitter", "mean": "200 us", "distribution": "uniform"}
STARTS_S = (0.3, 0.7, 1.1)


def share_of_second(jittered: Collection[str], start_s: float) -> float:
    """Give the second flow's share of two cubics at 20 Mbit/s and 40.14 ms, 66.9 packets' times."""

    def link(one: str, other: str) -> dict[str, object]:
        impairments = {"impairments": [JITTER]} if one in jittered else {}
        return {"ends": [one, other], "rate": "1 Gbit/s", "delay": "1 ms", **impairments}

    bottleneck = {"ends": ["L", "R"], "rate": "20 Mbit/s", "delay": "18.07 ms"}
    links = [link("A", "L"), link("B", "L"), {**bottleneck, "buffer": "67 packets"}, link("R", "C")]
    flow = {"kind": "flows", "law": "cubic", "receiver": "C"}
    scenario = headgate.Scenario.from_dict(
        {
            "duration": "80 s",
            "transport": "linux",
            "measure": {"warmup": "20 s"},
            "network": {"kind": "graph", "routers": [{"name": n} for n in "ABLRC"], "links": links},
            "traffic": [
                {**flow, "source": "A"},
                {**flow, "source": "B", "start": f"{start_s} s"},
            ],
        }
    )
    goodput_bps = scenario.run().flows["goodput_bps"]
    return float(goodput_bps[1] / goodput_bps.sum())


@pytest.mark.parametrize(
    ("jittered", "low", "high"),
    [("", 0.40, 0.60), ("AB", 0.40, 0.60), ("B", 0.70, 0.95)],
    ids=["neither", "both", "one"],
)
def test_who_is_always_at_the_same_phase_loses_more(jittered: str, low: float, high: float) -> None:
    """A sender that meets the full queue at random moments finds places that the other misses."""
    share = np.mean([share_of_second(jittered, start_s) for start_s in STARTS_S])
    assert low < share < high
