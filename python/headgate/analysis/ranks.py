"""Ranks: who is fast on the whole, and how steadily.

In every condition the laws are ranked by a throughput, separately for each class of flows (those of
the law, and the TCP flows beside them); 1 is the least, so a high mean rank with a small standard
deviation is what a law wants (Mills, Filliben, Cho, Schwartz 2011, slide 7).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from headgate.analysis.grid import Grid, grid

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Rank:
    """Mean and standard deviation of a law's rank over conditions."""

    mean: float
    deviation: float
    conditions: int


@dataclass(frozen=True)
class Ranks:
    """Ranks by response (a class of flows) and law; `p` is Friedman's test that all are equal."""

    ranks: Mapping[tuple[str, str], Rank]
    p: Mapping[str, float]
    laws: tuple[str, ...]

    def best(self, response: str) -> str:
        """Return the law with the highest mean rank."""
        return max(self.laws, key=lambda law: self.ranks[response, law].mean)

    def figure(self, titles: Mapping[str, str] | None = None) -> Figure:
        """Draw mean rank against its standard deviation, one mark a law, filled for each class."""
        from headgate.plots.ranks import ranks

        return ranks(self, titles or {})


def ranks(
    table: object,
    responses: Sequence[str],
    condition: str | Sequence[str] = "condition",
    law: str = "law",
) -> Ranks:
    """Rank the laws under every condition by each response, equal ones by their mean rank.

    A condition in which a law has no number is left out. Raises AnalysisError.
    """
    return of_grid(grid(table, responses, condition, law))


def of_grid(cells: Grid) -> Ranks:
    """Rank the laws of a grid."""
    found, p = {}, {}
    for response in cells.responses:
        values = cells.of(response)
        values = values[np.isfinite(values).all(axis=1)]
        ranked = stats.rankdata(values, axis=1) if len(values) else values
        p[response] = _friedman(values)
        for column, law in enumerate(cells.laws):
            own = ranked[:, column]
            deviation = float(own.std(ddof=1)) if len(own) > 1 else float("nan")
            mean = float(own.mean()) if len(own) else float("nan")
            found[response, law] = Rank(mean, deviation, len(own))
    return Ranks(found, p, cells.laws)


def _friedman(values: np.ndarray) -> float:
    """Return the p of Friedman's test; NaN of fewer than three laws or two conditions."""
    if values.shape[1] < 3 or len(values) < 2 or np.ptp(values, axis=1).max() == 0:
        return float("nan")
    return float(stats.friedmanchisquare(*values.T).pvalue)
