"""Factors with any number of levels in one linear model: tests, means and intervals.

The model contains the main effects and all interactions of two factors. The test of a term compares
its contribution beyond all terms that do not contain it with the error of the whole model
(type II, Yates 1934; a factor of n levels has n - 1 degrees of freedom). Means of levels
weight the levels of the other factors equally, or assume that their factor does not interact. If
there are too few runs for the interactions, the model contains only the main effects. The
interactions are then part of the error, so the tests are valid but the intervals are not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from headgate.stats.effects import ROUNDING, UNKNOWN, Estimate
from headgate.stats.intervals import LEVEL, Numbers, compute_student_quantile

Places = NDArray[np.int64]
Factors = tuple[str, ...]

#: A column depends on others if they leave less than this part of its length.
ALIAS = 1e-7
#: The least degrees of freedom of the error if the model contains interactions.
LEAST_FREEDOM = 3
#: A main effect is confounded with an omitted interaction that explains more than this part of it.
CONFOUNDED = 0.5


@dataclass(frozen=True)
class Term:
    """A main effect or an interaction: its test and, for two-level factors, its size.

    `effect` is the change from the low level to the high one; for an interaction, half the
    difference of two such changes; NaN for factors with more levels. F and p are NaN without an
    error.
    """

    factors: Factors
    freedom: int
    effect: float
    f_ratio: float
    p: float


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
        kept = [slice(0, self._start.shape[1])]
        kept += [at for other, at in self._at.items() if not set(term) <= set(other)]
        others = orthonormalize(np.hstack([self.coordinates[:, at] for at in kept]))
        own = self.coordinates[:, self._at[term]]
        return orthonormalize(_project_out(own, others), np.linalg.norm(own, axis=0))

    def is_testable(self, term: Factors) -> bool:
        """Return whether the terms that do not contain a term leave its columns independent."""
        return bool(self.increments[term].shape[1] == self.columns[term].shape[1])

    def weights(
        self, wanted: Mapping[Factors, Numbers], *, constant: bool, alone: str = ""
    ) -> Numbers | None:
        """Return the weights in the basis of a sum of coefficients, if it can be estimated.

        `alone` is a factor that is assumed to have no interactions.
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

        With `omitted`, this includes interactions that are not in the model.
        """
        if not self.is_testable((name,)):
            return self._find_alias(name)
        if not omitted:
            return ""
        own = self.basis @ self.increments[name,]
        single = {term: c for term, c in self.columns.items() if name not in term}
        others = orthonormalize(np.hstack([self._start, *single.values()]))
        for term, columns in multiply_pairs(single).items():
            left = orthonormalize(_project_out(columns, others), np.linalg.norm(columns, axis=0))
            if left.shape[1] and np.linalg.norm(own.T @ left, 2) ** 2 > CONFOUNDED:
                return " x ".join(term)
        return ""

    def _find_alias(self, name: str) -> str:
        """Name one term on which a factor's columns depend, or all other factors together."""
        own = self.columns[name,]
        size = np.linalg.norm(own, axis=0)
        for term, columns in (self.columns | multiply_pairs(self.columns)).items():
            if name in term:
                continue
            known = orthonormalize(np.hstack([self._start, columns]))
            if orthonormalize(_project_out(own, known), size).shape[1] < own.shape[1]:
                return " x ".join(term)
        return "the other factors together"


