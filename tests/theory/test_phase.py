"""Phase effects at a drop-tail queue (Floyd and Jacobson, "Traffic phase effects", 1992)."""

from __future__ import annotations

import numpy as np
import pytest

import headgate

#: Up to two packets' times on the link of 20 Mbit/s, each way.
JITTER = {"name": "jitter", "mean": "600 us", "distribution": "uniform"}
STARTS_S = (0.3, 0.7, 1.1)


def share_of_second(longer_ms: float, impairments: list[dict[str, str]], start_s: float) -> float:
    """Give the second of two cubics' share; its round trip is longer than 40 ms by so much."""

    def link(one: str, other: str, delay_ms: float = 1.0) -> dict[str, object]:
        ends = {"ends": [one, other], "rate": "1 Gbit/s", "delay": f"{delay_ms} ms"}
        return {**ends, "impairments": impairments}

    bottleneck = {"ends": ["L", "R"], "rate": "20 Mbit/s", "delay": "19 ms", "buffer": "67 packets"}
    links = [link("A", "L"), link("B", "L", 1 + longer_ms / 2), bottleneck]
    flow = {"kind": "flows", "cca": "cubic", "receiver": "R"}
    scenario = headgate.Scenario.from_dict(
        {
            "duration": "80 s",
            "transport": "linux",
            "measure": {"warmup": "20 s"},
            "network": {"kind": "graph", "routers": [{"name": n} for n in "ABLR"], "links": links},
            "traffic": [
                {**flow, "source": "A"},
                {**flow, "source": "B", "start": f"{start_s} s"},
            ],
        }
    )
    goodput_bps = scenario.run().flows["goodput_bps"]
    return float(goodput_bps[1] / goodput_bps.sum())


@pytest.mark.parametrize(
    ("longer_ms", "impairments", "low", "high"),
    [(0, [], 0.40, 0.60), (0.2, [], 0.80, 1.0), (0.2, [JITTER], 0.45, 0.65)],
    ids=["the same round trip", "a third of a packet longer", "longer, with jitter"],
)
def test_a_third_of_a_packets_time_decides_who_loses(
    longer_ms: float, impairments: list[dict[str, str]], low: float, high: float
) -> None:
    """Flows keep their phase, so that one always finds the place that the other misses."""
    shares = [share_of_second(longer_ms, impairments, start_s) for start_s in STARTS_S]
    assert low < np.mean(shares) < high, shares
