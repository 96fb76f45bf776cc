"""Conditions by laws by responses: what most analyses compare, means over replicates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.analysis.frame import Frame
from headgate.errors import AnalysisError

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Grid:
    """Means with shape (condition, law, response); NaN where there was no run.

    `spread` is the standard deviation over replicates (NaN of one alone); `runs` has every run,
    with shape (condition, law, replicate, response), replicates in the order of the table.
    """

    name: str
    conditions: tuple[str, ...]
    laws: tuple[str, ...]
    responses: tuple[str, ...]
    values: Numbers
    spread: Numbers
    runs: Numbers

    def of(self, response: str) -> Numbers:
        """Return the means of one response, conditions by laws."""
        return np.asarray(self.values[:, :, self.responses.index(response)])

    def order_conditions(self, by: str | None) -> list[int]:
        """Return conditions from the least to the most of a response, the mean over laws.

        Without a response they stay as the table has them.
        """
        if by is None:
            return list(range(len(self.conditions)))
        return [
            int(place) for place in np.argsort(mean_of_known(self.of(by), axis=1), kind="stable")
        ]


def grid(
    table: object,
    responses: Sequence[str],
    condition: str | Sequence[str] = "condition",
    law: str = "law",
) -> Grid:
    """Read a tidy table, one row a run; rows of one condition and law are replicates.

    `condition` names one column or several. Raises AnalysisError.
    """
    frame = Frame.of(table)
    if not responses:
        raise AnalysisError(f"{frame.name}: name one response at least")
    names = [condition] if isinstance(condition, str) else list(condition)
    frame.require(*names, law, *responses)
    rows = {(join_labels(key[:-1]), key[-1]): of for key, of in frame.groups([*names, law]).items()}
    conditions = tuple(dict.fromkeys(key[0] for key in rows))
    laws = tuple(dict.fromkeys(key[1] for key in rows))
    numbers = np.column_stack([frame.numbers(name) for name in responses])
    most = max(len(of) for of in rows.values())
    runs = np.full((len(conditions), len(laws), most, len(responses)), np.nan)
    for (one, other), of in rows.items():
        runs[conditions.index(one), laws.index(other), : len(of)] = numbers[of]
    means, spread = mean_of_known(runs, axis=2), _spread(runs)
    return Grid(frame.name, conditions, laws, tuple(responses), means, spread, runs)


def join_labels(labels: Sequence[str]) -> str:
    """Return the name of a condition that several columns name."""
    return " ".join(labels)


def mean_of_known(values: Numbers, axis: int) -> Numbers:
    """Return means of what is there; NaN where nothing is."""
    known = np.isfinite(values)
    count = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan))


def _spread(runs: Numbers) -> Numbers:
    """Return standard deviations over replicates; NaN of fewer than two numbers."""
    known = np.isfinite(runs)
    count = known.sum(axis=2)
    apart = np.where(known, runs - mean_of_known(runs, axis=2)[:, :, None], 0.0)
    square = (apart**2).sum(axis=2) / np.maximum(count - 1, 1)
    return np.asarray(np.where(count > 1, np.sqrt(square), np.nan))
