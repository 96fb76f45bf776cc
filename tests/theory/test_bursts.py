"""Bursts on a persistent connection: how long each takes by the window that an idle time has left.

On a path of 100 ms whose rate does not matter, a burst of 150 packets takes as many round trips as
slow start needs to send it, and half a round trip for its last packets to arrive.
"""

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from headgate import Result, dumbbell

RTT_S, PACKETS = 0.1, 150
#: At 1 Gbit/s all packets of a burst leave within this.
SPREAD_S = (PACKETS + 2) * 1500 * 8 / 1e9


@cache
def run(after_idle: str, pause: str, cca: str = "reno", size: str = f"{PACKETS} packets") -> Result:
    return dumbbell(
        rate="1 Gbit/s",
        rtt="100 ms",
        buffer="infinite",
        access="direct",
        duration="40 s",
        transport={"after_idle": after_idle},
        flows=[{"kind": "bursts", "name": "web", "cca": cca, "size": size, "pause": pause}],
        measure={"warmup": "0 s"},
    ).run(seed=1)


def column(result: Result, name: str) -> Any:
    return np.asarray(result.flows[name])


def round_trips(result: Result, burst: int) -> float:
    """Round trips that a burst took until it had arrived, less what its packets took to leave."""
    fct_s = column(result, "fct_receiver_s")[burst - 1]
    whole = np.floor(fct_s / RTT_S - 0.5) + 0.5
    assert 0 <= fct_s - whole * RTT_S <= SPREAD_S
    return float(whole)


@pytest.mark.parametrize(
    ("after_idle", "pause", "trips"),
    [
        # before the first one the handshake; then 10, 20, 40, 80 segments, and so again
        ("rfc5681", "1 s", 3.5),
        # after a pause shorter than the time-out of 0.3 s a window of 160 takes all at once
        ("rfc5681", "0.19 s", 0.5),
        ("linux", "0.19 s", 0.5),
        # 0.7 s since the last packet are two time-outs of 0.3 s: 160/4 = 40, 80, 30
        ("linux", "0.6 s", 2.5),
        # three of them: 20, 40, 80, 10
        ("linux", "0.9 s", 3.5),
        # five: the initial window, not 5
        ("linux", "1.5 s", 3.5),
        # 1, 2, 4, 8, 16, 32, 64, 23
        ("ns2", "1 s", 7.5),
        ("keep", "5 s", 0.5),
    ],
)
def test_a_second_burst_takes_the_round_trips_that_its_window_needs(
    after_idle: str, pause: str, trips: float
) -> None:
    result = run(after_idle, pause)
    assert round_trips(result, 1) == 4.5
    assert round_trips(result, 2) == trips


def test_bursts_are_flows_with_a_number_and_a_pause_between_them() -> None:
    result = run("rfc5681", "1 s")
    assert list(column(result, "burst")) == list(range(1, len(result.flows) + 1))
    assert set(column(result, "traffic")) == {"web"}
    assert set(column(result, "size_packets")) == {PACKETS}
    ended_s = column(result, "start_s") + column(result, "fct_sender_s")
    gaps_s = column(result, "start_s")[1:] - ended_s[:-1]
    assert gaps_s == pytest.approx(1, abs=1e-9)
    # the handshake belongs to the first one
    assert column(result, "established_s")[0] == pytest.approx(RTT_S, abs=1e-4)
    assert np.isnan(column(result, "established_s")[1:]).all()
    assert column(result, "mean_rtt_s") == pytest.approx(RTT_S, abs=SPREAD_S)


def test_each_burst_counts_its_own_packets() -> None:
    """One that is cut off by the end counts what is acknowledged of it; none is counted twice."""
    result = run("rfc5681", "1 s")
    delivered, status = column(result, "delivered_packets"), column(result, "status")
    assert (delivered[:-1] == PACKETS).all()
    assert (status[:-1] == "finished").all()
    assert 0 <= delivered[-1] <= PACKETS


def test_at_an_interval_bursts_begin_whatever_the_algorithm_does() -> None:
    def starts(cca: str) -> Any:
        return column(
            dumbbell(
                rate="5 Mbit/s",
                rtt="40 ms",
                duration="60 s",
                flows=[
                    {
                        "kind": "bursts",
                        "name": "live",
                        "cca": cca,
                        "size": {"kind": "pareto", "mean": "400 kB", "shape": 1.5},
                        "interval": {"kind": "exponential", "mean": "1 s"},
                    }
                ],
            ).run(seed=3),
            "start_s",
        )

    reno, vegas = np.sort(starts("reno")), np.sort(starts("vegas"))
    assert np.array_equal(reno, vegas)
    assert len(reno) > 30
    assert np.diff(reno).mean() == pytest.approx(1, abs=0.5)


def test_a_burst_that_begins_early_waits_behind_the_one_before() -> None:
    """At 1.5 Mbit/s a burst of 250 packets takes 2 s; each begins 1 s after the one before."""
    result = dumbbell(
        rate="1.5 Mbit/s",
        rtt="40 ms",
        buffer="infinite",
        access="direct",
        duration="30 s",
        flows=[
            {
                "kind": "bursts",
                "cca": "reno",
                "size": "250 packets",
                "interval": "1 s",
                "bursts": 5,
            }
        ],
    ).run(seed=1)
    fct_s = column(result, "fct_receiver_s")
    assert list(column(result, "burst")) == [1, 2, 3, 4, 5]
    assert [after - before for before, after in pairwise(fct_s)] == pytest.approx([1] * 4, abs=0.01)
    assert (column(result, "delivered_packets") == 250).all()
    assert column(result, "retransmissions").sum() == 0


@pytest.mark.parametrize("cca", ["bbr", "bbr3", "cubic", "vegas", "ledbat", "fast", "htcp"])
def test_every_algorithm_sends_on_after_a_pause(cca: str) -> None:
    result = run("linux", "2 s", cca)
    assert len(result.flows) > 8
    status = column(result, "status")
    assert (status[:-1] == "finished").all()


def test_algorithms_of_a_model_keep_their_window() -> None:
    """After its idle time BBR paces at the bandwidth that it has seen, and needs no slow start."""
    slow = column(run("rfc5681", "2 s", "cubic"), "fct_receiver_s")[1]
    model = column(run("rfc5681", "2 s", "bbr"), "fct_receiver_s")[1]
    kept = column(run("keep", "2 s", "bbr"), "fct_receiver_s")[1]
    assert model == kept < slow
