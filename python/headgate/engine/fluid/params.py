"""Parameters of a fluid model, as numbers in the order of its card."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from headgate.base import catalog
from headgate.base.errors import ScenarioError
from headgate.base.parameters import (
    Value,
    check_together,
    count_packets,
    find_parameter,
    read_parameters,
)

Params = Mapping[str, Value]
Numbers = NDArray[np.float64]


def read_params(card: catalog.Law, given: Mapping[str, object]) -> dict[str, Value]:
    """Return the parameters that are given, by the names of the card. Raises CatalogError."""
    read = read_parameters(card, given, count_packets)
    check_together(card, given, read)
    return read


def list_values(card: catalog.Law, given: Params) -> Numbers:
    """Return a number for each parameter of the card; a word is its place among the choices."""
    return np.array([_number(param, given.get(param.name, param.default)) for param in card.params])


def list_changes(card: catalog.Law, given: Mapping[str, object]) -> list[tuple[int, float]]:
    """Return the place in the card and the number of each given parameter. Raises CatalogError."""
    names = [param.name for param in card.params]
    read = read_parameters(card, given, count_packets)
    return [(names.index(name), _number(card.param(name), read[name])) for name in read]


def list_columns(
    card: catalog.Law, params: Mapping[str, ArrayLike], runs: int
) -> tuple[dict[str, Numbers], Numbers]:
    """Return the columns of a sweep by name, and the values of every parameter, one row per run.

    Raises CatalogError or ScenarioError.
    """
    columns = {
        find_parameter(card, key).name: np.broadcast_to(_column(card, key, values), runs).copy()
        for key, values in params.items()
    }
    values = np.tile(list_values(card, {}), (runs, 1))
    for place, param in enumerate(card.params):
        if param.name in columns:
            values[:, place] = columns[param.name]
    return columns, values


def _column(card: catalog.Law, key: str, values: ArrayLike) -> Numbers:
    column = np.asarray(values)
    if column.ndim > 1 or column.dtype.kind not in "iufUO":
        raise ScenarioError(key, "must be a list of numbers or words, or one of them for all runs")
    each = [list_changes(card, {key: value})[0][1] for value in column.reshape(-1).tolist()]
    return np.array(each, dtype=float).reshape(column.shape)


def _number(param: catalog.Param, value: Value) -> float:
    return float(param.choices.index(value)) if isinstance(value, str) else float(value)
