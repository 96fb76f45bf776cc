"""The columns of a linear model of factors with any number of levels."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from headgate.stats.intervals import Numbers

Places = NDArray[np.int64]
Factors = tuple[str, ...]

#: A column depends on others if they leave less than this part of its length.
ALIAS = 1e-7
#: The most rows times squared columns of a model, which are seconds of computing.
MOST_WORK = 1e10
#: A main effect is confounded with an omitted interaction that explains more than this part of it.
CONFOUNDED = 0.5


@dataclass(frozen=True, eq=False)
class Design:
    """The level of each factor, and the block if there are blocks, of each run.

    `places` is the number of each run's level, `counts` the number of levels. Every run has a level
    of every factor. The effect of a factor in `lines` is proportional to a number from -1 to +1;
    these ends are its two levels.
    """

    places: Mapping[str, Places]
    counts: Mapping[str, int]
    blocks: Places | None = None
    interactions: bool = True
    lines: Mapping[str, Numbers] = field(default_factory=dict)

    @property
    def runs(self) -> int:
        """The number of runs."""
        return len(next(iter(self.places.values())))

    @property
    def width(self) -> int:
        """The number of columns of the model, dependent ones included."""
        pairs = combinations(self.places, 2) if self.interactions else ()
        blocks = 0 if self.blocks is None else int(self.blocks.max())
        return 1 + blocks + sum(self._width(*term) for term in (*zip(self.places), *pairs))

    @property
    def is_feasible(self) -> bool:
        """Whether the model is computed in seconds."""
        return self.runs * self.width**2 <= MOST_WORK

    def _width(self, *term: str) -> int:
        return prod(1 if name in self.lines else self.counts[name] - 1 for name in term)

    @cached_property
    def columns(self) -> dict[Factors, Numbers]:
        """The columns of each term; -1 and +1 for a two-level factor."""
        single: dict[Factors, Numbers] = {
            (name,): self.lines[name][:, None]
            if name in self.lines
            else _code_levels(self.places[name], self.counts[name])
            for name in self.places
        }
        return single | multiply_pairs(single) if self.interactions else single

    @cached_property
    def _start(self) -> Numbers:
        """The constant and the blocks, which are not tested."""
        ones = np.ones((self.runs, 1))
        if self.blocks is None:
            return ones
        return np.hstack([ones, _code_levels(self.blocks, int(self.blocks.max()) + 1)])

    @cached_property
    def _at(self) -> dict[Factors, slice]:
        """The places of each term's columns in the matrix."""
        ends = np.cumsum([self._start.shape[1], *(c.shape[1] for c in self.columns.values())])
        return {
            term: slice(int(first), int(last))
            for term, first, last in zip(self.columns, ends[:-1], ends[1:], strict=True)
        }

    @cached_property
    def _matrix(self) -> Numbers:
        return np.hstack([self._start, *self.columns.values()])

    @cached_property
    def basis(self) -> Numbers:
        """Orthonormal columns that span the model."""
        return orthonormalize(self._matrix)

    @cached_property
    def coordinates(self) -> Numbers:
        """The columns of the model as coordinates of the basis."""
        return np.asarray(self.basis.T @ self._matrix)

    @cached_property
    def error_freedom(self) -> int:
        """Degrees of freedom of the error."""
        return int(self.runs - self.basis.shape[1])

    @cached_property
    def increments(self) -> dict[Factors, Numbers]:
        """Orthonormal columns of each term's addition to all terms that do not contain it."""
        return {term: self._increment(term) for term in self.columns}

    def _increment(self, term: Factors) -> Numbers:
        others = self.find_span([one for one in self._at if not set(term) <= set(one)])
        own = self.find_coordinates(term)
        return orthonormalize(project_out(own, others), np.linalg.norm(own, axis=0))

    def find_increment(self, terms: Collection[Factors]) -> Numbers:
        """Return orthonormal columns that some interactions add to all other terms."""
        others = self.find_span([one for one in self._at if one not in terms])
        own = np.hstack([self.find_coordinates(term) for term in terms])
        return orthonormalize(project_out(own, others), np.linalg.norm(own, axis=0))

    def find_coordinates(self, term: Factors) -> Numbers:
        """Return the columns of a term as coordinates of the basis."""
        return np.asarray(self.coordinates[:, self._at[term]])

    def find_span(self, terms: Collection[Factors]) -> Numbers:
        """Return orthonormal columns that span the constant, the blocks and some terms."""
        start = self.coordinates[:, : self._start.shape[1]]
        return orthonormalize(np.hstack([start, *map(self.find_coordinates, terms)]))

    def is_testable(self, term: Factors) -> bool:
        """Return whether the terms that do not contain a term leave its columns independent."""
        return bool(self.increments[term].shape[1] == self.columns[term].shape[1])

    def count_empty(self, one: str, other: str) -> int:
        """Count the combinations of the levels of two factors that were not run."""
        if one in self.lines or other in self.lines:
            return 0
        cells = self.places[one] * self.counts[other] + self.places[other]
        return self.counts[one] * self.counts[other] - len(np.unique(cells))

    def weights(
        self, wanted: Mapping[Factors, Numbers], *, constant: bool, alone: str = ""
    ) -> Numbers | None:
        """Return the weights in the basis of a sum of coefficients, if it can be estimated.

        `alone` is a factor that is assumed to interact with no other.
        """
        kept, inverse = self._solvers[alone]
        coefficients = np.zeros(self.coordinates.shape[1])
        coefficients[0] = float(constant)
        for term, values in wanted.items():
            coefficients[self._at[term]] = values
        coefficients = coefficients[kept]
        found = inverse.T @ coefficients
        wrong = np.linalg.norm(self.coordinates[:, kept].T @ found - coefficients)
        known = wrong <= 10 * ALIAS * max(1.0, float(np.linalg.norm(coefficients)))
        return np.asarray(found) if known else None

    @cached_property
    def _solvers(self) -> dict[str, tuple[NDArray[np.bool_], Numbers]]:
        """The columns of the model and their pseudo-inverse, whole and with each factor alone."""
        found: dict[str, tuple[NDArray[np.bool_], Numbers]] = {}
        for name in ("", *self.places):
            kept = np.ones(self.coordinates.shape[1], dtype=bool)
            for term, at in self._at.items():
                if len(term) > 1 and name in term:
                    kept[at] = False
            inverse = np.linalg.pinv(self.coordinates[:, kept], rcond=ALIAS)
            found[name] = kept, np.asarray(inverse)
        return found

    def codes(self, name: str, level: int) -> Numbers:
        """Return the columns of a factor at one of its levels."""
        return np.asarray(_code_levels(np.array([level]), self.counts[name])[0])

    def find_confounder(self, name: str, *, omitted: bool) -> str:
        """Name the term with which a main effect is confounded; "" if there is none.

        With `omitted`, this includes interactions that are not in the model, except those that are
        too large to compute.
        """
        if not self.is_testable((name,)):
            return self._find_alias(name)
        if not omitted:
            return ""
        own = self.basis @ self.increments[name,]
        single = {term: c for term, c in self.columns.items() if name not in term}
        others = orthonormalize(np.hstack([self._start, *single.values()]))
        for term, columns in self._multiply_feasible_pairs(single):
            left = orthonormalize(project_out(columns, others), np.linalg.norm(columns, axis=0))
            if left.shape[1] and np.linalg.norm(own.T @ left, 2) ** 2 > CONFOUNDED:
                return " x ".join(term)
        return ""

    def _multiply_feasible_pairs(
        self, single: Mapping[Factors, Numbers]
    ) -> Iterator[tuple[Factors, Numbers]]:
        """Yield the interactions of two main effects, one after another."""
        mains = {term: columns for term, columns in single.items() if len(term) == 1}
        for one, other in combinations(mains, 2):
            if self.runs * self._width(*one, *other) ** 2 <= MOST_WORK:
                yield from multiply_pairs({one: mains[one], other: mains[other]}).items()

    def _find_alias(self, name: str) -> str:
        """Name one term on which a factor's columns depend, or all other factors together."""
        own = self.columns[name,]
        size = np.linalg.norm(own, axis=0)
        for term, columns in chain(
            self.columns.items(), self._multiply_feasible_pairs(self.columns)
        ):
            if name in term:
                continue
            known = orthonormalize(np.hstack([self._start, columns]))
            if orthonormalize(project_out(own, known), size).shape[1] < own.shape[1]:
                return " x ".join(term)
        return "the other factors together"


