"""The behaviour of a link beyond sending at one rate, and its keys."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

from pydantic import Field, model_validator

from headgate.base.errors import ScenarioError
from headgate.scenario.base import Buffer, Model, PacketNumbers, Rate, Time, at
from headgate.scenario.links.files import Course, Opportunities, Steps, Trace
from headgate.scenario.links.outages import Outage
from headgate.scenario.periods import list_spans, make_late_error
from headgate.scenario.queue import Feedback, Impairment, Queue, RateChange

#: Keys of the effects of a link on packets.
IMPAIRMENTS = ("loss", "lose", "ingress", "impairments")


@dataclass(frozen=True)
class Behaviour:
    """The effects of a link on packets, and the course of its rate, read from files."""

    loss: float = 0.0
    lose: tuple[int, ...] = ()
    changes: tuple[RateChange, ...] = ()
    ingress: tuple[Impairment, ...] = ()
    impairments: tuple[Impairment, ...] = ()
    trace: Opportunities | None = None
    steps: Steps | None = None
    outages: tuple[dict[str, Any], ...] = ()  # of the plan

    def without_impairments(self) -> Behaviour:
        """Return the part that applies to both directions of a link: its rates and outages."""
        return replace(self, loss=0.0, lose=(), ingress=(), impairments=())

    @property
    def rate_bps(self) -> int | None:
        """The rate of its files: the mean of a trace, or the first rate of a course."""
        if self.trace is not None:
            return self.trace.rate_bps
        first = self.first("rate_bps")
        return None if first is None else round(first)

    def first(self, column: str) -> float | None:
        """Return the first value of a column of the course, or None."""
        return None if self.steps is None else self.steps.first(column)

    def delay_ps(self, otherwise: int) -> int:
        """Return the initial delay: that of the course, or `otherwise`."""
        first = self.first("delay_s")
        return otherwise if first is None else round(first * 1e12)

    def plan(self, delay_ps: int) -> dict[str, Any]:
        """Return the keys of a link of the plan, without devices and empty ones."""
        made: dict[str, Any] = {
            "lose": list(self.lose),
            "changes": [{"at_ps": c.at, "rate_bps": c.rate} for c in self.changes],
            "outages": list(self.outages),
        }
        if self.trace is not None:
            made["trace"] = {"list": self.trace.name, "period_ps": self.trace.period_ps}
        if self.steps is not None:
            made |= _plan_steps(self.steps, delay_ps)
        return {key: value for key, value in made.items() if value}

    @property
    def first_loss(self) -> float:
        """The initial loss."""
        first = self.first("loss")
        return self.loss if first is None else first


def _plan_steps(steps: Steps, delay_ps: int) -> dict[str, Any]:
    """Return the changes of rate, delay and loss of the plan.

    If the delay of a link changes, a new rate also applies to waiting packets. So a course without
    delays gets a change of the delay to the same value.
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
    pairs = list(zip(steps.at_ps.tolist(), made, strict=True))
    return [
        {"at_ps": time, key: value}
        for (_, before), (time, value) in pairwise(pairs)
        if value != before
    ]


PLAIN = Behaviour()


def choose_rate(behaviour: Behaviour, rate_bps: int | None, place: str) -> int:
    """Return the rate of a link: of its trace, course or key. Raises ScenarioError."""
    own = behaviour.rate_bps
    what = "trace" if behaviour.trace is not None else "course"
    if own is not None and rate_bps is not None:
        raise ScenarioError(place, f"the {what} gives the rate; leave one of the two out")
    rate = rate_bps if own is None else own
    if rate is None:
        raise ScenarioError(place, "this key is required, or a trace, or a course with rate_bps")
    return rate


def _check_loss(rates: Behaviour, loss: float | None, place: str) -> None:
    """Raise ScenarioError if both a course and a key give the loss."""
    if loss is not None and rates.first("loss") is not None:
        says = "the course gives the loss; leave one of the two out"
        raise ScenarioError(f"{place}.loss", says)


