"""Drives own code with random events, and says what it does that none may."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from headgate.base.errors import LawError
from headgate.plugin import proof
from headgate.plugin.course import Course
from headgate.plugin.driver import Outcomes
from headgate.plugin.load import load
from headgate.plugin.own_code import OwnCode, Params
from headgate.plugin.trust import name_by_hand

COURSE = Course(states=20, events=1_000)


@dataclass(frozen=True)
class Passed:
    """What own code was put through, and what its calls came to."""

    ways: tuple[str, ...]
    states: int
    events: int
    sums: Mapping[str, float]


def check(code: OwnCode, params: Params, course: Course = COURSE) -> Passed:
    """Drive own code. Raises LawError with file and line at the first thing that is wrong."""
    forms = (("interpreted", code.cls), ("compiled", code.compiled))
    ways = tuple(way for way, form in forms if form is not None)
    seen = [_drive_twice(code, params, course, way) for way in ways]
    if len(ways) == 2:
        _hold_equal(code, "compiled, it comes to {} where Python comes to {}", *seen)
    sums = code.interface.trial.sum_up(seen[0])
    return Passed(ways, course.states, course.events, sums)


def check_law(source: str, params: Params | None = None) -> Passed:
    """Check a congestion control algorithm that the caller names, with random events.

    Its code runs. Raises LawError at the first thing that is wrong.
    """
    name_by_hand(source)
    return check(load(source), params or {})


def _drive_twice(code: OwnCode, params: Params, course: Course, way: str) -> Outcomes:
    """Return what calls come to. Raises LawError unless equal events come to the same again."""
    first, again = (proof.drive(code, params, course, compiled=way == "compiled") for _ in range(2))
    says = (
        "at equal events it comes to {1} once and to {0} again; chance and clocks are not its own"
    )
    _hold_equal(code, says, first, again)
    return first


def _hold_equal(code: OwnCode, says: str, one: Outcomes, other: Outcomes) -> None:
    for number, (before, after) in enumerate(zip(one, other, strict=False), 1):
        if before != after:
            sentence = says.format(_write(code, after), _write(code, before))
            raise LawError(code.label, f"{sentence} (call {number} in all)")


def _write(code: OwnCode, outcome: tuple[float, ...]) -> str:
    named = zip(code.interface.trial.outcome_fields, outcome, strict=True)
    return ", ".join(f"{name} {value!r}" for name, value in named)
