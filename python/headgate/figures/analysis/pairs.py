"""Flows of each algorithm beside TCP flows on the same paths: shares, biplots and ranks.

These are slides 6 and 7 of Mills, Filliben, Cho and Schwartz (2011).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import AnalysisError
from headgate.base.messages import refuse_former_keywords
from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.grid import Grid, compute_grid, mean_of_known
from headgate.figures.notebook import DrawnOnce
from headgate.stats.intervals import compute_ratio_interval, compute_share_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Bars(DrawnOnce):
    """Shares of the available rate: the responses are the algorithm's flows, then TCP's."""

    grid: Grid

    def mean(self) -> dict[str, tuple[float, float]]:
        """Return the mean over conditions of both shares, by algorithm."""
        means = mean_of_known(self.grid.values, axis=0)
        return {
            cca: (float(own), float(other))
            for cca, (own, other) in zip(self.grid.ccas, means, strict=True)
        }

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record per condition and algorithm: both shares."""
        for row, condition in enumerate(self.grid.conditions):
            for column, cca in enumerate(self.grid.ccas):
                own, other = self.grid.values[row, column].tolist()
                yield {"condition": condition, "cca": cca, "own": own, "other": other}

    def figure(self, titles: Mapping[str, str] | None = None) -> Figure:
        """Draw a panel per condition."""
        from headgate.figures.plots.beside_tcp import SharePanel, cca_bars

        cells, titled = self.grid, titles or {}
        each = zip(cells.conditions, cells.values, cells.spread, strict=True)
        panels = [
            SharePanel(titled.get(name, name), shares, spread) for name, shares, spread in each
        ]
        return cca_bars(cells.ccas, panels)


@refuse_former_keywords
def compute_bars(  # noqa: PLR0913, PLR0917 - separate columns
    table: object,
    own: str,
    other: str,
    available: str | float,
    condition: str | Sequence[str] = "condition",
    cca: str = "cca",
) -> Bars:
    """Divide both columns by the available rate: a column of the table, or one number.

    Raises AnalysisError.
    """
    frame = Frame.of(table)
    columns = dict(frame.columns)
    whole = frame.numbers(available) if isinstance(available, str) else float(available)
    least = np.min(whole, where=np.isfinite(whole), initial=np.inf)
    if not 0 < least < np.inf:
        got = "no number" if least == np.inf else least
        raise AnalysisError(f"{frame.name}: what is available is above zero; got {got}")
    for name in (own, other):
        columns[name] = frame.numbers(name) / whole
    return Bars(compute_grid(frame.with_columns(columns), [own, other], condition, cca))


Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Beside:
    """An algorithm beside TCP, condition by condition.

    `ratio` is the geometric mean of own over other with Student's 95 % interval: without bounds
    from one condition, and NaN if either is zero under any, as it is under `zeros` of them.
    `ahead` is the share of conditions with own above other, with Wilson's interval.
    """

    conditions: tuple[str, ...]
    own: Numbers
    other: Numbers
    ratio: tuple[float, float, float]
    ahead: tuple[float, float, float]
    zeros: int


def format_ratio(panel: Beside) -> str:
    """Write the ratio with its interval, or why there is none."""
    mean, low, high = panel.ratio
    if panel.zeros:
        return f"no ratio, zero in {panel.zeros} of {len(panel.own)}"
    if math.isnan(mean):
        return "no ratio"
    interval = "one condition" if math.isinf(high) else f"{low:.2f} to {high:.2f}"
    return f"{mean:.2f} times ({interval})"


@dataclass(frozen=True)
class Biplots(DrawnOnce):
    """Panels by algorithm."""

    panels: Mapping[str, Beside]
    names: tuple[str, str]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record per algorithm and condition."""
        for cca, panel in self.panels.items():
            for condition, own, other in zip(panel.conditions, panel.own, panel.other, strict=True):
                yield {
                    "cca": cca,
                    "condition": condition,
                    "own": float(own),
                    "other": float(other),
                }

    def figure(self, titles: Mapping[str, str] | None = None, unit: float = 1.0) -> Figure:
        """Draw a panel per algorithm; values are divided by `unit`."""
        from headgate.figures.plots.beside_tcp import Points, biplots

        own, other = ((titles or {}).get(name, name) for name in self.names)
        panels = {
            cca: Points(beside.own, beside.other, format_ratio(beside))
            for cca, beside in self.panels.items()
        }
        return biplots(panels, (own, other), unit)


@refuse_former_keywords
def compute_biplots(
    table: object,
    own: str = "",
    other: str = "",
    condition: str | Sequence[str] = "condition",
    cca: str = "cca",
) -> Biplots:
    """Set the column `own` (flows of the algorithm) against `other` (TCP flows beside them).

    Rows of one condition and algorithm are replicates, of which the mean is taken. The columns of a
    Grid are its two responses. Raises AnalysisError.
    """
    cells = compute_grid(table, [own, other], condition, cca)
    own, other = cells.responses
    panels = {
        cca: _beside(cells.conditions, *cells.values[:, place].T)
        for place, cca in enumerate(cells.ccas)
    }
    return Biplots(panels, (own, other))


def _beside(conditions: tuple[str, ...], own: Numbers, other: Numbers) -> Beside:
    known = np.isfinite(own) & np.isfinite(other)
    names = tuple(name for name, kept in zip(conditions, known.tolist(), strict=True) if kept)
    own, other = own[known], other[known]
    zeros = (own <= 0) | (other <= 0)
    # The logarithm of zero does not exist: the NaN in its place gives no verdict.
    ratios = np.divide(own, other, out=np.full(len(own), np.nan), where=~zeros)
    ahead = compute_share_interval(int((own > other).sum()), len(own))
    return Beside(names, own, other, compute_ratio_interval(ratios), ahead, int(zeros.sum()))


#: Mean ranks closer than this are equal but for rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Rank:
    """Mean and standard deviation of an algorithm's rank over conditions."""

    mean: float
    deviation: float
    conditions: int


