"""Copa against its paper (Arun, Balakrishnan, NSDI 2018) and a slow program of it.

The swing of the queue follows by hand from the rule. The other figures are those of the abstract:
competition with CUBIC, random losses, round trips. The tolerances were set before the runs.
"""

import numpy as np
import pytest

from .slow_ccas import SLOW, fairness, queue_after, share_link, utilisation

DELTA = 0.5
SLOW_COPA = f"{SLOW / 'copa.py'}:SlowCopa"


@pytest.mark.parametrize(("rate_mbps", "rtt_ms"), [(12, 100), (24, 40), (100, 40)])
def test_the_queue_swings_from_empty_to_two_and_a_half_over_delta(
    rate_mbps: float, rtt_ms: float
) -> None:
    # By the rule: 0 to 2.5/delta packets in five round trips, a mean of 1.25/delta. A round trip in
    # which the least RTT of 10 s is forgotten, or the velocity doubles once, adds 1/delta to 5.
    result = share_link({"cca": "copa"}, rate_mbps=rate_mbps, rtt_ms=rtt_ms, warmup_s=20)
    queue = queue_after(result, 20)
    assert utilisation(result, rate_mbps) >= 0.98
    assert np.quantile(queue, 0.05) <= 1
    assert 1.25 / DELTA - 1.5 <= queue.mean() <= 1.25 / DELTA + 2 / DELTA
    assert np.quantile(queue, 0.9) <= 5 / DELTA


def test_flows_share_evenly_and_queue_in_proportion() -> None:
    result = share_link({"cca": "copa", "count": 4}, rate_mbps=100, rtt_ms=40, warmup_s=20)
    assert fairness(result) >= 0.95
    assert utilisation(result, 100) >= 0.98
    assert queue_after(result, 20).mean() <= 4 * 2.5 / DELTA


def test_the_slow_program_gives_the_same_run_within_its_minima() -> None:
    # Ours renews its moving minima by quarters of the window: the standing RTT is up to srtt/4 too
    # young, a quarter of the 1/delta packets by which the queue moves in a round trip.
    ours, slow = (
        share_link({"cca": cca}, rate_mbps=12, rtt_ms=100, warmup_s=15, duration="40 s")
        for cca in ("copa", SLOW_COPA)
    )
    assert utilisation(ours, 12) == pytest.approx(utilisation(slow, 12), abs=0.01)
    assert queue_after(ours, 15).mean() == pytest.approx(queue_after(slow, 15).mean(), abs=1.5)


def test_the_competitive_mode_holds_a_share_beside_cubic() -> None:
    # Beside CUBIC, Copa gets a share like CUBIC's, and less without the mode. 1/delta follows
    # additive increase and multiplicative decrease as NewReno does.
    shares = []
    for competes in ("yes", "no"):
        copa = {"cca": {"name": "copa", "competes": competes}}
        result = share_link(
            copa, {"cca": "cubic"}, rate_mbps=24, rtt_ms=40, warmup_s=20, buffer="2 BDP"
        )
        rates = np.asarray(result.flows["goodput_bps"])
        shares.append(rates[0] / rates.sum())
    assert shares[0] >= 0.25
    assert shares[1] <= 0.2 < shares[0]


@pytest.mark.parametrize("loss", [0.01, 0.05])
def test_random_losses_do_not_slow_it_down(loss: float) -> None:
    # Abstract: robust to losses without congestion. A loss changes no window in the default mode;
    # retransmissions take their share of the link.
    result = share_link({"cca": "copa"}, rate_mbps=12, rtt_ms=50, warmup_s=10, loss=loss)
    assert utilisation(result, 12) >= 0.9 * (1 - loss)


def test_the_rtt_hardly_changes_the_share() -> None:
    # Abstract: fairer with diverse RTTs than CUBIC. Reno's bias at 1:2 is 2 to 4.
    near, far = ({"cca": "copa", "rtt": f"{ms} ms"} for ms in (40, 80))
    result = share_link(near, far, rate_mbps=48, rtt_ms=40, warmup_s=20, access="links")
    rates = np.asarray(result.flows["goodput_bps"])
    assert rates.max() / rates.min() <= 2
