"""A streamed run: samples as they are made, and events of chosen flows and links."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import HeadgateError
from headgate.data.columns import NETWORK
from headgate.data.measures.formula import form
from headgate.data.measures.tables import series
from headgate.data.tables import NamedTables, Table
from headgate.engine.run.events import EventTables

R = TypeVar("R")
Facts = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Update:
    """New data of a run since the update before."""

    time_s: float
    """Simulated time."""
    duration_s: float
    tables: Mapping[str, Table]
    """`series` and `network`, as in a result, and `events`."""

    @property
    def events(self) -> Table:
        """Events of the followed flows and links, in order of time."""
        return self.tables["events"]

    @property
    def series(self) -> Table:
        """New samples of the flows and ports of `measure.series`."""
        return self.tables["series"]

    @property
    def network(self) -> Table:
        """New samples of the whole network."""
        return self.tables["network"]


class UpdateMaker:
    """Makes tables with names and units from the engine's updates."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        self._plan = plan
        self._tables = EventTables(plan)
        self._last: dict[str, Facts] = {}

    def make(self, facts: Mapping[str, Any], at: tuple[float, float]) -> Update:
        """Make an update; `at` is the time and the duration, in seconds."""
        tables = NamedTables(
            {
                "series": Table("series", self._series(facts)),
                "network": Table("network", form(NETWORK, facts["network"])),
                "events": self._tables.make_events(facts["events"], facts["labels"]),
            }
        )
        return Update(*at, tables)

    def _series(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Return the series, with slopes from the last rows of the update before."""
        joined, new = {}, []
        for name, number in (("series_flows", "flow"), ("series_ports", "link")):
            last = self._last.get(name, {column: v[:0] for column, v in facts[name].items()})
            both = {column: np.concatenate([last[column], v]) for column, v in facts[name].items()}
            new += [np.arange(len(both[number])) >= len(last[number])]
            # the last row of each flow or link
            _, at = np.unique(both[number][::-1], return_index=True)
            kept = np.sort(len(both[number]) - 1 - at)
            self._last[name] = {column: values[kept] for column, values in both.items()}
            joined[name] = both
        rows = np.concatenate(new)
        return {name: column[rows] for name, column in series(self._plan, joined).items()}


class Stream(Iterator[Update], Generic[R]):
    """Updates of a run until it ends; then `result` is its result."""

    def __init__(
        self, updates: Generator[Update, None, R], release: Callable[[], None] = lambda: None
    ) -> None:
        self._updates, self._release = updates, release
        self._result: R | None = None

    def __next__(self) -> Update:
        try:
            return next(self._updates)
        except StopIteration as over:
            self._result = over.value if self._result is None else self._result
            raise

    @property
    def result(self) -> R:
        """The run's result. The rest of the run is run first, at full speed, without updates."""
        self._release()
        for _ in self:
            pass
        if self._result is None:
            raise HeadgateError("the run was given up before its end: it has no result")
        return self._result

    def close(self) -> None:
        """Abandon the run."""
        self._updates.close()
