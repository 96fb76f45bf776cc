"""Runs as arrays and tables: factorial designs, and measures of every run by part of a study."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate import Result, Scenario, Table, Words
from headgate.design import Design
from headgate.lab import Job, Key, Runs, Setup, key_by_labels

Make = Callable[[Mapping[str, Any], str], Scenario]
"""Makes the scenario of one condition, from its settings and the algorithm."""
Measure = Callable[[Result, str], Mapping[str, NDArray[Any]]]
"""Columns of a run, one value a period, from its result and the algorithm."""


class Designed(Runs):
    """Runs of a design, by condition, algorithm and seed."""

    @property
    def design(self) -> Design:
        """The design."""
        return self.setup.design

    @property
    def ccas(self) -> tuple[str, ...]:
        """The algorithms that are compared."""
        return self.setup.ccas

    @property
    def seeds(self) -> tuple[int, ...]:
        """One seed a replicate."""
        return self.setup.seeds

    @property
    def settings(self) -> Mapping[str, Any]:
        """The fixed settings."""
        return self.setup.settings

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

    def result(self, condition: int, cca: str, seed: int) -> Result:
        """Return one run."""
        return self[self.design.label(condition), cca, seed]

    def response(self, name: str) -> NDArray[np.float64]:
        """Return a response with shape (condition, algorithm, replicate, period)."""
        return np.array(
            [
                [[self._column(c, cca, seed, name) for seed in self.seeds] for cca in self.ccas]
                for c in range(len(self.design))
            ],
            dtype=float,
        )

    def ports(self, condition: int, cca: str, column: str) -> NDArray[np.float64]:
        """Return a column of the port table, the mean over replicates, one value a port."""
        tables = [self.result(condition, cca, seed).ports[column] for seed in self.seeds]
        return np.asarray(np.mean(tables, axis=0), dtype=float)

    def links(self) -> list[tuple[str, str]]:
        """Return the ends of every link, in the order of the port table."""
        table = self._one.ports
        return [(str(a), str(b)) for a, b in zip(table["from"], table["to"], strict=True)]

    def tidy(self, measure: Measure | None = None) -> Table:
        """Return one row a run and period, labels first: `measure` of each run.

        Without a measure it is the run's table of responses.
        """
        keys = list(self.results)
        conditions = np.repeat([self.conditions.index(str(c)) for c, _, _ in keys], self.periods)
        labels = {
            "condition": Words(conditions, self.conditions),
            **{f.name: self.design.column(f.name)[conditions] for f in self.design.factors},
            "cca": Words.of(np.repeat([cca for _, cca, _ in keys], self.periods)),
            "seed": np.repeat([seed for _, _, seed in keys], self.periods),
            "period": np.tile(np.arange(1, self.periods + 1), len(keys)),
        }
        measured = [(measure or _responses)(self.results[key], str(key[1])) for key in keys]
        data = {name: np.concatenate([one[name] for one in measured]) for name in measured[0]}
        return Table("responses", labels | data)

    def _column(self, condition: int, cca: str, seed: int, name: str) -> Any:
        return self.result(condition, cca, seed).responses[name]


def _responses(result: Result, cca: str) -> Mapping[str, NDArray[Any]]:  # noqa: ARG001
    return {name: np.asarray(result.responses[name]) for name in result.responses}


def jobs_of(setup: Setup, make: Make) -> dict[Key, Job]:
    """Return the jobs of a design; a seed's traffic is the same for every algorithm and condition.

    Replicates are the outermost loop: a run stopped early covers the design with fewer replicates.
    """
    design = setup.design
    scenarios = {
        (design.label(c), cca): make({**setup.settings, **design.settings(c)}, cca)
        for c in range(len(design))
        for cca in setup.ccas
    }
    return key_by_labels(
        Job(
            scenario.model_copy(update={"seed": seed}),
            {"condition": condition, "cca": cca, "seed": seed},
        )
        for seed in setup.seeds
        for (condition, cca), scenario in scenarios.items()
    )


def tidy(runs: Runs, measures: Mapping[str, Callable[[Result], float]]) -> tuple[Table, ...]:
    """Return one table a part; the first label of a run is its part."""
    parts: dict[str, list[Result]] = {}
    for key, result in runs.results.items():
        parts.setdefault(str(key[0]), []).append(result)
    return tuple(_make_part(name, results, measures) for name, results in parts.items())


def _make_part(
    name: str, results: list[Result], measures: Mapping[str, Callable[[Result], float]]
) -> Table:
    labels = [label for label in results[0].meta["labels"] if label != "part"]
    columns: dict[str, Any] = {
        label: _make_column([result.meta["labels"][label] for result in results])
        for label in labels
    }
    for measure, of in measures.items():
        columns[measure] = np.array([of(result) for result in results], float)
    return Table(name.replace(" ", "_"), columns)


def _make_column(values: list[Any]) -> Any:
    return Words.of(values) if isinstance(values[0], str) else np.array(values)
