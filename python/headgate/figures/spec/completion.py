"""Completion times of flows: their distribution, and how they grow with size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.data.measures.ccas import label_ccas
from headgate.figures.spec.drawing import Line, Numbers, Panel, Picture
from headgate.figures.spec.facets import (
    AUTOMATIC,
    Facets,
    Grid,
    arrange_runs,
    name_panels,
    say_combined,
)
from headgate.figures.spec.flows import look_ccas
from headgate.figures.spec.looks import Look
from headgate.figures.spec.run import Run, count_conditions
from headgate.figures.spec.selection import MOST_IN_PICTURE, name_cca, share_points, thin_evenly

#: Upper ends of the size classes (packets); a class with fewer than LEAST_IN_CLASS flows, of all
#: algorithms together, joins the next.
CLASSES = (10, 100, 1000, np.inf)
LEAST_IN_CLASS = 20
BINS_PER_DECADE = 6
LEAST_IN_BIN = 5
TIME = "flow completion time (s)"


class FinishedFlows:
    """Algorithm, size and completion time of the flows that finished, of all runs together.

    As in the table that a run prints, flows that finished within the warm-up do not count.
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        tables = [run.tables["flows"] for run in runs]
        self.size = np.concatenate([np.asarray(t["size_packets"], float) for t in tables])
        self.time_s = np.concatenate([np.asarray(t["fct_sender_s"], float) for t in tables])
        self.cca: NDArray[Any] = np.concatenate([label_ccas(t) for t in tables])
        counted = np.concatenate([np.asarray(t["active_s"], float) > 0 for t in tables])
        self.conditions = count_conditions(runs)
        self.warmed_up = any(run.warmup_s for run in runs)
        self.whole = int(counted.sum())
        with np.errstate(invalid="ignore"):
            known = np.isfinite(self.time_s) & (self.size > 0) & counted
        self.size, self.time_s, self.cca = self.size[known], self.time_s[known], self.cca[known]

    def __len__(self) -> int:
        return len(self.size)

    @property
    def differ(self) -> bool:
        """Whether there are files of more than one size."""
        return len(self) > 0 and bool(np.ptp(self.size))

    def describe(self) -> str:
        """Count the flows that are shown and those that did not finish."""
        left = self.whole - len(self)
        rest = f" {left:,} that did not finish within the run, or are endless, are left out."
        later = " under way after the warm-up" * self.warmed_up
        said = f"{len(self):,} flows{later}; times are measured at the sender."
        return f"{said}{rest * (left > 0)}"

    def say_conditions(self, cells: int) -> str:
        """State that one panel combines runs of different conditions, without labels."""
        several = f" Runs of {self.conditions} different conditions are combined."
        return several * (cells == 1 and self.conditions > 1)


def draw_completion(runs: Sequence[Run], facets: Facets = AUTOMATIC) -> Picture | None:
    """Draw the distribution of completion times, a line per algorithm.

    Each condition and each class of sizes gets a panel.
    """
    done = FinishedFlows(runs)
    if not len(done):
        return None
    grid, left = arrange_runs(runs, facets)
    cells = [FinishedFlows([runs[at] for at in cell]) if cell else None for cell in grid.cells]
    looks, classes = look_ccas(runs), _choose_classes(done)
    each = share_points(len(classes) * len(looks) * len(cells))
    across = len(grid.column_names)
    several = len(classes) > 1
    panels, rows, drawn = [], [], 0
    for place, row in enumerate(grid.row_names):
        for low, high in classes:
            for cell in cells[place * across : (place + 1) * across]:
                panel = _draw_class(cell, (low, high), looks, each)
                drawn += sum(len(line.x) - 1 for line in panel.lines)
                panels.append(panel)
            rows.append(", ".join(filter(None, (row, _name_class(low, high) * several))))
    thinned = f" Thinned: {drawn:,} of {len(done):,} quantiles are drawn, at equal distances."
    caption = done.describe() + thinned * (drawn < len(done))
    caption += done.say_conditions(len(cells)) + say_combined(left)
    if len(cells) == 1:  # classes alone
        return Picture("Completion time by size", caption, tuple(panels), min(2, len(panels)))
    whole = Grid(tuple(rows), grid.column_names, ())
    named = name_panels(panels, whole)
    return Picture(
        "Completion time by condition", caption, named, across, whole.row_names, whole.column_names
    )


