"""Sources that are on and off in turn: how often, how long, and when under different algorithms."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from headgate import Result, dumbbell

SOURCES, DURATION_S, ON_S, OFF_S = 20, 400.0, 1.0, 3.0
CYCLE_S = ON_S + OFF_S


@cache
def run(cca: str = "reno", shape: float | None = None, connections: str | None = None) -> Result:
    """Host links hold every source to 1 Mbit/s, and a window of 10 packets to 120 ms there."""
    given = {"shape": shape, "connections": connections}
    chosen = {key: value for key, value in given.items() if value is not None}
    times = {"on": f"{ON_S} s", "off": f"{OFF_S} s", **chosen}
    return dumbbell(
        rate="100 Mbit/s",
        rtt="40 ms",
        host_rate="1 Mbit/s",
        duration=f"{DURATION_S} s",
        transport={"receive_window": "10 packets"},
        flows=[{"kind": "on_off", "name": "senders", "cca": cca, "hosts": SOURCES, **times}],
        measure={"series": "none"},
    ).run(seed=1)


def column(result: Result, name: str) -> np.ndarray:
    return np.asarray(result.flows[name])


def test_sources_go_on_as_often_as_renewal_theory_says() -> None:
    """The variance of a cycle of exponential times is on^2 + off^2. The mean number in a time T is
    T / cycle + (variance + cycle^2) / (2 cycle^2) - off / cycle; variance T v / cycle^3.
    """
    variance = ON_S**2 + OFF_S**2
    late = (variance + CYCLE_S**2) / (2 * CYCLE_S**2) - OFF_S / CYCLE_S
    mean = SOURCES * (DURATION_S / CYCLE_S + late)
    deviation = (SOURCES * DURATION_S * variance / CYCLE_S**3) ** 0.5
    assert abs(len(run().flows) - mean) < 4 * deviation


def test_a_connection_lasts_as_long_as_its_source_is_on() -> None:
    """And a handshake, or until the window that is under way by then has arrived."""
    lasted_s = column(run(), "fct_sender_s")
    finished = lasted_s[np.isfinite(lasted_s)]
    error_s = 4 * ON_S / len(finished) ** 0.5
    assert ON_S - error_s < finished.mean() < ON_S + 0.2 + error_s


def test_what_is_sent_is_what_the_link_carries_while_sources_are_on() -> None:
    """After a slow start of some 0.2 s to ten packets a host link of 1 Mbit/s is busy."""
    sent_bits = float(column(run(), "delivered_packets").sum()) * 1500 * 8
    on_s = SOURCES * DURATION_S * ON_S / CYCLE_S
    assert 0.7 < sent_bits / (on_s * 1e6) < 1.1


@pytest.mark.parametrize("cca", ["cubic", "bbr", "vegas"])
def test_under_every_algorithm_the_same_sources_are_on_at_the_same_moments(cca: str) -> None:
    assert column(run(cca), "start_s").tolist() == column(run(), "start_s").tolist()


def test_pareto_times_have_their_least() -> None:
    """Of shape 1.5 a time is at least a third of its mean; next to nothing is shorter."""
    result = run(shape=1.5)
    lasted_s = column(result, "fct_sender_s")
    assert np.nanmin(lasted_s) > ON_S / 3
    starts_s = np.sort(column(result, "start_s"))
    assert starts_s[0] > OFF_S / 3
    assert all(one <= other for one, other in pairwise(starts_s))


def test_a_kept_connection_is_on_at_the_same_times_with_fewer_handshakes() -> None:
    """The window of a kept connection after 3 s is that of after_idle; its RTT estimate stays."""
    kept, new = run(connections="kept"), run()
    assert np.array_equal(np.sort(column(kept, "start_s")), np.sort(column(new, "start_s")))
    bursts = column(kept, "burst")
    assert (bursts == 1).sum() == SOURCES
    assert not np.isfinite(column(new, "burst")).any()
    assert np.isfinite(column(kept, "established_s")).sum() == SOURCES
    finished = np.isfinite(column(kept, "fct_sender_s"))
    assert finished.mean() > 0.95
    assert column(kept, "timeouts_total").sum() == 0
    # a handshake of 40 ms shortens each time on of a new connection
    sent = [float(column(result, "delivered_packets").sum()) for result in (kept, new)]
    assert sent[0] > sent[1]
