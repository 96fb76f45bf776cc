"""Confidence intervals of means and shares."""

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from headgate import _native

LEVEL = 0.95


def student_quantile(p: float, freedom: float) -> float:
    """Return the p quantile of Student's t distribution with so many degrees of freedom."""
    return _native.student_quantile(p, freedom)


def mean_interval(values: ArrayLike, level: float = LEVEL) -> tuple[float, float, float]:
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


def difference_interval(
    one: ArrayLike, other: ArrayLike, level: float = LEVEL
) -> tuple[float, float, float]:
    """Return the mean of a sample less that of another, with Welch's interval (Welch 1947).

    Not-a-numbers are left out; a sample of less than two leaves the interval without width.
    """
    samples = [np.asarray(values, dtype=float) for values in (one, other)]
    samples = [sample[np.isfinite(sample)] for sample in samples]
    if min(map(len, samples)) == 0:
        return float("nan"), float("nan"), float("nan")
    apart = float(samples[0].mean() - samples[1].mean())
    if min(map(len, samples)) == 1:
        return apart, apart, apart
    squares = [float(sample.var(ddof=1)) / len(sample) for sample in samples]
    total = sum(squares)
    if total == 0:
        return apart, apart, apart
    pairs = zip(squares, samples, strict=True)
    freedom = total**2 / sum(square**2 / (len(sample) - 1) for square, sample in pairs)
    half = student_quantile(0.5 + level / 2, freedom) * math.sqrt(total)
    return apart, apart - half, apart + half


def grouped_interval(
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


def share_interval(hits: int, trials: int, level: float = LEVEL) -> tuple[float, float, float]:
    """Return a share with its Wilson score interval (Wilson 1927)."""
    if trials == 0:
        return float("nan"), float("nan"), float("nan")
    squared = NormalDist().inv_cdf(0.5 + level / 2) ** 2
    centre = (hits + squared / 2) / (trials + squared)
    spread = squared * (hits * (trials - hits) / trials + squared / 4)
    half = math.sqrt(spread) / (trials + squared)
    return hits / trials, max(0.0, centre - half), min(1.0, centre + half)
