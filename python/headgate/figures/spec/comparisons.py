"""Pictures that compare runs: completion times of flows, and throughput against delay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.figures.spec.drawing import Line, Numbers, Panel, Picture
from headgate.figures.spec.flows import colour_ccas
from headgate.figures.spec.run import Run, count_conditions, list_ccas
from headgate.figures.spec.selection import (
    MOST_IN_PICTURE,
    SeriesReader,
    name_cca,
    set_limits_around,
    set_limits_from_zero,
    share_points,
    thin_evenly,
)

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
        self.conditions = count_conditions(runs)
        tables = [run.tables["flows"] for run in runs]
        self.size = np.concatenate([np.asarray(t["size_packets"], float) for t in tables])
        self.time_s = np.concatenate([np.asarray(t["fct_sender_s"], float) for t in tables])
        self.cca: NDArray[Any] = np.concatenate([t["cca"] for t in tables])
        counted = np.concatenate([np.asarray(t["active_s"], float) > 0 for t in tables])
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
        several = f" Runs of {self.conditions} different conditions are combined."
        later = " under way after the warm-up" * self.warmed_up
        said = f"{len(self):,} flows{later}; times are measured at the sender."
        return f"{said}{rest * (left > 0)}{several * (self.conditions > 1)}"


def draw_completion(runs: Sequence[Run]) -> Picture | None:
    """Draw the distribution of completion times, a panel per size class, a line per algorithm."""
    done = FinishedFlows(runs)
    if not len(done):
        return None
    colour = colour_ccas(runs)
    each = share_points(len(CLASSES) * len(colour))
    panels, drawn = [], 0
    for low, high in _choose_classes(done):
        inside = (done.size > low) & (done.size <= high)
        lines = []
        for cca, (ink, dash) in colour.items():
            own = np.sort(done.time_s[inside & (done.cca == cca)])
            if len(own):
                x, share = _thin_steps(own, each)
                drawn += len(x)
                lines.append(Line(name_cca(cca), x, share, ink, dash, "step"))
        title = f"{_name_class(low, high)}: {inside.sum():,} flows"
        panels.append(
            Panel(title, TIME, "share of flows", tuple(lines), log="x", y_range=(0.0, 1.02))
        )
    thinned = f" Thinned: {drawn:,} of {len(done):,} quantiles are drawn, at equal distances."
    caption = done.describe() + thinned * (drawn < len(done))
    columns = min(2, len(panels))
    return Picture("Completion time by size", caption, tuple(panels), columns)


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


def draw_completion_by_size(runs: Sequence[Run]) -> Picture | None:
    """Draw each flow's completion time by its size, and the median of bins of sizes."""
    done = FinishedFlows(runs)
    if not done.differ:
        return None
    kept = thin_evenly(len(done), MOST_IN_PICTURE // 2)
    lines = []
    for cca, (ink, dash) in colour_ccas(runs).items():
        own = done.cca == cca
        if own.any():
            size, time_s = done.size[own], done.time_s[own]
            middle = _find_medians(size, time_s)
            order = np.argsort(size, kind="stable")[kept]
            label = name_cca(cca)
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
    """Return centre, 10 %, median and 90 % of each bin with enough flows."""
    bins = np.floor(np.log10(size) * BINS_PER_DECADE).astype(int)
    full = [b for b in np.unique(bins) if (bins == b).sum() >= LEAST_IN_BIN]
    if not full:
        return None
    middles = np.array([np.exp(np.log(size[bins == b]).mean()) for b in full])
    low, median, high = np.array([np.quantile(time_s[bins == b], (0.1, 0.5, 0.9)) for b in full]).T
    return middles, low, median, high


PERCENTILE = 95
#: A covariance of two variables needs three points.
LEAST_FOR_ELLIPSE = 3
CORNERS = 73
#: Labels of runs of an experiment that are no part of a condition; and conditions that are drawn.
REPLICATES = ("cca", "seed")
MOST_CONDITIONS = 12


@dataclass(frozen=True)
class Point:
    """Delay and throughput of the flows of one algorithm in one run."""

    run: str
    cca: str
    delay_ms: float
    throughput_mbps: float


def draw_tradeoff(runs: Sequence[Run]) -> Picture | None:
    """Draw delay and throughput of each CCA in each run; nothing if there is only one point."""
    points, delay = _measure_points(runs)
    if len(points) < 2:
        return None
    named = {name: of for name, of in _group_by_condition(runs).items() if name}
    apart = len(named) > 1 and sum(map(len, named.values())) == len(runs)
    measured = {point.run for point in points}
    groups = {
        title: of
        for title, of in (named if apart else {"": runs}).items()
        if measured & {run.name for run in of}
    }
    shown = dict(list(groups.items())[:MOST_CONDITIONS])
    names = {title: {run.name for run in of} for title, of in shown.items()}
    panels = tuple(
        _draw_condition(title, [p for p in points if p.run in names[title]], runs, delay)
        for title in shown
    )
    caption = _describe_points(runs, points, apart)
    if len(shown) < len(groups):
        caption += f" The first {len(shown)} of {len(groups)} conditions are drawn."
    return Picture("Throughput against delay", caption, panels, min(2, len(panels)))


def _draw_condition(title: str, points: Sequence[Point], runs: Sequence[Run], delay: str) -> Panel:
    """Draw the points and ellipses of one condition; colours are those of all runs."""
    colour = colour_ccas(runs)
    lines: list[Line] = []
    for cca, (ink, dash) in colour.items():
        own = [point for point in points if point.cca == cca]
        if not own:
            continue
        x, y = np.array([(p.delay_ms, p.throughput_mbps) for p in own]).T
        name, each = name_cca(cca), tuple(point.run for point in own)
        lines.append(Line(name, x, y, ink, dash, "points", each=each))
        if len(own) >= LEAST_FOR_ELLIPSE:
            lines.append(Line(name, *trace_ellipse(x, y), ink, dash, listed=False))
    return Panel(
        title, f"{delay}, ms (less is to the right)", "mean goodput of a flow (Mbit/s)",
        tuple(lines), reverse_x=True,
        x_range=set_limits_around(np.concatenate([line.x for line in lines])),
        y_range=set_limits_from_zero(np.concatenate([line.y for line in lines])),
    )  # fmt: skip


def trace_ellipse(x: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
    """Return the contour at one standard deviation around the mean of points, closed."""
    covariance = np.cov(x, y)
    spread, axes = np.linalg.eigh(covariance)
    turn = np.linspace(0, 2 * np.pi, CORNERS)
    half = axes * np.sqrt(np.maximum(spread, 0))
    edge = half @ np.stack([np.cos(turn), np.sin(turn)])
    return x.mean() + edge[0], y.mean() + edge[1]


def _measure_points(runs: Sequence[Run]) -> tuple[list[Point], str]:
    """Measure all runs by the same delay: a percentile if all have it, else the mean."""
    found = [_find_percentiles(run) for run in runs]
    known = [one for one in found if one is not None]
    if len(known) == len(runs):
        delay = f"{PERCENTILE}th percentile of the smoothed RTT"
    else:
        known, delay = [_find_means(run) for run in runs], "mean RTT"
    each = zip(runs, known, strict=True)
    return [point for run, delay_s in each for point in _read_points(run, delay_s)], delay


def _read_points(run: Run, delay_s: Mapping[str, float]) -> list[Point]:
    flows = run.tables["flows"]
    points = []
    for cca in list_ccas([run]):
        own = flows["goodput_bps"][flows["cca"] == cca]
        known = own[np.isfinite(own)]
        if len(known) and np.isfinite(delay_s[cca]):
            points.append(Point(run.name, cca, 1e3 * delay_s[cca], 1e-6 * float(known.mean())))
    return points


def _find_percentiles(run: Run) -> dict[str, float] | None:
    """Return the RTT percentile of each algorithm's flows; NaN if none is known.

    None unless each flow has samples of its round-trip time.
    """
    if "series" not in tuple(run.tables):
        return None  # an experiment keeps what its responses need
    courses, flows = SeriesReader(run, "flow"), run.tables["flows"]
    measured = set(courses.list_known("srtt_s"))
    if not measured or not measured >= set(map(str, flows["traffic"])):
        return None
    found = {}
    for cca in list_ccas([run]):
        parts = [
            courses.read(str(name), "srtt_s") for name in flows["traffic"][flows["cca"] == cca]
        ]
        values = np.concatenate([srtt_s[t_s > run.warmup_s] for t_s, srtt_s in parts])
        found[cca] = float(np.percentile(values, PERCENTILE)) if len(values) else float("nan")
    return found


def _find_means(run: Run) -> dict[str, float]:
    """Return the mean round-trip time of each algorithm's flows; NaN if none is known."""
    flows = run.tables["flows"]
    found = {}
    for cca in list_ccas([run]):
        own = flows["mean_rtt_s"][flows["cca"] == cca]
        known = own[np.isfinite(own)]
        found[cca] = float(known.mean()) if len(known) else float("nan")
    return found


def _describe_points(runs: Sequence[Run], points: Sequence[Point], apart: bool) -> str:
    said = ["Each point shows the flows of one algorithm in one run, after the warm-up."]
    by_group: dict[tuple[str, str], list[tuple[float, float]]] = {}
    condition = {run.name: _name_condition(run) if apart else "" for run in runs}
    for p in points:
        by_group.setdefault((condition[p.run], p.cca), []).append((p.delay_ms, p.throughput_mbps))
    got = list(by_group.values())
    if len(runs) > 1 and all(len(set(of_cca)) == 1 for of_cca in got):
        said.append(
            "The runs of each algorithm are equal: nothing in them is random, whatever the seed."
        )
    elif max(map(len, got)) >= LEAST_FOR_ELLIPSE:
        said.append("An ellipse is one standard deviation over runs; better is up and right.")
    else:
        said.append(f"Ellipses need {LEAST_FOR_ELLIPSE} runs of an algorithm: give more folders.")
    conditions = count_conditions(runs)
    if conditions > 1 and not apart:
        said.append(
            f"These runs have {conditions} different conditions (network, duration, measure), so"
            " the spread is not chance alone."
        )
    return " ".join(said)


def _group_by_condition(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """Group the runs of an experiment by all labels except algorithm and seed."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(_name_condition(run), []).append(run)
    return groups


def _name_condition(run: Run) -> str:
    labels = run.meta.get("labels", {})
    return ", ".join(f"{name} {value}" for name, value in labels.items() if name not in REPLICATES)
