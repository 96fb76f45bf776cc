"""Condition-response summaries: which law is the outlier, under which condition, in which response.

Residuals of the laws are taken about their condition's mean and the conditions are ordered by the
range of these residuals, as the seed study does. Four laws are too few for Grubbs' test, so a law
is judged against the spread of its replicates: within one condition a law's mean is compared with
the mean of the other laws by a t statistic whose standard deviation is pooled over the laws'
replicates. The traffic of a replicate is the same for every law (common random numbers), so the
replicate's own mean is taken out first. All laws of a condition are tested at once: Bonferroni. The
filter keeps an outlier only if it is also at least 10 % away from the others' mean.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ALPHA = 0.05
FILTER_SHARE = 0.10


@dataclass(frozen=True)
class Outlier:
    """The law that stands farthest from the others in one response under one condition."""

    law: str
    high: bool
    apart_share: float
    p: float
    passes_filter: bool


@dataclass(frozen=True)
class Residuals:
    """Residuals of the laws' means about each condition's mean: shape (condition, law)."""

    laws: tuple[str, ...]
    values: NDArray[np.float64]
    means: NDArray[np.float64]

    @property
    def order(self) -> NDArray[np.intp]:
        """Conditions by increasing range of their residuals."""
        return np.argsort(np.ptp(self.values, axis=1), kind="stable")


def residuals(laws: Sequence[str], cube: NDArray[np.float64]) -> Residuals:
    """Return the residuals of `cube`, a response by (condition, law, replicate)."""
    by_law = cube.mean(axis=2)
    means = by_law.mean(axis=1)
    return Residuals(tuple(laws), by_law - means[:, None], means)


def outlier(laws: Sequence[str], table: NDArray[np.float64]) -> Outlier | None:
    """Return the significant outlier of one condition, or None; `table` is (law, replicate)."""
    worst, apart, p = farthest(table)
    if not p < ALPHA:
        return None
    others = float(np.delete(table.mean(axis=1), worst).mean())
    share = _share(apart, others)
    return Outlier(laws[worst], bool(apart > 0), share, p, abs(share) >= FILTER_SHARE)


def farthest(table: NDArray[np.float64]) -> tuple[int, float, float]:
    """Return the place of the law farthest from the others, how far, and p; rows are laws.

    p is NaN where a value is missing, or there are not two laws and two replicates.
    """
    if not np.isfinite(table).all() or min(table.shape) < 2:
        return 0, float("nan"), float("nan")
    means = table.mean(axis=1)
    apart = np.array([means[i] - np.delete(means, i).mean() for i in range(len(means))])
    worst = int(np.argmax(np.abs(apart)))
    return worst, float(apart[worst]), _p_value(table, float(apart[worst]))


def _share(apart: float, others: float) -> float:
    if others != 0:
        return float(apart / abs(others))
    return float("inf") if apart > 0 else float("-inf") if apart < 0 else 0.0


def _p_value(table: NDArray[np.float64], apart: float) -> float:
    """Two-sided p of a law's distance from the mean of the others, Bonferroni over the laws."""
    from scipy import stats

    count, replicates = table.shape
    noise = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    freedom = (count - 1) * (replicates - 1)
    deviation = float(np.sqrt((noise**2).sum() / freedom))
    scale = max(abs(float(table.mean())), abs(apart))
    if deviation <= 1e-12 * scale or scale == 0:
        return 0.0 if abs(apart) > 1e-9 * scale else 1.0
    statistic = abs(apart) / (deviation * math.sqrt((1 + 1 / (count - 1)) / replicates))
    return float(min(1.0, count * 2 * stats.t.sf(statistic, freedom)))
