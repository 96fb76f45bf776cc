"""Group-sequential tests: several looks at a growing sample with the error of a single test.

Each look spends a part of the error, which is a function of the current share of the largest sample
(Lan and DeMets, Biometrika 70, 1983): O'Brien and Fleming's spends little at first, Pocock's spends
more evenly. The bounds follow from integrating a Brownian motion from look to look (Armitage,
McPherson and Rowe, J. R. Stat. Soc. A 132, 1969). Since the variance is unknown, each look uses the
Student interval at its own level (Jennison and Turnbull, *Group Sequential Methods*, 2000,
section 4.4).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Literal

import numpy as np

from headgate.base.errors import HeadgateError
from headgate.stats.intervals import Numbers, are_alike
from headgate.stats.numbers import read_numbers

Spending = Literal["obrien-fleming", "pocock"]

#: A bound is at most this number of standard deviations; there, nothing is spent.
FARTHEST = 8.0
#: Points of the quadrature between two bounds; half of them give the same fifth digit.
POINTS = 129
EVERYTHING = (-math.inf, math.inf)
_NORMAL = NormalDist()


def _spend_as_obrien_fleming(share: float, alpha: float) -> float:
    """Spend on both sides the error of two one-sided tests at half of alpha."""
    return 4 * _NORMAL.cdf(_NORMAL.inv_cdf(alpha / 4) / math.sqrt(share))


def _spend_as_pocock(share: float, alpha: float) -> float:
    return alpha * math.log(1 + (math.e - 1) * share)


#: The error spent at a share of the largest sample, of a total error alpha.
SPENDING: Mapping[Spending, Callable[[float, float], float]] = {
    "obrien-fleming": _spend_as_obrien_fleming,
    "pocock": _spend_as_pocock,
}


@dataclass(frozen=True)
class Looks:
    """The sizes of the sample at each look, and the error of all looks together."""

    sizes: tuple[int, ...]
    alpha: float = 0.05
    spending: Spending = "obrien-fleming"

    def __post_init__(self) -> None:
        growing = all(a < b for a, b in zip(self.sizes, self.sizes[1:], strict=False))
        if not self.sizes or self.sizes[0] < 2 or not growing:
            raise HeadgateError(
                f"looks at {', '.join(map(str, self.sizes)) or 'nothing'}: the first needs at least"
                " two values, and each more than the one before"
            )
        if not 0 < self.alpha < 1:
            raise HeadgateError(f"alpha = {self.alpha:g}: the error must be between 0 and 1")

    @cached_property
    def bounds(self) -> tuple[float, ...]:
        """The distance of the mean from a value, in standard errors, that decides at each look."""
        shares = [size / self.sizes[-1] for size in self.sizes]
        spent = [SPENDING[self.spending](share, self.alpha) for share in shares]
        return tuple(_find_bounds(shares, np.diff(spent, prepend=0.0).tolist()))

    @cached_property
    def levels(self) -> tuple[float, ...]:
        """The level of the two-sided test at each look: the chance beyond its bound."""
        from scipy import stats

        return tuple(float(2 * stats.norm.sf(bound)) for bound in self.bounds)

    def compute_interval(self, values: Sequence[float] | Numbers) -> tuple[float, float]:
        """Return the interval of the mean of a sample with one of the sizes.

        The intervals of all looks contain the true mean with probability 1 - alpha. If all values
        are the same, such as a few zeros of a rare event, the spread is unknown and the interval is
        infinite. Raises HeadgateError for another size.
        """
        from scipy import stats

        found = read_numbers(values)
        if len(found) not in self.sizes:
            raise HeadgateError(
                f"a look at {len(found)} values is not planned; looks are at {self.sizes}"
            )
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
    """Return looks in equal steps from `first` values to `most`; equal sizes are one look."""
    sizes = np.unique(np.linspace(min(first, most), most, max(looks, 1)).round().astype(int))
    return Looks(tuple(int(size) for size in sizes), alpha, spending)


@dataclass(frozen=True)
class _Survivors:
    """The paths that have not crossed a bound: their density at the points of a quadrature."""

    points: Numbers
    weights: Numbers
    """The density times the weight of the quadrature."""

    def cross(self, bound: float, step: float) -> float:
        """Return the probability of being beyond a bound after a step with this variance."""
        from scipy import stats

        scale = math.sqrt(step)
        beyond = stats.norm.sf((bound - self.points) / scale)
        below = stats.norm.cdf((-bound - self.points) / scale)
        return float(self.weights @ (beyond + below))

    def advance(self, bound: float, step: float) -> _Survivors:
        """Return the paths that are within the bound after the step."""
        from scipy import stats

        nodes, weights = np.polynomial.legendre.leggauss(POINTS)
        points = bound * nodes
        steps = (points[:, None] - self.points) / math.sqrt(step)
        density = (stats.norm.pdf(steps) / math.sqrt(step)) @ self.weights
        return _Survivors(points, density * weights * bound)


def _find_bounds(shares: Sequence[float], spent: Sequence[float]) -> list[float]:
    """Find the bound of each look at which a Brownian motion spends the given error."""
    paths, before, bounds = _Survivors(np.zeros(1), np.ones(1)), 0.0, []
    for share, part in zip(shares, spent, strict=True):
        step, farthest = share - before, FARTHEST * math.sqrt(share)
        bound = _solve(paths, step, part, farthest)
        bounds.append(bound / math.sqrt(share))
        paths, before = paths.advance(bound, step), share
    return bounds


def _solve(paths: _Survivors, step: float, part: float, farthest: float) -> float:
    from scipy import optimize

    if part <= paths.cross(farthest, step):
        return farthest
    return float(optimize.brentq(lambda b: paths.cross(b, step) - part, 0.0, farthest, xtol=1e-10))
