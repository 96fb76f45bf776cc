"""What may be written of a link: what it loses, how it changes, what it does to packets."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

from pydantic import Field, model_validator

from headgate.scenario.base import Buffer, Model, PacketNumbers, Rate, Time, at
from headgate.scenario.links.behaviour import IMPAIRMENTS, Behaviour
from headgate.scenario.links.course import Course
from headgate.scenario.links.impairment import Impairment
from headgate.scenario.links.trace import Trace
from headgate.scenario.queue import Feedback, Queue, RateChange


class RateKeys(Model):
    """How the rate of one direction of a link goes, where it has no single one."""

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
        """Read the files that are named. Raises ScenarioError."""
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

    def behaviour(self, place: str, duration_ps: int) -> Behaviour:
        """Return what the link does. Raises ScenarioError if a file is not what it should be."""
        rates = self.read(place, duration_ps)
        return replace(rates, **{key: getattr(self, key) for key in IMPAIRMENTS})


class Reverse(RateKeys):
    """What is different against the network's main direction; what is absent is the same."""

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

    def behaviour(self, place: str, duration_ps: int, other: Behaviour) -> Behaviour:
        """Return what the link does where it differs from `other`. Raises ScenarioError.

        How the rate goes is told as a whole, impairments key by key.
        """
        rates = self.read(place, duration_ps)
        own = (self.rate, self.trace, self.course, self.changes or None)
        rates = rates if any(one is not None for one in own) else other
        given = {key: getattr(self, key) for key in IMPAIRMENTS}
        kept = {key: getattr(other, key) for key, value in given.items() if value is None}
        return replace(rates, **(given | kept))
