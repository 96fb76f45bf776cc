"""Confidence intervals of means and shares."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

LEVEL = 0.95


def mean_interval(values: ArrayLike, level: float = LEVEL) -> tuple[float, float, float]:
    """Return mean, lower and upper end of Student's interval; one value alone has no width."""
    sample = np.asarray(values, dtype=float)
    sample = sample[np.isfinite(sample)]
    if len(sample) == 0:
        return float("nan"), float("nan"), float("nan")
    mean = float(sample.mean())
    if len(sample) == 1:
        return mean, mean, mean
    half = stats.t.ppf(0.5 + level / 2, len(sample) - 1) * sample.std(ddof=1) / np.sqrt(len(sample))
    return mean, mean - float(half), mean + float(half)


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
    error = np.sqrt(pooled * sum(1 / len(sample) for sample in samples)) / len(samples)
    half = float(stats.t.ppf(0.5 + level / 2, freedom) * error)
    return mean, mean - half, mean + half


def share_interval(hits: int, trials: int, level: float = LEVEL) -> tuple[float, float, float]:
    """Return a share with its Wilson score interval (Wilson 1927)."""
    if trials == 0:
        return float("nan"), float("nan"), float("nan")
    found = stats.binomtest(hits, trials).proportion_ci(level, method="wilson")
    return hits / trials, float(found.low), float(found.high)