class RateKeys(Model):
    """How the rate of one direction of a link changes, if it is not constant."""

    changes: tuple[RateChange, ...] = Field((), description="Rates to come.")
    trace: Trace | None = Field(
        None, description="Opportunities to send, in place of a rate: mahimahi's format."
    )
    course: Course | None = Field(
        None, description="How rate, delay and loss change, in place of them: a CSV file."
    )

    @model_validator(mode="after")
    def _says_each_thing_once(self) -> Self:
        if self.trace is not None and self.changes:
            raise at("changes", "a link takes either trace or changes; leave one out")
        if self.course is not None and (self.changes or self.trace is not None):
            other = "trace" if self.trace is not None else "changes"
            raise at("course", f"a link takes either course or {other}; leave one out")
        return self

    def read(self, place: str, duration_ps: int) -> Behaviour:
        """Read the files. Raises ScenarioError, also if all changes are after the run."""
        if self.changes and min(change.at for change in self.changes) >= duration_ps:
            raise make_late_error(self.changes[0].at, duration_ps, f"{place}.changes[0].at")
        trace = None if self.trace is None else self.trace.read(f"{place}.trace")
        steps = None if self.course is None else self.course.read(f"{place}.course", duration_ps)
        return Behaviour(changes=self.changes, trace=trace, steps=steps)


class LinkKeys(RateKeys):
    """Keys of a link."""

    loss: float = Field(0.0, ge=0, lt=1, description="Random loss, after the queue.")
    lose: PacketNumbers = Field((), description="Packets lost, by number; the first is 1.")
    ingress: tuple[Impairment, ...] = Field(
        (), description="Impairments before the queue, in order: a policer, loss."
    )
    impairments: tuple[Impairment, ...] = Field(
        (), description="Impairments after the queue, in order: bursty loss, jitter and so on."
    )
    outages: tuple[Outage, ...] = Field(
        (), description="Times at which the link is down, in both directions."
    )

    def behaviour(self, place: str, duration_ps: int) -> Behaviour:
        """Return the behaviour of the link. Raises ScenarioError for an invalid file."""
        rates = self.read(place, duration_ps)
        _check_loss(rates, self.loss or None, place)
        outages = list_spans(self.outages, duration_ps, f"{place}.outages")
        return replace(rates, outages=outages, **{key: getattr(self, key) for key in IMPAIRMENTS})


class Reverse(RateKeys):
    """Differences from the network's main direction; absent keys are the same in both."""

    rate: Rate | None = Field(None, description="Rate.")
    delay: Time | None = Field(None, description="Propagation delay, one way.")
    buffer: Buffer | None = Field(None, description="Buffer.")
    queue: Queue | None = Field(None, description="Queue discipline.")
    feedback: Feedback | None = Field(None, description="Feedback from the router to senders.")
    loss: float | None = Field(None, ge=0, lt=1, description="Random loss, after the queue.")
    lose: PacketNumbers | None = Field(None, description="Packets lost, by number.")
    ingress: tuple[Impairment, ...] | None = Field(
        None, description="Impairments before the queue, in order."
    )
    impairments: tuple[Impairment, ...] | None = Field(
        None, description="Impairments after the queue, in order."
    )
    outages: tuple[Outage, ...] | None = Field(
        None, description="Times at which this direction is down; [] = never."
    )

    def behaviour(self, place: str, duration_ps: int, other: Behaviour) -> Behaviour:
        """Return the behaviour, with missing keys from `other`. Raises ScenarioError.

        The course of the rate comes from one of both as a whole.
        """
        rates = self.read(place, duration_ps)
        own = (self.rate, self.trace, self.course, self.changes or None)
        rates = rates if any(one is not None for one in own) else other
        _check_loss(rates, self.loss, place)
        given = {key: getattr(self, key) for key in IMPAIRMENTS}
        kept = {key: getattr(other, key) for key, value in given.items() if value is None}
        outages = other.outages
        if self.outages is not None:
            outages = list_spans(self.outages, duration_ps, f"{place}.outages")
        return replace(rates, outages=outages, **(given | kept))
