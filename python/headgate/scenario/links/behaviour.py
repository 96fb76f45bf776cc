"""What a link does besides sending at a rate, its files read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from headgate.base.errors import ScenarioError
from headgate.scenario.links.course import Steps
from headgate.scenario.links.impairment import Impairment
from headgate.scenario.links.trace import Opportunities
from headgate.scenario.queue import RateChange

#: Keys of what a link does to packets, besides how its rate goes.
IMPAIRMENTS = ("loss", "lose", "ingress", "impairments")


@dataclass(frozen=True)
class Behaviour:
    """What a link does beside sending at its rate, its files read."""

    loss: float = 0.0
    lose: tuple[int, ...] = ()
    changes: tuple[RateChange, ...] = ()
    ingress: tuple[Impairment, ...] = ()
    impairments: tuple[Impairment, ...] = ()
    trace: Opportunities | None = None
    steps: Steps | None = None

    def without_impairments(self) -> Behaviour:
        """Return what holds in both directions of a link: how its rate goes."""
        return replace(self, loss=0.0, lose=(), ingress=(), impairments=())

    @property
    def rate_bps(self) -> int | None:
        """The rate that its files give: the mean of a trace, or the first one of a course."""
        if self.trace is not None:
            return self.trace.rate_bps
        first = self.first("rate_bps")
        return None if first is None else round(first)

    def first(self, column: str) -> float | None:
        """Return what a column of the course begins with; None if there is none."""
        return None if self.steps is None else self.steps.first(column)

    def delay_ps(self, otherwise: int) -> int:
        """Return the delay at first: that of the course, or another."""
        first = self.first("delay_s")
        return otherwise if first is None else round(first * 1e12)

    def plan(self, delay_ps: int) -> dict[str, Any]:
        """Return its keys in a link of the plan, without devices and without empty ones."""
        made: dict[str, Any] = {
            "lose": list(self.lose),
            "changes": [{"at_ps": c.at, "rate_bps": c.rate} for c in self.changes],
        }
        if self.trace is not None:
            made["trace"] = {"list": self.trace.name, "period_ps": self.trace.period_ps}
        if self.steps is not None:
            made |= _plan_steps(self.steps, delay_ps)
        return {key: value for key, value in made.items() if value}

    @property
    def first_loss(self) -> float:
        """The loss at first."""
        first = self.first("loss")
        return self.loss if first is None else first


def _plan_steps(steps: Steps, delay_ps: int) -> dict[str, Any]:
    """Make the changes of the plan: of each column where it changes.

    A link whose delay changes holds its packets, so that its rate holds for what waits too: one
    whose rate alone changes has a change of its delay to the same.
    """
    made = {
        "changes": _changes(steps, "rate_bps", "rate_bps", 1.0),
        "delays": _changes(steps, "delay_s", "delay_ps", 1e12),
        "losses": _changes(steps, "loss", "loss", None),
    }
    if made["changes"] and not made["delays"]:
        made["delays"] = [{"at_ps": made["changes"][0]["at_ps"], "delay_ps": delay_ps}]
    return made


def _changes(steps: Steps, column: str, key: str, scale: float | None) -> list[dict[str, Any]]:
    if column not in steps.values:
        return []
    values = steps.values[column].tolist()
    made = values if scale is None else [round(scale * value) for value in values]
    pairs = zip(steps.at_ps.tolist(), made, strict=True)
    found, before = [], None
    for time, value in pairs:
        if value != before:
            found.append({"at_ps": time, key: value})
        before = value
    return found[1:]


#: That of most links.
PLAIN = Behaviour()


def choose_rate(behaviour: Behaviour, rate_bps: int | None, place: str) -> int:
    """Return the rate of a link, from its trace, its course or a key. Raises ScenarioError."""
    own = behaviour.rate_bps
    what = "trace" if behaviour.trace is not None else "course"
    if own is not None and rate_bps is not None:
        raise ScenarioError(place, f"the {what} gives the rate; leave one of the two out")
    rate = rate_bps if own is None else own
    if rate is None:
        raise ScenarioError(place, "this key is required, or a trace, or a course with rate_bps")
    return rate
