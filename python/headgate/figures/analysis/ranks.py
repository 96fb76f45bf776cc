"""Ranks: who is fast on the whole, and how steadily.

In every condition the laws are ranked by a throughput, separately for each class of flows (those of
the law, and the TCP flows beside them); 1 is the least, so a high mean rank with a small standard
deviation is what a law wants (Mills, Filliben, Cho, Schwartz 2011, slide 7).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headgate.figures.analysis.grid import Grid, compute_grid
from headgate.figures.notebook import DrawnOnce

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Mean ranks closer than this are equal but for rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Rank:
    """Mean and standard deviation of a law's rank over conditions."""

    mean: float
    deviation: float
    conditions: int


@dataclass(frozen=True)
class Ranks(DrawnOnce):
    """Ranks by response (a class of flows) and law; `p` is Friedman's test that all are equal."""

    ranks: Mapping[tuple[str, str], Rank]
    p: Mapping[str, float]
    laws: tuple[str, ...]
    by_condition: Mapping[tuple[str, str], NDArray[np.float64]]
    """The rank of every law, by response and condition."""

    def best(self, response: str) -> tuple[str, ...]:
        """Return the laws with the highest mean rank; all where none is ranked."""
        most = max(self.ranks[response, law].mean for law in self.laws)
        return tuple(n for n in self.laws if not self.ranks[response, n].mean < most - ROUNDING)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record a class of flows and law."""
        for (response, law), rank in self.ranks.items():
            yield {
                "response": response,
                "law": law,
                "mean_rank": rank.mean,
                "deviation": rank.deviation,
                "conditions": rank.conditions,
                "p": self.p[response],
            }

    def each(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record a class of flows, condition and law."""
        for (response, condition), ranked in self.by_condition.items():
            for law, rank in zip(self.laws, ranked.tolist(), strict=True):
                yield {"response": response, "condition": condition, "law": law, "rank": rank}

    def figure(self, titles: Mapping[str, str] | None = None) -> Figure:
        """Draw mean rank against its standard deviation, one mark a law, filled for each class."""
        from headgate.figures.plots import ranks as plots

        titled = titles or {}
        return plots.ranks(
            self.laws,
            [
                plots.Class(titled.get(response, response), self._of(response))
                for response in dict.fromkeys(response for response, _ in self.ranks)
            ],
        )

    def _of(self, response: str) -> dict[str, tuple[float, float]]:
        """Return mean and deviation of each law's rank."""
        ranks = {law: self.ranks[response, law] for law in self.laws}
        return {law: (rank.mean, rank.deviation) for law, rank in ranks.items()}


def compute_ranks(
    table: object,
    responses: Sequence[str],
    condition: str | Sequence[str] = "condition",
    law: str = "law",
) -> Ranks:
    """Rank the laws under every condition by each response, equal ones by their mean rank.

    A condition in which a law has no number is left out. Raises AnalysisError.
    """
    return of_grid(compute_grid(table, responses, condition, law))


def of_grid(cells: Grid) -> Ranks:
    """Rank the laws of a grid."""
    from scipy import stats

    found: dict[tuple[str, str], Rank] = {}
    p: dict[str, float] = {}
    by_condition: dict[tuple[str, str], NDArray[np.float64]] = {}
    for response in cells.responses:
        values = cells.of(response)
        known = np.asarray(np.isfinite(values).all(axis=1))
        ranked = stats.rankdata(values[known], axis=1) if known.any() else values[known]
        p[response] = _friedman(values[known])
        found |= {(response, law): _rank(ranked[:, i]) for i, law in enumerate(cells.laws)}
        names = [name for name, kept in zip(cells.conditions, known.tolist(), strict=True) if kept]
        by_condition |= {(response, name): row for name, row in zip(names, ranked, strict=True)}
    return Ranks(found, p, cells.laws, by_condition)


def _rank(own: NDArray[np.float64]) -> Rank:
    deviation = float(own.std(ddof=1)) if len(own) > 1 else float("nan")
    return Rank(float(own.mean()) if len(own) else float("nan"), deviation, len(own))


def _friedman(values: np.ndarray) -> float:
    """Return the p of Friedman's test; NaN of fewer than three laws or two conditions."""
    from scipy import stats

    if values.shape[1] < 3 or len(values) < 2 or np.ptp(values, axis=1).max() == 0:
        return float("nan")
    return float(stats.friedmanchisquare(*values.T).pvalue)
