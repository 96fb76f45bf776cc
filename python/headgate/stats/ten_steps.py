"""The numbers of a ten-step graphical analysis of one response of a two-level design.

The steps are those of Filliben's macro for Dataplot (NIST/SEMATECH e-Handbook 5.5.9): the best
settings, the factors that matter, their interactions, the number of real effects, and the next
settings to try. Without replicates, Lenth's margin estimates the error from the effects themselves,
since most contrasts of a two-level design are chance alone (Lenth, Technometrics 31, 1989). It uses
all contrasts, one less than the number of conditions, including those of three or more factors,
which a model omits. A model that selects the terms that matter leaves too few chance contrasts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import nan

import numpy as np
from numpy.typing import NDArray

from headgate.stats.intervals import Numbers
from headgate.stats.two_level import ALIAS, Factors, FullModel, fit_full_model, project_out

#: The largest number of other factors in a block plot; a reader can compare 2^3 blocks.
BLOCKS = 3


@dataclass(frozen=True)
class Block:
    """Means of a response at both levels of a factor, for each setting of other factors."""

    factor: str
    others: tuple[str, ...]
    settings: tuple[tuple[int, ...], ...]
    low: Numbers
    high: Numbers

    @property
    def agreeing(self) -> int:
        """The number of blocks whose change is of the more frequent sign."""
        up = int((self.high > self.low).sum())
        return max(up, int((self.high < self.low).sum()))

    @property
    def p(self) -> float:
        """The chance that at least as many blocks agree without an effect (two-sided sign test)."""
        from scipy import stats

        known = int((self.high != self.low).sum())
        return float(stats.binomtest(self.agreeing, known).pvalue) if known else 1.0


@dataclass(frozen=True)
class StepAnalysis:
    """One response of a two-level design; `coded` contains -1 and +1 for each factor."""

    response: str
    factors: tuple[str, ...]
    coded: Mapping[str, Numbers]
    values: Numbers

    @cached_property
    def model(self) -> FullModel:
        """Main effects and the two-factor interactions that the design can distinguish."""
        return fit_full_model(self.coded, self.values)

    @cached_property
    def ordered(self) -> NDArray[np.intp]:
        """Step 1: runs by increasing response."""
        return np.argsort(self.values, kind="stable")

    def mean_at(self, term: Factors, sign: int) -> float:
        """Return the mean response of the runs in which a term has a sign (steps 3, 4, 6)."""
        return float(self.values[_multiply(self.coded, term) == sign].mean())

    def block(self, factor: str) -> Block:
        """Step 5: means at both levels within each setting of the other most important factors."""
        others = tuple(name for name in self.important if name != factor)[:BLOCKS]
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
        return _sort({name: term.effect for name, term in self.model.terms.items()})

    @cached_property
    def contrasts(self) -> dict[Factors, float]:
        """Effects and all other contrasts between conditions, the largest first."""
        others = _compute_other_contrasts(self.coded, list(self.effects), self.values)
        return _sort(self.effects | others)

    @cached_property
    def half_normal(self) -> Numbers:
        """Step 8: the expected sizes of `contrasts` if all were chance, the largest first."""
        from scipy import stats

        count = len(self.contrasts)
        return np.asarray(stats.halfnorm.ppf((np.arange(count, 0, -1) - 0.5) / count))

    @cached_property
    def pseudo_error(self) -> float:
        """Lenth's pseudo standard error of an effect, which needs no replicates."""
        sizes = np.abs(list(self.contrasts.values()))
        first = 1.5 * float(np.median(sizes))
        kept = sizes[sizes < 2.5 * first]
        return 1.5 * float(np.median(kept)) if len(kept) else first

    @property
    def margin(self) -> float:
        """Lenth's margin of error, which a chance effect exceeds in 5 % of cases."""
        from scipy import stats

        return float(stats.t.ppf(0.975, len(self.contrasts) / 3)) * self.pseudo_error

    @property
    def beyond_margin(self) -> list[Factors]:
        """Terms whose effects exceed the margin."""
        return [term for term, effect in self.effects.items() if abs(effect) > self.margin]

    @cached_property
    def residual_sd(self) -> Numbers:
        """Step 9: residual standard deviation after the 0, 1, 2, ... largest effects.

        NaN if no degree of freedom is left for the error.
        """
        terms = [_multiply(self.coded, term) for term in self.effects]
        columns = [np.ones(len(self.values)), *terms]
        models = (np.column_stack(columns[:count]) for count in range(1, len(columns) + 1))
        return np.array([_compute_residual_sd(model, self.values) for model in models])

    def fit_surface(self, one: Numbers, other: Numbers) -> Numbers:
        """Step 10: the response over the two most important factors and their interaction."""
        first, second = self.important[:2]
        a, b = self.effects[first,] / 2, self.effects[second,] / 2
        both = self.effects.get((first, second), self.effects.get((second, first), 0.0)) / 2
        return np.asarray(self.model.constant + a * one + b * other + both * one * other)

    @cached_property
    def important(self) -> tuple[str, ...]:
        """Factors by the size of their main effects."""
        return tuple(term[0] for term in self.effects if len(term) == 1)


def _sort(effects: Mapping[Factors, float]) -> dict[Factors, float]:
    return dict(sorted(effects.items(), key=lambda item: -abs(item[1])))


def _compute_residual_sd(matrix: Numbers, values: Numbers) -> float:
    freedom = len(values) - matrix.shape[1]
    if freedom <= 0:
        return nan
    found = np.linalg.lstsq(matrix, values, rcond=None)[0]
    left = values - matrix @ found
    return float(np.sqrt(left @ left / freedom))


def _compute_other_contrasts(
    coded: Mapping[str, Numbers], terms: Sequence[Factors], values: Numbers
) -> dict[Factors, float]:
    """Return the contrasts orthogonal to the terms of a model, on the scale of effects.

    Each is named by a product of three or more factors. Its column is that product less its
    projections on the terms and on the contrasts before.
    """
    runs = np.column_stack(list(coded.values()))
    conditions = len(np.unique(runs, axis=0))
    columns = [np.ones(len(values)), *(_multiply(coded, term) for term in terms)]
    basis = np.linalg.qr(np.column_stack(columns))[0].T
    found: dict[Factors, float] = {}
    for term in _list_products(list(coded), conditions):
        if len(basis) >= conditions:
            break
        left = project_out(_multiply(coded, term), basis)
        length = float(np.linalg.norm(left))
        if length**2 > ALIAS * len(values):
            basis = np.vstack([basis, left / length])
            found[term] = 2 * float(left @ values) / (length * np.sqrt(len(values)))
    return found


def _multiply(coded: Mapping[str, Numbers], term: Factors) -> Numbers:
    return np.asarray(np.prod([coded[name] for name in term], axis=0))


def _list_products(names: Sequence[str], conditions: int) -> Iterator[Factors]:
    """Yield products of three or more factors, the smallest first.

    If a product of d factors is independent of those before, all its 2^d sub-products are
    independent too. Therefore d is at most the binary logarithm of the number of conditions.
    """
    for order in range(3, conditions.bit_length()):
        yield from combinations(names, order)
