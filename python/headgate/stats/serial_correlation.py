"""Test of whether successive values of a group are alike."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: Fewest values of a group for which the variance under permutations is defined.
LEAST_VALUES = 4


@dataclass(frozen=True)
class SerialCorrelation:
    """The correlation of the ranks of successive values, and its one-sided p."""

    correlation: float
    p: float


def correlate_successive(
    values: NDArray[np.float64], groups: NDArray[np.int64]
) -> SerialCorrelation | None:
    """Test whether successive values of each group are positively correlated.

    `values` and `groups` have shape (runs,), in the order of the runs. NaN values are left out, as
    are groups of fewer than 4 values. The result is None if no group is left, or if every group is
    sorted, because then the order is that of the values. Source: the permutation distribution of
    the serial correlation coefficient (Wald and Wolfowitz 1943), here of ranks, as far values would
    make its sum over groups less normal.
    """
    from scipy.stats import rankdata

    total = mean = variance = squares = 0.0
    is_sorted = True
    known = ~np.isnan(values)
    order = np.argsort(groups[known], kind="stable")
    ends = np.flatnonzero(np.diff(groups[known][order])) + 1
    for own in np.split(values[known][order], ends):
        if len(own) < LEAST_VALUES or not np.ptp(own):
            continue
        steps = np.diff(own)
        is_sorted &= bool((steps >= 0).all() or (steps <= 0).all())
        moments = _compute_moments(rankdata(own) - (len(own) + 1) / 2)
        total, mean, variance, squares = (
            a + b for a, b in zip((total, mean, variance, squares), moments, strict=True)
        )
    if is_sorted or not variance > 0:
        return None
    z = (total - mean) / math.sqrt(variance)
    return SerialCorrelation(total / squares, math.erfc(z / math.sqrt(2)) / 2)


def _compute_moments(rest: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Return the sum of products of successive values, its mean and variance, and of squares.

    The values add up to zero; mean and variance are those over all orders of the values.
    """
    m, s2, s4 = len(rest), float(np.sum(rest**2)), float(np.sum(rest**4))
    mean = -s2 / m
    of_two = (s2**2 - s4) / (m * (m - 1))
    of_three = (2 * s4 - s2**2) / (m * (m - 1) * (m - 2))
    of_four = (3 * s2**2 - 6 * s4) / (m * (m - 1) * (m - 2) * (m - 3))
    square = (m - 1) * of_two + 2 * (m - 2) * of_three + (m - 2) * (m - 3) * of_four
    return float(rest[:-1] @ rest[1:]), mean, square - mean**2, s2
