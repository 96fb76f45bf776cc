"""Terms of polynomial models, and their columns from coded factors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

import numpy as np

from headgate.stats.intervals import Numbers

Term = tuple[int, ...]
"""The places of its factors: () the constant, (0,) linear, (0, 0) a square, (0, 1) a product."""
Order = Literal["linear", "interactions", "quadratic"]


@dataclass(frozen=True)
class TermModel:
    """A polynomial model of coded factors.

    `nominal` contains the coded levels of each factor whose levels are names. It adds one column
    for each level but the last, with the sum zero, and no square.
    """

    terms: tuple[Term, ...]
    nominal: Mapping[int, tuple[float, ...]] = field(default_factory=dict)

    @classmethod
    def of_order(
        cls, count: int, order: Order, nominal: Mapping[int, tuple[float, ...]] | None = None
    ) -> TermModel:
        """Return the model of an order in `count` factors: constant, linear, products, squares."""
        named = dict(nominal or {})
        terms: list[Term] = [(), *((i,) for i in range(count))]
        if order != "linear":
            terms += combinations(range(count), 2)
        if order == "quadratic":
            terms += [(i, i) for i in range(count) if i not in named]
        return cls(tuple(terms), named)

    @property
    def has_squares(self) -> bool:
        """Whether a factor occurs twice in a term."""
        return any(len(set(term)) < len(term) for term in self.terms)

    def expand(self, coded: Numbers) -> Numbers:
        """Return the columns of all terms, of shape (point, coefficient), at coded points."""
        single = [self._columns(place, column) for place, column in enumerate(coded.T)]
        columns = []
        for term in self.terms:
            product = np.ones((len(coded), 1))
            for place in term:
                product = (product[:, :, None] * single[place][:, None, :]).reshape(len(coded), -1)
            columns.append(product)
        return np.hstack(columns)

    def name_columns(self, names: Sequence[str]) -> list[str]:
        """Return a name for each column: `rate`, `rate x rtt`, `rate^2`, `cca[1]`."""
        named = []
        for term in self.terms:
            squared = len(term) == 2 and term[0] == term[1]
            text = f"{names[term[0]]}^2" if squared else " x ".join(names[i] for i in term)
            count = self._width(term)
            named += (
                [text or "constant"]
                if count == 1
                else [f"{text}[{place}]" for place in range(1, count + 1)]
            )
        return named

    def _width(self, term: Term) -> int:
        width = 1
        for place in term:
            width *= max(len(self.nominal.get(place, ())) - 1, 1)
        return width

    def _columns(self, place: int, column: Numbers) -> Numbers:
        levels = self.nominal.get(place, ())
        if len(levels) <= 2:
            return np.asarray(column, float)[:, None]
        codes = np.abs(np.subtract.outer(column, levels)).argmin(axis=1)
        contrasts = np.vstack([np.eye(len(levels) - 1), -np.ones(len(levels) - 1)])
        return np.asarray(contrasts[codes])
