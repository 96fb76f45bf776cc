"""The TCP profile of single traffic: over the scenario's, or in place of it."""

from typing import Any

import pytest

from headgate import HeadgateError, Scenario

from .scenarios import DUMBBELL, RENO, planned, scenario

SLOW = {"min_rto": "1 s", "segment": "960 B", "ecn": True}


def profile(own: Any, **keys: Any) -> dict[str, Any]:
    """Return the profile of traffic with a transport, beside traffic without one."""
    plan = planned(DUMBBELL, RENO, {**RENO, "name": "own", "transport": own}, **keys)
    found: dict[str, Any] = plan["transports"][plan["traffic"][1]["transport"]]
    return found


def without_name(plan: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in plan.items() if key != "name"}


@pytest.mark.parametrize("base", ["linux", "quic", {"preset": "ns2", **SLOW}, SLOW])
def test_keys_of_traffic_replace_keys_of_the_scenarios_profile(base: Any) -> None:
    table = {"preset": base} if isinstance(base, str) else base
    whole = planned(DUMBBELL, transport={**table, "initial_window": "3 packets"})["transports"][0]
    own = profile({"initial_window": "3 packets"}, transport=base)
    assert without_name(own) == without_name(whole)


def test_a_profile_with_a_preset_stands_alone() -> None:
    alone = planned(DUMBBELL, transport={"preset": "linux", "prr": False})["transports"][0]
    own = profile({"preset": "linux", "prr": False}, transport=SLOW)
    assert without_name(own) == without_name(alone)


def test_the_preset_default_stands_alone_also_when_it_is_written_again() -> None:
    """A scenario is written without defaults; the preset of traffic is none."""
    own = {**RENO, "transport": "default"}
    read = scenario(DUMBBELL, own, transport="linux")
    again = Scenario.from_dict(read.to_dict())
    assert again.identity() == read.identity()
    assert again.plan()[0]["transports"][0]["rack_tlp"] is False


def test_a_factor_sets_one_key_of_the_traffics_profile() -> None:
    linux = scenario(DUMBBELL, RENO, transport={"preset": "linux", **SLOW})
    changed = linux.replaced({"traffic.0.transport.initial_window": "20 packets"})
    whole = linux.replaced({"transport.initial_window": "20 packets"})
    assert changed.identity() == whole.identity()


def test_a_resolved_scenario_is_the_same_one() -> None:
    own = {**RENO, "transport": {"initial_window": "20 packets"}}
    read = scenario(DUMBBELL, RENO, own, transport={"preset": "linux", **SLOW})
    again = Scenario.from_dict(read.to_dict(resolved=True))
    assert again.plan()[0]["transports"] == read.plan()[0]["transports"]


def test_keys_of_traffic_must_fit_the_scenarios_profile() -> None:
    own = {**RENO, "transport": {"recovery": "newreno"}}
    with pytest.raises(HeadgateError, match=r"traffic\[0\]\.transport\.recovery: .*TCP"):
        scenario(DUMBBELL, own, transport="quic")
    with pytest.raises(HeadgateError, match=r"traffic\[0\]\.transport\.ack_every: .*quic"):
        scenario(DUMBBELL, {**RENO, "transport": {"ack_every": 4}})
    kept = {**RENO, "transport": {"ack_every": 4}}
    assert scenario(DUMBBELL, kept, transport="quic").plan()[0]["transports"][0]["quic"]