@dataclass(frozen=True, eq=False)
class Factorial:
    """A response fitted to a design."""

    design: Design
    values: Numbers

    @cached_property
    def _scale(self) -> float:
        return ROUNDING * float(np.abs(self.values).max(initial=0.0))

    def _without_rounding(self, value: float) -> float:
        """Round a value to the digits that the response determines."""
        if not self._scale > 0 or not np.isfinite(value):
            return value
        return round(value, -int(np.floor(np.log10(self._scale))))

    @cached_property
    def constant(self) -> float:
        """The response at the centre of all two-level factors: the mean if no run is missing."""
        return self.estimate({}, constant=True).value

    @cached_property
    def _centred(self) -> Numbers:
        return np.asarray(self.values - self.values.mean())

    @cached_property
    def _found(self) -> Numbers:
        """The coordinates of the response in the basis, without its mean."""
        return np.asarray(self.design.basis.T @ self._centred)

    @cached_property
    def residuals(self) -> Numbers:
        """The values minus those of the model."""
        return np.asarray(self._centred - self.design.basis @ self._found)

    @property
    def error_freedom(self) -> int:
        """Degrees of freedom of the error."""
        return self.design.error_freedom

    @cached_property
    def deviation(self) -> float:
        """The standard deviation of the error; NaN if no run is left for it."""
        if self.error_freedom <= 0:
            return nan
        found = float(np.sqrt(self.residuals @ self.residuals / self.error_freedom))
        return 0.0 if found <= self._scale else found

    @cached_property
    def r_squared(self) -> float:
        """The share of the variance that the model explains; NaN if the response is constant."""
        whole = float(self._centred @ self._centred)
        if np.ptp(self.values) <= self._scale:
            return nan
        return 1 - float(self.residuals @ self.residuals) / whole

    @cached_property
    def terms(self) -> dict[Factors, Term]:
        """The test of every term that the design can distinguish from the others."""
        known = [term for term in self.design.columns if self.design.is_testable(term)]
        return {term: self._test(term) for term in known}

    def _test(self, term: Factors) -> Term:
        increment = self.design.increments[term]
        freedom = increment.shape[1]
        f_ratio, p = self._test_explained(increment.T @ self._found, freedom)
        effect = nan
        if all(self.design.counts[name] == 2 for name in term):
            effect = 2 * self.estimate({term: np.ones(1)}, constant=False).value
        return Term(term, freedom, effect, f_ratio, p)

    def _test_explained(self, explained: Numbers, freedom: int) -> tuple[float, float]:
        """Return F and p of the coordinates that a term explains."""
        from scipy import special

        if np.isnan(self.deviation):
            return nan, nan
        square = float(explained @ explained) / freedom
        if self.deviation == 0.0:
            moved = square > self._scale**2 * self.design.runs
            return (inf, 0.0) if moved else (0.0, 1.0)
        f_ratio = square / self.deviation**2
        return f_ratio, float(special.fdtrc(freedom, self.error_freedom, f_ratio))

    def compute_equal_weights_p(self, name: str) -> float:
        """Return the p of a factor with equal weights for the levels of the others (type III).

        Without true interactions this tests the same hypothesis as `terms`. NaN if it cannot be
        estimated.
        """
        count = self.design.counts[name] - 1
        rows = [self.design.weights({(name,): row}, constant=False) for row in np.eye(count)]
        if any(row is None for row in rows):
            return nan
        known = orthonormalize(np.column_stack([row for row in rows if row is not None]))
        return self._test_explained(known.T @ self._found, known.shape[1])[1] if known.size else 1.0

    def estimate(
        self, wanted: Mapping[Factors, Numbers], *, constant: bool, alone: str = ""
    ) -> Estimate:
        """Return a sum of coefficients with its interval; all NaN if it cannot be estimated.

        `alone` is a factor that is assumed to have no interactions.
        """
        weights = self.design.weights(wanted, constant=constant, alone=alone)
        if weights is None:
            return UNKNOWN
        value = float(weights @ self._found) + float(constant) * float(self.values.mean())
        value = self._without_rounding(value)
        error = self.deviation * float(np.linalg.norm(weights))
        if np.isnan(error):
            return Estimate(value, error, error, error)
        half = compute_student_quantile(0.5 + LEVEL / 2, self.error_freedom) * error
        return Estimate(value, value - half, value + half, error)

    def estimate_level_mean(self, levels: Mapping[str, int], *, alone: str = "") -> Estimate:
        """Return the mean at a level of one factor or of two."""
        return self.estimate(self._at_levels(levels), constant=True, alone=alone)

    def estimate_difference(
        self, first: Mapping[str, int], last: Mapping[str, int], *, alone: str = ""
    ) -> Estimate:
        """Return the change of the mean from some levels to others of the same factors."""
        start, end = self._at_levels(first), self._at_levels(last)
        change = {term: end[term] - start[term] for term in end}
        return self.estimate(change, constant=False, alone=alone)

    def _at_levels(self, levels: Mapping[str, int]) -> dict[Factors, Numbers]:
        """Return the columns of all terms of some factors at their levels."""
        single: dict[Factors, Numbers] = {
            (name,): self.design.codes(name, levels[name])[None, :]
            for name in self.design.places
            if name in levels
        }
        terms = single | (multiply_pairs(single) if self.design.interactions else {})
        return {term: row[0] for term, row in terms.items()}


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


def _project_out(columns: Numbers, basis: Numbers) -> Numbers:
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
