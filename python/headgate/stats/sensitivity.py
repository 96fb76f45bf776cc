"""Sensitivity indices: Morris' elementary effects, and Sobol indices by Saltelli's scheme.

Runs contain noise. Replicates of the same points give its variance, which is then taken out of the
Sobol indices, and tested against the elementary effects. Replicates with the same seed share their
traffic at all points, so that the mean of a replicate is no noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from headgate.base.optional import require
from headgate.stats.changes import find_ties_with_best
from headgate.stats.intervals import LEVEL, Numbers, compute_mean_interval

Places = NDArray[np.intp]
RESAMPLES, SEED = 1000, 1
#: Without a variance of this many times the noise, the intervals of Sobol indices are too narrow.
LEAST_SIGNAL = 2.0


@dataclass(frozen=True)
class Noise:
    """The variance of a mean over replicates at a point; NaN for one replicate."""

    variance: float
    freedom: int


def estimate_noise(values: Numbers) -> Noise:
    """Return the noise of the means of points, from values of shape (point, replicate)."""
    known = values[np.isfinite(values).all(axis=1)]
    points, count = known.shape
    freedom = (points - 1) * (count - 1)
    if freedom < 1:
        return Noise(math.nan, 0)
    left = known - known.mean(axis=1, keepdims=True) - known.mean(axis=0) + known.mean()
    return Noise(float((left**2).sum()) / freedom / count, freedom)


@dataclass(frozen=True)
class ElementaryEffect:
    """The elementary effects of a factor: changes of the response over the factor's range.

    `mu_star` is the mean of their sizes, `mu` the mean, `sigma` the standard deviation: a large one
    means curvature or interactions. `low` and `high` are the ends of Student's interval of mu* over
    the trajectories; the intervals of all factors hold together in 95 % of cases (Bonferroni). `p`
    tests whether the effects exceed the noise; NaN without replicates.
    """

    factor: int
    mu_star: float
    low: float
    high: float
    mu: float
    sigma: float
    p: float


@dataclass(frozen=True)
class MorrisResult:
    """The effects of all factors, those whose mu* may be the largest, and the noise of mu*."""

    effects: tuple[ElementaryEffect, ...]
    largest: tuple[int, ...]
    floor: float
    """The mu* that noise alone would give; NaN without replicates."""


def compute_morris(
    coded: Numbers, indices: Places, values: Numbers, steps: Numbers
) -> MorrisResult:
    """Return the elementary effects (Morris 1991; mu* of Campolongo et al. 2007).

    `coded` is (point, factor), `indices` (trajectory, k + 1) and `values` (point, replicate).
    `steps` is the coded step that counts as the range of each factor, 2 for a quantity; for names,
    NaN: every change counts as one.
    """
    require("analysis", "Morris' effects")
    from scipy import stats

    means, noise = _mean_of(values), estimate_noise(values)
    count = coded.shape[1]
    changes = np.full((count, len(indices)), np.nan)
    spans = np.full((count, len(indices)), np.nan)
    for number, path in enumerate(indices):
        for first, last in pairwise(path.tolist()):
            move = coded[last] - coded[first]
            place = int(np.abs(move).argmax())
            span = 1.0 if np.isnan(steps[place]) else move[place] / steps[place]
            changes[place, number] = (means[last] - means[first]) / span
            spans[place, number] = span
    found = []
    for place, own in enumerate(changes):
        kept = np.isfinite(own)
        if not kept.any():
            found.append(ElementaryEffect(place, *(math.nan,) * 6))
            continue
        mean, low, high = compute_mean_interval(np.abs(own[kept]), 1 - (1 - LEVEL) / count)
        p = math.nan
        if noise.variance > 0:
            squares = (own[kept] * spans[place, kept]) ** 2
            ratio = float(squares.mean()) / (2 * noise.variance)
            p = float(stats.f.sf(ratio, int(kept.sum()), noise.freedom))
        elif noise.variance == 0:
            p = 0.0 if own[kept].any() else 1.0
        spread = float(own[kept].std(ddof=1)) if kept.sum() > 1 else math.nan
        found.append(
            ElementaryEffect(place, mean, max(0.0, low), high, float(own[kept].mean()), spread, p)
        )
    sizes = [one.mu_star for one in found]
    ties = (
        []
        if np.isnan(sizes).all()
        else find_ties_with_best(np.abs(changes), int(np.nanargmax(sizes)))
    )
    order = sorted(ties, key=lambda place: -sizes[place])
    floor = math.sqrt(4 * noise.variance / math.pi) / float(np.nanmean(np.abs(spans)))
    return MorrisResult(tuple(found), tuple(order), floor)


@dataclass(frozen=True)
class SobolIndex:
    """The shares of the variance of the response that a factor explains, with 95 % intervals.

    `first` is the share of the factor alone, `total` that with all its interactions.
    """

    factor: int
    first: float
    first_low: float
    first_high: float
    total: float
    total_low: float
    total_high: float


@dataclass(frozen=True)
class SobolResult:
    """The indices of all factors, and those whose total may be the largest."""

    indices: tuple[SobolIndex, ...]
    largest: tuple[int, ...]
    samples: int
    has_noise: bool
    """Whether the totals include the noise of runs, because there are no replicates."""


def compute_sobol(indices: Places, values: Numbers) -> SobolResult:
    """Return Sobol indices (Saltelli et al. 2010) with bootstrap intervals over the samples.

    `indices` is (sample, k + 2), the points A, B, and A with one column of B; `values` is (point,
    replicate). Samples with a missing value are left out.
    """
    means, noise = _mean_of(values), estimate_noise(values)
    points = means[indices]
    kept = np.isfinite(points).all(axis=1)
    points, indices = points[kept], indices[kept]
    variance = 0.0 if math.isnan(noise.variance) else noise.variance
    same = indices[:, 2:] == indices[:, :1]
    given = _compute_indices(points, same, variance)
    if not np.var(points[:, :2]) >= (1 + LEAST_SIGNAL) * variance:
        given = np.full_like(given, np.nan)
    rng = np.random.default_rng(SEED)
    drawn = (
        [
            _compute_indices(points[rows], same[rows], variance)
            for rows in rng.integers(len(points), size=(RESAMPLES, max(len(points), 1)))
        ]
        if len(points) > 1
        else []
    )
    count = indices.shape[1] - 2
    sample = np.array(drawn) if drawn else np.full((1, 2, count), np.nan)
    low, high = np.quantile(sample, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    # An index lies between 0 and 1, which noise may leave.
    low, high = np.clip(np.minimum(low, given), 0, 1), np.clip(np.maximum(high, given), 0, 1)
    ends = np.stack([np.clip(given, 0, 1), low, high], axis=1)
    made = tuple(
        SobolIndex(i, *ends[0, :, i].tolist(), *ends[1, :, i].tolist()) for i in range(count)
    )
    return SobolResult(
        made, _find_largest(given[1], sample[:, 1]), len(points), math.isnan(noise.variance)
    )


def _compute_indices(points: Numbers, same: NDArray[np.bool_], noise: float) -> Numbers:
    """Return first and total indices, of shape (2, factor).

    The noise adds its variance to the variance of the response, and to half of the mean squared
    difference of different points.
    """
    first, other, mixed = points[:, 0], points[:, 1], points[:, 2:]
    both = np.concatenate([first, other])
    variance = float(both.var(ddof=1)) - noise if len(both) > 1 else math.nan
    if not variance > 0:
        return np.full((2, mixed.shape[1]), np.nan)
    alone = ((other - both.mean())[:, None] * (mixed - first[:, None])).mean(axis=0)
    squares = ((mixed - first[:, None]) ** 2).mean(axis=0) / 2 - noise * (~same).mean(axis=0)
    return np.asarray(np.array([alone, squares]) / variance)


def _find_largest(totals: Numbers, drawn: Numbers) -> tuple[int, ...]:
    """Return the factors whose total may be the largest: each is compared at 5 % over k - 1."""
    if np.isnan(totals).any():
        return ()
    best = int(totals.argmax())
    level = (1 - LEVEL) / max(len(totals) - 1, 1)
    apart = (drawn[:, [best]] > drawn).mean(axis=0)
    ties = [i for i in range(len(totals)) if i == best or apart[i] < 1 - level]
    return tuple(sorted(ties, key=lambda i: -totals[i]))


def _mean_of(values: Numbers) -> Numbers:
    return np.asarray(values.mean(axis=1))  # NaN if a replicate is missing
