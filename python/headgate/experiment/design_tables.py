"""The tables that the kind of a design adds: surface, optimum, second_order, sensitivity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from headgate.data.tables import Table, Words
from headgate.experiment.tables import MeasuredRuns
from headgate.stats.intervals import LEVEL, compute_student_p, compute_student_quantile
from headgate.stats.sensitivity import MorrisResult

Row = Mapping[str, Any]


def tables(found: MeasuredRuns) -> Iterator[Table]:
    """Yield the tables of the kind of design that have rows."""
    makers = {
        "surface": _list_coefficients,
        "optimum": _list_optima,
        "second_order": _list_second_order,
        "sensitivity": _list_sensitivity,
    }
    for name, make in makers.items():
        rows = list(make(found))
        if rows:
            yield _make_table(name, rows)


def _make_table(name: str, rows: Sequence[Row]) -> Table:
    columns: dict[str, Any] = {}
    for key, first in rows[0].items():
        values = [row[key] for row in rows]
        columns[key] = Words.of(values) if isinstance(first, str) else np.array(values)
    return Table(name, columns)


def _list_coefficients(found: MeasuredRuns) -> Iterator[Row]:
    names = [factor.name for factor in found.factors]
    for response, fitted in found.surfaces.items():
        surface = fitted.surface
        wide = compute_student_quantile(0.5 + LEVEL / 2, max(surface.freedom, 1))
        for term, value, error in zip(
            surface.model.name_columns(names),
            surface.coefficients.tolist(),
            surface.errors.tolist(),
            strict=True,
        ):
            yield {
                "response": response, "term": term, "coefficient": value, "error": error,
                "low": value - wide * error, "high": value + wide * error,
                "p": compute_student_p(value, error, surface.freedom),
            }  # fmt: skip


def _list_optima(found: MeasuredRuns) -> Iterator[Row]:
    for one in found.responses:
        fitted = found.surfaces.get(one.name)
        if fitted is None:
            continue
        best, still = fitted.optimum, fitted.surface.stationary_point
        nowhere = np.full(len(best.point), np.nan)
        place = nowhere if still is None else still.point
        values = nowhere if still is None else still.eigenvalues
        for i, factor in enumerate(found.factors):
            yield {
                "response": one.name,
                "better": "lower" if one.better == "lower" else "higher",
                "factor": factor.name, "level": factor.describe(float(best.point[i])),
                "coded": float(best.point[i]),
                "coded_low": float(best.low[i]), "coded_high": float(best.high[i]),
                "value": best.value, "value_low": best.value_low, "value_high": best.value_high,
                "at_edge": int(best.is_at_edge), "stationary_coded": float(place[i]),
                "eigenvalue": float(values[i]), "lack_of_fit_p": fitted.lack_of_fit_p,
                "p": fitted.p,
            }  # fmt: skip


def _list_second_order(found: MeasuredRuns) -> Iterator[Row]:
    names = [factor.name for factor in found.factors]
    for response, selected in found.second_order.items():
        for one in selected.terms:
            a, b = (names[place] for place in one.term)
            term = f"{a}^2" if a == b else f"{a} x {b}"
            yield {
                "response": response, "term": term, "coefficient": one.coefficient,
                "complete": int(selected.is_complete),
            }  # fmt: skip


def _list_sensitivity(found: MeasuredRuns) -> Iterator[Row]:
    for response, result in found.indices.items():
        may_be_largest = result.largest
        if isinstance(result, MorrisResult):
            for effect in result.effects:
                yield {
                    "response": response, "factor": found.factors[effect.factor].name,
                    "mu_star": effect.mu_star, "low": effect.low, "high": effect.high,
                    "mu": effect.mu, "sigma": effect.sigma, "noise": result.floor, "p": effect.p,
                    "p_corrected": found.morris_p[response, effect.factor],
                    "may_be_largest": int(effect.factor in may_be_largest),
                }  # fmt: skip
            continue
        for index in result.indices:
            yield {
                "response": response, "factor": found.factors[index.factor].name,
                "first": index.first, "first_low": index.first_low,
                "first_high": index.first_high, "total": index.total,
                "total_low": index.total_low, "total_high": index.total_high,
                "may_be_largest": int(index.factor in may_be_largest),
            }  # fmt: skip
