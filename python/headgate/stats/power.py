"""Power: the chance that an effect is shown, and the replicates or runs that this takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

from headgate.base.optional import require
from headgate.stats.intervals import LEVEL, compute_student_quantile
from headgate.stats.quadrature import list_deviations

POWER = 0.8
MOST_REPLICATES = 100_000
NORMAL = NormalDist()
Spread = Callable[[int], tuple[float, float]]
"""Returns the standard error of an effect, and its degrees of freedom, for some replicates."""


def compute_power(effect: float, error: float, freedom: float, level: float = LEVEL) -> float:
    """Return the chance that Student's t test shows an effect with this standard error.

    The non-central t distribution gives it (Cohen 1988), both tails counted. It is integrated over
    the standard deviation, since SciPy's fails for few degrees of freedom.
    """
    if not freedom > 0 or error < 0:
        return math.nan
    if error == 0:
        return 1.0 if effect else 1 - level
    critical = compute_student_quantile(0.5 + level / 2, freedom)
    shift = abs(effect) / error
    deviations, mass = list_deviations(freedom)
    covered = [
        NORMAL.cdf(reach - shift) - NORMAL.cdf(-reach - shift)
        for reach in (critical * deviations).tolist()
    ]
    return 1 - float(mass @ covered)


def find_replicates(
    effect: float, spread: Spread, power: float = POWER, level: float = LEVEL
) -> int | None:
    """Return the least number of replicates that shows an effect with this power; None if none."""
    count = 1
    while count <= MOST_REPLICATES and not compute_power(effect, *spread(count), level) >= power:
        count *= 2
    if count > MOST_REPLICATES:
        return None
    low = count // 2
    while count - low > 1:
        middle = (count + low) // 2
        enough = compute_power(effect, *spread(middle), level) >= power
        low, count = (low, middle) if enough else (middle, count)
    return count


def find_detectable(
    error: float, freedom: float, power: float = POWER, level: float = LEVEL
) -> float:
    """Return the smallest effect that is shown with this power; NaN without an error."""
    if not freedom > 0 or not error > 0:
        return math.nan
    return error * _find_shift(freedom, power, level)


@lru_cache(maxsize=4096)
def _find_shift(freedom: float, power: float, level: float) -> float:
    """Return the effect over its standard error that gives a power."""
    require("analysis", "power")
    from scipy.optimize import brentq

    high = 1.0
    while compute_power(high, 1.0, freedom, level) < power:
        high *= 2
    return float(
        brentq(lambda shift: compute_power(shift, 1.0, freedom, level) - power, 0, high, xtol=1e-9)
    )
