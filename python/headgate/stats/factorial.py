"""Factors with any number of levels in one linear model: tests, means and intervals.

The model contains the main effects and all interactions of two factors. The test of a term compares
its contribution beyond all terms that do not contain it with the error of the whole model
(type II, Yates 1934; a factor of n levels has n - 1 degrees of freedom). Means of levels
weight the levels of the other factors equally, or assume that their factor does not interact. If
there are too few runs for the interactions, the model contains only the main effects. The
interactions are then part of the error, so the tests are valid but the intervals are not. If runs
of some levels vary more than others, tests and intervals use the variation of each level's runs
(headgate.stats.unequal_spread).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf, nan

import numpy as np

from headgate.stats.aliases import Group, find_alias_groups
from headgate.stats.design_columns import Design, Factors, multiply_pairs, orthonormalize
from headgate.stats.effects import ROUNDING, UNKNOWN, Estimate
from headgate.stats.intervals import LEVEL, Numbers, compute_student_quantile
from headgate.stats.unequal_spread import RunErrors, UnequalSpread, find_unequal_spread


@dataclass(frozen=True)
class Term:
    """A main effect, or interactions: the test and, for two-level factors, the size.

    `effect` is the change from the low level to the high one; for an interaction, half the
    difference of two such changes; NaN for factors with more levels. F and p are NaN without an
    error, whose degrees of freedom are `error_freedom`.
    """

    factors: Factors
    freedom: int
    effect: float
    f_ratio: float
    p: float
    error_freedom: float


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
        return round(value, -int(np.floor(np.log10(self._scale)))) + 0.0  # -0.0 becomes 0.0

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

    @cached_property
    def leverages(self) -> Numbers:
        """The share of each run in the model's value for it."""
        return np.asarray((self.design.basis**2).sum(axis=1))

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
    def spread(self) -> UnequalSpread | None:
        """The levels whose runs vary most differently; None if no difference is shown."""
        if not self.deviation > 0:
            return None
        lines = self.design.lines
        places = {name: of for name, of in self.design.places.items() if name not in lines}
        return find_unequal_spread(places, self._varying, self.leverages)

    @cached_property
    def _varying(self) -> Numbers:
        """The residuals without those that are due to rounding."""
        return np.asarray(self.residuals * (np.abs(self.residuals) > self._scale))

    @cached_property
    def _run_errors(self) -> RunErrors | None:
        """The errors of unequal runs; None if one error holds for all runs."""
        if self.spread is None:
            return None
        return RunErrors(self.design.basis, self.leverages, self._varying)

    @property
    def has_equal_replicates(self) -> bool:
        """Whether runs with the same levels have exactly the same value."""
        blocks = [] if self.design.blocks is None else [self.design.blocks]
        levels = np.column_stack([*self.design.places.values(), *blocks])
        first, inverse = np.unique(levels, axis=0, return_index=True, return_inverse=True)[1:]
        return bool((self.values == self.values[first][inverse.ravel()]).all())

    @cached_property
    def r_squared(self) -> float:
        """The share of the variance that the model explains; NaN if the response is constant."""
        whole = float(self._centred @ self._centred)
        if np.ptp(self.values) <= self._scale:
            return nan
        return 1 - float(self.residuals @ self.residuals) / whole

    @cached_property
    def terms(self) -> dict[Factors, Term]:
        """The test of every term that the design can distinguish from the others.

        Of an interaction, only a part can be tested if some combinations of levels were not run.
        """
        design = self.design
        known = [
            term
            for term in design.columns
            if design.is_testable(term) or (len(term) > 1 and design.increments[term].shape[1])
        ]
        return {term: self._test(term) for term in known}

    @cached_property
    def aliased(self) -> dict[Group, Term]:
        """The joint tests of interactions that the design cannot separate from each other."""
        found = {}
        for group, columns in find_alias_groups(self.design).items():
            names = tuple(dict.fromkeys(name for term in group for name in term))
            found[group] = Term(names, columns.shape[1], nan, *self._test_columns(columns))
        return found

    def _test(self, term: Factors) -> Term:
        increment = self.design.increments[term]
        effect = nan
        if all(self.design.counts[name] == 2 for name in term):
            effect = 2 * self.estimate({term: np.ones(1)}, constant=False).value
        return Term(term, increment.shape[1], effect, *self._test_columns(increment))

    def _test_columns(self, columns: Numbers) -> tuple[float, float, float]:
        """Return F and p of orthonormal columns of the basis, and the error's freedom."""
        from scipy import special

        explained, freedom, rest = columns.T @ self._found, columns.shape[1], self.error_freedom
        if np.isnan(self.deviation):
            return nan, nan, rest
        if self._run_errors and (tested := self._run_errors.test(columns, explained)):
            return tested
        square = float(explained @ explained) / freedom
        if self.deviation == 0.0:
            moved = square > self._scale**2 * self.design.runs
            return (inf, 0.0, rest) if moved else (0.0, 1.0, rest)
        f_ratio = square / self.deviation**2
        return f_ratio, float(special.fdtrc(freedom, rest, f_ratio)), rest

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
        return self._test_columns(known)[1] if known.size else 1.0

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
        error, freedom = self._estimate_error(weights)
        if np.isnan(error):
            return Estimate(value, error, error, error, freedom)
        half = compute_student_quantile(0.5 + LEVEL / 2, freedom) * error
        return Estimate(value, value - half, value + half, error, freedom)

    def _estimate_error(self, weights: Numbers) -> tuple[float, float]:
        found = self._run_errors and self._run_errors.estimate(weights)
        return found or (self.deviation * float(np.linalg.norm(weights)), self.error_freedom)

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
