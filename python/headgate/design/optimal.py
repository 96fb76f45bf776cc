"""D-optimal designs: the runs that give the coefficients of a model the least joint variance.

Points of a grid are exchanged until no exchange increases the determinant of X'X (Fedorov 1972;
Cook and Nachtsheim 1980), from several random starts. pydoe's exchanges know no names, and
compute a determinant for each possible exchange.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import HeadgateError
from headgate.design.constraint import Constraint
from headgate.design.factor import Factor
from headgate.design.factorial import Design
from headgate.design.sheet import make_stream
from headgate.stats.terms import Order, TermModel

Numbers = NDArray[np.float64]
Allowed = Callable[[Sequence[Factor], list[list[float]]], list[bool]]
"""Returns which coded combinations of levels may be run."""
STARTS, LEAST_STARTS, MOST_PASSES = 20, 3, 60
#: Candidates times squared coefficients times runs of all starts together, for a few seconds.
WORK = 1e10
#: Beyond this many combinations of levels, as many are drawn at random.
MOST_CANDIDATES = 20_000
#: Gains that differ beyond this digit only are equal, since machines round differently.
DIGITS = 9
#: Keeps the information matrix of a random start invertible.
RIDGE = 1e-7


def read_model(factors: Sequence[Factor], model: Order | tuple[str, ...]) -> TermModel:
    """Return the model of an order, or of a list of terms such as `rate rtt`.

    Raises HeadgateError.
    """
    nominal = {
        place: tuple(np.linspace(-1, 1, len(factor.levels) or 2).tolist())
        for place, factor in enumerate(factors)
        if not factor.numeric
    }
    if isinstance(model, str):
        return TermModel.of_order(len(factors), model, nominal)
    names = [factor.name for factor in factors]
    terms: list[tuple[int, ...]] = [()]
    for text in model:
        words = text.split()
        unknown = next((word for word in words if word not in names), None)
        if unknown is not None or not 1 <= len(words) <= 3:
            why = f"{unknown!r} is not a factor" if unknown else "a term consists of 1 to 3 factors"
            raise HeadgateError(f"model: {text!r}: {why}; the factors are {', '.join(names)}")
        term = tuple(sorted(names.index(word) for word in words))
        if len(set(term)) < len(term) and set(term) & set(nominal):
            raise HeadgateError(f"model: {text!r}: a factor with names cannot be squared")
        terms.append(term)
    return TermModel(tuple(dict.fromkeys(terms)), nominal)


def make_d_optimal(  # noqa: PLR0913, PLR0917 - each is a key of the file
    factors: Sequence[Factor],
    runs: int,
    model: Order | tuple[str, ...] = "quadratic",
    constraints: Sequence[str] = (),
    allowed: Allowed | None = None,
    seed: int = 1,
) -> tuple[Design, str]:
    """Choose the runs of a D-optimal design, each a different point.

    Raises HeadgateError if the runs or the allowed combinations are too few for the model.
    """
    asked = read_model(factors, model)
    rng = make_stream(seed, "d-optimal")
    is_cut = bool(constraints) or allowed is not None
    points = _list_candidates(factors, 5 if is_cut else 3 if asked.has_squares else 2, rng)
    for constraint in (Constraint.read(text, factors) for text in constraints):
        points = points[constraint.holds(factors, points)]
    if allowed is not None and len(points):
        points = points[allowed(factors, points.tolist())]
    columns = asked.expand(points) if len(points) else np.empty((0, 1))
    count = columns.shape[1]
    if len(points) and runs > len(points):
        raise HeadgateError(
            f"runs = {runs}: there are {len(points):,} combinations of levels; ask for replicates"
        )
    if len(points) and runs < count:
        raise HeadgateError(
            f"runs = {runs}: the model has {count} coefficients; write at least that"
        )
    if not len(points) or np.linalg.matrix_rank(columns) < count:
        raise HeadgateError(
            f"the constraints leave {len(points):,} combinations of levels, which do not determine"
            " the coefficients of the model"
        )
    starts = int(np.clip(WORK / (columns.size * count * runs), LEAST_STARTS, STARTS))
    chosen = max(
        (_exchange(columns, runs, rng) for _ in range(starts)),
        key=lambda rows: round(_log_determinant(columns[rows]), DIGITS),
    )
    order = np.lexsort(points[np.sort(chosen)].T)
    rows = np.sort(chosen)[order]
    efficiency = np.exp(_log_determinant(columns[rows]) / count) / runs
    size = f"|X'X|^(1/p)/n = {efficiency:.4f}"
    said = f"D-optimal, {count} coefficients, {size}, best of {starts} exchanges"
    return Design(tuple(factors), points[rows]), said


def _list_candidates(factors: Sequence[Factor], levels: int, rng: Any) -> Numbers:
    """Return the combinations of levels: all for names and lists, a grid for quantities."""
    each = [np.linspace(-1, 1, levels if f.numeric else len(f.levels) or 2) for f in factors]
    if prod(map(len, each)) <= MOST_CANDIDATES:
        return np.array(list(product(*each)))
    return np.column_stack([rng.choice(of, MOST_CANDIDATES) for of in each])


def _exchange(columns: Numbers, runs: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Exchange the rows of a random start until no exchange increases the determinant.

    Exchanging row i for candidate j multiplies it by (1 + d_j)(1 - d_i) + d_ij^2, in which d is
    the variance or covariance of predictions (Fedorov 1972).
    """
    chosen = rng.choice(len(columns), runs, replace=False)
    ridge = RIDGE * np.eye(columns.shape[1])
    spread = variances = np.empty(0)
    for _ in range(MOST_PASSES):
        improved, changed = False, True
        for place in range(runs):
            if changed:
                spread = columns @ np.linalg.inv(columns[chosen].T @ columns[chosen] + ridge)
                variances = (spread * columns).sum(axis=1)
            between = spread @ columns[chosen[place]]
            gains = (1 + variances) * (1 - variances[chosen[place]]) + between**2
            gains[chosen] = 0.0
            best = int(gains.round(DIGITS).argmax())
            changed = bool(gains[best] > 1 + 10.0**-DIGITS)
            if changed:
                chosen[place], improved = best, True
        if not improved:
            break
    return chosen


def _log_determinant(columns: Numbers) -> float:
    sign, size = np.linalg.slogdet(columns.T @ columns)
    return float(size) if sign > 0 else -np.inf
