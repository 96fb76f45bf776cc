"""Group-sequential tests: several looks at a growing sample that together err as one test may.

Each look spends a part of the error (Lan and DeMets, Biometrika 70, 1983), by a function of the
share of the largest sample that is there: as O'Brien and Fleming, little at first, or as Pocock.
The bounds follow by integrating a Brownian motion from look to look (Armitage, McPherson and Rowe,
J. R. Stat. Soc. A 132, 1969). As the variance is unknown, each look has the Student interval at
its own level (Jennison and Turnbull, *Group Sequential Methods*, 2000, section 4.4).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

from headgate.base.errors import HeadgateError
from headgate.stats.intervals import are_alike
from headgate.stats.spending import SPENDING, Spending

#: A bound beyond this many deviations is none: nothing is spent there.
FARTHEST = 8.0
#: Points of the quadrature between two bounds; half of them leave the fifth digit as it is.
POINTS = 129
EVERYTHING = (-math.inf, math.inf)


@dataclass(frozen=True)
class Looks:
    """The sizes of the sample at which one looks, and the error of all looks together."""

    sizes: tuple[int, ...]
    alpha: float = 0.05
    spending: Spending = "obrien-fleming"

    def __post_init__(self) -> None:
        growing = all(a < b for a, b in zip(self.sizes, self.sizes[1:], strict=False))
        if not self.sizes or self.sizes[0] < 2 or not growing:
            raise HeadgateError(
                f"looks at {', '.join(map(str, self.sizes)) or 'nothing'}: the first is at two or"
                " more, and each is at more than the one before"
            )
        if not 0 < self.alpha < 1:
            raise HeadgateError(f"alpha = {self.alpha:g}: an error is between 0 and 1")

    @cached_property
    def bounds(self) -> tuple[float, ...]:
        """Deviations of the mean from a value, in standard errors, that decide at each look."""
        shares = [size / self.sizes[-1] for size in self.sizes]
        spent = [SPENDING[self.spending](share, self.alpha) for share in shares]
        return tuple(_find_bounds(shares, np.diff(spent, prepend=0.0).tolist()))

    @cached_property
    def levels(self) -> tuple[float, ...]:
        """The level of the two-sided test at each look; that of a normal mean beyond its bound."""
        return tuple(float(2 * stats.norm.sf(bound)) for bound in self.bounds)

    def interval(self, values: Sequence[float] | NDArray[np.float64]) -> tuple[float, float]:
        """Return the interval of the mean of a sample that is one of the sizes.

        Those of all looks together hold the true mean with probability 1 - alpha. Values that are
        all alike say nothing of the spread, as a few zeros of a rare event do: their interval is
        everything. Raises HeadgateError for another size.
        """
        found = np.asarray(values, dtype=float)
        if len(found) not in self.sizes:
            raise HeadgateError(f"a look at {len(found)} values is none of {self.sizes}")
        if are_alike(found):
            return EVERYTHING
        level = self.levels[self.sizes.index(len(found))]
        error = float(found.std(ddof=1)) / math.sqrt(len(found))
        reach = float(stats.t.isf(level / 2, len(found) - 1)) * error
        mean = float(found.mean())
        return mean - reach, mean + reach


def plan_looks(
    most: int,
    looks: int,
    first: int = 2,
    alpha: float = 0.05,
    spending: Spending = "obrien-fleming",
) -> Looks:
    """Return looks at equal steps from `first` values to `most`, as many as there are sizes."""
    sizes = np.unique(np.linspace(min(first, most), most, max(looks, 1)).round().astype(int))
    return Looks(tuple(int(size) for size in sizes), alpha, spending)


@dataclass(frozen=True)
class _Going:
    """Paths that have crossed no bound: their density at the points of a quadrature."""

    points: NDArray[np.float64]
    weights: NDArray[np.float64]
    """Density times weight of the quadrature."""

    def cross(self, bound: float, step: float) -> float:
        """Return the probability of being beyond a bound after a step of this variance."""
        scale = math.sqrt(step)
        beyond = stats.norm.sf((bound - self.points) / scale)
        below = stats.norm.cdf((-bound - self.points) / scale)
        return float(self.weights @ (beyond + below))

    def go_on(self, bound: float, step: float) -> _Going:
        """Return the paths that are within the bound after the step."""
        nodes, weights = np.polynomial.legendre.leggauss(POINTS)
        points = bound * nodes
        steps = (points[:, None] - self.points) / math.sqrt(step)
        density = (stats.norm.pdf(steps) / math.sqrt(step)) @ self.weights
        return _Going(points, density * weights * bound)


def _find_bounds(shares: Sequence[float], spent: Sequence[float]) -> list[float]:
    """Find the bound of each look, from what is spent there by a Brownian motion."""
    paths, before, bounds = _Going(np.zeros(1), np.ones(1)), 0.0, []
    for share, part in zip(shares, spent, strict=True):
        step, farthest = share - before, FARTHEST * math.sqrt(share)
        bound = _solve(paths, step, part, farthest)
        bounds.append(bound / math.sqrt(share))
        paths, before = paths.go_on(bound, step), share
    return bounds


def _solve(paths: _Going, step: float, part: float, farthest: float) -> float:
    if part <= paths.cross(farthest, step):
        return farthest
    return float(optimize.brentq(lambda b: paths.cross(b, step) - part, 0.0, farthest, xtol=1e-10))
