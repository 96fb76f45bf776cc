"""Predictions from an algorithm's rule: printed formulas, fitted powers, and a simulated cycle.

A cycle: the window grows by `a(w)` each round trip, a loss removes the share `b(w)`, and the window
does not grow in the round trip of recovery. Losses are `1/p` packets apart, exactly or on average.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from headgate.stats import LEVEL

Numbers = NDArray[np.float64]
#: Exponent and alpha as the slides have them.
PRINTED = {"reno": (0.5, 1.225), "hstcp": (0.84, 0.120), "scalable": (1.0, 0.075)}
#: ln(83000/38)/ln(1e-3/1e-7), RFC 3649.
HSTCP_EXPONENT = float(np.log(83_000 / 38) / np.log(1e4))
#: Flows that are followed side by side at random losses, and losses of each; the first half is
#: forgotten.
CHAINS, LOSSES = 4000, 200
#: Windows between which growth is summed up: 20,000 steps, each of 0.08 %.
GRID = np.geomspace(2.0, 1e7, 20_001)


@dataclass(frozen=True)
class Rule:
    """Growth a round trip, and the share that a loss takes, by the window."""

    growth: Callable[[Numbers], Numbers]
    cut: Callable[[Numbers], Numbers]


def _hstcp_cut(w: Numbers) -> Numbers:
    return np.asarray(np.clip(0.5 - 0.4 * np.log(w / 38) / np.log(83_000 / 38), 0.1, 0.5))


def _hstcp_growth(w: Numbers) -> Numbers:
    b = _hstcp_cut(w)
    loss = 1e-3 * (w / 38) ** (-1 / HSTCP_EXPONENT)
    return np.where(w <= 38, 1.0, np.maximum(1.0, loss * w**2 * 2 * b / (2 - b)))


RULES = {
    "reno": Rule(np.ones_like, lambda w: np.full_like(w, 0.5)),
    "hstcp": Rule(_hstcp_growth, _hstcp_cut),
    "scalable": Rule(lambda w: 0.01 * w, lambda w: np.full_like(w, 0.125)),
}


def printed_window(cca: str, loss: float) -> float:
    """Return the window of the slides, packets."""
    exponent, alpha = PRINTED[cca]
    return float(alpha / loss**exponent)


@cache
def mean_window(cca: str, loss: float, *, random: bool, recovery: float = 1.0) -> float:
    """Return the mean rate times the round trip; `recovery` in round trips."""
    rule, rng = RULES[cca], np.random.default_rng(1)
    packets, rounds = _integrate(GRID / rule.growth(GRID)), _integrate(1 / rule.growth(GRID))
    window = np.full(CHAINS if random else 1, printed_window(cca, loss))
    sent = spent = 0.0
    for number in range(LOSSES):
        gap = rng.exponential(1 / loss, len(window)) if random else np.full(1, 1 / loss)
        repaired = recovery * window
        # Random losses during recovery cost nothing; otherwise the count continues.
        growing = gap if random else gap - repaired
        peak = np.interp(np.interp(window, GRID, packets) + growing, packets, GRID)
        grew = np.interp(peak, GRID, rounds) - np.interp(window, GRID, rounds)
        if number >= LOSSES // 2:
            sent += float((growing + repaired).sum())
            spent += float((grew + recovery).sum())
        window = (1 - rule.cut(peak)) * peak
    return sent / spent


def _integrate(slope: Numbers) -> Numbers:
    steps = np.diff(GRID) * (slope[1:] + slope[:-1]) / 2
    return np.concatenate([[0.0], np.cumsum(steps)])


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
