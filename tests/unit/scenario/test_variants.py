"""Parameters that the chosen variant of a discipline or an algorithm does not use."""

from typing import Any

import pytest

from headgate.base import catalog
from headgate.scenario.plan_warnings import scenario_warnings

from .scenarios import DUMBBELL, RENO, scenario

CARDS = (*catalog.ccas(), *catalog.devices())


def unused(network: dict[str, Any], *traffic: dict[str, Any]) -> list[str]:
    made = scenario({**DUMBBELL, **network}, *traffic)
    return [said for said in scenario_warnings(made, *made.plan()) if "uses it only" in said]


RELATED = [(card, param) for card in CARDS for param in card.params if param.used_with]


@pytest.mark.parametrize(("card", "param"), RELATED, ids=str)
def test_the_relations_name_parameters_and_words_of_the_card(
    card: catalog.Cca, param: catalog.Param
) -> None:
    assert param.used_with is not None
    other = card.param(param.used_with.name)
    assert set(param.used_with.words) <= set(other.choices)
    assert bool(param.used_with.words) == bool(other.choices)


def test_cards_state_their_relations() -> None:
    step = catalog.device("queue", "dualpi2").param("step_s")
    assert step.limits == "only with variant linux"
    assert len(RELATED) >= 20


def test_a_parameter_of_the_other_variant_is_warned_of() -> None:
    (said,) = unused({"queue": {"name": "dualpi2", "step": "2 ms"}})
    assert said == (
        "network.queue.step: 'dualpi2' uses it only with variant = 'linux', and variant is rfc by"
        " default, so it changes nothing; leave it out, or write variant = 'linux'"
    )
    assert not unused({"queue": {"name": "dualpi2", "step": "2 ms", "variant": "linux"}})
    assert not unused({"queue": {"name": "dualpi2", "ramp": "2 ms"}})


@pytest.mark.parametrize(
    ("queue", "key"),
    [
        ({"name": "dualpi2", "variant": "linux", "ramp": "1 ms"}, "ramp"),
        ({"name": "dualpi2", "time_shift": "1 ms"}, "time_shift"),
        ({"name": "cake", "overhead": "40 B"}, "overhead"),
        ({"name": "fq-codel", "ce_threshold_for": "ect1"}, "ce_threshold_for"),
        ({"name": "red", "mark_below": 0.2}, "mark_below"),
    ],
)
def test_disciplines_with_variants(queue: dict[str, Any], key: str) -> None:
    (said,) = unused({"queue": queue})
    assert said.startswith(f"network.queue.{key}: ")


def test_the_shaper_of_cake_is_a_bandwidth() -> None:
    (said,) = unused({"queue": {"name": "cake", "mpu": "64 B"}})
    assert "only with bandwidth above zero, and bandwidth is 0" in said
    queue = {"name": "cake", "mpu": "64 B", "bandwidth": "50 Mbit/s"}
    assert not unused({"queue": queue})


def test_algorithms_and_rate_controllers_with_variants() -> None:
    bic = {**RENO, "cca": {"name": "bic", "variant": "paper", "smooth_part": 10}}
    (said,) = unused({}, RENO, bic)
    assert said.startswith("traffic[1].cca.smooth_part: 'bic' uses it only with variant = ")
    media = {
        "kind": "media",
        "rate_controller": {"name": "gcc", "variant": "draft", "probes": "on"},
    }
    (said,) = unused({}, media)
    assert said.startswith("traffic[0].rate_controller.probes: ")
