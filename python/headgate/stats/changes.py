"""How much a response changes when one law takes the place of another.

Replicates are pairs: with the same seed, both laws meet the same traffic. The change is the mean of
the differences over the mean before; it is significant if the differences' 95 % confidence interval
excludes zero (Student's t; no correction for the number of responses looked at).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from headgate.stats.intervals import mean_interval

MATTERS_SHARE = 0.10
#: From twice as much on, a change is written as a multiple.
TWICE = 1.0


@dataclass(frozen=True)
class Change:
    """A change as a share of the value before; NaN where there was nothing before."""

    share: float
    significant: bool

    @property
    def matters(self) -> bool:
        """Say whether the change is significant and at least 10 %."""
        return self.significant and abs(self.share) >= MATTERS_SHARE

    def write(self) -> str:
        """Write the change in few letters: in %, from twice as much on as a multiple."""
        if not self.share >= TWICE:
            return str(self)
        two_digits = float(f"{1 + self.share:.2g}")
        return f"\N{MULTIPLICATION SIGN}{two_digits:,g}"

    def __str__(self) -> str:
        if np.isnan(self.share):
            return ""
        return f"{100 * self.share:+.0f} %".replace("-", "\N{MINUS SIGN}")


def change(before: ArrayLike, after: ArrayLike) -> Change:
    """Return the change from `before` to `after`, one value a replicate, in the same order."""
    old, new = np.asarray(before, dtype=float), np.asarray(after, dtype=float)
    if not np.isfinite(old).all() or not np.isfinite(new).all() or old.mean() == 0:
        return Change(float("nan"), significant=False)
    mean, low, high = mean_interval(new - old)
    apart = len(old) > 1 and (low > 0 or high < 0)
    return Change(mean / abs(float(old.mean())), apart)
