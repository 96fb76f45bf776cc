"""Disciplines that mark packets, and buffers that are full before they do."""

import re
from typing import Any

import pytest

from headgate.base import catalog
from headgate.scenario.marking import find_obstacle, find_switch
from headgate.scenario.plan_warnings import scenario_warnings

from .scenarios import DUMBBELL, RENO, planned, scenario

#: At 100 Mbit/s a buffer of 20 packets is empty after 2.4 ms.
SMALL = {**DUMBBELL, "buffer": "20 packets"}
ECN = {**RENO, "transport": {"ecn": True}}


def doubts(queue: Any, *flows: dict[str, Any], **network: Any) -> list[str]:
    made = scenario({**SMALL, **network, "queue": queue}, *(flows or (ECN,)))
    return scenario_warnings(made, *made.plan())


def test_a_threshold_above_the_buffer_does_not_mark() -> None:
    queue = {"name": "threshold", "mark": "65 packets"}
    (said,) = doubts(queue, {**RENO, "cca": "dctcp"})
    assert said == (
        "'dctcp': no link on a path of its 'dctcp' senders (bottleneck) marks packets, so they"
        " behave as 'reno' does there; its 'threshold' marks from 65 packets on (mark), and its"
        " buffer holds 20 packets, so that packets are dropped before; write a lower mark, or a"
        " larger buffer"
    )
    assert not doubts(queue, {**RENO, "cca": "dctcp"}, buffer="66 packets")


@pytest.mark.parametrize("mark", [19, 20])
def test_the_warning_agrees_with_a_run(mark: int) -> None:
    network = {**SMALL, "queue": {"name": "threshold", "mark": f"{mark} packets"}}
    made = scenario(network, {**RENO, "cca": "dctcp", "count": 3}, duration="3 s")
    warned = any("marks packets" in said for said in scenario_warnings(made, *made.plan()))
    assert (sum(made.run().ports["marks"]) == 0) == warned


@pytest.mark.parametrize(
    ("queue", "says"),
    [
        ({"name": "codel", "ecn": "on"}, "'codel' marks from 5 ms on (target), .* holds 2.4 ms"),
        ("fq-codel", "'fq-codel' marks from 5 ms on (target)"),
        ("pie", "'pie' marks from 15 ms on (target)"),
        ({"name": "pie", "mode": "bytes"}, "'pie' marks from 15 ms on (target)"),
        ({"name": "fq-pie", "ecn": "on"}, "'fq-pie' marks from 15 ms on (target)"),
        ({"name": "codel", "ce_threshold": "3 ms"}, "from 3 ms on (ce_threshold)"),
        ({"name": "red", "min": "20 packets", "max": "60 packets", "ecn": "on"}, "20 packets on"),
        ({"name": "pi", "ecn": "on"}, "from 50 packets on (reference)"),
        ({"name": "dualpi2", "ramp_start": "3 ms"}, "from 3 ms on (ramp_start)"),
        ({"name": "dualpi2", "variant": "linux", "step": "3 ms"}, "from 3 ms on (step)"),
    ],
)
def test_marks_that_begin_behind_the_buffer_are_warned_of(queue: Any, says: str) -> None:
    (said,) = [one for one in doubts(queue) if "marks packets" in one]
    assert re.search(says.replace("(", r"\(").replace(")", r"\)"), said)
    assert not [one for one in doubts(queue, buffer="500 packets") if "marks packets" in one]


@pytest.mark.parametrize(
    "queue",
    [
        {"name": "codel", "ecn": "on", "ce_threshold": "1 ms"},
        {"name": "red", "ecn": "on"},
        {"name": "red", "min": "30 packets", "max": "60 packets", "mode": "bytes", "ecn": "on"},
        {"name": "pi", "mode": "bytes", "ecn": "on"},
        "dualpi2",
        "cake",
        "codel",
        "drop_tail",
    ],
)
def test_others_have_no_obstacle(queue: Any) -> None:
    plan = planned({**SMALL, "queue": queue})
    assert not find_obstacle(plan, plan["links"][0])
    assert not find_obstacle(plan, {**plan["links"][0], "buffer": "infinite"})


@pytest.mark.parametrize("queue", [card.name for card in catalog.devices() if card.kind == "queue"])
def test_every_discipline_is_read(queue: str) -> None:
    plan = planned({**DUMBBELL, "buffer": "infinite", "queue": queue})
    assert not find_obstacle(plan, plan["links"][0])
    find_obstacle(plan, {**plan["links"][0], "buffer": {"packets": 1}})


def test_every_discipline_that_marks_states_its_threshold() -> None:
    """CAKE's target may rise, and CNQ-CodelAF weights the wait, so theirs are not known before."""
    cards = [card for card in catalog.devices() if card.kind == "queue"]
    say = {card.name for card in cards if any(param.marks for param in card.params)}
    marking = {card.name for card in cards if find_switch(card) or card.family == "mark"}
    assert marking - say == set()
    assert {param.name for card in cards for param in card.params if param.marks == "always"} == {
        "ce_threshold_s"
    }
