"""Measures of every run as tidy tables: one table a part of the study, labels first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from headgate import Result, Table, Words
from headgate.lab import Runs


def tidy(runs: Runs, measures: Mapping[str, Callable[[Result], float]]) -> tuple[Table, ...]:
    """Return one table a part; the first label of a run is its part."""
    parts: dict[str, list[Result]] = {}
    for key, result in runs.results.items():
        parts.setdefault(str(key[0]), []).append(result)
    return tuple(_part(name, results, measures) for name, results in parts.items())


def _part(
    name: str, results: list[Result], measures: Mapping[str, Callable[[Result], float]]
) -> Table:
    labels = [label for label in results[0].meta["labels"] if label != "part"]
    columns: dict[str, Any] = {
        label: _column([result.meta["labels"][label] for result in results]) for label in labels
    }
    for measure, of in measures.items():
        columns[measure] = np.array([of(result) for result in results], float)
    return Table(name.replace(" ", "_"), columns)


def _column(values: list[Any]) -> Any:
    return Words.of(values) if isinstance(values[0], str) else np.array(values)
