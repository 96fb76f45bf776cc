"""Outliers: the algorithm that differs from the others under a condition, and Grubbs' tests.

Residuals of the algorithms are taken about the mean of their condition, and the conditions are
ordered by the range of these residuals, as in the seed study. Four algorithms are too few for
Grubbs' test, so `find_outlier` uses the spread of replicates: within one condition, a t statistic
compares an algorithm's mean with the mean of the others. Its standard deviation is pooled over the
replicates of all algorithms. If the traffic of a replicate is the same for every algorithm (common
random numbers), the mean of the replicate is subtracted first, and replicates without a value of
every algorithm are ignored. The tests of all algorithms are corrected together (Bonferroni). The
filter keeps an outlier only if it also differs from the mean of the others by at least 10 %.

Grubbs' test asks whether one of a few values is too far from the others to be chance. It is
two-sided, for one outlier (Grubbs 1969; NIST/SEMATECH e-Handbook 1.3.5.17.1). Two outliers may mask
each other, since both widen the standard deviation. The pair test compares the sum of squares
without the two farthest values with the sum of squares of all (Grubbs 1950, section 5, in the form
of Tietjen and Moore 1972); its critical values come from simulated normal samples.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from headgate.base.messages import refuse_former_keywords
from headgate.stats.intervals import Numbers

ALPHA = 0.05
FILTER_SHARE = 0.10
#: The number of normal samples that the pair test simulates.
SIMULATED = 200_000


@dataclass(frozen=True)
class Outlier:
    """The algorithm farthest from the others, for one response under one condition."""

    cca: str
    high: bool
    apart_share: float
    p: float
    passes_filter: bool


@dataclass(frozen=True)
class Residuals:
    """Means of the algorithms less the mean of each condition: shape (condition, algorithm)."""

    ccas: tuple[str, ...]
    values: Numbers
    means: Numbers

    @property
    def order(self) -> NDArray[np.intp]:
        """Conditions by increasing range of their residuals."""
        return np.argsort(np.ptp(self.values, axis=1), kind="stable")


@refuse_former_keywords
def compute_residuals(ccas: Sequence[str], cube: Numbers) -> Residuals:
    """Return the residuals of `cube`, a response by (condition, algorithm, replicate)."""
    by_cca = cube.mean(axis=2)
    means = by_cca.mean(axis=1)
    return Residuals(tuple(ccas), by_cca - means[:, None], means)


@refuse_former_keywords
def find_outlier(ccas: Sequence[str], table: Numbers) -> Outlier | None:
    """Return the significant outlier of one condition; `table` is (algorithm, replicate)."""
    known = _drop_incomplete(table)
    if not known.size:
        return None
    means = known.mean(axis=1)
    worst = int(np.argmax([abs(_compute_distance(means, place)) for place in range(len(means))]))
    p = compute_distance_p(known, worst)
    if not p < ALPHA:
        return None
    apart = _compute_distance(means, worst)
    others = float(means[worst]) - apart
    share = float(apart / abs(others)) if others != 0 else math.copysign(math.inf, apart)
    return Outlier(ccas[worst], apart > 0, share, p, abs(share) >= FILTER_SHARE)


def _drop_incomplete(table: Numbers) -> Numbers:
    """Return the replicates (columns) with a value of every algorithm."""
    return np.asarray(table[:, np.isfinite(table).all(axis=0)])


def compute_distance_p(table: Numbers, place: int, *, paired: bool = True) -> float:
    """Return the two-sided p of an algorithm's distance from the mean of the others.

    Rows are algorithms and columns are replicates, paired or independent. The p is corrected for
    the number of algorithms (Bonferroni). It is NaN without two algorithms and two replicates of
    each; pairs need two replicates with values of all algorithms.
    """
    from scipy import stats

    known = _drop_incomplete(table) if paired else table
    counts = np.isfinite(known).sum(axis=1)
    if len(table) < 2 or counts.min() < 2:
        return math.nan
    means = np.nanmean(known, axis=1)
    deviation, freedom = _compute_noise(known, means, paired=paired)
    apart = _compute_distance(means, place)
    scale = max(abs(float(means.mean())), abs(apart))
    if deviation <= 1e-12 * scale or scale == 0:
        return 0.0 if abs(apart) > 1e-9 * scale else 1.0
    weights = np.full(len(means), 1 / (len(means) - 1))
    weights[place] = 1.0
    error = deviation * math.sqrt(float((weights**2 / counts).sum()))
    return float(min(1.0, 2 * len(means) * stats.t.sf(abs(apart) / error, freedom)))


def _compute_noise(known: Numbers, means: Numbers, *, paired: bool) -> tuple[float, int]:
    """Return the standard deviation over replicates and its degrees of freedom.

    For pairs, the part of a replicate that all algorithms share is not noise.
    """
    noise = known - means[:, None]
    freedom = int(np.isfinite(known).sum()) - len(means)
    if paired:
        noise = noise - (known.mean(axis=0) - means.mean())
        freedom -= known.shape[1] - 1
    return math.sqrt(float(np.nansum(noise**2)) / freedom), freedom


def _compute_distance(means: Numbers, place: int) -> float:
    """Return the difference of an algorithm from the mean of the others."""
    return float(means[place] - np.delete(means, place).mean())


def compute_critical_value(count: int, level: float = 0.05) -> float:
    """Return the two-sided critical value of Grubbs' G for `count` values."""
    from scipy import stats

    t = float(stats.t.ppf(1 - level / (2 * count), count - 2))
    return (count - 1) / math.sqrt(count) * math.sqrt(t * t / (count - 2 + t * t))


