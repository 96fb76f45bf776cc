"""Calls own code with random events, as the engine would; how it is called, others know."""

from __future__ import annotations

import copy
from collections.abc import Collection
from typing import Any

from headgate.plugin.course import write_place
from headgate.plugin.interface import Event, Traits
from headgate.plugin.own_code import OwnCode

Outcomes = list[tuple[float, ...]]


class Driver:
    """The own code of one flow, or of one port."""

    def __init__(
        self, code: OwnCode, traits: Traits, callbacks: Collection[str], note: int
    ) -> None:
        self.code, self.traits, self.callbacks, self.note = code, traits, callbacks, note
        self.trial = code.interface.trial
        self.outcomes: Outcomes = []

    def run(self, seed: int, events: int) -> Outcomes:
        """Meet random events; give what the calls came to. Raises LawError."""
        self.seed = seed
        self.trial.begin(seed, self._tell, self.traits, self.callbacks).run(events)
        return self.outcomes

    def _tell(self, event: Event, out: Any) -> None:
        if event.callback not in self.callbacks or self.trial.skips(event.callback, self.traits):
            return
        before = copy.copy(out)
        write_place(self.note, self.where(event))
        wrong, line = self.call(event, out)
        wrong = wrong or self.trial.fault(event, before, out, self.traits)
        if wrong:
            self.refuse(wrong, event, line)
            self.trial.repair(out, before)
        self.outcomes.append(tuple(getattr(out, name) for name in self.trial.outcome_fields))

    def where(self, event: Event) -> str:
        """Name the call, for people."""
        return f"{event.callback}, event {event.number} of {self.trial.of} {self.seed}"

    def call(self, event: Event, out: Any) -> tuple[str, int]:
        """Make a call; give what was wrong with it besides what it set, and its line."""
        raise NotImplementedError

    def refuse(self, wrong: str, event: Event, line: int) -> None:
        """Raise LawError, unless the course goes on all the same."""
        raise NotImplementedError
