"""TCP Prague against fixed points of its equations, and against a slow program of Linux 0.6.

The tolerances were chosen after one run of each scenario.
"""

import math
from typing import Any

import numpy as np
import pytest

from headgate import Result

from .slow_ccas import PAYLOAD, PLAIN, SLOW, share_link, utilisation

LINUX = {"preset": "linux"}
STEP = {"name": "threshold", "mark_packets": 20}
SLOW_PRAGUE = f"{SLOW / 'prague.py'}:SlowPrague"
PACKET_BITS = 12_000
TARGET_S = 0.025


def rates(result: Result) -> np.ndarray:
    """Return the rates of flows on the wire, packets per second."""
    return np.asarray(result.flows["goodput_bps"]) / (PAYLOAD * PACKET_BITS)


def variant(name: str, **more: Any) -> dict[str, Any]:
    return {"name": "prague", "variant": name, **more}


@pytest.mark.parametrize(
    ("rate_mbps", "rtt_ms", "loss"),
    [(50, 10, 0), (50, 40, 0), (20, 20, 0.0005)],
    ids=["old", "young", "losses"],
)
def test_the_slow_program_sends_the_same_packets(rate_mbps: int, rtt_ms: int, loss: float) -> None:
    # 15 s are 1500 round trips of 10 ms, of which the transition takes 500.
    ours, slow = (
        share_link(
            {"cca": cca, "transport": {"ecn": "ect1"}},
            rate_mbps=rate_mbps,
            rtt_ms=rtt_ms,
            warmup_s=5,
            duration="15 s",
            queue=STEP,
            loss=loss,
        )
        for cca in ("prague", SLOW_PRAGUE)
    )
    assert ours.digest == slow.digest
    assert ours.ports["marks"][0] > 100


@pytest.mark.parametrize("share", [0.02, 0.1])
@pytest.mark.parametrize("rtt_ms", [10, 40, 80])
def test_the_rate_falls_with_the_share_of_random_marks(rtt_ms: int, share: float) -> None:
    # Let x be the marks per virtual round trip of v = max(RTT, 25 ms): rate = x/(p v). After a
    # reduction the flow ignores marks for v. The next mark comes 1/x of v later, so that it grows
    # (1 - p)(1 + 1/x) segments per v between reductions, which take p/2 of the window x/p. Hence
    # x/2 = (1 - p)(1 + 1/x). A fifth is for round trips, which end later than v.
    due = (1 - share) + math.sqrt((1 - share) ** 2 + 2 * (1 - share))
    result = share_link(
        {"cca": variant("linux", transition=0)},
        rate_mbps=1000,
        rtt_ms=rtt_ms,
        warmup_s=10,
        queue=STEP,
        impairments=[{"name": "ecn-mangle", "ect1": "ce", "share": share}],
    )
    marks = rates(result)[0] * share * max(rtt_ms / 1000, TARGET_S)
    assert marks == pytest.approx(due, rel=0.2)


def near_and_far(cca: Any, queue: object) -> float:
    """Return the rate of a flow with 10 ms over that of one with 20 ms."""
    near, far = ({"cca": cca, "rtt": f"{ms} ms"} for ms in (10, 20))
    result = share_link(
        near,
        far,
        rate_mbps=50,
        rtt_ms=20,
        warmup_s=20,
        queue=queue,
        access="links",
    )
    assert utilisation(result, 50) >= 0.9
    one, other = rates(result)
    return float(one / other)


@pytest.mark.parametrize("queue", [STEP, {"name": "dualpi2"}], ids=["step", "dualpi2"])
@pytest.mark.parametrize("name", ["linux", "linux-0.7", "udp-prague"])
def test_flows_of_10_and_20_ms_share_evenly(name: str, queue: object) -> None:
    # Both grow by one segment per 25 ms and per target window, and see the same share of marks.
    # 500 round trips of 20 ms end before the measurement. Whole round trips of 20 ms are longer
    # than the 25 ms for which the other flow waits: a third.
    assert near_and_far(variant(name), queue) == pytest.approx(1, rel=1 / 3)


@pytest.mark.parametrize("queue", [STEP, {"name": "dualpi2"}], ids=["step", "dualpi2"])
def test_the_shares_of_2020_are_those_of_round_trips(queue: object) -> None:
    # Equal windows at equal shares of marks: rates as 1/RTT. A step marks whole round trips, and
    # the shares of marks differ: up to 1/RTT^2. The queue adds up to 5 ms to both.
    assert 1.6 <= near_and_far(variant("2020"), queue) <= 4


@pytest.mark.parametrize(
    ("rate_mbps", "rtt_ms", "packets"), [(50, 40, 20), (50, 40, 65), (20, 80, 30)]
)
def test_alpha_is_the_share_of_round_trips_above_a_step(
    rate_mbps: int, rtt_ms: int, packets: int
) -> None:
    # Above the step all packets of a round trip are marked. The window w falls by w alpha/2 and
    # grows back by one per round trip, so that one of w alpha/2 round trips is marked, which is
    # alpha: alpha^2 = 2/w. The window is that of the path and of the packets below the step.
    result = share_link(
        {"cca": "prague"},
        rate_mbps=rate_mbps,
        rtt_ms=rtt_ms,
        warmup_s=20,
        queue={"name": "threshold", "mark_packets": packets},
    )
    series = result.series
    alphas = series["gauge"][(series["of"] == "flow") & (series["t_s"] > 20)]
    window = rate_mbps * 1e6 / PACKET_BITS * rtt_ms / 1000 + packets
    assert alphas.mean() == pytest.approx(math.sqrt(2 / window), rel=0.15)
    assert utilisation(result, rate_mbps) >= 0.99


@pytest.mark.parametrize("receiver", ["off", "classic"])
@pytest.mark.parametrize("transport", [PLAIN, LINUX], ids=["plain", "linux"])
def test_without_exact_feedback_it_sends_the_packets_of_reno(
    receiver: str, transport: dict[str, Any]
) -> None:
    prague, reno = (
        share_link(
            {"cca": cca, "transport": {"ecn_receiver": receiver}},
            rate_mbps=20,
            rtt_ms=10,
            warmup_s=5,
            duration="15 s",
            transport=transport,
            queue=STEP,
            buffer="1 BDP",
        )
        for cca in ("prague", "reno")
    )
    assert prague.digest == reno.digest
    assert prague.ports["drops"][0] > 0 == prague.ports["marks"][0]
