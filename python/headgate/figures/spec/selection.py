"""Which lines, points and part of an axis a picture shows if there are too many to distinguish."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.units import readable
from headgate.data.measures.ccas import label_ccas
from headgate.data.tables import Table
from headgate.figures.spec.drawing import Level, Numbers, Panel
from headgate.figures.spec.run import Run

#: The most lines in one panel, and the most single flows beside the mean of an algorithm.
MOST_LINES, MOST_OF_CCA = 8, 5
#: The most links in one panel, and the most queues one below another.
MOST_LINKS, MOST_PORTS = 6, 4
#: Zero until the first sample.
POSITIVE = ("srtt_s",)


def name_cca(cca: str) -> str:
    """Return the name of an algorithm in a picture; one from a file is called as it is there."""
    return cca.rpartition(":")[2] or "algorithm not kept"


class SeriesReader:
    """The series of flows, or of ports, by name, in the order of their first rows."""

    def __init__(self, run: Run, kind: str) -> None:
        series = run.tables["series"]
        self.table = series.where(series["of"] == kind)
        names, first, place = np.unique(self.table["name"], return_index=True, return_inverse=True)
        order = np.argsort(place, kind="stable")
        rows = np.split(order, np.searchsorted(place[order], np.arange(1, len(names))))
        by_name = {str(names[i]): rows[i] for i in np.argsort(first)}
        self.rows: dict[str, NDArray[Any]] = by_name

    def __len__(self) -> int:
        return len(self.rows)

    def read(self, name: str, column: str) -> tuple[Numbers, Numbers]:
        """Return the known times and values of one series."""
        rows = self.rows[name]
        t_s = np.asarray(self.table["t_s"][rows], np.float64)
        values = np.asarray(self.table[column][rows], np.float64)
        known = np.isfinite(values) & (values > 0 if column in POSITIVE else True)
        return t_s[known], values[known]

    def combine(self, names: Iterable[str], column: str, *, mean: bool) -> tuple[Numbers, Numbers]:
        """Return the mean or the sum of several series at each time with a value."""
        parts = [self.read(name, column) for name in names]
        times = np.concatenate([t_s for t_s, _ in parts])
        t_s, place = np.unique(times, return_inverse=True)
        every = np.concatenate([values for _, values in parts])
        total: Numbers = np.bincount(place, every).astype(np.float64)  # of integers if empty
        return t_s, total / np.bincount(place).astype(np.float64) if mean else total

    def list_known(self, column: str) -> list[str]:
        """List the series with a value in a column."""
        if column not in self.table:
            return []
        known = np.isfinite(np.asarray(self.table[column], float))
        return [name for name, rows in self.rows.items() if known[rows].any()]


def group_by_cca(run: Run, names: Sequence[str]) -> dict[str, list[str]]:
    """Group flows by algorithm; those of unknown algorithms are listed under ""."""
    flows = run.tables["flows"]
    cca_of = {str(t): str(cca) for t, cca in zip(flows["traffic"], label_ccas(flows), strict=True)}
    ccas: dict[str, list[str]] = {}
    for name in names:
        ccas.setdefault(cca_of.get(name, ""), []).append(name)
    return ccas


def choose_fairly(courses: SeriesReader, names: Sequence[str], most: int) -> list[str]:
    """Choose flows of an algorithm at evenly spaced throughput ranks.

    Ranks are evenly spaced from the lowest to the highest, so that neither the first nor the best
    flows represent all.
    """
    if len(names) <= most:
        return list(names)
    series = {name: courses.read(name, "throughput_bps")[1] for name in names}
    means = {name: float(values.mean()) if len(values) else 0.0 for name, values in series.items()}
    ranked = sorted(names, key=lambda name: means[name])
    places = np.round(np.linspace(0, len(ranked) - 1, most)).astype(int)
    kept = {ranked[place] for place in places}
    return [name for name in names if name in kept]


def rank_ports(run: Run, names: Iterable[str]) -> list[str]:
    """Rank ports from the one that drops the greatest share; among equals that which waits most."""

    def key(name: str) -> tuple[float, float]:
        return -compute_loss(run, name), -float(np.nan_to_num(run.read_port(name, "mean_wait_s")))

    return sorted(names, key=key)


def compute_loss(run: Run, name: str) -> float:
    """Return the share of arrived packets that a port dropped or its link lost."""
    ports = run.tables["ports"]
    return float(compute_losses(ports.where(ports["link"] == name))[0])


def compute_losses(ports: Table) -> Numbers:
    """Return the share of packets lost at each port and on its link; 0 if it is not counted."""
    dropped, lost, sent = (
        np.nan_to_num(np.asarray(ports[c], np.float64)) for c in ("drops", "lost", "departures")
    )
    came = dropped + sent
    shares: Numbers = np.divide(dropped + lost, came, out=np.zeros(len(came)), where=came > 0)
    return shares


#: Points of one picture, shared among its lines; a line gets at least some hundreds.
MOST_IN_PICTURE = 12_000
MOST_OF_LINE, LEAST_OF_LINE = 2_000, 300
#: Intervals over which a rate is averaged: few enough to see its course.
INTERVALS = 120


def share_points(lines: int) -> int:
    """Return the most points per line in a picture with this number of lines."""
    return max(LEAST_OF_LINE, min(MOST_OF_LINE, MOST_IN_PICTURE // max(1, lines)))


def thin(x: Numbers, y: Numbers, most: int) -> tuple[Numbers, Numbers]:
    """Keep the least and the greatest value of equal stretches, and both ends of the line."""
    if len(x) <= most:
        return x, y
    edges = np.linspace(0, len(x), (most - 2) // 2 + 1).astype(np.intp)
    stretches = [np.arange(a, b) for a, b in pairwise(edges)]
    extremes = [rows[[y[rows].argmin(), y[rows].argmax()]] for rows in stretches]
    kept = np.unique(np.concatenate([*extremes, [0, len(x) - 1]]))
    return x[kept], y[kept]


def thin_evenly(count: int, most: int) -> slice:
    """Return every n-th of `count` sorted points, at most `most`: their distribution stays."""
    return slice(None, None, max(1, -(-count // most)))


def say_thinned(drawn: int, known: int) -> str:
    """State that fewer points are drawn than there are."""
    if drawn >= known:
        return ""
    return (
        f"Thinned: {drawn:,} of {known:,} points are drawn,"
        " the lowest and the highest of each of many equal intervals."
    )


def say_sampled(drawn: int, known: int) -> str:
    """State that only some points of one kind are drawn."""
    return f"Thinned: {drawn:,} of {known:,} points are drawn." if drawn < known else ""


def choose_interval(t_s: Numbers) -> float:
    """Return the time over which a series is averaged: 1, 2, 5, 10, ... of its intervals."""
    times = np.unique(t_s)
    if len(times) < 2:
        return 0.0
    own_s = float(np.median(np.diff(times)))
    least = float(times[-1] - times[0]) / own_s / INTERVALS
    rounds = (float(f"{factor}e{power}") for power in range(12) for factor in (1, 2, 5))
    return own_s * next(steps for steps in rounds if steps >= least)


def average(t_s: Numbers, values: Numbers, interval_s: float) -> tuple[Numbers, Numbers]:
    """Average values over the intervals (0, i], (i, 2 i] ...; a point ends each."""
    if not interval_s:
        return t_s, values
    place = np.ceil(np.round(t_s / interval_s, 6)).astype(np.intp)
    filled, at = np.unique(place, return_inverse=True)
    ends: Numbers = filled * np.float64(interval_s)
    means: Numbers = np.bincount(at, values) / np.bincount(at)
    return ends, means


#: Room for the name of a level above it.
HEADROOM = 1.12
#: A peak of the warm-up is cut off if it is this many times as high as all later values.
FAR_ABOVE = 2.5
#: The top of the axis over the greatest later value if a peak is cut off.
CUT_AT = 1.4
#: Values that vary by less than this share of the greatest are not shown from zero.
FROM_ZERO_BELOW = 0.5
#: A level that is farther above is left out.
NEAR = 3.0
#: The least share of its greatest value that an axis of values far from zero covers.
LEAST_SPAN = 0.1
CUT = "Peaks during the warm-up are cut off."


def compare(panels: Sequence[Panel], *, zero: bool = True) -> tuple[tuple[Panel, ...], str]:
    """Set the same limits for panels over time; return them, and a note if a peak is cut off."""
    highest, later, lowest = 0.0, 0.0, np.inf
    for panel in panels:
        for line in panel.lines:
            upper = line.y if line.band is None else np.maximum(line.y, line.band[1])
            highest = max(highest, _find_max(upper))
            later = max(later, _find_max(upper[line.x > panel.warmup_s]))
            lowest = min(lowest, float(line.y.min(initial=np.inf)))
    top, said = highest, ""
    if 0 < FAR_ABOVE * later < highest:
        top, said = CUT_AT * later, CUT
    panels = [replace(panel, levels=_keep_near(panel.levels, top)) for panel in panels]
    levels = [float(level.y.max()) for panel in panels for level in panel.levels]
    top = HEADROOM * max(top, *levels, 0.0) or 1.0
    low = 0.0 if zero or not lowest > FROM_ZERO_BELOW * top else lowest - 0.15 * (top - lowest)
    return tuple(replace(panel, y_range=(low, top)) for panel in panels), said


def share_times(panels: Sequence[Panel]) -> tuple[Panel, ...]:
    """Give panels over the same time one range of it, from the first point to the last of all."""
    times = [line.x for panel in panels for line in panel.lines if len(line.x)]
    times += [level.x for panel in panels for level in panel.levels]
    low = min((float(x.min()) for x in times), default=0.0)
    high = max((float(x.max()) for x in times), default=0.0)
    if any(panel.warmup_s for panel in panels):
        low = 0.0
    if len(panels) < 2 or low == high:
        return tuple(panels)
    return tuple(replace(panel, x_range=panel.x_range or (low, high)) for panel in panels)


def _keep_near(levels: Sequence[Level], top: float) -> tuple[Level, ...]:
    """Keep the levels that would not flatten the lines."""
    return tuple(level for level in levels if level.y.min() <= NEAR * max(top, 1e-12))


def _find_max(values: Numbers) -> float:
    return float(values.max(initial=0.0))


def set_limits_around(values: Numbers) -> tuple[float, float]:
    """Return limits around values far from zero, wide enough to see that they are alike."""
    low, high = float(values.min()), float(values.max())
    middle, half = (low + high) / 2, max((high - low) * 0.6, LEAST_SPAN * high / 2)
    return middle - half, middle + half


def set_limits_from_zero(values: Numbers) -> tuple[float, float]:
    """Return limits from zero, or around values that are far from it."""
    high = float(values.max())
    if values.min() > FROM_ZERO_BELOW * high:
        return set_limits_around(values)
    return 0.0, HEADROOM * high


_UNIT = re.compile(r"\(([^()]+)\)$")


def find_readable(title: str, figures: Iterable[float]) -> tuple[float, str]:
    """Return the factor for the figures, and the title with the resulting unit."""
    found = _UNIT.search(title)
    largest = float(np.max(np.abs(np.nan_to_num([*figures])), initial=0.0))
    if found is None:
        return 1.0, title
    factor, unit = readable(found[1], largest)
    return factor, f"{title[: found.start()]}({unit})"
