"""Ten steps of a graphical analysis of one response of a two-level design: the numbers.

After Filliben's macro of Dataplot (NIST/SEMATECH e-Handbook 5.5.9): which settings are best, which
factors matter, which interact, how many effects are real, and where to go next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from headgate.stats import lenth
from headgate.stats.full_model import Factors, FullModel, full_model

Numbers = NDArray[np.float64]

#: Greatest number of other factors in a block: 2^3 blocks are what an eye takes in.
BLOCKS = 3


@dataclass(frozen=True)
class Block:
    """Means of a response at both levels of a factor, one pair a setting of other factors."""

    factor: str
    others: tuple[str, ...]
    settings: tuple[tuple[int, ...], ...]
    low: Numbers
    high: Numbers

    @property
    def agreeing(self) -> int:
        """In how many blocks the change has the sign that most have."""
        up = int((self.high > self.low).sum())
        return max(up, int((self.high < self.low).sum()))

    @property
    def p(self) -> float:
        """Chance of as many or more agreeing, were there no effect (two-sided sign test)."""
        from scipy import stats

        known = int((self.high != self.low).sum())
        return float(stats.binomtest(self.agreeing, known).pvalue) if known else 1.0


@dataclass(frozen=True)
class Steps:
    """One response of a two-level design; `coded` has -1 and +1 for each factor."""

    response: str
    factors: tuple[str, ...]
    coded: Mapping[str, Numbers]
    values: Numbers

    @cached_property
    def model(self) -> FullModel:
        """Main effects and the two-factor interactions that the design can tell apart."""
        return full_model(self.coded, self.values)

    @cached_property
    def ordered(self) -> NDArray[np.intp]:
        """Step 1: runs from the least response to the greatest."""
        return np.argsort(self.values, kind="stable")

    def mean_at(self, term: Factors, sign: int) -> float:
        """Return the mean response where a factor, or a product, has a sign (steps 3, 4, 6)."""
        return float(self.values[lenth.product_of(self.coded, term) == sign].mean())

    def block(self, factor: str) -> Block:
        """Step 5: means at both levels within each setting of the other most important factors."""
        others = tuple(name for name in self._important if name != factor)[:BLOCKS]
        settings, low, high = [], [], []
        for signs in product((-1, 1), repeat=len(others)):
            within = np.ones(len(self.values), dtype=bool)
            for name, sign in zip(others, signs, strict=True):
                within &= self.coded[name] == sign
            both = [self.values[within & (self.coded[factor] == sign)] for sign in (-1, 1)]
            if min(map(len, both)):
                settings.append(signs)
                low.append(float(both[0].mean()))
                high.append(float(both[1].mean()))
        return Block(factor, others, tuple(settings), np.array(low), np.array(high))

    @cached_property
    def effects(self) -> dict[Factors, float]:
        """Step 7: effects of all terms, the largest first."""
        return _sorted({name: term.effect for name, term in self.model.terms.items()})

    @cached_property
    def contrasts(self) -> dict[Factors, float]:
        """Effects and all other contrasts between conditions, the largest first."""
        others = lenth.other_contrasts(self.coded, list(self.effects), self.values)
        return _sorted(self.effects | others)

    @cached_property
    def half_normal(self) -> Numbers:
        """Step 8: where each of `contrasts` would lie if all were chance, the largest first."""
        from scipy import stats

        count = len(self.contrasts)
        return np.asarray(stats.halfnorm.ppf((np.arange(count, 0, -1) - 0.5) / count))

    @cached_property
    def pseudo_error(self) -> float:
        """Lenth's pseudo standard error of an effect (Lenth 1989): no replicate is needed."""
        return lenth.pseudo_error(list(self.contrasts.values()))

    @property
    def margin(self) -> float:
        """Lenth's margin of error: by chance an effect is beyond it in 5 % of cases."""
        return lenth.margin(list(self.contrasts.values()))

    @property
    def standing_out(self) -> list[Factors]:
        """Terms whose effects are beyond the margin."""
        return [term for term, effect in self.effects.items() if abs(effect) > self.margin]

    @cached_property
    def residual_sd(self) -> Numbers:
        """Step 9: standard deviation of what is left after the 0, 1, 2, ... largest effects.

        NaN from where nothing is left for an error.
        """
        terms = [lenth.product_of(self.coded, term) for term in self.effects]
        columns = [np.ones(len(self.values)), *terms]
        return np.array(
            [
                _residual_sd(np.column_stack(columns[: count + 1]), self.values)
                for count in range(len(columns))
            ]
        )

    def fit_surface(self, one: Numbers, other: Numbers) -> Numbers:
        """Step 10: the response over the two most important factors, with their interaction."""
        first, second = self._important[:2]
        a, b = self.effects[first,] / 2, self.effects[second,] / 2
        both = self.effects.get((first, second), self.effects.get((second, first), 0.0)) / 2
        return np.asarray(self.model.constant + a * one + b * other + both * one * other)

    @property
    def important(self) -> tuple[str, ...]:
        """Factors by the size of their main effects."""
        return tuple(self._important)

    @cached_property
    def _important(self) -> list[str]:
        return [term[0] for term in self.effects if len(term) == 1]


def _sorted(effects: Mapping[Factors, float]) -> dict[Factors, float]:
    return dict(sorted(effects.items(), key=lambda item: -abs(item[1])))


def _residual_sd(matrix: Numbers, values: Numbers) -> float:
    freedom = len(values) - matrix.shape[1]
    if freedom <= 0:
        return float("nan")
    found = np.linalg.lstsq(matrix, values, rcond=None)[0]
    left = values - matrix @ found
    return float(np.sqrt(left @ left / freedom))
