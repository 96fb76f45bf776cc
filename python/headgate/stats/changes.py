"""How much a response changes when one law takes the place of another.

With the same seed, both laws meet the same traffic: replicates are pairs, and the change is the
mean of the differences over the mean before. It is significant if the differences' 95 % confidence
interval excludes zero (Student's t, without pairs Welch's; no correction for the number of
responses looked at). That a change is small takes evidence too: an interval within 10 %.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from headgate.stats.intervals import (
    compute_difference_interval,
    compute_open_mean_interval,
    difference_p,
    mean_p,
)

MATTERS_SHARE = 0.10
#: Beyond this a ratio has no number.
LARGEST_LOG = 700.0
#: From twice as much on, a change is written as a multiple.
TWICE = 1.0
#: What is known of a change; `nothing` where there is nothing to compare.
State = Literal["moves", "small", "not known", "nothing"]


@dataclass(frozen=True)
class Change:
    """A change as a share of the value before, with the ends of its 95 % interval.

    It is infinite where the value before is zero, and NaN where a law has no number. The ends are
    infinite where nothing tells how far it may be, and NaN where there is nothing to compare.
    """

    share: float
    significant: bool
    low: float = -math.inf
    high: float = math.inf
    p: float = math.nan
    """Two-sided, of no change; NaN if nothing tests it."""

    @property
    def matters(self) -> bool:
        """Say whether the change is significant and at least 10 %."""
        return self.significant and abs(self.share) >= MATTERS_SHARE

    @property
    def state(self) -> State:
        """Say whether the response moves by 10 %, or is shown not to, or neither."""
        if math.isnan(self.low):
            return "nothing"
        if self.matters:
            return "moves"
        return "not known" if self.reaches(1) or self.reaches(-1) else "small"

    def reaches(self, sign: float) -> bool:
        """Say whether the interval holds a rise (or, if `sign` is below 0, a fall) of 10 %."""
        return (self.high if sign > 0 else -self.low) >= MATTERS_SHARE

    def write(self) -> str:
        """Write the change in few letters: in %, from twice as much on as a multiple."""
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


#: What is said without a number of either law, and without one of the two.
NOTHING = Change(math.nan, significant=False, low=math.nan, high=math.nan)
UNKNOWN = Change(math.nan, significant=False)


def compute_change(before: ArrayLike, after: ArrayLike, *, paired: bool = True) -> Change:
    """Return the change from `before` to `after`, one value a replicate; of pairs in one order.

    The mean before is taken as it is: the interval is that of the differences, over it.
    """
    old, new = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    if not np.isfinite(old).all() or not np.isfinite(new).all():
        return UNKNOWN
    mean, low, high = (
        compute_open_mean_interval(new - old) if paired else compute_difference_interval(old, new)
    )
    share, least, most = (_over(end, abs(float(old.mean()))) for end in (mean, low, high))
    p = mean_p(new - old) if paired else difference_p(old, new)
    return Change(share, low > 0 or high < 0, least, most, p)


def compute_mean_ratio_change(
    before: ArrayLike, after: ArrayLike, *, paired: bool = True
) -> Change | None:
    """Return the geometric mean of the ratios of several conditions, as a change.

    Both arrays have the shape (condition, replicate). The ratio of a condition is that of its means
    over replicates, so that each condition has the same weight, however large its numbers are. The
    interval is Student's over replicates of the ratios' linear expansion (delta method), without
    pairs Welch's. A condition in which both laws have zero is unchanged. None where one law alone
    has zero, or a number is negative: these have no ratio.
    """
    old, new = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
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


def _over(difference: float, before: float) -> float:
    """Return a difference as a share; what comes from zero has no size, but a sign."""
    if before > 0:
        return difference / before
    return math.copysign(math.inf, difference) if difference else 0.0
