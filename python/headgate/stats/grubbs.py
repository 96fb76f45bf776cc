"""Grubbs' test, whether one of a few values is too far from the others to be chance.

Two-sided, for one outlier (Grubbs 1969; NIST/SEMATECH e-Handbook 1.3.5.17.1). Two outliers beside
each other may mask one another, since both widen the standard deviation: the pair test compares the
sum of squares without the two farthest values with that of all (Grubbs 1950, section 5, in the form
of Tietjen and Moore 1972), and its critical values come from simulated normal samples.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

SIMULATED = 200_000


def compute_critical_value(count: int, level: float = 0.05) -> float:
    """Return the two-sided critical G of `count` values."""
    from scipy import stats

    t = float(stats.t.ppf(1 - level / (2 * count), count - 2))
    return (count - 1) / math.sqrt(count) * math.sqrt(t * t / (count - 2 + t * t))


def p_value(values: Numbers) -> tuple[int, float, float]:
    """Return the place of the value farthest from the mean, its G, and its two-sided p.

    G and p are NaN of fewer than three values; p is 1 where nothing varies. The p is an upper bound
    (Bonferroni), exact where it is small.
    """
    count = len(values)
    apart = np.abs(values - values.mean())
    place, spread = int(apart.argmax()), float(values.std(ddof=1)) if count > 1 else 0.0
    if count < 3:
        return place, math.nan, math.nan
    if spread <= 1e-12 * np.abs(values).max():
        return place, 0.0, 1.0
    g = float(apart[place]) / spread
    return place, g, _p_of(g, count)


def _p_of(g: float, count: int) -> float:
    """Turn G into Student's t: G is largest, (n - 1)/sqrt n, where all others are equal."""
    from scipy import stats

    left = (count - 1) ** 2 / count - g * g
    if left <= 0:
        return 0.0
    t = g * math.sqrt((count - 2) / left)
    return float(min(1.0, 2 * count * stats.t.sf(t, count - 2)))


def pair_p_value(values: Numbers) -> tuple[tuple[int, int], float]:
    """Return the places of the two values farthest from the mean, and the p of the pair.

    NaN of fewer than five values; 1 where nothing varies.
    """
    first, second = np.argsort(np.abs(values - values.mean()), kind="stable")[::-1][:2]
    places = int(first), int(second)
    if len(values) < 5:
        return places, math.nan
    whole = float(((values - values.mean()) ** 2).sum())
    if whole <= (1e-12 * float(np.abs(values).max())) ** 2:
        return places, 1.0
    rank = int(np.searchsorted(_simulated(len(values)), _ratio(values[None, :])[0], side="right"))
    return places, (rank + 1) / (SIMULATED + 1)


def _ratio(samples: Numbers) -> Numbers:
    """Return, for each row, the sum of squares without its two farthest values over that of all."""
    apart = np.abs(samples - samples.mean(axis=1, keepdims=True))
    kept = np.take_along_axis(samples, np.argsort(apart, axis=1, kind="stable")[:, :-2], axis=1)
    whole = ((samples - samples.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    rest = ((kept - kept.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return np.asarray(rest / whole)


@cache
def _simulated(count: int) -> Numbers:
    """Return the ratios of normal samples, in order; the same ones in every run."""
    samples = np.random.default_rng(count).normal(size=(SIMULATED, count))
    return np.sort(_ratio(samples))
