"""Bars: which part of what a path has to give the flows of each law get, and TCP's beside them.

For each condition a bar a law, the law's own flows on the left, the TCP flows that compete with
them on the right (Mills, Filliben, Cho, Schwartz 2011, slide 6).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from headgate.base.errors import AnalysisError
from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.grid import Grid, compute_grid, mean_of_known
from headgate.figures.notebook import DrawnOnce

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Bars(DrawnOnce):
    """Shares of what is available: a grid whose responses are the law's flows, then TCP's."""

    grid: Grid

    def mean(self) -> dict[str, tuple[float, float]]:
        """Return the mean over conditions of both shares, by law."""
        means = mean_of_known(self.grid.values, axis=0)
        return {
            law: (float(own), float(other))
            for law, (own, other) in zip(self.grid.laws, means, strict=True)
        }

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record a condition and law: both shares."""
        for row, condition in enumerate(self.grid.conditions):
            for column, law in enumerate(self.grid.laws):
                own, other = self.grid.values[row, column].tolist()
                yield {"condition": condition, "law": law, "own": own, "other": other}

    def figure(self, titles: Mapping[str, str] | None = None) -> Figure:
        """Draw a panel a condition."""
        from headgate.figures.plots.law_bars import Panel, law_bars

        cells, titled = self.grid, titles or {}
        each = zip(cells.conditions, cells.values, cells.spread, strict=True)
        panels = [Panel(titled.get(name, name), shares, spread) for name, shares, spread in each]
        return law_bars(cells.laws, panels)


def compute_bars(  # noqa: PLR0913, PLR0917 - each is a column of its own
    table: object,
    own: str,
    other: str,
    available: str | float,
    condition: str | Sequence[str] = "condition",
    law: str = "law",
) -> Bars:
    """Divide both columns by what is available: a column of the table, or one number.

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
    return Bars(compute_grid(frame.with_columns(columns), [own, other], condition, law))
