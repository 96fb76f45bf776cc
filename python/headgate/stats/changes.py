"""Differences between algorithms or conditions: changes, their chance, and ties with the best.

With the same seed, two algorithms meet the same traffic: replicates are pairs, and the change is
the mean difference divided by the mean before. A change is significant if the 95 % confidence
interval of the differences excludes zero (Student's t, or Welch's without pairs; not corrected for
the number of responses). A change is shown to be small only if its interval lies within 10 %.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from headgate.base.errors import AnalysisError
from headgate.stats.intervals import (
    LEVEL,
    Numbers,
    compute_difference_interval,
    compute_difference_p,
    compute_mean_p,
    compute_open_mean_interval,
    compute_student_quantile,
)
from headgate.stats.numbers import read_numbers

MATTERS_SHARE = 0.10
#: The level of the tests against the best condition together.
ALPHA = 0.05
#: The largest logarithm of a ratio that can be expressed as a number.
LARGEST_LOG = 700.0
#: A rise by this share or more is written as a multiple.
TWICE = 1.0
#: A count is beyond chance if it is less likely than this: one side of a 95 % interval.
BEYOND_CHANCE = 0.025
#: If a condition allows more rearrangements than this, this number of them is drawn at random.
MOST_REARRANGEMENTS = 256
#: Bounds are tested with this relative tolerance, because of rounding.
ROUNDING = 1e-9
#: The conclusion about a change; `nothing` if there is nothing to compare.
State = Literal["moves", "small", "not known", "nothing"]


@dataclass(frozen=True)
class Change:
    """A change as a share of the value before, with the ends of its 95 % interval.

    The share is infinite if the value before is zero, and NaN if the value of an algorithm is
    missing. The ends are infinite if the spread is unknown, and NaN if there is nothing to compare.
    """

    share: float
    significant: bool
    low: float = -math.inf
    high: float = math.inf
    p: float = math.nan
    """The two-sided p of no change; NaN without a test."""

    @property
    def matters(self) -> bool:
        """Whether the change is significant and at least 10 %."""
        return self.significant and abs(self.share) >= MATTERS_SHARE

    @property
    def state(self) -> State:
        """Whether the response is shown to move by 10 %, shown not to, or neither."""
        if math.isnan(self.low):
            return "nothing"
        if self.matters:
            return "moves"
        return "not known" if self.reaches(1) or self.reaches(-1) else "small"

    def reaches(self, sign: float) -> bool:
        """Return whether the interval includes a rise (or, if `sign` < 0, a fall) of 10 %."""
        return (self.high if sign > 0 else -self.low) >= MATTERS_SHARE

    def write(self) -> str:
        """Write the change briefly: in %, or as a multiple if the value doubles or more."""
        if math.isinf(self.share) or not self.share >= TWICE:
            return str(self)
        two_digits = float(f"{1 + self.share:.2g}")
        return f"\N{MULTIPLICATION SIGN}{two_digits:,g}"

    def __str__(self) -> str:
        if math.isnan(self.share):
            return ""
        if math.isinf(self.share):
            return "from zero"
        return f"{100 * self.share:+.0f} %".replace("-", "\N{MINUS SIGN}")


#: The change if the values of both algorithms are missing, and if one of them is.
NOTHING = Change(math.nan, significant=False, low=math.nan, high=math.nan)
UNKNOWN = Change(math.nan, significant=False)


def compute_change(before: ArrayLike, after: ArrayLike, *, paired: bool = True) -> Change:
    """Return the change from `before` to `after`, each with one value per replicate.

    Pairs are in the same order on both sides. The mean before is taken as exact: the interval is
    that of the differences, divided by this mean. Raises AnalysisError for pairs without a partner.
    """
    old, new = read_numbers(before), read_numbers(after)
    if paired and old.shape != new.shape:
        raise AnalysisError(
            f"pairs need the same number of values on both sides; got {old.size} and {new.size}"
        )
    if not np.isfinite(old).all() or not np.isfinite(new).all():
        return UNKNOWN
    mean, low, high = (
        compute_open_mean_interval(new - old) if paired else compute_difference_interval(old, new)
    )
    share, least, most = (compute_share(end, abs(float(old.mean()))) for end in (mean, low, high))
    p = compute_mean_p(new - old) if paired else compute_difference_p(old, new)
    return Change(share, low > 0 or high < 0, least, most, p)


def compute_mean_ratio_change(
    before: ArrayLike, after: ArrayLike, *, paired: bool = True
) -> Change | None:
    """Return the geometric mean of the ratios of several conditions, as a change.

    Both arrays are of shape (condition, replicate). The ratio of a condition is that of its means
    over replicates, so conditions of any scale count equally. The interval is Student's (Welch's
    without pairs) of the linear expansion of the ratios over replicates (delta method). A condition
    with zero on both sides is unchanged. The result is None if only one side of a condition is zero
    or if a value is negative, since no ratio exists.
    """
    old, new = read_numbers(before), read_numbers(after)
    old_mean, new_mean = old.mean(axis=1), new.mean(axis=1)
    changed = (old_mean != 0) | (new_mean != 0)
    if min(old.min(), new.min()) < 0 or not (old_mean * new_mean)[changed].all():
        return None
    logs = np.log(new_mean[changed] / old_mean[changed]).sum() / len(old_mean)
    parts = [
        (of[changed] / mean[changed, None]).sum(axis=0) / len(old_mean)
        for of, mean in ((old, old_mean), (new, new_mean))
    ]
    apart = parts[1] - parts[0]
    _, low, high = (
        compute_open_mean_interval(apart) if paired else compute_difference_interval(*parts)
    )
    ends = (logs + low, logs + high)
    least, most = (float(np.expm1(min(end, LARGEST_LOG))) for end in ends)
    return Change(float(np.expm1(logs)), bool(ends[0] > 0 or ends[1] < 0), least, most)


def compute_share(difference: float, before: float) -> float:
    """Return a difference as a share; a difference from zero is infinite, with its sign."""
    if before > 0:
        return difference / before
    return math.copysign(math.inf, difference) if difference else 0.0


def find_ties_with_best(values: Numbers, best: int) -> list[int]:
    """Return the conditions that cannot be distinguished from the best, including the best.

    The shape of `values` is (condition, replicate), and more is better. Conditions without a value
    are ignored. The best of many may be best by chance, so a one-sided paired t-test compares each
    other condition with it, at 5 % divided by the number of comparisons (Bonferroni): the truly
    best condition is missed in at most 5 % of cases.
    """
    known = [place for place, own in enumerate(values) if np.isfinite(own).any()]
    level = ALPHA / max(len(known) - 1, 1)
    return [place for place in known if not _is_less(values[place], values[best], level)]


def _is_less(own: Numbers, best: Numbers, level: float) -> bool:
    apart = best - own
    apart = apart[np.isfinite(apart)]
    if not len(apart) or apart.mean() <= 0:
        return False
    spread = float(apart.std(ddof=1)) if len(apart) > 1 else 0.0
    if spread == 0:  # the replicates are identical runs
        return True
    t = float(apart.mean()) / spread * math.sqrt(len(apart))
    return t > compute_student_quantile(1 - level, len(apart) - 1)


def compute_chances(
    runs: Sequence[Numbers], good: NDArray[np.int64], *, paired: bool
) -> tuple[float, float]:
    """Return the chance of at least as many better cells, and of at least as many worse ones.

    `runs` contains an array for each condition with the shape (algorithm, replicate, response), the
    algorithm before first. `good` is the sign of a change for the better, for each response.

    The test is exact (Fisher 1935; Pitman 1937). If an algorithm changes nothing, its runs could as
    well be those of the algorithm before: the two runs of a pair with the same traffic may be
    exchanged, and without pairs any runs of a condition. Whole runs are exchanged, with all
    responses at once, which keeps the correlation of responses. Conditions are independent.
    """
    moved = [good * _find_moves(rearrange(of, paired=paired), paired=paired) for of in runs]
    better = _compute_tail([(one > 0).sum(axis=1) for one in moved])
    return better, _compute_tail([(one < 0).sum(axis=1) for one in moved])


def compute_least_chance(runs: Sequence[Numbers], *, paired: bool) -> float:
    """Return the smallest chance that this number of runs can show."""
    return 1 / math.prod(len(rearrange(of[..., :1], paired=paired)) for of in runs)


def rearrange(runs: Numbers, *, paired: bool) -> Numbers:
    """Return the possible assignments of runs to both algorithms, the given one first."""
    rng = np.random.default_rng(1)
    count = runs.shape[1]
    if paired:
        return np.where(_list_swaps(count, rng)[:, None, :, None], runs[::-1], runs)
    pooled = runs.reshape(2 * count, -1)
    chosen = _list_choices(count, rng)
    rest = [[place for place in range(2 * count) if place not in one] for one in chosen]
    places = [[*one, *others] for one, others in zip(chosen, rest, strict=True)]
    return np.stack([pooled[of].reshape(runs.shape) for of in places])


def _list_swaps(count: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Return which pairs are exchanged in each rearrangement, the first of which has none."""
    if 2**count <= MOST_REARRANGEMENTS:
        return np.asarray((np.arange(2**count)[:, None] >> np.arange(count)) % 2 == 1)
    drawn = np.asarray(rng.integers(2, size=(MOST_REARRANGEMENTS, count)) == 1)
    drawn[0] = False
    return drawn


