"""Whether more cells move one way than by chance, whatever the cells have in common.

If a law changes nothing, its runs could as well be those of the law before: of a pair with the same
traffic each may be either's, without pairs any of a condition's runs may. Whole runs change sides,
all responses at once, so that what these have in common stays; conditions do so independently. How
many cells move in each rearrangement says how likely as many as there are come by chance: an exact
test (Fisher 1935; Pitman 1937).
"""

from collections.abc import Sequence
from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from headgate.stats.changes import MATTERS_SHARE
from headgate.stats.intervals import LEVEL

Numbers = NDArray[np.float64]
#: What is less likely is beyond chance: one side of a 95 % interval.
BEYOND = 0.025
#: Beyond so many rearrangements of a condition as many are drawn at random.
MOST = 256
#: Part of a bound by which rounding may miss it.
ROUNDING = 1e-9


def chances(
    runs: Sequence[Numbers], good: NDArray[np.int64], *, paired: bool
) -> tuple[float, float]:
    """Return the chance of as many cells better, and of as many worse, as there are.

    `runs` has a condition's each, with shape (law, replicate, response), the law before first;
    `good` is the sign of a response's change for the better.
    """
    moved = [good * _moved(rearrange(of, paired=paired), paired=paired) for of in runs]
    return _tail([(one > 0).sum(axis=1) for one in moved]), _tail(
        [(one < 0).sum(axis=1) for one in moved]
    )


def least_chance(runs: Sequence[Numbers], *, paired: bool) -> float:
    """Return the least chance that so few runs can tell."""
    return 1 / prod(len(rearrange(of[..., :1], paired=paired)) for of in runs)


def rearrange(runs: Numbers, *, paired: bool) -> Numbers:
    """Return the ways in which runs may be of either law, the given one first."""
    rng = np.random.default_rng(1)
    count = runs.shape[1]
    if paired:
        swap = _swaps(count, rng)[:, None, :, None]
        return np.where(swap, runs[::-1], runs)
    pooled = runs.reshape(2 * count, -1)
    places = [_split(one, 2 * count) for one in _choices(count, rng)]
    return np.stack([pooled[of].reshape(runs.shape) for of in places])


def _swaps(count: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return which pairs are swapped, none of them first."""
    if 2**count <= MOST:
        return np.asarray((np.arange(2**count)[:, None] >> np.arange(count)) % 2 == 1)
    drawn = np.asarray(rng.integers(2, size=(MOST, count)) == 1)
    drawn[0] = False
    return drawn


def _choices(count: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Return which of twice as many runs are those of the law before, the first half first."""
    if comb(2 * count, count) <= MOST:
        return list(combinations(range(2 * count), count))
    drawn = [tuple(rng.permutation(2 * count)[:count].tolist()) for _ in range(MOST - 1)]
    return [tuple(range(count)), *drawn]


def _split(before: tuple[int, ...], count: int) -> list[int]:
    return [*before, *(place for place in range(count) if place not in before)]


def _moved(runs: Numbers, *, paired: bool) -> NDArray[np.int64]:
    """Return the sign of each response's change, 0 where it does not count, by rearrangement."""
    from scipy import stats

    old, new = runs[:, 0], runs[:, 1]
    if paired:
        both = np.isfinite(old) & np.isfinite(new)
        old, new = np.where(both, old, np.nan), np.where(both, new, np.nan)
        change, error, freedom = _mean_and_error(new - old)
    else:
        change, error, freedom = _welch(old, new)
    before = np.abs(_mean_and_error(old)[0])
    with np.errstate(invalid="ignore"):
        width = stats.t.ppf(0.5 + LEVEL / 2, freedom) * error
        counts = np.abs(change) > width * (1 - ROUNDING)
        counts &= np.abs(change) >= MATTERS_SHARE * before * (1 - ROUNDING)
    return np.where(counts, np.sign(np.nan_to_num(change)), 0).astype(np.int64)


def _welch(old: Numbers, new: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return the difference of two means, its standard error and degrees of freedom."""
    sides = [_mean_and_error(side) for side in (old, new)]
    variance = sum(error**2 for _, error, _ in sides)
    weight = sum(error**4 / freedom for _, error, freedom in sides)
    freedom = np.where(weight > 0, variance**2 / np.where(weight > 0, weight, 1.0), 1.0)
    return sides[1][0] - sides[0][0], np.sqrt(variance), freedom


def _mean_and_error(values: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return mean, standard error, degrees of freedom over replicates; NaN of fewer than two."""
    known = np.isfinite(values)
    count = np.where(known.sum(axis=1) > 1, known.sum(axis=1), np.nan)
    mean = np.where(known, values, 0.0).sum(axis=1) / count
    square = np.where(known, (values - mean[:, None]) ** 2, 0.0).sum(axis=1)
    return mean, np.sqrt(square / (count - 1) / count), count - 1


def _tail(counts: Sequence[NDArray[np.int64]]) -> float:
    """Return the chance of a sum as large as that of the first of all counts."""
    total = np.ones(1)
    for of in counts:
        total = np.convolve(total, np.bincount(of) / len(of))
    return float(total[sum(int(of[0]) for of in counts) :].sum())
