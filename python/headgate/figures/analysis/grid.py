"""Conditions by algorithms by responses: the means over replicates that most analyses compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import AnalysisError
from headgate.base.messages import refuse_former_keywords
from headgate.figures.analysis.frame import Frame

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True)
class Grid:
    """Means with shape (condition, algorithm, response); NaN if there was no run.

    `spread` is the standard deviation over replicates (NaN of one alone); `runs` has every run,
    with shape (condition, algorithm, replicate, response). If runs are `paired`, those of one
    replicate met the same traffic under every algorithm; else they follow the table.
    """

    name: str
    conditions: tuple[str, ...]
    ccas: tuple[str, ...]
    responses: tuple[str, ...]
    values: Numbers
    spread: Numbers
    runs: Numbers
    paired: bool

    def of(self, response: str) -> Numbers:
        """Return the means of one response, conditions by algorithms."""
        return np.asarray(self.values[:, :, self.responses.index(response)])

    def order_conditions(self, by: str | None) -> list[int]:
        """Return conditions from the least to the most of a response, the mean over algorithms.

        Those without a number of it come last; without a response all stay as the table has them.
        """
        if by is None:
            return list(range(len(self.conditions)))
        return [
            int(place) for place in np.argsort(mean_of_known(self.of(by), axis=1), kind="stable")
        ]


@refuse_former_keywords
def compute_grid(
    table: object,
    responses: Sequence[str],
    condition: str | Sequence[str] = "condition",
    cca: str = "cca",
    replicate: str | Sequence[str] = (),
) -> Grid:
    """Read a tidy table, one row per run; rows of one condition and algorithm are replicates.

    A Grid is returned as it is.

    `condition` and `replicate` name one column or several. Runs with the same replicate are pairs;
    without such a column none are. Raises AnalysisError.
    """
    if isinstance(table, Grid):
        return table
    frame = Frame.of(table)
    if not responses:
        raise AnalysisError(f"{frame.name}: name one response at least")
    names, again = _as_list(condition), _as_list(replicate)
    frame.require(*names, cca, *again, *responses)
    conditions, rows = _code(frame, names)
    ccas, columns = _code(frame, [cca])
    cells = rows * len(ccas) + columns
    labels = _code(frame, again)[1] if again else np.zeros(len(frame), dtype=np.intp)
    places = _place_by_label(labels, cells, rows)
    runs = np.full((len(conditions), len(ccas), places.max() + 1, len(responses)), np.nan)
    runs[rows, columns, places] = np.column_stack([frame.numbers(name) for name in responses])
    means, spread = mean_of_known(runs, axis=2), _spread(runs)
    return Grid(frame.name, conditions, ccas, tuple(responses), means, spread, runs, bool(again))


def _as_list(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _code(frame: Frame, columns: Sequence[str]) -> tuple[tuple[str, ...], Places]:
    """Return the labels of the columns, and the index of each row's label.

    The labels of one column follow the order of its levels if one is given, else their first rows.
    """
    labels: dict[str, int] = {}
    places = np.empty(len(frame), dtype=np.intp)
    groups = frame.groups(columns)
    if len(columns) == 1 and columns[0] in frame.order.levels:
        sorted_labels = frame.order.sort(columns[0], [key[0] for key in groups])
        groups = {(label,): groups[label,] for label in sorted_labels}
    for key, rows in groups.items():
        places[rows] = labels.setdefault(join_labels(key), len(labels))
    return tuple(labels), places


def _place_in_order(cells: Places) -> Places:
    places = np.empty(len(cells), dtype=np.intp)
    for cell in np.unique(cells):
        places[cells == cell] = np.arange((cells == cell).sum())
    return places


def _place_by_label(labels: Places, cells: Places, conditions: Places) -> Places:
    """Return the index of each row's label: among all labels, or among those of its condition.

    Rows of one cell that share a label, such as repeated centre points, are distinguished by order.
    """
    order = _place_in_order(cells * (labels.max() + 1) + labels)
    distinct, found = np.unique(labels * (order.max() + 1) + order, return_inverse=True)
    own = {one: np.unique(found[conditions == one]) for one in np.unique(conditions).tolist()}
    if len(distinct) == max(map(len, own.values())):
        return np.asarray(found, dtype=np.intp)
    pairs = zip(conditions.tolist(), found.tolist(), strict=True)
    return np.array([np.searchsorted(own[one], label) for one, label in pairs], dtype=np.intp)


def join_labels(labels: Sequence[str]) -> str:
    """Return the name of a condition that several columns name."""
    return " ".join(labels)


def mean_of_known(values: Numbers, axis: int) -> Numbers:
    """Return means of the known values; NaN if there is none."""
    known = np.isfinite(values)
    count = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan))


def _spread(runs: Numbers) -> Numbers:
    """Return standard deviations over replicates; NaN for fewer than two numbers."""
    known = np.isfinite(runs)
    count = known.sum(axis=2)
    apart = np.where(known, runs - mean_of_known(runs, axis=2)[:, :, None], 0.0)
    square = (apart**2).sum(axis=2) / np.maximum(count - 1, 1)
    return np.asarray(np.where(count > 1, np.sqrt(square), np.nan))
