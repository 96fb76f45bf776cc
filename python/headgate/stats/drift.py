"""Drift of a mean: a trend over batches of the measured time.

The measured time is cut into ten equal batches. A mean drifts if the batches' means, averaged over
replicates, show a trend (Mann 1945, Kendall 1975: two-sided p below 0.01 by the normal
approximation) and the second half differs from the first by 10 % or more of the mean. Such a mean
depends on the chosen time and does not describe a steady state.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from headgate.stats.numbers import read_numbers

#: The number of batches of the measured time, and the least number of samples in each.
BATCHES, LEAST_IN_BATCH = 10, 2
#: z of a two-sided p of 0.01, and the least difference of the halves as a share of the mean.
LEAST_Z, LEAST_SHARE = 2.5758, 0.10


@dataclass(frozen=True)
class Drift:
    """The means of the first and of the second half of the measured time."""

    first: float
    second: float


def compute_batch_means(
    t_s: ArrayLike, values: ArrayLike, from_s: float, to_s: float
) -> list[float]:
    """Return the mean of each batch between two times; [] if a batch has too few samples."""
    times, numbers = read_numbers(t_s), read_numbers(values)
    known = np.isfinite(numbers) & (times > from_s) & (times <= to_s)
    if not known.any() or to_s <= from_s:
        return []
    share = (times[known] - from_s) / (to_s - from_s)
    place = np.minimum((share * BATCHES).astype(np.intp), BATCHES - 1)
    counts = np.bincount(place, minlength=BATCHES)
    if counts.min() < LEAST_IN_BATCH:
        return []
    return [float(mean) for mean in np.bincount(place, numbers[known], BATCHES) / counts]


def find_drift(batches: ArrayLike, least: float = 0.0) -> Drift | None:
    """Return the drift of batches with the shape (replicate, batch), if there is one.

    A difference of the halves of `least` or less is not a drift.
    """
    means = read_numbers(batches).mean(axis=0)
    first, second = (float(half.mean()) for half in np.array_split(means, 2))
    apart = abs(second - first)
    if apart < LEAST_SHARE * abs(float(means.mean())) or apart <= least:
        return None
    return Drift(first, second) if _compute_trend(means) >= LEAST_Z else None


def _compute_trend(means: NDArray[np.float64]) -> float:
    """Return |z| of Kendall's statistic, corrected for continuity and for ties."""
    count = len(means)
    signs = np.sign(means[None, :] - means[:, None])
    score = abs(float(np.triu(signs, 1).sum()))
    ties = np.unique(means, return_counts=True)[1]
    spread = count * (count - 1) * (2 * count + 5) - (ties * (ties - 1) * (2 * ties + 5)).sum()
    return max(0.0, score - 1) / math.sqrt(spread / 18) if spread > 0 else 0.0
