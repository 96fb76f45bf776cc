"""Slow starts beside an independent program (`slow_start_program.py`).

Both run one Reno flow over the same link. They must agree on the time and the window at the end of
slow start, the packets that the queue dropped, and the window after the recovery.
"""

from typing import Any

import numpy as np
import pytest

import headgate
from headgate import Result

from . import slow_start_program as program

#: Key of the scenario, rule of the program.
CLASSIC = ("classic", program.Classic)
HYSTART = ("hystart", program.HyStart)
SEARCH = ("search", program.Search)
FORWARD = (
    {"name": "search", "interpolation": "forward"},
    lambda: program.Search(forward=True),
)
CAUTIOUS = ("hystart++", program.HyStartPlusPlus)
RAPID = ("rapid-start", program.RapidStart)


def resume(saved_cwnd: int) -> tuple[Any, Any]:
    key = {"name": "careful-resume", "saved_cwnd": saved_cwnd, "saved_rtt": "100 ms"}
    return key, lambda: program.CarefulResume(saved_cwnd)


#: A buffer that never overflows, packets.
DEEP = 20_000
#: Rounding of times, and the time of a packet on the link, seconds.
ROUNDING_S, PACKET_S = 1e-9, program.DATA_S


def simulate(slow_start: Any, buffer: int) -> Result:
    flow = {"cca": {"name": "reno", "slow_start": slow_start}}
    scenario = headgate.dumbbell(
        rate="50 Mbit/s", rtt="100 ms", buffer=f"{buffer} packets", flows=[flow]
    )
    return scenario.replaced({"measure.series.interval": "5 ms"}).run("4 s", seed=1)


def find_thresholds(result: Result) -> list[float]:
    """Return the values of ssthresh in the order of their first sample."""
    of_flow = result.series["ssthresh_packets"][result.series["of"] == "flow"]
    return list(dict.fromkeys(of_flow[np.isfinite(of_flow)]))


@pytest.mark.parametrize(
    "case", [HYSTART, CAUTIOUS, SEARCH, FORWARD], ids=lambda case: str(case[0])
)
def test_both_leave_slow_start_at_the_same_ack(case: Any) -> None:
    key, rule = case
    theirs, flows = program.run(rule(), DEEP), simulate(key, DEEP).flows
    assert flows["slow_start_s"][0] == pytest.approx(theirs.exit_s, abs=ROUNDING_S)
    # the ACK at the exit counts for congestion avoidance: one more packet per window
    assert flows["slow_start_cwnd_packets"][0] == pytest.approx(theirs.cwnd + 1 / theirs.cwnd)
    assert flows["slow_start_resent_packets"][0] == 0


@pytest.mark.parametrize("buffer", [100, 300, 700])
@pytest.mark.parametrize("case", [CLASSIC, RAPID], ids=lambda case: str(case[0]))
def test_both_lose_the_same_packets_and_keep_the_same_window(case: Any, buffer: int) -> None:
    key, rule = case
    theirs, result = program.run(rule(), buffer), simulate(key, buffer)
    flows = result.flows
    # the engine counts duplicate ACKs, the program later packets: one ACK may lie between
    assert flows["slow_start_s"][0] == pytest.approx(theirs.exit_s, abs=1.5 * PACKET_S)
    assert flows["slow_start_cwnd_packets"][0] == pytest.approx(theirs.cwnd, abs=1)
    # Rapid Start replaces Reno's threshold at the end of the recovery
    after = find_thresholds(result)[1 if key == "rapid-start" else 0]
    assert after == pytest.approx(rule().after_loss(theirs), abs=2)
    if key == "rapid-start":
        resent = int(flows["slow_start_resent_packets"][0])
        assert resent == pytest.approx(theirs.lost, abs=2)


@pytest.mark.parametrize(
    ("saved_cwnd", "buffer"), [(300, 300), (1_400, 700), (2_000, 300), (2_000, 100)]
)
def test_both_resume_and_retreat_alike(saved_cwnd: int, buffer: int) -> None:
    key, make = resume(saved_cwnd)
    rule = make()
    theirs, result = program.run(rule, buffer), simulate(key, buffer)
    assert result.flows["slow_start_s"][0] == pytest.approx(theirs.exit_s, abs=ROUNDING_S)
    assert result.flows["slow_start_cwnd_packets"][0] == theirs.cwnd
    # a retreat replaces Reno's threshold by half of what has passed
    after = find_thresholds(result)[1 if rule.phase == "validating" else 0]
    assert after == pytest.approx(rule.after_loss(theirs), abs=2)


def test_rapid_start_triples_where_classic_doubles() -> None:
    rapid, classic = (program.run(rule(), 300) for rule in (program.RapidStart, program.Classic))
    assert rapid.exit_s < classic.exit_s - 2 * program.RTT_S
