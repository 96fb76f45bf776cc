"""Completion times: formulas by hand, ideal servers by hand and beside the formulas."""

from collections.abc import Callable

import numpy as np
import pytest

from headgate.base.errors import ScenarioError
from headgate.engine.fluid import (
    compute_processor_sharing,
    compute_slow_start,
    compute_slow_start_ns2,
    serve_equally,
    serve_shortest_first,
)

# Formulas ----------------------------------------------------------------------------------------


def test_processor_sharing_is_a_round_trip_and_a_half_and_a_share_of_what_is_left() -> None:
    # 0.15 s, and 300 packets at a tenth of 30,000 packets/s.
    got = compute_processor_sharing([300, 3_000], 30_000, 0.9, 0.1)
    assert got == pytest.approx([0.25, 1.15], rel=1e-12)


def test_slow_start_doubles_from_one() -> None:
    # 2^10 packets are sent after 10 rounds, and half a round trip takes the last; 1 ms a packet.
    assert float(compute_slow_start(1_023, 1_000, 0.2)) == pytest.approx(
        10.5 * 0.2 + 1.023, rel=1e-12
    )


@pytest.mark.parametrize(
    ("packets", "expected_s"),
    [(1, 0.2), (2, 0.2), (10, 0.4), (100, 0.7), (1_000, 1.0), (2_000, 1.1)],
)
def test_slow_start_of_ns2_doubles_from_two(packets: int, expected_s: float) -> None:
    assert float(compute_slow_start_ns2(packets, 300_000, 0.1)) == pytest.approx(
        expected_s, abs=4e-3
    )


def test_slow_start_of_another_first_window() -> None:
    # Ten at once, then twenty: 3 round trips with the handshake, and 5 packets of the second round.
    got = float(compute_slow_start_ns2(15, 1_000, 0.1, first_packets=10))
    assert got == pytest.approx(0.3 + 0.005, rel=1e-12)


# Ideal servers -----------------------------------------------------------------------------------


def times(*values: float) -> np.ndarray:
    return np.array(values, float)


def sizes(*values: int) -> np.ndarray:
    return np.array(values, np.uint64)


def test_flows_that_come_together_leave_together() -> None:
    assert serve_equally(times(0, 0), sizes(10, 10), 10.0).tolist() == [2.0, 2.0]


def test_equal_shares_by_hand() -> None:
    # Half of the first is done when the second comes; it gets 5 a second and is done 0.4 s later.
    got = serve_equally(times(0, 0.5, 9), sizes(10, 2, 10), 10.0)
    assert got == pytest.approx([1.2, 0.4, 1.0])


def test_the_shortest_remaining_flow_first_by_hand() -> None:
    got = serve_shortest_first(times(0, 0.5, 9), sizes(10, 2, 10), 10.0)
    assert got == pytest.approx([1.2, 0.2, 1.0])


def test_both_servers_are_busy_for_the_same_time() -> None:
    rng = np.random.default_rng(1)
    start = np.cumsum(rng.exponential(1.0, 2_000))
    packets = rng.geometric(0.1, 2_000).astype(np.uint64)
    ends = [start + of(start, packets, 12.0) for of in (serve_equally, serve_shortest_first)]
    idle = [np.flatnonzero(start[1:] > np.maximum.accumulate(end)[:-1]) for end in ends]
    assert idle[0].tolist() == idle[1].tolist()
    last_of_first_period = [end[: idle[0][0] + 1].max() for end in ends]
    assert last_of_first_period[0] == pytest.approx(last_of_first_period[1])


def test_equal_shares_do_not_care_for_the_law_of_sizes() -> None:
    rng, load, count = np.random.default_rng(2), 0.7, 200_000
    for packets in (rng.geometric(0.05, count), rng.choice([2, 110], count, p=[5 / 6, 1 / 6])):
        start = np.cumsum(rng.exponential(packets.mean() / load, count))
        spent = serve_equally(start, packets.astype(np.uint64), 1.0)
        assert (spent / packets).mean() == pytest.approx(1 / (1 - load), rel=0.05)


# Errors ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda: compute_processor_sharing(1, 10, 1.0, 0),
            "load: must be a number from 0 to below 1; got 1.0",
        ),
        (
            lambda: compute_processor_sharing(1, 0, 0.5, 0),
            "rate_packets_s: must be a rate above 0; got 0",
        ),
        (lambda: compute_slow_start([1, -2], 10, 0), "size_packets: must be sizes above 0; got -2"),
        (
            lambda: compute_slow_start("x", 10, 0),
            "size_packets: must be a number or a list of numbers; got 'x'",
        ),
        (lambda: compute_slow_start(1, 10, -1), "rtt_s: must be a time of 0 or more; got -1"),
        (
            lambda: compute_slow_start_ns2(1, 10, 0, first_packets=0),
            "first_packets: must be a number above 0; got 0",
        ),
        (
            lambda: serve_equally([0], [1, 2], 1),
            "start_s: must be a list of 2 times, one per size; got 1",
        ),
        (
            lambda: serve_equally([1, 0], [1, 2], 1),
            "start_s: must be in ascending order",
        ),
        (
            lambda: serve_shortest_first([0], [np.nan], 1),
            "size_packets: must be sizes above 0; got nan",
        ),
    ],
)
def test_a_wrong_input_is_one_sentence(call: Callable[[], object], says: str) -> None:
    with pytest.raises(ScenarioError) as raised:
        call()
    assert str(raised.value) == says
