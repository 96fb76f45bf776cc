"""Effects beside each other: the model with all main effects and the two-factor interactions.

Where the one-way analysis leaves the other factors in the error, least squares takes out of it what
they explain. Terms that the design cannot tell from earlier ones (aliases) are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from headgate.base.optional import require

Numbers = NDArray[np.float64]
Factors = tuple[str, ...]
#: A column of which less than this part is left by the earlier ones is their alias.
ALIAS = 1e-8


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
    """Terms by their factors, what aliases stand for, and what is left for the error.

    `constant` is the response at the centre of all factors: the mean where no run is missing.
    """

    terms: Mapping[Factors, Term]
    aliases: Mapping[Factors, Factors | None]
    error_freedom: int
    r_squared: float
    constant: float


def full_model(factors: Mapping[str, ArrayLike], response: ArrayLike) -> FullModel:
    """Fit main effects and two-factor interactions; `factors` holds coded levels, -1 to +1.

    Runs without a level or a response (NaN) are left out. F and p are NaN where nothing is left for
    the error or the response does not vary.
    """
    values = np.asarray(response, dtype=float)
    columns = {name: np.asarray(column, dtype=float) for name, column in factors.items()}
    kept = np.isfinite(values) & np.all([np.isfinite(c) for c in columns.values()], axis=0)
    columns, values = {name: column[kept] for name, column in columns.items()}, values[kept]
    chosen, aliases = _independent(_candidates(columns), len(values))
    return _fit(chosen, aliases, values)


def _candidates(columns: Mapping[str, Numbers]) -> dict[Factors, Numbers]:
    single = {(name,): column for name, column in columns.items()}
    return single | {(a, b): columns[a] * columns[b] for a, b in combinations(columns, 2)}


def _independent(
    columns: Mapping[Factors, Numbers], runs: int
) -> tuple[dict[Factors, Numbers], dict[Factors, Factors | None]]:
    """Keep the columns that the earlier ones (and the mean) do not make, by Gram and Schmidt."""
    basis = np.full((1, runs), 1 / np.sqrt(max(runs, 1)))
    kept: dict[Factors, Numbers] = {}
    aliases: dict[Factors, Factors | None] = {}
    for name, column in columns.items():
        left = project_out(column, basis)
        if float(left @ left) > ALIAS * float(column @ column):
            kept[name] = column
            basis = np.vstack([basis, left / np.sqrt(left @ left)])
        else:
            aliases[name] = _same(column, kept)
    return kept, aliases


def project_out(column: Numbers, basis: Numbers) -> Numbers:
    """Return what is left of a column beside orthonormal rows."""
    # Twice is enough against rounding (Kahan; Parlett 1980).
    left = column - basis.T @ (basis @ column)
    return left - basis.T @ (basis @ left)


def _same(column: Numbers, kept: Mapping[Factors, Numbers]) -> Factors | None:
    """Return the kept term that this one is but for its sign; None if several make it together."""
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
        return FullModel({}, aliases, max(freedom, 0), float("nan"), float("nan"))
    matrix = np.column_stack([np.ones(len(values)), *columns.values()])
    found = OLS(values, matrix).fit()
    judged = freedom > 0 and np.ptp(values) > 0
    f_ratios = found.tvalues**2 if judged else np.full(len(columns) + 1, np.nan)
    p_values = found.pvalues if judged else np.full(len(columns) + 1, np.nan)
    terms = {
        name: Term(name, 2 * float(found.params[i]), float(f_ratios[i]), float(p_values[i]))
        for i, name in enumerate(columns, start=1)
    }
    r_squared = float(found.rsquared) if np.ptp(values) > 0 else float("nan")
    return FullModel(terms, aliases, freedom, r_squared, float(found.params[0]))
