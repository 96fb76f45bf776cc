"""What one factor does to one response, and whether two factors interact: the plain results."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headgate.stats.effects import STRONG_P, WEAK_P
from headgate.stats.factorial import Estimate

NAN = float("nan")
UNKNOWN = Estimate(NAN, NAN, NAN, NAN)


@dataclass(frozen=True)
class LevelMean:
    """The mean of a response at one level, the levels of the other factors weighed equally.

    The ends of the interval are NaN where nothing tells the error.
    """

    level: str
    runs: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class FactorEffect:
    """What one factor does to one response.

    `effect` is the change from the first level to the last (along a straight line, if the factor
    has too many levels for a mean at each); it is unknown for more than two levels
    without an order. `highest` and `lowest` hold all levels that cannot be told from the extreme
    one. `interacts` names the factors whose interaction with this one has p < 0.05. If it
    `may_interact`, the means weigh the levels of the other factors equally; else they are those of
    a factor without interactions, as the type II test takes it.
    """

    factor: str
    levels: tuple[LevelMean, ...] = ()
    ordered: bool = False
    is_line: bool = False
    freedom: int = 0
    error_freedom: int = 0
    f_ratio: float = NAN
    p: float = NAN
    effect: Estimate = UNKNOWN
    highest: tuple[str, ...] = ()
    lowest: tuple[str, ...] = ()
    interacts: tuple[str, ...] = ()
    may_interact: bool = False
    equal_weights_p: float = NAN
    confounded: str = ""
    """What the factor cannot be told from; it has no test then."""

    @property
    def judged_p(self) -> float:
        """The p that decides.

        Beside an interaction the type II test weighs the levels of the other factor by their runs.
        The effect counts then only if it is also there with equal weights.
        """
        return float(np.maximum(self.p, self.equal_weights_p)) if self.may_interact else self.p

    @property
    def stars(self) -> str:
        """`**` for p < 0.01, `*` for p < 0.05, else nothing."""
        return "**" if self.judged_p < STRONG_P else "*" if self.judged_p < WEAK_P else ""

    @property
    def sign(self) -> str:
        """`+` or a minus sign if the response rises or falls from each level to the next.

        Nothing for levels without an order, for means that turn, or if the interval holds zero.
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
        """Return the levels that may be highest (1) or lowest (-1): all without a shown effect."""
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

    @property
    def stars(self) -> str:
        """`**` for p < 0.01, `*` for p < 0.05, else nothing."""
        return "**" if self.p < STRONG_P else "*" if self.p < WEAK_P else ""
