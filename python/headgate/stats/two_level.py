"""Two-level designs: the model with all main effects and two-factor interactions, and aliases.

The one-way analysis leaves the effects of other factors in the error; least squares removes them.
The model omits terms that the design cannot distinguish from earlier ones (aliases).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from headgate.base.optional import require
from headgate.stats.intervals import Numbers
from headgate.stats.numbers import read_numbers

Factors = tuple[str, ...]
Effect = tuple[int, ...]
"""An effect by the places of its factors: `(0,)` a main effect, `(0, 2)` an interaction."""
#: A column is an alias if the earlier columns leave less than this part of it (squared length).
ALIAS = 1e-8


@dataclass(frozen=True)
class EffectCorrelations:
    """The |correlation| of every two effects of up to two factors: 0 clear, 1 the same column."""

    names: tuple[str, ...]
    effects: tuple[Effect, ...]
    values: Numbers

    @property
    def main(self) -> int:
        """The number of main effects, which are first among the effects."""
        return sum(len(effect) == 1 for effect in self.effects)

    def text(self, effect: Effect) -> str:
        """Write an effect as its factors."""
        between = "" if all(len(name) == 1 for name in self.names) else "\N{MULTIPLICATION SIGN}"
        return between.join(self.names[i] for i in effect)


@dataclass(frozen=True)
class Term:
    """A term of the model: a factor or a product of two.

    `effect` is the change of the response from the low level to the high one.
    """

    factors: Factors
    effect: float
    f_ratio: float
    p: float


@dataclass(frozen=True)
class FullModel:
    """The terms by their factors, the term that each alias equals, and the error.

    `constant` is the response at the centre of all factors: the mean if no run is missing.
    """

    terms: Mapping[Factors, Term]
    aliases: Mapping[Factors, Factors | None]
    error_freedom: int
    r_squared: float
    constant: float


def fit_full_model(factors: Mapping[str, ArrayLike], response: ArrayLike) -> FullModel:
    """Fit main effects and two-factor interactions; `factors` are coded levels, -1 to +1.

    Runs without a level or a response (NaN) are ignored. F and p are NaN if nothing is left for the
    error or the response does not vary.
    """
    values = read_numbers(response)
    columns = {name: read_numbers(column) for name, column in factors.items()}
    kept = np.isfinite(values) & np.all([np.isfinite(c) for c in columns.values()], axis=0)
    columns, values = {name: column[kept] for name, column in columns.items()}, values[kept]
    terms: dict[Factors, Numbers] = {(name,): column for name, column in columns.items()}
    terms |= {(a, b): columns[a] * columns[b] for a, b in combinations(columns, 2)}
    return _fit(*_split_aliases(terms, len(values)), values)


def _split_aliases(
    columns: Mapping[Factors, Numbers], runs: int
) -> tuple[dict[Factors, Numbers], dict[Factors, Factors | None]]:
    """Return the columns that are independent of earlier ones (and the mean), and the aliases."""
    basis = np.full((1, runs), 1 / np.sqrt(max(runs, 1)))
    kept: dict[Factors, Numbers] = {}
    aliases: dict[Factors, Factors | None] = {}
    for name, column in columns.items():
        left = project_out(column, basis)
        if float(left @ left) > ALIAS * float(column @ column):
            kept[name] = column
            basis = np.vstack([basis, left / np.sqrt(left @ left)])
        else:
            aliases[name] = _find_equal(column, kept)
    return kept, aliases


def project_out(column: Numbers, basis: Numbers) -> Numbers:
    """Return a column less its projections on orthonormal rows."""
    # Twice is enough against rounding (Kahan; Parlett 1980).
    left = column - basis.T @ (basis @ column)
    return left - basis.T @ (basis @ left)


def _find_equal(column: Numbers, kept: Mapping[Factors, Numbers]) -> Factors | None:
    """Return the kept term with the same column or its negative, if there is one."""
    for term, other in kept.items():
        if np.allclose(column, other) or np.allclose(column, -other):
            return term
    return None


def _fit(
    columns: Mapping[Factors, Numbers],
    aliases: Mapping[Factors, Factors | None],
    values: Numbers,
) -> FullModel:
    require("analysis", "a model of effects")
    from statsmodels.regression.linear_model import OLS

    freedom = len(values) - len(columns) - 1
    if not columns or freedom < 0:
        return FullModel({}, aliases, max(freedom, 0), nan, nan)
    matrix = np.column_stack([np.ones(len(values)), *columns.values()])
    found, varies = OLS(values, matrix).fit(), np.ptp(values) > 0
    unknown = np.full(len(columns) + 1, nan)
    f_ratios, p_values = unknown, unknown
    if freedom > 0 and varies:
        f_ratios, p_values = found.tvalues**2, found.pvalues
    terms = {
        name: Term(name, 2 * float(found.params[i]), float(f_ratios[i]), float(p_values[i]))
        for i, name in enumerate(columns, start=1)
    }
    r_squared = float(found.rsquared) if varies else nan
    return FullModel(terms, aliases, freedom, r_squared, float(found.params[0]))