def _draw_class(
    done: FinishedFlows | None, limits: tuple[float, float], looks: dict[str, Look], most: int
) -> Panel:
    """Draw the flows of one condition whose sizes are within limits."""
    lines: list[Line] = []
    title = ""
    if done is not None:
        low, high = limits
        inside = (done.size > low) & (done.size <= high)
        for cca, look in looks.items():
            own = np.sort(done.time_s[inside & (done.cca == cca)])
            if len(own):
                lines.append(Line(name_cca(cca), *_thin_steps(own, most), look, "step"))
        title = f"{_name_class(low, high)}: {inside.sum():,} flows"
    return Panel(title, TIME, "share of flows", tuple(lines), log="x", y_range=(0.0, 1.02))


def _choose_classes(done: FinishedFlows) -> list[tuple[float, float]]:
    """Return (above, up to) of the size classes, each with enough flows for a distribution."""
    edges, low = [], 0.0
    for high in CLASSES:
        if ((done.size > low) & (done.size <= high)).sum() >= LEAST_IN_CLASS:
            edges.append((low, float(high)))
            low = high
    if not edges:
        return [(0.0, np.inf)]
    return [*edges[:-1], (edges[-1][0], np.inf)]


def _name_class(low: float, high: float) -> str:
    if np.isinf(high):
        return f"more than {low:,.0f} packets" if low else "all sizes"
    return f"{low + 1:,.0f} to {high:,.0f} packets"


def _thin_steps(times: Numbers, most: int) -> tuple[Numbers, Numbers]:
    """Return the empirical distribution of sorted times, or evenly spaced quantiles."""
    share = np.arange(1, len(times) + 1) / len(times)
    if len(times) > most:
        kept = np.unique(np.linspace(0, len(times) - 1, most).round().astype(np.intp))
        times, share = times[kept], share[kept]
    return np.append(times[0], times), np.append(0.0, share)


def draw_completion_by_size(runs: Sequence[Run], facets: Facets = AUTOMATIC) -> Picture | None:
    """Draw each flow's completion time by its size, and the median of bins of sizes.

    Each condition gets a panel.
    """
    done = FinishedFlows(runs)
    if not done.differ:
        return None
    grid, left = arrange_runs(runs, facets)
    looks, kept = look_ccas(runs), thin_evenly(len(done), MOST_IN_PICTURE // 2)
    panels = [_draw_sizes([runs[at] for at in cell], looks, kept) for cell in grid.cells]
    lines = [line for panel in panels for line in panel.lines]
    drawn = sum(len(line.x) for line in lines if line.style == "points")
    thinned = f" Thinned: {drawn:,} points are drawn, one in {kept.step} by size."
    caption = f"{done.describe()} Lines are medians of bins of sizes, shaded 10 % to 90 %."
    caption += thinned * (kept.step > 1) + done.say_conditions(len(panels)) + say_combined(left)
    return Picture(
        "Completion time against size", caption, name_panels(panels, grid),
        len(grid.column_names), grid.row_names, grid.column_names,
    )  # fmt: skip


def _draw_sizes(runs: Sequence[Run], looks: dict[str, Look], kept: slice) -> Panel:
    lines: list[Line] = []
    done = FinishedFlows(runs) if runs else None
    for cca, look in looks.items():
        if done is None:
            break
        own = done.cca == cca
        if not own.any():
            continue
        size, time_s = done.size[own], done.time_s[own]
        middle = _find_medians(size, time_s)
        order = np.argsort(size, kind="stable")[kept]
        name = name_cca(cca)
        alone = middle is None
        lines.append(Line(name, size[order], time_s[order], look, "points", listed=alone))
        if middle is not None:
            at, low, median, high = middle
            lines.append(Line(name, at, median, look, band=(low, high)))
    return Panel("", "file size (packets)", TIME, tuple(lines), log="xy")


def _find_medians(
    size: Numbers, time_s: Numbers
) -> tuple[Numbers, Numbers, Numbers, Numbers] | None:
    """Return centre, 10 %, median and 90 % of each bin with enough flows."""
    bins = np.floor(np.log10(size) * BINS_PER_DECADE).astype(int)
    full = [b for b in np.unique(bins) if (bins == b).sum() >= LEAST_IN_BIN]
    if not full:
        return None
    middles = np.array([np.exp(np.log(size[bins == b]).mean()) for b in full])
    low, median, high = np.array([np.quantile(time_s[bins == b], (0.1, 0.5, 0.9)) for b in full]).T
    return middles, low, median, high
