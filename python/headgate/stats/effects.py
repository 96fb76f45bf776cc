"""Main effects of a two-level design, with the significance that NIST's Dataplot gives them.

The numbers are those of Filliben's macro `dexmp_anova`: effect = mean(+) - mean(-); relative effect
= 100 |effect| / |grand mean|; and for each factor a one-way analysis of variance in which the other
factors stay in the error. `**` stands for p < 0.01, `*` for 0.01 <= p < 0.05.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

STRONG_P = 0.01
WEAK_P = 0.05


@dataclass(frozen=True)
class Effect:
    """The main effect of one factor on one response."""

    factor: str
    mean_low: float
    mean_high: float
    relative_percent: float
    f_ratio: float
    p: float

    @property
    def effect(self) -> float:
        """The change of the mean from the low level to the high one, in the response's unit."""
        return self.mean_high - self.mean_low

    @property
    def stars(self) -> str:
        """`**` for p < 0.01, `*` for p < 0.05, else nothing."""
        return "**" if self.p < STRONG_P else "*" if self.p < WEAK_P else ""

    @property
    def sign(self) -> str:
        """The level that raises the response, `+` or a minus sign."""
        return "+" if self.effect > 0 else "\N{MINUS SIGN}"


def main_effect(factor: str, coded: ArrayLike, response: ArrayLike) -> Effect:
    """Return the main effect of a factor; `coded` holds -1 and +1, one value a run."""
    signs, values = np.asarray(coded), np.asarray(response, dtype=float)
    kept = np.isfinite(values)
    low, high = values[kept & (signs < 0)], values[kept & (signs > 0)]
    f_ratio, p = _anova(low, high)
    mean_low, mean_high = _mean(low), _mean(high)
    return Effect(
        factor, mean_low, mean_high, _relative_percent(mean_high - mean_low, values), f_ratio, p
    )


def psi(effects: list[Effect]) -> float:
    """Return Psi of a factor over responses: strong ones count 1, weak ones 1/2, over all."""
    weight = {"**": 1.0, "*": 0.5, "": 0.0}
    return sum(weight[e.stars] for e in effects) / len(effects) if effects else 0.0


def _mean(values: NDArray[np.float64]) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _relative_percent(effect: float, values: NDArray[np.float64]) -> float:
    grand = float(np.nanmean(values)) if np.isfinite(values).any() else 0.0
    return 100 * abs(effect) / abs(grand) if grand else 0.0


def _anova(low: NDArray[np.float64], high: NDArray[np.float64]) -> tuple[float, float]:
    """One-way F; a response that never moves has no effect (p = 1)."""
    both = np.concatenate([low, high])
    if min(len(low), len(high)) < 2 or np.ptp(both) == 0:
        return 0.0, 1.0
    if np.ptp(low) == 0 and np.ptp(high) == 0:
        return float("inf"), 0.0
    found = stats.f_oneway(low, high)
    return float(found.statistic), float(found.pvalue)
