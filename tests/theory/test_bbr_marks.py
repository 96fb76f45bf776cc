"""BBRv3 with the response to marks of the Linux module, on queues that mark from 20 packets on.

Bounds follow by hand from `tcp_bbr.c` and were set before the runs, except that of the queue, which
was chosen after one run of each scenario.
"""

from typing import Any

import numpy as np
import pytest

from headgate import Result, dumbbell

#: The queue from which packets are marked, packets.
MARKED_FROM = 20


def share_link(variant: str, rtt: str, **transport: Any) -> Result:
    """Two flows over 100 Mbit/s; figures from 10 s on."""
    return dumbbell(
        rate="100 Mbit/s",
        rtt=rtt,
        buffer="1000 packets",
        queue={"name": "threshold", "mark": f"{MARKED_FROM} packets"},
        duration="30 s",
        transport=transport,
        flows=[{"cca": {"name": "bbr3", "variant": variant}, "count": 2}],
        measure={"warmup": "10 s", "series": "none"},
    ).run(seed=1)


def mean_queue(result: Result) -> float:
    return float(result.ports["mean_queue_packets"][0])


@pytest.mark.parametrize(("variant", "rtt"), [("linux-ecn", "4 ms"), ("linux-ecn-any", "20 ms")])
@pytest.mark.parametrize("feedback", ["exact", "accurate"])
def test_marks_hold_the_queue_at_the_threshold(variant: str, rtt: str, feedback: str) -> None:
    # Outside probes each round trip with a mark leaves 2/3 to 1 of the flight, until marks cease.
    # Then a probe begins, which ends once more than half of its segments are marked.
    marked = share_link(variant, rtt, ecn_feedback=feedback)
    assert mean_queue(marked) <= 1.5 * MARKED_FROM
    assert mean_queue(share_link("linux-v3", rtt)) >= 1.5 * mean_queue(marked)
    assert marked.ports["utilisation"][0] >= 0.95
    assert marked.ports["drops"][0] == 0


def test_the_wait_of_an_rtt_in_the_buffer_becomes_a_tenth() -> None:
    # Two flows that measure each other's queue hold up to an RTT of packets with a window of 2 BDP:
    # 167 packets of 20 ms.
    assert mean_queue(share_link("linux-v3", "20 ms")) >= 0.5 * 167
    assert mean_queue(share_link("linux-ecn-any", "20 ms")) <= 0.15 * 167


@pytest.mark.parametrize("rtt", ["6 ms", "20 ms"])
def test_marks_do_not_count_above_five_milliseconds(rtt: str) -> None:
    with_marks, without = (share_link(variant, rtt) for variant in ("linux-ecn", "linux-v3"))
    assert with_marks.ports["marks"][0] > 1000
    assert np.array_equal(with_marks.flows["goodput_bps"], without.flows["goodput_bps"])


def test_marks_do_not_count_with_the_classic_echo() -> None:
    classic = share_link("linux-ecn-any", "20 ms", ecn_receiver="classic")
    assert classic.ports["marks"][0] > 1000
    without = share_link("linux-v3", "20 ms")
    assert np.array_equal(classic.flows["goodput_bps"], without.flows["goodput_bps"])


def test_the_draft_answers_marks_as_losses() -> None:
    # draft-ietf-ccwg-bbr section 3.7. Two flows with windows of 2 BDP that answer no mark hold up
    # to an RTT of packets, 67. A mark outside a probe leaves 0.7 of the flight, or no queue.
    def share_codel(variant: str) -> Result:
        return dumbbell(
            rate="20 Mbit/s",
            rtt="40 ms",
            buffer="2000 packets",
            queue={"name": "codel", "ecn": "on"},
            duration="20 s",
            transport={"preset": "linux", "ecn": "on"},
            flows=[{"cca": {"name": "bbr3", "variant": variant}, "count": 2}],
        ).run(seed=1)

    draft, linux = share_codel("draft"), share_codel("linux-v3")
    assert mean_queue(draft) <= 0.3 * 67
    assert mean_queue(linux) >= 0.8 * 67
    assert draft.ports["utilisation"][0] >= 0.9
    assert sum(draft.flows["retransmissions"]) == 0