def _list_choices(count: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Return which runs of both algorithms belong to the one before; first the first half."""
    if math.comb(2 * count, count) <= MOST_REARRANGEMENTS:
        return list(combinations(range(2 * count), count))
    others = range(MOST_REARRANGEMENTS - 1)
    drawn = [tuple(rng.permutation(2 * count)[:count].tolist()) for _ in others]
    return [tuple(range(count)), *drawn]


def _find_moves(runs: Numbers, *, paired: bool) -> NDArray[np.int64]:
    """Return the sign of each response's change in each rearrangement; 0 if it is not shown."""
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
    """Return mean, standard error and degrees of freedom; NaN for fewer than two replicates."""
    known = np.isfinite(values)
    count = np.where(known.sum(axis=1) > 1, known.sum(axis=1), np.nan)
    mean = np.where(known, values, 0.0).sum(axis=1) / count
    square = np.where(known, (values - mean[:, None]) ** 2, 0.0).sum(axis=1)
    return mean, np.sqrt(square / (count - 1) / count), count - 1


def _compute_tail(counts: Sequence[NDArray[np.int64]]) -> float:
    """Return the chance of a sum at least as large as that of the given assignments."""
    total = np.ones(1)
    for of in counts:
        total = np.convolve(total, np.bincount(of) / len(of))
    return float(total[sum(int(of[0]) for of in counts) :].sum())
