"""Completion times of flows: their distribution by size class, and against size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.figures.pictures.chosen import name_law
from headgate.figures.pictures.drawing import Line, Numbers, Panel, Picture
from headgate.figures.pictures.flows import colour_laws
from headgate.figures.pictures.run import Run, count_conditions
from headgate.figures.pictures.thin import MOST_IN_PICTURE, share_points, thin_evenly

#: Upper ends of the size classes (packets); a class with fewer than LEAST_IN_CLASS flows, of all
#: laws together, joins the next.
CLASSES = (10, 100, 1000, np.inf)
LEAST_IN_CLASS = 20
BINS_PER_DECADE = 6
LEAST_IN_BIN = 5
TIME = "flow completion time (s)"


class Done:
    """Law, size and completion time of the flows that finished, of all runs together.

    As in the table that a run prints, flows that finished within the warm-up do not count.
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        self.conditions = count_conditions(runs)
        tables = [run.tables["flows"] for run in runs]
        self.size = np.concatenate([np.asarray(t["size_packets"], float) for t in tables])
        self.time_s = np.concatenate([np.asarray(t["fct_sender_s"], float) for t in tables])
        self.law: NDArray[Any] = np.concatenate([t["law"] for t in tables])
        counted = np.concatenate([np.asarray(t["active_s"], float) > 0 for t in tables])
        self.warmed_up = any(run.warmup_s for run in runs)
        self.whole = int(counted.sum())
        with np.errstate(invalid="ignore"):
            known = np.isfinite(self.time_s) & (self.size > 0) & counted
        self.size, self.time_s, self.law = self.size[known], self.time_s[known], self.law[known]

    def __len__(self) -> int:
        return len(self.size)

    @property
    def differ(self) -> bool:
        """Whether there are files of more than one size."""
        return len(self) > 0 and bool(np.ptp(self.size))

    def describe(self) -> str:
        """Say how many flows are shown, and that others did not finish."""
        left = self.whole - len(self)
        rest = f" {left:,} that did not finish within the run, or are endless, are left out."
        several = f" Those of {self.conditions} different conditions are taken together."
        later = " under way after the warm-up" * self.warmed_up
        said = f"{len(self):,} flows{later}; times are measured at the sender."
        return f"{said}{rest * (left > 0)}{several * (self.conditions > 1)}"


def draw_completion(runs: Sequence[Run]) -> Picture | None:
    """Draw the distribution of completion times, a panel a size class, a line a law."""
    done = Done(runs)
    if not len(done):
        return None
    colour = colour_laws(runs)
    each = share_points(len(CLASSES) * len(colour))
    panels, drawn = [], 0
    for low, high in _choose_classes(done):
        inside = (done.size > low) & (done.size <= high)
        lines = []
        for law, (ink, dash) in colour.items():
            own = np.sort(done.time_s[inside & (done.law == law)])
            if len(own):
                x, share = _thin_steps(own, each)
                drawn += len(x)
                lines.append(Line(name_law(law), x, share, ink, dash, "step"))
        title = f"{_name_class(low, high)}: {inside.sum():,} flows"
        panels.append(
            Panel(title, TIME, "share of flows", tuple(lines), log="x", y_range=(0.0, 1.02))
        )
    thinned = f" Thinned: {drawn:,} of {len(done):,} quantiles are drawn, at equal distances."
    caption = done.describe() + thinned * (drawn < len(done))
    columns = min(2, len(panels))
    return Picture("Completion time by size", caption, tuple(panels), columns)


def _choose_classes(done: Done) -> list[tuple[float, float]]:
    """Return (above, up to) of the size classes, none with too few flows to show a distribution."""
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
    """Return the empirical distribution of sorted times, or its quantiles at equal distances."""
    share = np.arange(1, len(times) + 1) / len(times)
    if len(times) > most:
        kept = np.unique(np.linspace(0, len(times) - 1, most).round().astype(np.intp))
        times, share = times[kept], share[kept]
    return np.append(times[0], times), np.append(0.0, share)


def draw_completion_by_size(runs: Sequence[Run]) -> Picture | None:
    """Draw each flow's completion time by its size, and the median of bins of sizes."""
    done = Done(runs)
    if not done.differ:
        return None
    kept = thin_evenly(len(done), MOST_IN_PICTURE // 2)
    lines = []
    for law, (ink, dash) in colour_laws(runs).items():
        own = done.law == law
        if own.any():
            size, time_s = done.size[own], done.time_s[own]
            middle = _find_medians(size, time_s)
            order = np.argsort(size, kind="stable")[kept]
            label = name_law(law)
            alone = middle is None
            lines.append(Line(label, size[order], time_s[order], ink, dash, "points", listed=alone))
            if middle is not None:
                at, low, median, high = middle
                lines.append(Line(label, at, median, ink, dash, band=(low, high)))
    drawn = sum(len(line.x) for line in lines if line.style == "points")
    thinned = f" Thinned: {drawn:,} points are drawn, one in {kept.step} by size."
    caption = f"{done.describe()} Lines are medians of bins of sizes, shaded 10 % to 90 %."
    panel = Panel("", "file size (packets)", TIME, tuple(lines), log="xy")
    return Picture("Completion time against size", caption + thinned * (kept.step > 1), (panel,))


def _find_medians(
    size: Numbers, time_s: Numbers
) -> tuple[Numbers, Numbers, Numbers, Numbers] | None:
    """Return middle, 10 %, median and 90 % of each bin of sizes that has flows enough."""
    bins = np.floor(np.log10(size) * BINS_PER_DECADE).astype(int)
    full = [b for b in np.unique(bins) if (bins == b).sum() >= LEAST_IN_BIN]
    if not full:
        return None
    middles = np.array([np.exp(np.log(size[bins == b]).mean()) for b in full])
    low, median, high = np.array([np.quantile(time_s[bins == b], (0.1, 0.5, 0.9)) for b in full]).T
    return middles, low, median, high
