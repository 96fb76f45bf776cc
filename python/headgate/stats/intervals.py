"""Confidence intervals of means and shares."""

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from headgate import _native

LEVEL = 0.95
#: Values whose spread is below this part of the largest are alike but for rounding.
ROUNDING = 1e-12


def student_quantile(p: float, freedom: float) -> float:
    """Return the p quantile of Student's t distribution with so many degrees of freedom."""
    if math.isinf(freedom):
        return NormalDist().inv_cdf(p)
    return _native.student_quantile(p, freedom)


def are_alike(values: ArrayLike) -> bool:
    """Say whether values are all the same but for rounding."""
    sample = np.asarray(values, dtype=float)
    return bool(np.ptp(sample) <= ROUNDING * np.abs(sample).max())


def compute_mean_interval(values: ArrayLike, level: float = LEVEL) -> tuple[float, float, float]:
    """Return mean, lower and upper end of Student's interval; one value alone has no width."""
    sample = np.asarray(values, dtype=float)
    sample = sample[np.isfinite(sample)]
    if len(sample) == 0:
        return float("nan"), float("nan"), float("nan")
    mean = float(sample.mean())
    if len(sample) == 1:
        return mean, mean, mean
    error = float(sample.std(ddof=1)) / math.sqrt(len(sample))
    half = student_quantile(0.5 + level / 2, len(sample) - 1) * error
    return mean, mean - half, mean + half


def mean_p(values: ArrayLike) -> float:
    """Return the two-sided p of a mean of zero (Student's t); NaN for fewer than two values."""
    sample = np.asarray(values, dtype=float)
    sample = sample[np.isfinite(sample)]
    if len(sample) < 2:
        return math.nan
    error = float(sample.std(ddof=1)) / math.sqrt(len(sample))
    return student_p(float(sample.mean()), error, len(sample) - 1)


def student_p(value: float, error: float, freedom: float) -> float:
    """Return the two-sided p of a value with a standard error; NaN without degrees of freedom."""
    if not freedom > 0 or math.isnan(error) or math.isnan(value):
        return math.nan
    if error == 0:
        return 0.0 if value else 1.0
    if math.isinf(freedom):
        return 2 * NormalDist().cdf(-abs(value) / error)
    return 2 * _native.student_tail(abs(value) / error, freedom)


def ratio_interval(ratios: ArrayLike, level: float = LEVEL) -> tuple[float, float, float]:
    """Return the geometric mean of ratios, with Student's interval of their logs.

    One ratio alone leaves it open, from zero to infinity; a zero among them has no logarithm, and
    all is NaN.
    """
    sample = np.asarray(ratios, dtype=float)
    if not len(sample) or not (sample > 0).all():
        return float("nan"), float("nan"), float("nan")
    mean, low, high = (math.exp(end) for end in compute_open_mean_interval(np.log(sample), level))
    return mean, low, high


def compute_difference_interval(
    before: ArrayLike, after: ArrayLike, level: float = LEVEL
) -> tuple[float, float, float]:
    """Return the difference of two means with Welch's interval (1947).

    What is missing is left out; the interval is infinite where a side has one value alone.
    """
    mean, error, freedom = _welch(before, after)
    if math.isnan(error):
        return mean, -math.inf, math.inf
    half = student_quantile(0.5 + level / 2, freedom) * error if error else 0.0
    return mean, mean - half, mean + half


def difference_p(before: ArrayLike, after: ArrayLike) -> float:
    """Return the two-sided p of no difference of two means (Welch); NaN if a side has one value."""
    return student_p(*_welch(before, after))


def _welch(before: ArrayLike, after: ArrayLike) -> tuple[float, float, float]:
    """Return the difference of two means, its standard error and its degrees of freedom."""
    old, new = (np.asarray(side, dtype=float) for side in (before, after))
    old, new = old[np.isfinite(old)], new[np.isfinite(new)]
    mean = float(new.mean() - old.mean()) if min(len(old), len(new)) else math.nan
    if min(len(old), len(new)) < 2:
        return mean, math.nan, math.nan
    parts = [float(side.var(ddof=1)) / len(side) for side in (old, new)]
    error = math.sqrt(sum(parts))
    if error == 0:
        return mean, 0.0, float(len(old) + len(new) - 2)
    weight = sum(p * p / (len(s) - 1) for p, s in zip(parts, (old, new), strict=True))
    return mean, error, sum(parts) ** 2 / weight


def compute_open_mean_interval(
    values: ArrayLike, level: float = LEVEL
) -> tuple[float, float, float]:
    """Return `compute_mean_interval`, but one value alone leaves the interval open."""
    mean, low, high = compute_mean_interval(values, level)
    known = int(np.isfinite(np.asarray(values, dtype=float)).sum())
    return (mean, low, high) if known > 1 else (mean, -math.inf, math.inf)


def compute_grouped_interval(
    groups: Sequence[ArrayLike], level: float = LEVEL
) -> tuple[float, float, float]:
    """Return the mean over fixed groups of replicates, with Student's interval.

    What groups differ by is no chance: only the spread within them, pooled, makes the width.
    """
    samples = [np.asarray(group, dtype=float) for group in groups]
    mean = float(np.mean([sample.mean() for sample in samples]))
    freedom = sum(len(sample) - 1 for sample in samples)
    if freedom == 0:
        return mean, mean, mean
    pooled = sum(float(((sample - sample.mean()) ** 2).sum()) for sample in samples) / freedom
    error = math.sqrt(pooled * sum(1 / len(sample) for sample in samples)) / len(samples)
    half = student_quantile(0.5 + level / 2, freedom) * error
    return mean, mean - half, mean + half


def compute_share_interval(
    hits: int, trials: int, level: float = LEVEL
) -> tuple[float, float, float]:
    """Return a share with its Wilson score interval (Wilson 1927)."""
    if trials == 0:
        return float("nan"), float("nan"), float("nan")
    squared = NormalDist().inv_cdf(0.5 + level / 2) ** 2
    centre = (hits + squared / 2) / (trials + squared)
    spread = squared * (hits * (trials - hits) / trials + squared / 4)
    half = math.sqrt(spread) / (trials + squared)
    return hits / trials, max(0.0, centre - half), min(1.0, centre + half)
