"""Main effects of a two-level design, with the significance that NIST's Dataplot gives them.

The numbers are those of Filliben's macro `dexmp_anova`: effect = mean(+) - mean(-); relative effect
= 100 |effect| / |grand mean|; and for each factor a one-way analysis of variance in which the other
factors stay in the error. `**` stands for p < 0.01, `*` for 0.01 <= p < 0.05.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

STRONG_P = 0.01
WEAK_P = 0.05
#: Values whose spread is below this part of the largest are alike but for rounding. Within groups
#: NIST's certified SmLs07 to SmLs09 vary by twice as much.
ROUNDING = 1e-13


@dataclass(frozen=True)
class Effect:
    """The main effect of one factor on one response."""

    factor: str
    mean_low: float
    mean_high: float
    relative_percent: float
    f_ratio: float
    p: float
    eta_squared: float
    """The share of the response's variance that the factor's levels explain."""

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


def compute_main_effect(factor: str, coded: ArrayLike, response: ArrayLike) -> Effect:
    """Return the main effect of a factor; `coded` holds its level in each run, -1 low and +1 high.

    Levels between count in F alone, not in the effect. Runs without a level or a response (NaN) are
    left out. F and p are NaN where no run is left for the error, and 0 and 1 where nothing varies.
    """
    levels, values = np.asarray(coded, dtype=float), np.asarray(response, dtype=float)
    kept = np.isfinite(values) & np.isfinite(levels)
    levels, values = levels[kept], values[kept]
    groups = [values[levels == level] for level in np.unique(levels)]
    mean_low, mean_high = _mean(values[levels == -1]), _mean(values[levels == 1])
    relative = _relative_percent(mean_high - mean_low, values)
    return Effect(factor, mean_low, mean_high, relative, *_anova(groups))


def compute_psi(effects: Sequence[Effect]) -> float:
    """Return Psi of a factor over responses: strong ones count 1, weak ones 1/2, over all."""
    return psi_of([effect.stars for effect in effects])


def psi_of(stars: Sequence[str]) -> float:
    """Return Psi from stars alone, one a response, as tables print them."""
    weight = {"**": 1.0, "*": 0.5, "": 0.0}
    return sum(weight[star] for star in stars) / len(stars) if stars else 0.0


def _mean(values: NDArray[np.float64]) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _relative_percent(effect: float, values: NDArray[np.float64]) -> float:
    """Return the effect in per cent of the grand mean; NaN where only that is zero."""
    if effect == 0:
        return 0.0
    grand = _mean(values)
    return 100 * abs(effect) / abs(grand) if grand else float("nan")


def _anova(groups: Sequence[NDArray[np.float64]]) -> tuple[float, float, float]:
    """One-way F, p and eta squared; a response that never moves has no effect (p = 1)."""
    from scipy import stats

    runs = sum(len(group) for group in groups)
    if len(groups) < 2 or runs <= len(groups):
        return float("nan"), float("nan"), float("nan")
    values = np.concatenate(groups)
    rounding = ROUNDING * float(np.abs(values).max())
    if np.ptp(values) <= rounding:
        return 0.0, 1.0, 0.0
    if all(np.ptp(group) <= rounding for group in groups):
        return float("inf"), 0.0, 1.0
    found = stats.f_oneway(*groups)
    if not found.statistic > 0:  # equal means, but for rounding
        return 0.0, 1.0, 0.0
    between = float(found.statistic) * (len(groups) - 1)
    return float(found.statistic), float(found.pvalue), between / (between + runs - len(groups))
