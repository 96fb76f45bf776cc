"""The load of Poisson arrivals: the rate that it is a share of, and warnings of too much."""

from typing import Any

import pytest

from headgate.scenario.plan_warnings import scenario_warnings

from .scenarios import DUMBBELL, planned, scenario

FILES = {"kind": "poisson", "cca": "reno", "load": 0.5, "size": "100 packets"}
FILE_BITS = 100 * 1500 * 8
CHAIN = {
    "kind": "graph",
    "delay": "5 ms",
    "routers": [{"name": name} for name in "abc"],
    "links": [
        {"ends": ["a", "b"], "rate": "100 Mbit/s"},
        {"ends": ["b", "c"], "rate": "10 Mbit/s"},
    ],
}


def offered_bps(network: dict[str, Any], **keys: Any) -> float:
    item = planned(network, {**FILES, **keys})["traffic"][0]
    return float(item["flows_per_s"] * FILE_BITS)


def too_much(network: dict[str, Any], *traffic: dict[str, Any], **keys: Any) -> list[str]:
    made = scenario(network, *traffic, **keys)
    said = scenario_warnings(made, *made.plan())
    return [one for one in said if "accumulate" in one]


@pytest.mark.parametrize(
    ("ends", "bps"),
    [
        ({"source": "a", "receiver": "b"}, 50e6),
        ({"source": "a", "receiver": "c"}, 5e6),
        ({}, 50e6),
    ],
)
def test_a_load_is_a_share_of_the_least_rate_on_its_path(ends: dict[str, str], bps: float) -> None:
    assert offered_bps(CHAIN, **ends) == pytest.approx(bps)


def test_the_load_of_reverse_traffic_is_a_share_of_the_rate_there() -> None:
    uneven = {**DUMBBELL, "reverse": {"rate": "10 Mbit/s"}}
    assert offered_bps(uneven) == pytest.approx(50e6)
    assert offered_bps(uneven, reverse=True) == pytest.approx(5e6)


def test_arrivals_beyond_the_rate_of_a_link_are_warned_of() -> None:
    assert not too_much(DUMBBELL, {**FILES, "load": 1})
    (said,) = too_much(DUMBBELL, {**FILES, "load": 1.3})
    assert "flows accumulate: bottleneck 130 % of the rate" in said
    many = {"kind": "poisson", "cca": "reno", "arrivals": "50 flows/s", "size": "100 packets"}
    (said,) = too_much(CHAIN, {**many, "source": "a", "receiver": "c"})
    assert "flows accumulate: b-c 600 % of the rate" in said
    assert not too_much(CHAIN, {**many, "source": "a", "receiver": "b"})


def test_only_arrivals_at_one_time_add_up() -> None:
    first, second = {**FILES, "load": 0.7, "stop": "5 s"}, {**FILES, "load": 0.7, "start": "5 s"}
    assert not too_much(DUMBBELL, first, second, duration="10 s")
    (said,) = too_much(DUMBBELL, first, {**second, "start": "4 s"}, duration="10 s")
    assert "bottleneck 140 % of the rate" in said


def test_a_link_carries_its_highest_rate() -> None:
    later = {**DUMBBELL, "changes": [{"at": "1 s", "rate": "200 Mbit/s"}]}
    assert not too_much(later, {**FILES, "load": 1.5})
