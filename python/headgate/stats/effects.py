"""Effects of factors on responses, with the significance marks of NIST's Dataplot.

`Effect` is the main effect in a two-level design. Its numbers are those of Filliben's macro
`dexmp_anova`: effect = mean(+) - mean(-); relative effect = 100 |effect| / |grand mean|; and for
each factor a one-way analysis of variance whose error contains the other factors. `**` means
p < 0.01, `*` means 0.01 <= p < 0.05. `FactorEffect` and `Interaction` are for any number of levels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from headgate.base.errors import AnalysisError
from headgate.stats.numbers import read_numbers

STRONG_P = 0.01
WEAK_P = 0.05
#: Values are alike if their range is at most this part of the largest: the rest is rounding. The
#: groups of NIST's certified data sets SmLs07 to SmLs09 vary by twice as much.
ROUNDING = 1e-13
#: The most codes of levels that an error names.
MOST_CODES = 6


def mark_significance(p: float) -> str:
    """Return `**` for p < 0.01, `*` for p < 0.05, otherwise nothing."""
    return "**" if p < STRONG_P else "*" if p < WEAK_P else ""


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
    """The share of the response's variance that the levels of the factor explain."""

    @property
    def effect(self) -> float:
        """The change of the mean from the low level to the high one, in the response's unit."""
        return self.mean_high - self.mean_low

    @property
    def stars(self) -> str:
        """The mark of significance: `**`, `*` or nothing."""
        return mark_significance(self.p)

    @property
    def sign(self) -> str:
        """`+` if the high level raises the response, otherwise a minus sign."""
        return "+" if self.effect > 0 else "\N{MINUS SIGN}"


def compute_main_effect(factor: str, coded: ArrayLike, response: ArrayLike) -> Effect:
    """Return the main effect of a factor; `coded` is its level in each run, -1 low and +1 high.

    Levels in between affect F but not the effect. Runs without a level or a response (NaN) are
    ignored. F and p are NaN if no run is left for the error, and 0 and 1 if nothing varies. Raises
    AnalysisError for other codes, and if the two differ in length.
    """
    levels, values = read_numbers(coded), read_numbers(response)
    if levels.ndim != 1 or levels.shape != values.shape:
        raise AnalysisError(
            f"{factor}: levels of the shape {levels.shape} and responses of the shape"
            f" {values.shape}; give one of each for every run"
        )
    codes = np.unique(levels[np.isfinite(levels)]).tolist()
    if not codes or (codes[0], codes[-1]) != (-1, 1):
        got = ", ".join(f"{code:g}" for code in codes[:MOST_CODES]) or "none"
        raise AnalysisError(f"{factor}: levels are coded from -1 (low) to +1 (high); got {got}")
    return compute_coded_effect(factor, levels, values)


def compute_coded_effect(
    factor: str, levels: NDArray[np.float64], values: NDArray[np.float64]
) -> Effect:
    """Return the main effect of a factor in some runs; the lowest or highest level may be absent.

    The mean at an absent level is NaN.
    """
    kept = np.isfinite(values) & np.isfinite(levels)
    levels, values = levels[kept], values[kept]
    groups = [values[levels == level] for level in np.unique(levels)]
    mean_low, mean_high = _mean(values[levels == -1]), _mean(values[levels == 1])
    relative = _relative_percent(mean_high - mean_low, values)
    return Effect(factor, mean_low, mean_high, relative, *_anova(groups))


def compute_psi(effects: Sequence[Effect]) -> float:
    """Return Psi of a factor: (strong effects + weak effects / 2) / number of responses."""
    return compute_psi_of_stars([effect.stars for effect in effects])


def compute_psi_of_stars(stars: Sequence[str]) -> float:
    """Return Psi from the printed mark of each response."""
    weight = {"**": 1.0, "*": 0.5, "": 0.0}
    return sum(weight[star] for star in stars) / len(stars) if stars else 0.0


def _mean(values: NDArray[np.float64]) -> float:
    return float(values.mean()) if len(values) else nan


def _relative_percent(effect: float, values: NDArray[np.float64]) -> float:
    """Return the effect in per cent of the grand mean; NaN if only the grand mean is zero."""
    if effect == 0:
        return 0.0
    grand = _mean(values)
    return 100 * abs(effect) / abs(grand) if grand else nan


def _anova(groups: Sequence[NDArray[np.float64]]) -> tuple[float, float, float]:
    """Return the one-way F, p and eta squared; for a constant response p = 1."""
    from scipy.special import fdtrc

    runs = sum(len(group) for group in groups)
    if len(groups) < 2 or runs <= len(groups):
        return nan, nan, nan
    values = np.concatenate(groups)
    rounding = ROUNDING * float(np.abs(values).max())
    if np.ptp(values) <= rounding:
        return 0.0, 1.0, 0.0
    if all(np.ptp(group) <= rounding for group in groups):
        return inf, 0.0, 1.0
    f_ratio = _f_ratio(groups, values)
    if not f_ratio > 0:  # equal means except for rounding
        return 0.0, 1.0, 0.0
    between = f_ratio * (len(groups) - 1)
    p = float(fdtrc(len(groups) - 1, runs - len(groups), f_ratio))
    return f_ratio, p, between / (between + runs - len(groups))


