"""Biplots: what flows of a law get, against what TCP flows beside them get.

One panel a law, one point a condition, and the line where both are equal (Mills, Filliben, Cho,
Schwartz 2011, slide 5). Beside the picture: the ratio of both, its interval over conditions, and in
how many conditions the law's flows are ahead.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headgate.figures.analysis.grid import Grid, compute_grid
from headgate.figures.notebook import DrawnOnce
from headgate.stats.intervals import compute_share_interval, ratio_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Beside:
    """A law beside TCP, condition by condition.

    `ratio` is the geometric mean of own over other with Student's 95 % interval: without bounds
    from one condition, and NaN where either is zero under any, as it is under `zeros` of them.
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
    """Panels by law."""

    panels: Mapping[str, Beside]
    names: tuple[str, str]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record a law and condition."""
        for law, panel in self.panels.items():
            for condition, own, other in zip(panel.conditions, panel.own, panel.other, strict=True):
                yield {
                    "law": law,
                    "condition": condition,
                    "own": float(own),
                    "other": float(other),
                }

    def figure(self, titles: Mapping[str, str] | None = None, unit: float = 1.0) -> Figure:
        """Draw a panel a law; values are divided by `unit`."""
        from headgate.figures.plots.biplots import Points, biplots

        own, other = ((titles or {}).get(name, name) for name in self.names)
        panels = {
            law: Points(beside.own, beside.other, format_ratio(beside))
            for law, beside in self.panels.items()
        }
        return biplots(panels, (own, other), unit)


def compute_biplots(
    table: object,
    own: str,
    other: str,
    condition: str | Sequence[str] = "condition",
    law: str = "law",
) -> Biplots:
    """Set the column `own` (flows of the law) against `other` (TCP flows beside them).

    Rows of one condition and law are replicates, of which the mean is taken. Raises AnalysisError.
    """
    return of_grid(compute_grid(table, [own, other], condition, law))


def of_grid(cells: Grid) -> Biplots:
    """Set the first response of a grid against the second."""
    own, other = cells.responses
    panels = {
        law: _beside(cells.conditions, *cells.values[:, place].T)
        for place, law in enumerate(cells.laws)
    }
    return Biplots(panels, (own, other))


def _beside(conditions: tuple[str, ...], own: Numbers, other: Numbers) -> Beside:
    known = np.isfinite(own) & np.isfinite(other)
    names = tuple(name for name, kept in zip(conditions, known.tolist(), strict=True) if kept)
    own, other = own[known], other[known]
    zeros = (own <= 0) | (other <= 0)
    # Of zero beside anything there is no logarithm: the NaN that stands there leaves no verdict.
    ratios = np.divide(own, other, out=np.full(len(own), np.nan), where=~zeros)
    ahead = compute_share_interval(int((own > other).sum()), len(own))
    return Beside(names, own, other, ratio_interval(ratios), ahead, int(zeros.sum()))
