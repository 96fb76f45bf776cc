"""The finished runs of a study as arrays: responses by condition, law, replicate and period."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.design import Design
from headgate.result import Result
from headgate.run.plan import Job
from headgate.scenario import Scenario
from headgate.tables import Table, Words

Key = tuple[int, str, int]
"""Condition, law, seed."""


@dataclass(frozen=True)
class Runs:
    """Everything an analysis reads: the design, the laws, and the results."""

    design: Design
    laws: tuple[str, ...]
    seeds: tuple[int, ...]
    settings: Mapping[str, Any]
    results: Mapping[Key, Result]

    @property
    def conditions(self) -> list[str]:
        """The label of every condition."""
        return [self.design.label(run) for run in range(len(self.design))]

    @cached_property
    def periods(self) -> int:
        """How many measurement periods each run has."""
        return len(self._one.responses["start_s"])

    @property
    def _one(self) -> Result:
        return next(iter(self.results.values()))

    def response(self, name: str) -> NDArray[np.float64]:
        """Return a response with shape (condition, law, replicate, period)."""
        return np.array(
            [
                [[self._column(c, law, seed, name) for seed in self.seeds] for law in self.laws]
                for c in range(len(self.design))
            ],
            dtype=float,
        )

    def ports(self, condition: int, law: str, column: str) -> NDArray[np.float64]:
        """Return a column of the port table, the mean over replicates, one value a port."""
        tables = [self.results[condition, law, seed].ports[column] for seed in self.seeds]
        return np.asarray(np.mean(tables, axis=0), dtype=float)

    def links(self) -> list[tuple[str, str]]:
        """Return the ends of every link, in the order of the port table."""
        table = self._one.ports
        return [(str(a), str(b)) for a, b in zip(table["from"], table["to"], strict=True)]

    def tidy(self) -> Table:
        """Return every response of every run: one row a run and period, labels first."""
        keys, columns = list(self.results), self._one.responses.columns
        conditions = np.repeat([c for c, _, _ in keys], self.periods)
        labels = {
            "condition": Words(conditions, self.conditions),
            **{f.name: self.design.column(f.name)[conditions] for f in self.design.factors},
            "law": Words.of(np.repeat([law for _, law, _ in keys], self.periods)),
            "seed": np.repeat([seed for _, _, seed in keys], self.periods),
        }
        tables = [self.results[key].responses for key in keys]
        data = {name: np.concatenate([table[name] for table in tables]) for name in columns}
        return Table("responses", labels | data)

    def _column(self, condition: int, law: str, seed: int, name: str) -> Any:
        return self.results[condition, law, seed].responses[name]


def jobs_of(
    design: Design,
    laws: Sequence[str],
    seeds: Sequence[int],
    make: Callable[[Mapping[str, Any], str], Scenario],
    fixed: Mapping[str, Any],
) -> dict[Key, Job]:
    """Return the jobs of a study; a seed's traffic is the same for every law and condition.

    Replicates come outermost: whoever stops early has a whole design with fewer replicates.
    """
    scenarios = {
        (c, law): make({**fixed, **design.settings(c)}, law)
        for c in range(len(design))
        for law in laws
    }
    return {
        (c, law, seed): Job(
            scenario.model_copy(update={"seed": seed}),
            {"condition": design.label(c), "law": law, "seed": seed},
        )
        for seed in seeds
        for (c, law), scenario in scenarios.items()
    }
