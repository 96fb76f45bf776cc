"""Changes: each response if another algorithm replaces the one before."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import AnalysisError
from headgate.figures.analysis.grid import Grid, Numbers
from headgate.figures.analysis.phrases import AS_IN_TABLE, ConditionNames
from headgate.figures.notebook import InNotebook
from headgate.stats.changes import (
    BEYOND_CHANCE,
    NOTHING,
    UNKNOWN,
    Change,
    compute_chances,
    compute_change,
    compute_least_chance,
    compute_mean_ratio_change,
    compute_share,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NOT_NAMED = 'no algorithm is named whose place the others take (`before = "..."` among the roles)'


@dataclass(frozen=True)
class Changes(InNotebook):
    """Changes from `before` to every other algorithm; `order` is the order of the conditions."""

    grid: Grid
    before: str
    order: tuple[int, ...]

    @property
    def others(self) -> tuple[str, ...]:
        """The algorithms that take its place."""
        return tuple(cca for cca in self.grid.ccas if cca != self.before)

    @cached_property
    def replicated(self) -> bool:
        """Whether any cell contains more than one run, so that chance can be judged."""
        return bool(self.grid.runs.shape[2] > 1)

    @cached_property
    def cells(self) -> Mapping[tuple[str, str, str], Change]:
        """The change by algorithm, condition and response."""
        if not self.replicated:
            return self._compare_single_runs()
        return {
            (cca, condition, response): self.compare_mean(cca, [row], response)
            for cca in self.others
            for row, condition in enumerate(self.grid.conditions)
            for response in self.grid.responses
        }

    def _compare_single_runs(self) -> dict[tuple[str, str, str], Change]:
        """Return the change by size alone if each cell contains one run."""
        runs = {
            (cca, response): self._pair(cca, response)[..., 0].tolist()
            for cca in self.others
            for response in self.grid.responses
        }
        return {
            (cca, condition, response): _compare_run(*(one[row] for one in runs[cca, response]))
            for cca in self.others
            for row, condition in enumerate(self.grid.conditions)
            for response in self.grid.responses
        }

    def compare_mean(self, cca: str, rows: Sequence[int], response: str) -> Change:
        """Return the mean change of a response over these conditions: the mean of their ratios.

        If an algorithm has zero under some of them, sums are compared instead of ratios. Conditions
        without a number of either algorithm are left out. A change is not known if every replicate
        lacks a run.
        """
        runs = self._pair(cca, response)[:, list(rows)]
        runs = runs[:, np.isfinite(runs).any(axis=(0, 2))]
        if not runs.size:
            return NOTHING
        known = np.isfinite(runs.mean(axis=1))
        old, new = (of[:, kept] for of, kept in zip(runs, self._kept(known), strict=True))
        if not old.size or not new.size:
            return UNKNOWN
        paired = self.grid.paired
        found = compute_mean_ratio_change(old, new, paired=paired) if len(rows) > 1 else None
        found = found or compute_change(old.mean(axis=0), new.mean(axis=0), paired=paired)
        # One run alone gives no interval: only the size of a change can be judged.
        return found if self.replicated else Change(found.share, True, found.share, found.share)

    def _kept(self, known: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which replicates count for each algorithm: of pairs, those that both have."""
        return np.broadcast_to(known.all(axis=0), known.shape) if self.grid.paired else known

    def _pair(self, cca: str, response: str) -> Numbers:
        """Return the runs of both algorithms with shape (algorithm, condition, replicate)."""
        ccas = [self.grid.ccas.index(self.before), self.grid.ccas.index(cca)]
        runs = self.grid.runs[..., self.grid.responses.index(response)]
        return np.asarray(runs[:, ccas].swapaxes(0, 1))

    def chances(
        self, cca: str, rows: Sequence[int], good: Mapping[str, int]
    ) -> tuple[float, float] | None:
        """Return the probabilities that as many cells are better, and worse, by chance.

        `good` is the sign of an improvement, by response. None if the runs are too few.
        """
        ccas = [self.grid.ccas.index(self.before), self.grid.ccas.index(cca)]
        columns = [self.grid.responses.index(name) for name in good]
        runs = [self.grid.runs[row][ccas][..., columns] for row in rows]
        if not compute_least_chance(runs, paired=self.grid.paired) < BEYOND_CHANCE:
            return None
        return compute_chances(runs, np.array(list(good.values())), paired=self.grid.paired)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record per algorithm, condition and response."""
        for (cca, condition, response), found in self.cells.items():
            yield {
                "cca": cca,
                "condition": condition,
                "response": response,
                "change": found.share,
                "significant": found.significant and self.replicated,
                "matters": found.matters,
                "state": found.state,
            }

    def figures(
        self,
        titles: Mapping[str, str] | None = None,
        names: ConditionNames = AS_IN_TABLE,
        worse: Mapping[str, str] | None = None,
        *,
        by_congestion: bool = False,
    ) -> dict[str, Figure]:
        """Draw responses by conditions, one picture per replacement.

        `titles` are the titles of responses and `names` those of conditions; `worse` is the worse
        direction of a response: `more` or `less`.
        """
        called = titles or {}
        signs = {
            called.get(name, name): 1 if way == "more" else -1
            for name, way in (worse or {}).items()
        }
        return {
            f"changes-{cca}": self._figure(cca, called, names, signs, by_congestion)
            for cca in self.others
        }

    def _figure(
        self,
        cca: str,
        titles: Mapping[str, str],
        names: ConditionNames,
        worse: Mapping[str, int],
        by_congestion: bool,
    ) -> Figure:
        from headgate.figures.plots.conditions import draw_changes

        order = [self.grid.conditions[place] for place in self.order]
        panel = {
            titles.get(response, response): [self.cells[cca, name, response] for name in order]
            for response in self.grid.responses
        }
        panels = {f"{self.before} to {cca}": panel}
        return draw_changes(panels, names.make_axis(order), worse, by_congestion=by_congestion)


def _compare_run(old: float, new: float) -> Change:
    if not math.isfinite(old) and not math.isfinite(new):
        return NOTHING
    if not math.isfinite(old) or not math.isfinite(new):
        return UNKNOWN
    share = compute_share(new - old, abs(old))
    return Change(share, True, share, share)


def compute_changes(cells: Grid, before: str | None, order: Sequence[int]) -> Changes:
    """Compare every CCA of a grid with the one before; raise AnalysisError if none is named."""
    if before is None:
        raise AnalysisError(NOT_NAMED)
    if len(cells.ccas) < 2:
        raise AnalysisError(f"{cells.name}: two algorithms at least are compared")
    return Changes(cells, before, tuple(order))
