"""Condition-response summaries: which law is the outlier, under which condition, in which response.

Residuals of the laws are taken about their condition's mean and the conditions are ordered by the
range of these residuals, as the seed study does. Four laws are too few for Grubbs' test, so a law
is judged against the spread of its replicates: within one condition a law's mean is compared with
the mean of the other laws by a t statistic whose standard deviation is pooled over the laws'
replicates. Where the traffic of a replicate is the same for every law (common random numbers), the
replicate's own mean is taken out first, and a replicate that a law lacks is left out. All laws of a
condition are tested at once: Bonferroni. The filter keeps an outlier only if it is also at least
10 % away from the others' mean.
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


def compute_residuals(laws: Sequence[str], cube: NDArray[np.float64]) -> Residuals:
    """Return the residuals of `cube`, a response by (condition, law, replicate)."""
    by_law = cube.mean(axis=2)
    means = by_law.mean(axis=1)
    return Residuals(tuple(laws), by_law - means[:, None], means)


def find_outlier(laws: Sequence[str], table: NDArray[np.float64]) -> Outlier | None:
    """Return the significant outlier of one condition, or None; `table` is (law, replicate)."""
    known = complete(table)
    if not known.size:
        return None
    means = known.mean(axis=1)
    worst = int(np.argmax([abs(_apart(means, place)) for place in range(len(means))]))
    p = distance_p(known, worst)
    if not p < ALPHA:
        return None
    apart = _apart(means, worst)
    share = _share(apart, float(means[worst]) - apart)
    return Outlier(laws[worst], apart > 0, share, p, abs(share) >= FILTER_SHARE)


def complete(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the replicates (columns) that have a number of every law."""
    return np.asarray(table[:, np.isfinite(table).all(axis=0)])


def distance_p(table: NDArray[np.float64], place: int, *, paired: bool = True) -> float:
    """Return the two-sided p of a law's distance from the mean of the others.

    Rows are laws, columns replicates, which are pairs or each law's own; Bonferroni over the laws.
    NaN where there are not two laws and two replicates of each; of pairs, two that all laws have.
    """
    from scipy import stats

    known = complete(table) if paired else table
    counts = np.isfinite(known).sum(axis=1)
    if len(table) < 2 or counts.min() < 2:
        return float("nan")
    means = np.nanmean(known, axis=1)
    deviation, freedom = _noise(known, means, paired=paired)
    apart = _apart(means, place)
    scale = max(abs(float(means.mean())), abs(apart))
    if deviation <= 1e-12 * scale or scale == 0:
        return 0.0 if abs(apart) > 1e-9 * scale else 1.0
    weights = np.full(len(means), 1 / (len(means) - 1))
    weights[place] = 1.0
    error = deviation * math.sqrt(float((weights**2 / counts).sum()))
    return float(min(1.0, 2 * len(means) * stats.t.sf(abs(apart) / error, freedom)))


def _noise(
    known: NDArray[np.float64], means: NDArray[np.float64], *, paired: bool
) -> tuple[float, int]:
    """Return the standard deviation over replicates and its degrees of freedom.

    What all laws of a replicate have in common is no noise, if replicates are pairs.
    """
    noise = known - means[:, None]
    freedom = int(np.isfinite(known).sum()) - len(means)
    if paired:
        noise = noise - (known.mean(axis=0) - means.mean())
        freedom -= known.shape[1] - 1
    return math.sqrt(float(np.nansum(noise**2)) / freedom), freedom


def _apart(means: NDArray[np.float64], place: int) -> float:
    """Return how far a law is from the mean of the others."""
    return float(means[place] - np.delete(means, place).mean())


def _share(apart: float, others: float) -> float:
    if others != 0:
        return float(apart / abs(others))
    return float("inf") if apart > 0 else float("-inf") if apart < 0 else 0.0
