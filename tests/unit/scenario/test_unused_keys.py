"""Keys of a transport that lack the key which they need, and transports that nothing uses."""

from typing import Any

import pytest

from headgate import Scenario
from headgate.scenario.plan_warnings import scenario_warnings
from headgate.scenario.presets import PRESETS

from .scenarios import DUMBBELL, RENO, scenario

MEDIA = {"kind": "media", "rate_controller": "scream"}
BBR = {**RENO, "cca": "bbr"}
UNUSED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"rto_tick": "10 ms"}, {"rto_rule": "ns2"}),
    ({"frto": True}, {"undo": True}),
    ({"recovery": "newreno", "dsack": True}, {"recovery": "sack"}),
    ({"recovery": "newreno", "timeout_sacks": "kept"}, {"recovery": "sack1"}),
    ({"tail_probe": True}, {"rack_tlp": True}),
    ({"delayed_ack_timeout": "10 ms"}, {"delayed_ack": True}),
    ({"quick_acks": 3}, {"delayed_ack": True}),
    ({"pacing_bursts": True}, {"pacing": {}}),
    ({"ecn_feedback": "classic"}, {"ecn": True}),
    ({"ecn_receiver": "off"}, {"ecn": True}),
    ({"accecn_option": False}, {"ecn": True, "ecn_feedback": "accurate"}),
]


def doubts(*traffic: dict[str, Any], **keys: Any) -> list[str]:
    made = scenario({**DUMBBELL, "queue": "dualpi2"}, *traffic, **keys)
    said = scenario_warnings(made, *made.plan())
    return [one for one in said if one.split(":")[0].split(".")[-1] != "queue"]


@pytest.mark.parametrize(("keys", "needed"), UNUSED, ids=[[*keys][-1] for keys, _ in UNUSED])
def test_a_key_without_the_one_that_it_needs_is_warned_of(
    keys: dict[str, Any], needed: dict[str, Any]
) -> None:
    key = [*keys][-1]
    (said,) = doubts(transport=keys)
    assert said.startswith(f"transport.{key}: this key changes nothing without ")
    assert not doubts(transport={**keys, **needed})
    (said,) = doubts(RENO, {**RENO, "transport": keys})
    assert said.startswith(f"traffic[1].transport.{key}: ")


@pytest.mark.parametrize("preset", PRESETS)
def test_keys_of_presets_are_not_warned_of(preset: str) -> None:
    assert not doubts(transport=preset)


def test_a_resolved_scenario_is_not_warned_of() -> None:
    own = {**RENO, "transport": {"undo": True}}
    made = scenario(DUMBBELL, own, transport="linux").to_dict(resolved=True)
    again = Scenario.from_dict(made)
    assert not [one for one in scenario_warnings(again, *again.plan()) if "this key" in one]


def test_algorithms_may_use_a_key() -> None:
    assert not doubts({**RENO, "cca": "dctcp"}, transport={"ecn_feedback": "classic"})
    assert not doubts(BBR, transport={"pacing_bursts": True})
    assert not doubts(transport={"frto": False, "ecn_acks": False})


def test_traffic_may_use_a_key_of_the_scenario() -> None:
    own = {**RENO, "transport": {"undo": True}}
    assert not doubts(RENO, own, transport={"frto": True})
    (said,) = doubts({**RENO, "transport": {"preset": "linux"}}, RENO, transport={"frto": True})
    assert said.startswith("transport.frto: ")


def test_media_has_its_own_transport() -> None:
    (said,) = doubts(MEDIA, transport={"ecn": True})
    assert said.startswith("transport: traffic of the kind media brings its own transport")
    assert not doubts(MEDIA)
    assert not doubts(MEDIA, {**RENO, "transport": "linux"}, transport="linux")
