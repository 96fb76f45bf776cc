"""Condition-response summaries: the outlying algorithm of each cell, and its distance.

For each condition and response Grubbs' test asks whether the algorithm farthest from the mean is an
outlier. The roll-up names it in a grid of responses by conditions; a filter keeps those that are
also at least 10 % (or 30 %) of the mean away (Mills, Filliben, Cho, Schwartz 2011, slide 4, which
names no test: that and its level are ours). Two algorithms that are outliers together mask each
other: a test of pairs finds them, and is shown apart, since it is one test more. With replicates an
algorithm is also judged by their spread (`headgate.stats.outliers`), which sees more than seven
means can: Grubbs' test finds one of them that is five standard deviations away in 62 % of cases
only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from headgate.base.errors import AnalysisError
from headgate.base.messages import refuse_former_keywords
from headgate.figures.analysis.grid import Grid, compute_grid, mean_of_known
from headgate.figures.analysis.phrases import AS_IN_TABLE, ConditionNames
from headgate.figures.notebook import DrawnOnce
from headgate.stats.outliers import (
    ALPHA,
    FILTER_SHARE,
    Outlier,
    Residuals,
    compute_distance_p,
    compute_grubbs_p,
    compute_grubbs_pair_p,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Parts of the mean from which on an outlier passes a filter: the slides' and ours.
FILTERS = (FILTER_SHARE, 0.30)
Cell = tuple[str, str]


@dataclass(frozen=True)
class OutlierTest:
    """The algorithm farthest from the mean in one cell, and whether that may be chance."""

    cca: str
    residual: float
    relative: float
    g: float
    p: float
    pair: tuple[str, str]
    pair_p: float
    runs_p: float

    def p_by(self, by: str) -> float:
        """Return the p of a test: `grubbs`, or `runs` by the spread of replicates.

        Without the replicates that it takes, Grubbs' test replaces it.
        """
        return self.p if by == "grubbs" or math.isnan(self.runs_p) else self.runs_p


@dataclass(frozen=True)
class ConditionResponses(DrawnOnce):
    """A test for each cell (condition, response) of at least three algorithms."""

    grid: Grid
    tests: Mapping[Cell, OutlierTest]
    level: float
    order: tuple[str, ...]

    @property
    def best(self) -> str:
        """The more sensitive test: `runs` if algorithms have replicates, else `grubbs`."""
        return "runs" if any(test.runs_p < 1 for test in self.tests.values()) else "grubbs"

    def outliers(self, share: float = 0.0, by: str = "grubbs") -> dict[Cell, OutlierTest]:
        """Return the significant cells whose algorithm is at least this share of the mean away.

        `by` is the test: `grubbs`, or `runs`, by the spread of replicates.
        """
        if by not in ("grubbs", "runs"):
            raise AnalysisError(f"by: is 'grubbs' or 'runs'; got {by!r}")
        return {
            cell: test
            for cell, test in self.tests.items()
            if test.p_by(by) < self.level and abs(test.relative) >= share
        }

    def find_masked(self) -> dict[Cell, OutlierTest]:
        """Return the cells in which one algorithm alone is no outlier, but two together are."""
        return {
            cell: test
            for cell, test in self.tests.items()
            if not test.p < self.level and test.pair_p < self.level
        }

    @cached_property
    def q(self) -> dict[Cell, float]:
        """Every p corrected for the number of cells (Benjamini, Hochberg 1995)."""
        from scipy import stats

        p = np.array([test.p for test in self.tests.values()])
        q = stats.false_discovery_control(p) if len(p) else p
        return dict(zip(self.tests, q.tolist(), strict=True))

    def count(self, share: float = 0.0, by: str = "grubbs") -> dict[str, int]:
        """Count the cells in which each algorithm is the outlier."""
        found = [test.cca for test in self.outliers(share, by).values()]
        return {cca: found.count(cca) for cca in self.grid.ccas}

    def residuals(self, response: str) -> Residuals:
        """Return the residuals of every algorithm about each condition's mean."""
        values = self.grid.of(response)
        means = mean_of_known(values, axis=1)
        return Residuals(self.grid.ccas, values - means[:, None], means)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record per cell."""
        for (condition, response), test in self.tests.items():
            yield {
                "condition": condition,
                "response": response,
                **test.__dict__,
                "q": self.q[condition, response],
            }

    def figure(
        self,
        share: float = 0.0,
        titles: Mapping[str, str] | None = None,
        names: ConditionNames = AS_IN_TABLE,
    ) -> Figure:
        """Draw the roll-up by the best test: responses by conditions, a cell names its outlier.

        `titles` are the titles of responses, `names` those of conditions.
        """
        from headgate.figures.plots.conditions import roll_up

        found = self.outliers(share, self.best)
        rows = {
            (titles or {}).get(name, name): [
                _as_outlier(found.get((condition, name))) for condition in self.order
            ]
            for name in self.grid.responses
        }
        return roll_up(self.grid.ccas, names.make_axis(self.order), rows)

    def detail(self, response: str, title: str = "", names: ConditionNames = AS_IN_TABLE) -> Figure:
        """Draw the residuals of one response, conditions ordered by their range."""
        from headgate.figures.plots.conditions import residuals

        axis = "residual about the condition's mean"
        panel = {title or response: (axis, self.residuals(response))}
        return residuals(panel, names.make_axis(self.grid.conditions))


@refuse_former_keywords
def compute_condition_responses(  # noqa: PLR0913 - separate choices
    table: object,
    responses: Sequence[str] = (),
    condition: str | Sequence[str] = "condition",
    cca: str = "cca",
    *,
    level: float = ALPHA,
    order_by: str | None = None,
    replicate: str | None = None,
) -> ConditionResponses:
    """Test every condition and response for an outlying algorithm, at this level, two-sided.

    Rows of one condition and algorithm are replicates and are averaged; runs with the same label
    in the column `replicate`, such as a seed, met the same traffic. Algorithms without a number
    are left out of their cell. Raises AnalysisError.
    """
    if not 0 < level < 1:
        raise AnalysisError(f"level: is a number between 0 and 1; got {level!r}")
    cells = compute_grid(table, responses, condition, cca, replicate or ())
    if len(cells.ccas) < 3:
        raise AnalysisError(
            f"{cells.name}: outliers need three algorithms; it has {len(cells.ccas)}"
        )
    tests = {
        (condition, response): _test(cells, row, column)
        for row, condition in enumerate(cells.conditions)
        for column, response in enumerate(cells.responses)
        if np.isfinite(cells.values[row, :, column]).sum() >= 3
    }
    order = tuple(cells.conditions[place] for place in cells.order_conditions(order_by))
    return ConditionResponses(cells, tests, level, order)


def _test(cells: Grid, row: int, column: int) -> OutlierTest:
    values = cells.values[row, :, column]
    known = np.flatnonzero(np.isfinite(values))
    kept, mean = values[known], float(values[known].mean())
    names = [cells.ccas[int(one)] for one in known]
    place, g, p = compute_grubbs_p(kept)
    (one, other), pair_p = compute_grubbs_pair_p(kept)
    residual = float(kept[place]) - mean
    return OutlierTest(
        cca=names[place],
        residual=residual,
        relative=_relative(residual, mean),
        g=g,
        p=p,
        pair=(names[one], names[other]),
        pair_p=pair_p,
        runs_p=compute_distance_p(cells.runs[row, known, :, column], place, paired=cells.paired),
    )


def _relative(residual: float, mean: float) -> float:
    if residual == 0:
        return 0.0
    return residual / abs(mean) if mean else float(np.copysign(np.inf, residual))


def _as_outlier(test: OutlierTest | None) -> Outlier | None:
    if test is None:
        return None
    strong = abs(test.relative) >= FILTERS[0]
    return Outlier(test.cca, test.residual > 0, test.relative, test.p, strong)
