"""Powers: least squares through logarithms, with an interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from headgate.stats import LEVEL


@dataclass(frozen=True)
class Power:
    """`y = alpha/x^exponent`, and the 95 % interval of the exponent."""

    exponent: float
    low: float
    high: float


def power(x: ArrayLike, y: ArrayLike) -> Power:
    """Fit a falling power through points."""
    found = stats.linregress(np.log(np.asarray(x, float)), np.log(np.asarray(y, float)))
    freedom = np.size(x) - 2
    half = float(stats.t.ppf(0.5 + LEVEL / 2, freedom) * found.stderr) if freedom > 0 else np.nan
    exponent = -float(found.slope)
    return Power(exponent, exponent - half, exponent + half)


def constant(x: ArrayLike, y: ArrayLike, exponent: float) -> float:
    """Return alpha of `alpha/x^exponent`: the geometric mean of `y x^exponent`."""
    logs = np.log(np.asarray(y, float)) + exponent * np.log(np.asarray(x, float))
    return float(np.exp(np.mean(logs)))
