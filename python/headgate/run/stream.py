"""A run that is watched: samples as they are made, and events of chosen flows and links."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from headgate.columns import EVENTS, NETWORK
from headgate.errors import HeadgateError
from headgate.measures.formula import form
from headgate.measures.tables import series
from headgate.names import each_name
from headgate.tables import Table, Words

R = TypeVar("R")
NOBODY = 2**32 - 1
"""In the place of a number: there is none."""


@dataclass(frozen=True)
class Update:
    """What a run has shown since the update before."""

    time_s: float
    """Simulated time that has passed."""
    duration_s: float
    tables: Mapping[str, Table]
    """`series` and `network`, as in a result, and `events`."""

    @property
    def events(self) -> Table:
        """What happened to the followed flows and at the followed links, in order of time."""
        return self.tables["events"]

    @property
    def series(self) -> Table:
        """New samples of the flows and ports of `measure.series`."""
        return self.tables["series"]

    @property
    def network(self) -> Table:
        """New samples of the whole network."""
        return self.tables["network"]


def make_update(
    plan: Mapping[str, Any], facts: Mapping[str, Any], at: tuple[float, float]
) -> Update:
    """Give the engine's news names and units; `at` is the time and the duration, in seconds."""
    tables = {
        "series": Table("series", series(plan, facts)),
        "network": Table("network", form(NETWORK, facts["network"])),
        "events": Table("events", _events(plan, facts)),
    }
    return Update(*at, tables)


def _events(plan: Mapping[str, Any], of_run: Mapping[str, Any]) -> dict[str, Any]:
    facts, labels = of_run["events"], of_run["labels"]
    words = {
        "event": Words(facts["event"], labels["event"]),
        "state": _words_or_none(facts["state"], labels["state"], 2**8 - 1),
        "flow": _words_or_none(facts["flow"], list(each_name(plan["traffic"]))),
        "link": _words_or_none(facts["link"], [link["name"] for link in plan["links"]]),
    }
    return form(EVENTS, {**facts, **words})


def _words_or_none(numbers: NDArray[Any], words: Sequence[str], none: int = NOBODY) -> Words:
    """Name what has a number, and leave the others empty."""
    return Words(np.where(numbers == none, len(words), numbers), [*words, ""])


class Stream(Iterator[Update], Generic[R]):
    """Updates of a run until it is over; then `result` is what the run leaves behind."""

    def __init__(self, updates: Generator[Update, None, R]) -> None:
        self._updates = updates
        self._result: R | None = None

    def __next__(self) -> Update:
        try:
            return next(self._updates)
        except StopIteration as over:
            self._result = over.value if self._result is None else self._result
            raise

    @property
    def result(self) -> R:
        """The run's result. What is left of the run is run first; nobody sees its updates."""
        for _ in self:
            pass
        if self._result is None:
            raise HeadgateError("the run was given up before its end: it has no result")
        return self._result

    def close(self) -> None:
        """Give the run up."""
        self._updates.close()
