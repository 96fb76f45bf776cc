"""Columns of a table that were not named: their levels, and whether responses depend on them.

A table in long form contains a column of values and a column that names their measure. If only the
first is named, throughputs and delays count as replicates of one condition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from headgate.base.units import sizes
from headgate.figures.analysis.frame import Frame
from headgate.stats.added_labels import Groups, compute_added_p, compute_nested_p

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

    `named` are the columns of factors and labels. The first test is an analysis of covariance: the
    column explains a response in addition to the combination of all named labels. The second is
    that of nested groups: rows of one condition are alike if they are equal in the column. Both are
    F tests, with Bonferroni's correction for all.
    """
    cells = number_groups(frame, named)
    blocks = number_groups(frame, [replicate]) if replicate else None
    others = [name for name in frame.columns if name not in (*named, *responses, replicate)]
    columns = {
        name: levels
        for name in others
        if (levels := _read_setting(frame, name, cells)) is not None
        and not (blocks is not None and _are_determined(levels, blocks))
    }
    chance = CHANCE / max(2 * len(columns) * len(responses), 1)
    numbers = {response: frame.numbers(response) for response in responses}
    for name, levels in columns.items():
        found = [
            response
            for response, values in numbers.items()
            if compute_added_p(values, cells, levels) < chance
            or compute_nested_p(values, cells, levels) < chance
        ]
        if found:
            yield (
                f"{name} is not named, but {', '.join(found)} depend{'s' * (len(found) == 1)} on it"
                f" (p < {CHANCE:g}), so the rows of a condition are no replicates. Name {name} by"
                " --factors, --by or --replicate. If rows are samples of one run, average the rows"
                " of each run first."
            )


def number_groups(frame: Frame, names: Sequence[str]) -> Groups:
    """Return the number of each row's combination of labels, from 0 on."""
    numbers: dict[tuple[str, ...], int] = {}
    rows = zip(*(frame.labels(name) for name in names), strict=True)
    return np.array([numbers.setdefault(row, len(numbers)) for row in rows], dtype=np.int64)


def _are_determined(levels: Groups, blocks: Groups) -> bool:
    """Return whether a block determines the level, as replicates do seeds."""
    pairs = np.unique(blocks * (int(levels.max()) + 1) + levels)
    return len(pairs) == int(blocks.max()) + 1


def _read_setting(frame: Frame, name: str, cells: Groups) -> Groups | None:
    """Return the level of each row if a column may be a setting; None otherwise.

    A setting is a column of few words, or of numbers as in a design or run numbers. The levels of a
    design are equally frequent in all cells. Run numbers are equally frequent, each in one cell.
    Other numbers are probably measured.
    """
    texts, levels = np.unique(np.array(frame.labels(name), dtype=str), return_inverse=True)
    words = [text for text in texts.tolist() if text]
    if not 2 <= len(words) <= min(MOST_LEVELS, len(frame) // 2):
        return None
    if sizes(words) is None:
        return levels
    counts = np.zeros((int(cells.max()) + 1, len(texts)), dtype=np.int64)
    np.add.at(counts, (cells, levels), 1)
    is_nested = (counts > 0).sum(axis=0).max() == 1 and len(np.unique(counts.sum(axis=0))) == 1
    return levels if (counts == counts[0]).all() or is_nested else None
