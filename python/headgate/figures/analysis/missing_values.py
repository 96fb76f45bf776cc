"""Notes on missing values: rows that are left out, and whether they are those of some levels.

If flows under one algorithm often do not finish, its mean completion time is that of the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.figures.analysis.frame import Frame

#: The probability of one false note on a table in which values are missing at random.
CHANCE = 0.001
#: The most levels of a factor that are compared, and those that are listed.
MOST_LEVELS, LISTED = 50, 4
Labels = Mapping[str, Sequence[str]]


def report_missing(
    frame: Frame, factors: Sequence[str], labels: Labels, responses: Sequence[str]
) -> Iterator[str]:
    """Yield notes on rows without a level or a number, and on levels with more of these.

    `labels` are the labels of each row by column, those of `factors` among them.
    """
    for name in factors:
        if count := labels[name].count(""):
            yield (
                f"{name}: {count} of {len(frame)} rows {'has' if count == 1 else 'have'} no level;"
                f" the main effects leave out {'this row' if count == 1 else 'these rows'}."
            )
    gaps = {name: np.isnan(frame.numbers(name)) for name in responses}
    gaps = {name: missing for name, missing in gaps.items() if missing.any()}
    if gaps:
        counts = [f"{name} {missing.sum()} of {len(frame)}" for name, missing in gaps.items()]
        yield (
            "Rows without a finite number are left out of the analyses of that response:"
            f" {', '.join(counts)}."
        )
    yield from _report_unequal(gaps, labels)


def _report_unequal(gaps: Mapping[str, NDArray[np.bool_]], labels: Labels) -> Iterator[str]:
    found = [
        (response, name, shares)
        for response, missing in gaps.items()
        for name, texts in labels.items()
        if (shares := Shares.of(texts, missing)).may_be_compared
    ]
    chance = CHANCE / max(sum(len(shares.levels) for *_, shares in found), 1)
    for response, name, shares in found:
        if shares.compute_p() < chance:
            yield (
                f"{response} is missing more often at some levels of {name} than at"
                f" others ({shares.describe()}). Means are those of the other rows, so an effect of"
                f" {name} on {response} may be due to the missing values."
            )


@dataclass(frozen=True)
class Shares:
    """The levels of a column, with the number of their rows and of those without a value."""

    levels: tuple[str, ...]
    missing: NDArray[np.int64]
    rows: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[str], missing: NDArray[np.bool_]) -> Shares:
        """Count the rows of each level."""
        levels, places = np.unique(np.array(texts, dtype=str), return_inverse=True)
        return cls(
            tuple(levels.tolist()), np.bincount(places, missing).astype(int), np.bincount(places)
        )

    @property
    def may_be_compared(self) -> bool:
        """Whether there are two levels, and not too many."""
        return 2 <= len(self.levels) <= MOST_LEVELS

    def compute_p(self) -> float:
        """Return the least p of the levels, each compared with the rest by Fisher's exact test."""
        from scipy.stats import fisher_exact

        present = self.rows - self.missing
        tables = (
            [[m, p], [self.missing.sum() - m, present.sum() - p]]
            for m, p in zip(self.missing, present, strict=True)
        )
        return min(float(fisher_exact(table).pvalue) for table in tables)

    def describe(self) -> str:
        """List the levels with the largest shares, and the one with the least."""
        order = np.argsort(-self.missing / self.rows, kind="stable").tolist()
        listed = order if len(order) <= LISTED else [*order[: LISTED - 1], order[-1]]
        return ", ".join(
            f"{self.levels[level] or 'no level'} {self.missing[level]} of {self.rows[level]}"
            for level in listed
        )
