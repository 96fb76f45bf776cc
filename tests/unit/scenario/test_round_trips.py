"""Round trips that a course or the reverse direction changes."""

import re
from typing import Any

import pytest

from headgate.scenario.plan_warnings import scenario_warnings

from .scenarios import DUMBBELL, RENO, planned, scenario

LEO = {"kind": "dumbbell", "rtt": "40 ms", "course": "leo"}
MS = 10**9


def doubts(network: dict[str, Any], *traffic: dict[str, Any]) -> list[str]:
    made = scenario(network, *traffic)
    return [said for said in scenario_warnings(made, *made.plan()) if "make it" in said]


def test_a_round_trip_that_the_delays_do_not_make_up_is_warned_of() -> None:
    (said,) = doubts({**DUMBBELL, "reverse": {"delay": "60 ms"}})
    assert said == (
        "network.rtt: rtt is 40 ms, but the delays of the path make it 88 ms; a BDP counts 40 ms;"
        ' write rtt = "200 ms", with which they agree, or the buffer in packets'
    )


def test_a_buffer_in_packets_has_no_bdp_to_be_warned_of() -> None:
    network = {**DUMBBELL, "reverse": {"delay": "60 ms"}, "buffer": "200 packets"}
    (said,) = doubts(network)
    assert said.endswith('make it 88 ms; write rtt = "200 ms", with which they agree')
    (said,) = doubts(network, {**RENO, "rtt": "80 ms"})
    assert said.endswith("make it 88 ms")


@pytest.mark.parametrize(
    "network",
    [
        LEO,
        {**LEO, "access": "direct", "rtt": "20 ms"},
        {**DUMBBELL, "reverse": {"delay": "60 ms"}},
        {**DUMBBELL, "access": "direct", "reverse": {"delay": "60 ms"}},
    ],
)
def test_with_the_round_trip_of_the_remedy_there_is_no_warning(network: dict[str, Any]) -> None:
    (said,) = doubts(network)
    remedy = re.search(r'write rtt = "(.*?)"', said)
    assert remedy is not None
    assert not doubts({**network, "rtt": remedy[1]})


def test_a_round_trip_of_traffic_may_leave_no_value_that_agrees() -> None:
    (said,) = doubts({**DUMBBELL, "reverse": {"delay": "60 ms"}}, {**RENO, "rtt": "80 ms"})
    assert said.endswith("make it 88 ms; a BDP counts 40 ms; write the buffer in packets")


def test_small_differences_are_tolerated() -> None:
    assert not doubts(DUMBBELL)
    assert not doubts({**DUMBBELL, "access": "direct"})
    assert not doubts(DUMBBELL, RENO, {**RENO, "rtt": "10 ms"})
    assert not doubts({**DUMBBELL, "reverse": {"delay": "15 ms"}})


def test_a_round_trip_of_traffic_counts_the_delays_of_both_directions() -> None:
    network = {**DUMBBELL, "reverse": {"delay": "30 ms"}}
    for way in (False, True):
        plan = planned(network, {**RENO, "rtt": "90 ms", "reverse": way})
        (item,), (link, back) = plan["traffic"], plan["links"]
        edge = plan["edges"][item["sources"][0]["edge"]]
        assert 4 * edge["delay_ps"] + link["delay_ps"] + back["delay_ps"] == 90 * MS
