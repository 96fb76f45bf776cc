"""Fewer points that show the same: extremes are kept, and what was done is said."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from headgate.figures.pictures.drawing import Numbers

#: Points of one picture, shared among its lines; a line has some hundreds in any case.
MOST_IN_PICTURE = 12_000
MOST_OF_LINE, LEAST_OF_LINE = 2_000, 300
#: Intervals over which a rate is averaged: few enough to see its course.
INTERVALS = 120


def share_points(lines: int) -> int:
    """Return how many points each of a number of lines of a picture may have."""
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
    """Say that fewer points are drawn than there are, and which."""
    if drawn >= known:
        return ""
    return (
        f"Thinned: {drawn:,} of {known:,} points are drawn,"
        " the least and the greatest of each of many equal stretches."
    )


def say_sampled(drawn: int, known: int) -> str:
    """Say that not all of many points of one kind are drawn."""
    return f"Thinned: {drawn:,} of {known:,} points are drawn." if drawn < known else ""


def choose_interval(t_s: Numbers) -> float:
    """Return the time over which a series is averaged: 1, 2, 5, 10, ... of its own intervals."""
    times = np.unique(t_s)
    if len(times) < 2:
        return 0.0
    own_s = float(np.median(np.diff(times)))
    least = float(times[-1] - times[0]) / own_s / INTERVALS
    rounds = (float(f"{factor}e{power}") for power in range(12) for factor in (1, 2, 5))
    return own_s * next(steps for steps in rounds if steps >= least)


def average(t_s: Numbers, values: Numbers, interval_s: float) -> tuple[Numbers, Numbers]:
    """Average what was measured in the intervals (0, i], (i, 2 i] ...; a point ends each."""
    if not interval_s:
        return t_s, values
    place = np.ceil(np.round(t_s / interval_s, 6)).astype(np.intp)
    filled, at = np.unique(place, return_inverse=True)
    ends: Numbers = filled * np.float64(interval_s)
    means: Numbers = np.bincount(at, values) / np.bincount(at)
    return ends, means