def _f_ratio(groups: Sequence[NDArray[np.float64]], values: NDArray[np.float64]) -> float:
    """Return the one-way F of groups, given all of their values.

    These are the sums of SciPy's `f_oneway`, whose checks take ten times as long.
    """
    mean = values.mean()
    about = values - mean
    total = about.sum() ** 2 / len(values)
    between = sum((group - mean).sum() ** 2 / len(group) for group in groups) - total
    within = about @ about - total - between
    freedom, error_freedom = len(groups) - 1, len(values) - len(groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float((between / freedom) / (within / error_freedom))


@dataclass(frozen=True)
class Estimate:
    """A mean or a difference of means with its 95 % interval; the ends are NaN without one."""

    value: float
    low: float
    high: float
    error: float
    """The standard error; NaN if it is unknown."""
    freedom: float
    """Degrees of freedom of the standard error."""


UNKNOWN = Estimate(nan, nan, nan, nan, 0)


@dataclass(frozen=True)
class LevelMean:
    """The mean of a response at one level, with equal weights for the levels of other factors.

    The ends of the interval are NaN if the error is unknown.
    """

    level: str
    runs: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class FactorEffect:
    """The effect of one factor on one response.

    `effect` is the change from the first level to the last, along a straight line if the factor has
    too many levels for a mean at each. It is unknown for more than two unordered levels. `highest`
    and `lowest` contain the extreme level and all levels that cannot be distinguished from it.
    `interacts` names the factors whose interaction with this one has p < 0.05. If `may_interact` is
    true, the means give equal weights to the levels of the other factors; otherwise they assume no
    interactions, as the type II test does.
    """

    factor: str
    levels: tuple[LevelMean, ...] = ()
    ordered: bool = False
    is_line: bool = False
    freedom: int = 0
    error_freedom: float = 0
    f_ratio: float = nan
    p: float = nan
    effect: Estimate = UNKNOWN
    highest: tuple[str, ...] = ()
    lowest: tuple[str, ...] = ()
    interacts: tuple[str, ...] = ()
    may_interact: bool = False
    equal_weights_p: float = nan
    confounded: str = ""
    """The term that is confounded with the factor, which is then not tested."""

    @property
    def judged_p(self) -> float:
        """The p that decides whether the effect is significant.

        The type II test weights the levels of an interacting factor by their runs. If there may be
        interactions, the effect must also be significant with equal weights.
        """
        return float(np.maximum(self.p, self.equal_weights_p)) if self.may_interact else self.p

    @property
    def stars(self) -> str:
        """The mark of significance: `**`, `*` or nothing."""
        return mark_significance(self.judged_p)

    @property
    def sign(self) -> str:
        """`+` or a minus sign if the response rises or falls from each level to the next.

        Empty for unordered levels, for means that turn, and if the interval contains zero.
        """
        steps = np.diff([one.mean for one in self.levels])
        if not self.ordered or not len(steps) or self.effect.low <= 0 <= self.effect.high:
            return ""
        if (steps > 0).all():
            return "+"
        return "\N{MINUS SIGN}" if (steps < 0).all() else ""

    @property
    def has_interval(self) -> bool:
        """Whether the means have intervals."""
        return any(np.isfinite(one.low) for one in self.levels)

    def extremes(self, way: int) -> tuple[str, ...]:
        """Return the levels that may be highest (1) or lowest (-1): all if no effect is shown."""
        if not self.stars:
            return tuple(one.level for one in self.levels)
        return self.highest if way > 0 else self.lowest


@dataclass(frozen=True)
class Interaction:
    """The test of whether the effect of one factor depends on the level of another."""

    factors: tuple[str, str]
    freedom: int
    f_ratio: float
    p: float
    error_freedom: float

    @property
    def stars(self) -> str:
        """The mark of significance: `**`, `*` or nothing."""
        return mark_significance(self.p)


@dataclass(frozen=True)
class AliasedInteractions:
    """The joint test of interactions that a design cannot separate from each other."""

    terms: tuple[tuple[str, ...], ...]
    freedom: int
    f_ratio: float
    p: float
    error_freedom: float

    @property
    def names(self) -> tuple[str, ...]:
        """The interactions as text, such as `A x B`."""
        return tuple(" x ".join(term) for term in self.terms)

    @property
    def factors(self) -> tuple[str, ...]:
        """All factors that occur in them."""
        return tuple(dict.fromkeys(name for term in self.terms for name in term))

    @property
    def stars(self) -> str:
        """The mark of significance: `**`, `*` or nothing."""
        return mark_significance(self.p)
