"""Which conditions cannot be told apart from the best one.

The best of many is best by chance too. Each other condition is compared with it within replicates
that have the same traffic, by a one-sided paired t-test whose level of 5 % is shared among all
(Bonferroni), so that the truly best condition is left out in 5 % of cases at most. Whatever the
spread, values that are the same are not told apart.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from headgate.stats.intervals import student_quantile

LEVEL = 0.05


def find_alike(values: NDArray[np.float64], best: int) -> list[int]:
    """Return the conditions that cannot be told apart from the best, which is among them.

    `values` have the shape (condition, replicate), and more is better. A condition without a number
    is left out.
    """
    compared = int(np.isfinite(values).any(axis=1).sum()) - 1
    return [
        place
        for place, own in enumerate(values)
        if np.isfinite(own).any() and not _is_less(own, values[best], compared)
    ]


def _is_less(own: NDArray[np.float64], best: NDArray[np.float64], compared: int) -> bool:
    """Say whether a condition is shown to be less than the best."""
    apart = best - own
    apart = apart[np.isfinite(apart)]
    if not len(apart) or apart.mean() <= 0:
        return False
    spread = float(apart.std(ddof=1)) if len(apart) > 1 else 0.0
    if spread == 0:  # one and the same run in each replicate
        return True
    t = float(apart.mean()) / spread * math.sqrt(len(apart))
    return t > student_quantile(1 - LEVEL / max(compared, 1), len(apart) - 1)
