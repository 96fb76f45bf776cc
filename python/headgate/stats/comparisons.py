"""Comparisons of many means with simultaneous intervals: Tukey's of all pairs, Dunnett's with one.

The differences may come from any linear model: their standard errors give the correlations. Tukey's
intervals are exact for equal errors and conservative otherwise (Tukey and Kramer; Hayter 1984). If
the groups vary unequally, the error and its degrees of freedom are those of each pair (Games and
Howell 1976).
Dunnett's are exact if all differences share the variance of the control, as for independent means;
otherwise all correlations are set to the smallest, which is conservative (Das Gupta et al. 1972).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from headgate.base.errors import AnalysisError
from headgate.base.optional import require
from headgate.stats.intervals import LEVEL, Numbers, are_alike
from headgate.stats.numbers import read_numbers
from headgate.stats.quadrature import list_deviations, list_means
from headgate.stats.unequal_spread import LEAST_P, find_unequal_spread

Difference = tuple[float, float, float]
"""A difference of two means, its standard error, and the degrees of freedom of the error."""
Method = Literal["Tukey", "Dunnett"]


@dataclass(frozen=True)
class Comparison:
    """The mean of `last` minus that of `first`, its simultaneous 95 % interval, and its p."""

    first: int
    last: int
    difference: float
    low: float
    high: float
    p: float

    @property
    def is_shown(self) -> bool:
        """Whether the interval excludes zero."""
        return self.low > 0 or self.high < 0


def compare_all(count: int, differ: Callable[[int, int], Difference]) -> list[Comparison]:
    """Compare all pairs of `count` means; `differ` returns the difference of two of them."""
    found = []
    for first, last in combinations(range(count), 2):
        value, error, freedom = differ(first, last)
        half, ratio = _find_range(count, freedom) * error, _divide(value, error)
        p = 0.0 if math.isinf(ratio) else 1 - _compute_range_cover(ratio, count, freedom)
        found.append(Comparison(first, last, value, value - half, value + half, max(p, 0.0)))
    return found


def _divide(value: float, error: float) -> float:
    """Return the size of a difference in standard errors."""
    if error > 0:
        return abs(value) / error
    return math.inf if value else 0.0


def compare_with_control(
    control: int, count: int, differ: Callable[[int, int], Difference]
) -> list[Comparison]:
    """Compare each other mean with that of `control` (Dunnett 1955)."""
    others = [place for place in range(count) if place != control]
    differences = [differ(control, place) for place in others]
    loads = _find_loads(others, np.array([error for _, error, _ in differences]), differ)
    found = []
    for place, (value, error, freedom) in zip(others, differences, strict=True):
        critical = _find_critical(tuple(loads), freedom)
        half, ratio = critical * error, _divide(value, error)
        p = 0.0 if math.isinf(ratio) else 1 - _compute_cover(ratio, tuple(loads), freedom)
        found.append(Comparison(control, place, value, value - half, value + half, max(p, 0.0)))
    return found


def _find_loads(
    others: Sequence[int], errors: Numbers, differ: Callable[[int, int], Difference]
) -> list[float]:
    """Return the load of each difference on the control's mean: correlations are their products.

    The covariance of two differences a - c and b - c is (var(a - c) + var(b - c) - var(a - b)) / 2.
    """
    if len(others) < 2 or not (errors > 0).all():
        return [0.0] * len(others)
    shared = min(
        (errors[i] ** 2 + errors[j] ** 2 - differ(others[i], others[j])[1] ** 2) / 2
        for i, j in combinations(range(len(others)), 2)
    )
    shared = min(max(shared, 0.0), float(errors.min()) ** 2 * (1 - 1e-9))
    return [round(math.sqrt(shared) / error, 12) for error in errors.tolist()]


@lru_cache(maxsize=512)
def _find_critical(loads: tuple[float, ...], freedom: float) -> float:
    from scipy.optimize import brentq

    require("analysis", "a comparison of means")
    return float(brentq(lambda t: _compute_cover(t, loads, freedom) - LEVEL, 1e-3, 1e3, xtol=1e-8))


@lru_cache(maxsize=4096)
def _compute_cover(ratio: float, loads: tuple[float, ...], freedom: float) -> float:
    """Return the chance that all |t| are below a ratio (Dunnett 1955, by Gauss quadratures).

    Given the control's mean z and the standard deviation s, the differences are independent.
    """
    from scipy import special

    nodes, weights = list_means()
    deviations, mass = list_deviations(freedom)
    product = np.ones((len(deviations), len(nodes)))
    for load in loads:
        scale = math.sqrt(1 - load**2)
        reach = ratio * deviations[:, None]
        upper, lower = reach - load * nodes, -reach - load * nodes
        product *= special.ndtr(upper / scale) - special.ndtr(lower / scale)
    return float(mass @ product @ weights)


@lru_cache(maxsize=512)
def _find_range(count: int, freedom: float) -> float:
    from scipy.optimize import brentq

    require("analysis", "a comparison of means")
    return float(
        brentq(lambda t: _compute_range_cover(t, count, freedom) - LEVEL, 1e-3, 1e3, xtol=1e-8)
    )


def _compute_range_cover(ratio: float, count: int, freedom: float) -> float:
    """Return the chance that all |t| of pairs are below a ratio: the studentized range.

    SciPy's distribution takes forty times as long.
    """
    from scipy import special

    places, weights = list_means()
    deviations, mass = list_deviations(freedom)
    reach = math.sqrt(2) * ratio * deviations[:, None]
    inside = special.ndtr(places + reach) - special.ndtr(places)
    return float(mass @ (count * inside ** (count - 1)) @ weights)


def compare_groups(
    groups: Mapping[str, ArrayLike], control: str | None = None, *, paired: bool = False
) -> dict[tuple[str, str], Comparison]:
    """Compare the means of groups of replicates: all pairs, or each with the `control`.

    With `paired`, value k of every group uses the same seed, whose effect is no error. The variance
    is that of all groups together, or of the two compared if the groups vary unequally. Returns
    comparisons by (first, last). Raises AnalysisError.
    """
    names = list(groups)
    samples = [read_numbers(of) for of in groups.values()]
    if len(names) < 2 or not all(len(of) and np.isfinite(of).all() for of in samples):
        raise AnalysisError("a comparison needs at least two groups of finite numbers")
    if control is not None and control not in groups:
        raise AnalysisError(f"control {control!r} is not a group; they are {', '.join(names)}")
    if paired and len({len(of) for of in samples}) > 1:
        raise AnalysisError("paired groups need the same number of values")
    differ = _find_differences(samples, paired=paired)
    count = len(names)
    if control is None:
        found = compare_all(count, differ)
    else:
        found = compare_with_control(names.index(control), count, differ)
    return {(names[one.first], names[one.last]): one for one in found}


def _find_differences(
    samples: Sequence[Numbers], *, paired: bool
) -> Callable[[int, int], Difference]:
    """Return a function of two groups. Raises AnalysisError if no value is left for the error."""
    left = [of - of.mean() for of in samples]
    freedom = sum(len(of) - 1 for of in samples)
    if paired:
        shared = np.mean(left, axis=0)
        left, freedom = [of - shared for of in left], (len(samples) - 1) * (len(samples[0]) - 1)
    if freedom < 1:
        raise AnalysisError("a comparison needs at least two replicates")
    variance = sum(float(of @ of) for of in left) / freedom
    unequal = _vary_unequally(samples, paired=paired)

    def differ(first: int, last: int) -> Difference:
        one, other = samples[first], samples[last]
        found = _find_pair_error(one, other, paired=paired) if unequal else None
        error = found or (math.sqrt(variance * (1 / len(one) + 1 / len(other))), freedom)
        return float(other.mean() - one.mean()), *error

    return differ


def _vary_unequally(samples: Sequence[Numbers], *, paired: bool) -> bool:
    """Return whether the groups vary unequally, apart from the effects of replicates if paired."""
    left = [np.zeros(len(of)) if are_alike(of) else of - of.mean() for of in samples]
    if paired:
        return _vary_unequally_in_blocks(np.array(left))
    sizes = [len(of) for of in samples]
    groups = np.repeat(np.arange(len(sizes)), sizes)
    leverages = np.repeat([1 / size for size in sizes], sizes)
    return find_unequal_spread({"group": groups}, np.concatenate(left), leverages) is not None


def _vary_unequally_in_blocks(left: Numbers) -> bool:
    """Return whether deviations, of shape (group, replicate), vary unequally between groups.

    The effect of a replicate is the median of its deviations: a mean would share the deviation of
    one group among all. The test ranks the rest in each replicate (Friedman 1937). Two groups
    deviate equally from what they share.
    """
    from scipy import stats

    if len(left) < 3:
        return False
    apart = np.abs(left - np.median(left, axis=0))
    return bool(stats.friedmanchisquare(*apart).pvalue < LEAST_P)


def _find_pair_error(one: Numbers, other: Numbers, *, paired: bool) -> tuple[float, float] | None:
    """Return the standard error of a difference by the variation of two groups (Welch 1947).

    The second number is its degrees of freedom. None if neither group varies.
    """
    groups = [other - one] if paired else [one, other]
    if all(map(are_alike, groups)):
        return None
    parts = [float(of.var(ddof=1)) / len(of) for of in groups]
    below = sum(part**2 / (len(of) - 1) for part, of in zip(parts, groups, strict=True))
    return math.sqrt(sum(parts)), sum(parts) ** 2 / below