@dataclass(frozen=True)
class Ranks(DrawnOnce):
    """Ranks by response (a class of flows) and CCA; `p` is Friedman's test that all are equal."""

    ranks: Mapping[tuple[str, str], Rank]
    p: Mapping[str, float]
    ccas: tuple[str, ...]
    by_condition: Mapping[tuple[str, str], NDArray[np.float64]]
    """The rank of every algorithm, by response and condition."""

    def best(self, response: str) -> tuple[str, ...]:
        """Return the algorithms with the highest mean rank; all if none is ranked."""
        most = max(self.ranks[response, cca].mean for cca in self.ccas)
        return tuple(n for n in self.ccas if not self.ranks[response, n].mean < most - ROUNDING)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record per class of flows and algorithm."""
        for (response, cca), rank in self.ranks.items():
            yield {
                "response": response,
                "cca": cca,
                "mean_rank": rank.mean,
                "deviation": rank.deviation,
                "conditions": rank.conditions,
                "p": self.p[response],
            }

    def each(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record per class of flows, condition and algorithm."""
        for (response, condition), ranked in self.by_condition.items():
            for cca, rank in zip(self.ccas, ranked.tolist(), strict=True):
                yield {"response": response, "condition": condition, "cca": cca, "rank": rank}

    def figure(self, titles: Mapping[str, str] | None = None) -> Figure:
        """Draw mean rank against its standard deviation: a mark per CCA, filled for each class."""
        from headgate.figures.plots import beside_tcp as plots

        titled = titles or {}
        return plots.ranks(
            self.ccas,
            [
                plots.RankClass(titled.get(response, response), self._of(response))
                for response in dict.fromkeys(response for response, _ in self.ranks)
            ],
        )

    def _of(self, response: str) -> dict[str, tuple[float, float]]:
        ranks = {cca: self.ranks[response, cca] for cca in self.ccas}
        return {cca: (rank.mean, rank.deviation) for cca, rank in ranks.items()}


@refuse_former_keywords
def compute_ranks(
    table: object,
    responses: Sequence[str] = (),
    condition: str | Sequence[str] = "condition",
    cca: str = "cca",
) -> Ranks:
    """Rank the algorithms under every condition by each response, equal ones by their mean rank.

    A condition in which the number of an algorithm is missing is left out. Raises AnalysisError.
    """
    from scipy import stats

    cells = compute_grid(table, responses, condition, cca)
    found: dict[tuple[str, str], Rank] = {}
    p: dict[str, float] = {}
    by_condition: dict[tuple[str, str], NDArray[np.float64]] = {}
    for response in cells.responses:
        values = cells.of(response)
        known = np.asarray(np.isfinite(values).all(axis=1))
        ranked = stats.rankdata(values[known], axis=1) if known.any() else values[known]
        p[response] = _friedman(values[known])
        found |= {(response, cca): _rank(ranked[:, i]) for i, cca in enumerate(cells.ccas)}
        names = [name for name, kept in zip(cells.conditions, known.tolist(), strict=True) if kept]
        by_condition |= {(response, name): row for name, row in zip(names, ranked, strict=True)}
    return Ranks(found, p, cells.ccas, by_condition)


def _rank(own: NDArray[np.float64]) -> Rank:
    deviation = float(own.std(ddof=1)) if len(own) > 1 else float("nan")
    return Rank(float(own.mean()) if len(own) else float("nan"), deviation, len(own))


def _friedman(values: np.ndarray) -> float:
    """Return the p of Friedman's test; NaN for fewer than three algorithms or two conditions."""
    from scipy import stats

    if values.shape[1] < 3 or len(values) < 2 or np.ptp(values, axis=1).max() == 0:
        return float("nan")
    return float(stats.friedmanchisquare(*values.T).pvalue)