def compute_grubbs_p(values: Numbers) -> tuple[int, float, float]:
    """Return the place of the value farthest from the mean, its G, and its two-sided p.

    G and p are NaN for fewer than three values; p is 1 if nothing varies. The p is an upper bound
    (Bonferroni), which is exact if it is small.
    """
    from scipy import stats

    count = len(values)
    apart = np.abs(values - values.mean())
    place, spread = int(apart.argmax()), float(values.std(ddof=1)) if count > 1 else 0.0
    if count < 3:
        return place, math.nan, math.nan
    if spread <= 1e-12 * np.abs(values).max():
        return place, 0.0, 1.0
    g = float(apart[place]) / spread
    # G is largest, (n - 1)/sqrt n, if all other values are equal.
    left = (count - 1) ** 2 / count - g * g
    if left <= 0:
        return place, g, 0.0
    t = g * math.sqrt((count - 2) / left)
    return place, g, float(min(1.0, 2 * count * stats.t.sf(t, count - 2)))


def compute_grubbs_pair_p(values: Numbers) -> tuple[tuple[int, int], float]:
    """Return the places of the two values farthest from the mean, and the p of the pair.

    The p is NaN for fewer than five values, and 1 if nothing varies.
    """
    first, second = np.argsort(np.abs(values - values.mean()), kind="stable")[::-1][:2]
    places = int(first), int(second)
    if len(values) < 5:
        return places, math.nan
    whole = float(((values - values.mean()) ** 2).sum())
    if whole <= (1e-12 * float(np.abs(values).max())) ** 2:
        return places, 1.0
    ratio = _compute_pair_ratios(values[None, :])[0]
    rank = int(np.searchsorted(_simulate_pair_ratios(len(values)), ratio, side="right"))
    return places, (rank + 1) / (SIMULATED + 1)


def _compute_pair_ratios(samples: Numbers) -> Numbers:
    """Return, for each row, the sum of squares without its two farthest values over that of all."""
    apart = np.abs(samples - samples.mean(axis=1, keepdims=True))
    kept = np.take_along_axis(samples, np.argsort(apart, axis=1, kind="stable")[:, :-2], axis=1)
    whole = ((samples - samples.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    rest = ((kept - kept.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return np.asarray(rest / whole)


@cache
def _simulate_pair_ratios(count: int) -> Numbers:
    """Return the ratios of normal samples in order, the same in every process."""
    samples = np.random.default_rng(count).normal(size=(SIMULATED, count))
    return np.sort(_compute_pair_ratios(samples))
