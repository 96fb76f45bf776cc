"""Drives a law with random events, and says what it does that no law may."""

from __future__ import annotations

from dataclasses import dataclass

from headgate.errors import LawError
from headgate.plugin import proof
from headgate.plugin.course import Course
from headgate.plugin.interpreted import drive_interpreted
from headgate.plugin.own_law import OwnLaw, Params

COURSE = Course(flows=20, events=1_000)


@dataclass(frozen=True)
class Passed:
    """What a law was put through, and the windows it came to."""

    ways: tuple[str, ...]
    flows: int
    events: int
    smallest_cwnd: float
    largest_cwnd: float


def check(law: OwnLaw, params: Params, course: Course = COURSE) -> Passed:
    """Drive the law; raise LawError with file and line at the first thing that is wrong."""
    ways: list[str] = []
    windows: dict[str, list[float]] = {}
    if law.cls is not None:
        ways.append("interpreted")
        windows["interpreted"] = (
            proof.child(law, params, course, compiled=False)
            if law.source
            else drive_interpreted(law, params, course)
        )
    if law.compiled is not None:
        ways.append("compiled")
        windows["compiled"] = proof.drive(law, params, course)
    if len(ways) == 2:
        _same(law, windows["interpreted"], windows["compiled"])
    seen = windows[ways[0]]
    return Passed(tuple(ways), course.flows, course.events, min(seen), max(seen))


def _same(law: OwnLaw, plain: list[float], compiled: list[float]) -> None:
    """Hold the compiled law to what the interpreter makes of the same events."""
    for number, (one, other) in enumerate(zip(plain, compiled, strict=False), 1):
        if one != other:
            says = f"compiled, cwnd is {other!r} where Python has {one!r} (call {number} in all)"
            raise LawError(law.label, says)
