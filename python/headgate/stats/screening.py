"""The analysis of definitive screening designs, whose runs are pairs with all signs reversed.

Half of the difference of a pair contains the main effects only, half of the sum the second-order
effects only. Main effects are fitted to the differences, and the rest of these (the fake factors)
is the error. Second-order terms of the active factors are then added to the sums one by one (Jones
and Nachtsheim 2017).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement

import numpy as np

from headgate.base.optional import require
from headgate.stats.intervals import Numbers
from headgate.stats.terms import Term

#: The level at which the sums are searched, and at which the search stops.
ALPHA = 0.05


@dataclass(frozen=True)
class SecondOrderTerm:
    """A selected square or product, with its coefficient for coded factors."""

    term: Term
    coefficient: float


@dataclass(frozen=True)
class SecondOrder:
    """The selected squares and products.

    `is_complete` is false if the sums still differ after them, so that there are other terms.
    """

    terms: tuple[SecondOrderTerm, ...] = ()
    is_complete: bool = True


@dataclass(frozen=True, eq=False)
class Screening:
    """Values of the runs of a definitive screening design, one or a mean for each run."""

    coded: Numbers
    values: Numbers

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The runs with a value whose mirror image is measured too; the centre is its own."""
        places = {tuple(row): i for i, row in enumerate((self.coded + 0.0).tolist())}
        found = []
        for i, row in enumerate(self.coded):
            j = places.get(tuple((-row + 0.0).tolist()), -1)
            if j > i and np.isfinite(self.values[[i, j]]).all():
                found.append((i, j))
        return found

    @cached_property
    def half_differences(self) -> Numbers:
        """The matrix of the main effects: a row for each pair."""
        return np.asarray(self.coded[[i for i, _ in self.pairs]])

    @cached_property
    def solution(self) -> Numbers:
        """The matrix from values of the runs to the coefficients of the main effects."""
        matrix = np.linalg.pinv(self.half_differences)
        weights = np.zeros((self.coded.shape[1], len(self.coded)))
        for place, (i, j) in enumerate(self.pairs):
            weights[:, i], weights[:, j] = matrix[:, place] / 2, -matrix[:, place] / 2
        return weights

    @property
    def is_estimable(self) -> bool:
        """Whether the pairs determine all main effects."""
        rank = np.linalg.matrix_rank(self.half_differences) if self.pairs else 0
        return bool(rank == self.coded.shape[1])

    @property
    def freedom(self) -> int:
        """The degrees of freedom of the error: the fake factors."""
        return len(self.pairs) - int(self.coded.shape[1])

    @cached_property
    def deviation(self) -> float:
        """The standard deviation of a value; NaN without fake factors."""
        if self.freedom < 1:
            return math.nan
        odd = np.array([(self.values[i] - self.values[j]) / 2 for i, j in self.pairs])
        coefficients = np.linalg.lstsq(self.half_differences, odd, rcond=None)[0]
        left = odd - self.half_differences @ coefficients
        return math.sqrt(2 * float(left @ left) / self.freedom)

    def select(
        self, active: Sequence[int], quantities: Sequence[int], variance: float, freedom: float
    ) -> SecondOrder:
        """Return squares and products of active factors, by forward selection.

        `variance` is that of a value. Nothing is selected unless an F test shows that the sums of
        the pairs differ; the search ends when the rest does not, or when no candidate is left.
        """
        require("analysis", "a definitive screening design")
        from scipy import stats

        rows, even, scale = self._sum_pairs()
        candidates = [
            term
            for term in combinations_with_replacement(active, 2)
            if term[0] != term[1] or term[0] in quantities
        ]
        if not variance > 0 or not freedom > 0 or len(even) < 3:
            return SecondOrder()
        columns = {t: rows[:, t[0]] * rows[:, t[1]] * scale for t in candidates}
        chosen: list[Term] = []
        base = scale[:, None]
        fit = np.linalg.lstsq(base, even, rcond=None)[0]
        while True:
            left = even - base @ fit
            rest = len(even) - base.shape[1]
            ratio = float(left @ left) / max(rest, 1) / variance
            is_complete = rest < 1 or bool(stats.f.sf(ratio, rest, freedom) > ALPHA)
            if rest < 2 or not candidates or is_complete:
                break
            tried = {t: np.column_stack([base, columns[t]]) for t in candidates}
            tried = {t: m for t, m in tried.items() if np.linalg.matrix_rank(m) == m.shape[1]}
            if not tried:
                break
            fits = {t: np.linalg.lstsq(m, even, rcond=None)[0] for t, m in tried.items()}
            best = min(tried, key=lambda t: float(np.sum((even - tried[t] @ fits[t]) ** 2)))
            base, fit = tried[best], fits[best]
            chosen.append(best)
            candidates.remove(best)
        terms = (SecondOrderTerm(t, float(c)) for t, c in zip(chosen, fit[1:], strict=True))
        return SecondOrder(tuple(terms), is_complete)

    def _sum_pairs(self) -> tuple[Numbers, Numbers, Numbers]:
        """Return a row, a value and a weight for each pair and centre, of equal variance.

        Half a sum has half of the variance of a value, so that it counts by the root of two.
        """
        centre = [
            i for i, row in enumerate(self.coded) if not row.any() and np.isfinite(self.values[i])
        ]
        rows = self.coded[[*(i for i, _ in self.pairs), *centre]]
        even = [(self.values[i] + self.values[j]) / math.sqrt(2) for i, j in self.pairs]
        scale = np.array([math.sqrt(2)] * len(even) + [1.0] * len(centre))
        return rows, np.array([*even, *self.values[centre]]), scale
