"""Columns of a table that were not named: their levels, and whether responses depend on them.

A table in long form contains a column of values and a column that names their measure. If only the
first is named, throughputs and delays count as replicates of one condition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from headgate.base.units import sizes
from headgate.figures.analysis.frame import Frame
from headgate.stats.added_labels import compute_added_p

#: Levels that are written before only their number is, and columns that are listed.
LISTED_LEVELS, LISTED_COLUMNS = 3, 20
#: The most levels of a column whose effect is tested.
MOST_LEVELS = 50
#: The probability of one false note on a table in which no response depends on such a column.
CHANCE = 0.001


def list_columns(frame: Frame) -> str:
    """Return the names of the columns with their levels: `cca (bbr, cubic), rtt_ms (40 values)`."""
    names = list(frame.columns)
    more = len(names) - LISTED_COLUMNS
    rest = [f"{more} more"] * (more > 0)
    return ", ".join([_describe(frame, name) for name in names[:LISTED_COLUMNS]] + rest)


def _describe(frame: Frame, name: str) -> str:
    levels = sorted(set(frame.labels(name)) - {""})
    few = 0 < len(levels) <= LISTED_LEVELS
    return f"{name} ({', '.join(levels) if few else f'{len(levels)} values'})"


def report_dependence(
    frame: Frame, named: Sequence[str], responses: Sequence[str], replicate: str | None = None
) -> Iterator[str]:
    """Yield a note on each unnamed column that a response depends on.

    `named` are the columns of factors and labels. The test is an analysis of covariance: the column
    explains a response in addition to the combination of all named labels (F test, Bonferroni).
    """
    cells = number_groups(frame, named)
    others = [name for name in frame.columns if name not in (*named, *responses, replicate)]
    columns = [name for name in others if _may_be_factor(frame, name, cells)]
    tests = max(len(columns) * len(responses), 1)
    for name in columns:
        levels = number_groups(frame, [name])
        found = [
            response
            for response in responses
            if compute_added_p(frame.numbers(response), cells, levels) * tests < CHANCE
        ]
        if found:
            yield (
                f"{name} is not named, but {', '.join(found)} depend{'s' * (len(found) == 1)} on it"
                f" (p < {CHANCE:g}), so rows with different {name} are no replicates: name it by"
                " --factors, --by or --replicate, or analyse only some of the rows."
            )


def number_groups(frame: Frame, names: Sequence[str]) -> NDArray[np.int64]:
    """Return the number of each row's combination of labels, from 0 on."""
    numbers: dict[tuple[str, ...], int] = {}
    rows = zip(*(frame.labels(name) for name in names), strict=True)
    return np.array([numbers.setdefault(row, len(numbers)) for row in rows], dtype=np.int64)


def _may_be_factor(frame: Frame, name: str, cells: NDArray[np.int64]) -> bool:
    """Return whether a column may be a setting: words, or numbers with equal counts in all cells.

    Other numbers, and columns of many levels, are probably measured.
    """
    texts = sorted(set(frame.labels(name)) - {""})
    if not 2 <= len(texts) <= min(MOST_LEVELS, len(frame) // 2):
        return False
    if sizes(texts) is None:
        return True
    counts = np.zeros((cells.max() + 1, len(texts) + 1), dtype=np.int64)
    np.add.at(counts, (cells, number_groups(frame, [name])), 1)
    return bool((counts == counts[0]).all())
