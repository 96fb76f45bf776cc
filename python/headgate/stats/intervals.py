"""Confidence intervals and p-values of means, differences and shares; corrections of many p."""

import math
from collections.abc import Hashable, Mapping, Sequence
from statistics import NormalDist
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from headgate import _native
from headgate.stats.numbers import read_numbers

Numbers = NDArray[np.float64]

LEVEL = 0.95
#: Values are alike if their range is at most this part of the largest: the rest is rounding.
ROUNDING = 1e-12

Key = TypeVar("Key", bound=Hashable)


def compute_student_quantile(p: float, freedom: float) -> float:
    """Return the p quantile of Student's t distribution with `freedom` degrees of freedom."""
    if math.isinf(freedom):
        return NormalDist().inv_cdf(p)
    return _native.student_quantile(p, freedom)


def are_alike(values: ArrayLike) -> bool:
    """Return whether all values are the same except for rounding."""
    sample = read_numbers(values)
    return bool(np.ptp(sample) <= ROUNDING * np.abs(sample).max())


def compute_mean_interval(
    values: ArrayLike, level: float = LEVEL, freedom: float | None = None
) -> tuple[float, float, float]:
    """Return the mean and both ends of Student's interval; the width is zero for a single value.

    `freedom` are the degrees of freedom if there are fewer than the number of values less one.
    """
    sample = _keep_finite(values)
    if len(sample) == 0:
        return math.nan, math.nan, math.nan
    mean = float(sample.mean())
    if len(sample) == 1:
        return mean, mean, mean
    freedom = len(sample) - 1 if freedom is None else freedom
    half = compute_student_quantile(0.5 + level / 2, freedom) * _standard_error(sample)
    return mean, mean - half, mean + half


def compute_mean_p(values: ArrayLike) -> float:
    """Return the two-sided p of a mean of zero (Student's t); NaN for fewer than two values."""
    sample = _keep_finite(values)
    if len(sample) < 2:
        return math.nan
    return compute_student_p(float(sample.mean()), _standard_error(sample), len(sample) - 1)


def _keep_finite(values: ArrayLike) -> Numbers:
    sample = read_numbers(values)
    return np.asarray(sample[np.isfinite(sample)])


def _standard_error(sample: Numbers) -> float:
    return float(sample.std(ddof=1)) / math.sqrt(len(sample))


def compute_student_p(value: float, error: float, freedom: float) -> float:
    """Return the two-sided p of a value with a standard error; NaN without degrees of freedom."""
    if not freedom > 0 or math.isnan(error) or math.isnan(value):
        return math.nan
    if error == 0:
        return 0.0 if value else 1.0
    if math.isinf(freedom):
        return 2 * NormalDist().cdf(-abs(value) / error)
    return 2 * _native.student_tail(abs(value) / error, freedom)


def compute_ratio_interval(ratios: ArrayLike, level: float = LEVEL) -> tuple[float, float, float]:
    """Return the geometric mean of ratios with Student's interval of their logarithms.

    The interval of a single ratio is zero to infinity. If any ratio is zero, all three are NaN.
    """
    sample = read_numbers(ratios)
    if not len(sample) or not (sample > 0).all():
        return math.nan, math.nan, math.nan
    mean, low, high = (math.exp(end) for end in compute_open_mean_interval(np.log(sample), level))
    return mean, low, high


def compute_difference_interval(
    before: ArrayLike, after: ArrayLike, level: float = LEVEL
) -> tuple[float, float, float]:
    """Return the difference of two means with Welch's interval (1947).

    Missing values are ignored. If a side contains only one value, the interval is infinite.
    """
    mean, error, freedom = _welch(before, after)
    if math.isnan(error):
        return mean, -math.inf, math.inf
    half = compute_student_quantile(0.5 + level / 2, freedom) * error if error else 0.0
    return mean, mean - half, mean + half


def compute_difference_p(before: ArrayLike, after: ArrayLike) -> float:
    """Return Welch's two-sided p of equal means; NaN if a side contains only one value."""
    return compute_student_p(*_welch(before, after))


def _welch(before: ArrayLike, after: ArrayLike) -> tuple[float, float, float]:
    """Return the difference of two means, its standard error and its degrees of freedom."""
    old, new = _keep_finite(before), _keep_finite(after)
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
    """Return `compute_mean_interval`, with an infinite interval for a single value."""
    mean, low, high = compute_mean_interval(values, level)
    return (mean, low, high) if len(_keep_finite(values)) > 1 else (mean, -math.inf, math.inf)


def compute_grouped_interval(
    groups: Sequence[ArrayLike], level: float = LEVEL
) -> tuple[float, float, float]:
    """Return the mean over fixed groups of replicates, with Student's interval.

    The width comes from the pooled variance within groups; differences between groups are fixed.
    """
    samples = [read_numbers(group) for group in groups]
    mean = float(np.mean([sample.mean() for sample in samples]))
    freedom = sum(len(sample) - 1 for sample in samples)
    if freedom == 0:
        return mean, mean, mean
    pooled = sum(float(((sample - sample.mean()) ** 2).sum()) for sample in samples) / freedom
    error = math.sqrt(pooled * sum(1 / len(sample) for sample in samples)) / len(samples)
    half = compute_student_quantile(0.5 + level / 2, freedom) * error
    return mean, mean - half, mean + half


def compute_share_interval(
    hits: int, trials: int, level: float = LEVEL
) -> tuple[float, float, float]:
    """Return a share with its Wilson score interval (Wilson 1927)."""
    if trials == 0:
        return math.nan, math.nan, math.nan
    squared = NormalDist().inv_cdf(0.5 + level / 2) ** 2
    centre = (hits + squared / 2) / (trials + squared)
    spread = squared * (hits * (trials - hits) / trials + squared / 4)
    half = math.sqrt(spread) / (trials + squared)
    return hits / trials, max(0.0, centre - half), min(1.0, centre + half)


def correct_by_holm(p_values: Mapping[Key, float]) -> dict[Key, float]:
    """Return each p corrected by Holm (1979), which bounds the chance of any false positive.

    A NaN is not a test: it stays NaN and does not count.
    """
    tests = _sort_tests(p_values)
    scaled = [p_values[key] * (len(tests) - place) for place, key in enumerate(tests)]
    corrected = np.maximum.accumulate(np.minimum(1.0, scaled)).tolist()
    return dict.fromkeys(p_values, math.nan) | dict(zip(tests, corrected, strict=True))


def correct_by_false_discovery(p_values: Mapping[Key, float]) -> dict[Key, float]:
    """Return each p corrected by Benjamini and Hochberg (1995); NaN stays NaN and does not count.

    On average at most 5 % of the results below 5 % are false positives.
    """
    tests = _sort_tests(p_values)
    scaled = [p_values[key] * (len(tests) / (place + 1)) for place, key in enumerate(tests)]
    corrected = np.minimum.accumulate(np.minimum(1.0, scaled)[::-1])[::-1].tolist()
    return dict.fromkeys(p_values, math.nan) | dict(zip(tests, corrected, strict=True))


def _sort_tests(p_values: Mapping[Key, float]) -> list[Key]:
    return sorted(
        (key for key, p in p_values.items() if not math.isnan(p)), key=p_values.__getitem__
    )
