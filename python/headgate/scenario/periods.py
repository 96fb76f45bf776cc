"""Spans of time that repeat: outages of links, and pauses of applications."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Self

from pydantic import model_validator

from headgate.base.errors import ScenarioError
from headgate.base.units import format_time_ps
from headgate.scenario.base import Model, Time, at

#: Largest number of spans in a run.
MOST_SPANS = 1_000_000


class Period(Model):
    """A span of time, once or periodically until the end of the run."""

    start: Time
    duration: Time
    every: Time | None = None

    @model_validator(mode="after")
    def _ends_before_the_next(self) -> Self:
        if self.every is not None and self.every <= self.duration:
            says = f"must be longer than the duration, {format_time_ps(self.duration)}"
            raise at("every", f"{format_time_ps(self.every)} is not allowed; it {says}")
        return self

    def plan(self) -> dict[str, Any]:
        """Return the keys that each span has in the plan beside its times."""
        return {}


def list_spans(
    periods: Sequence[Period], duration_ps: int, place: str
) -> tuple[dict[str, Any], ...]:
    """Return the spans of a run in order, as the plan takes them.

    Raises ScenarioError if one begins after the run, if two overlap, or if they are too many.
    """
    found: list[tuple[int, dict[str, Any]]] = []
    for number, period in enumerate(periods):
        _check(period, duration_ps, f"{place}[{number}]")
        for start in range(period.start, duration_ps, period.every or duration_ps):
            span = {"at_ps": start, "until_ps": start + period.duration, **period.plan()}
            found.append((number, span))
    found.sort(key=lambda one: int(one[1]["at_ps"]))
    for (earlier, before), (later, after) in pairwise(found):
        if after["at_ps"] < before["until_ps"]:
            times = format_time_ps(after["at_ps"]), format_time_ps(before["until_ps"])
            says = f"begins at {times[0]}, while {place}[{earlier}] lasts until {times[1]}"
            raise ScenarioError(f"{place}[{later}]", f"{says}; they must not overlap")
    return tuple(span for _, span in found)


def make_late_error(at_ps: int, duration_ps: int, place: str) -> ScenarioError:
    """Return the error of an instant that the run does not reach."""
    says = f"after the end of the run, which lasts {format_time_ps(duration_ps)}"
    return ScenarioError(place, f"{format_time_ps(at_ps)} is {says}")


def _check(period: Period, duration_ps: int, place: str) -> None:
    if period.start >= duration_ps:
        raise make_late_error(period.start, duration_ps, f"{place}.start")
    if period.every is not None and (duration_ps - period.start) // period.every >= MOST_SPANS:
        says = f"{format_time_ps(period.every)} repeats more than {MOST_SPANS:,} times in the run"
        raise ScenarioError(f"{place}.every", says)