def multiply_pairs(single: Mapping[Factors, Numbers]) -> dict[Factors, Numbers]:
    """Return the columns of all interactions of two factors: the products of their columns."""
    mains = [term for term in single if len(term) == 1]
    return {
        (*one, *other): (single[one][:, :, None] * single[other][:, None, :]).reshape(
            len(single[one]), -1
        )
        for one, other in combinations(mains, 2)
    }


def orthonormalize(columns: Numbers, sizes: Numbers | None = None) -> Numbers:
    """Return orthonormal columns with the same span.

    Remainders that are small compared with `sizes`, the lengths before projection, are rounding.
    """
    from scipy import linalg

    lengths = np.linalg.norm(columns, axis=0) if sizes is None else sizes
    if not columns.size or not lengths.max(initial=0.0) > 0:
        return np.zeros((len(columns), 0))
    scaled = columns / np.where(lengths > 0, lengths, 1.0)
    q, r, _ = linalg.qr(scaled, mode="economic", pivoting=True)
    rank = int((np.abs(np.diag(r)) > ALIAS).sum())
    return np.asarray(q[:, :rank])


def project_out(columns: Numbers, basis: Numbers) -> Numbers:
    """Return columns without their part in the span of an orthonormal basis."""
    # Twice is enough against rounding (Kahan; Parlett 1980).
    left = columns - basis @ (basis.T @ columns)
    return np.asarray(left - basis @ (basis.T @ left))


def _code_levels(places: Places, count: int) -> Numbers:
    """Return a column for each level except the first: 1 there, -1 at the first level, else 0."""
    found = np.zeros((len(places), count - 1))
    for level in range(1, count):
        found[places == level, level - 1] = 1.0
    found[places == 0] = -1.0
    return found
