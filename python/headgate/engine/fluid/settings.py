"""Settings of a fluid model: its parameters, and the method that solves it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from headgate.base import catalog
from headgate.base.errors import ScenarioError, UnitError
from headgate.base.parameters import (
    Value,
    check_together,
    count_packets,
    find_parameter,
    read_parameters,
)
from headgate.base.units import PS_PER_S, parse_time_ps

Params = Mapping[str, Value]
Numbers = NDArray[np.float64]


def read_params(card: catalog.Cca, given: Mapping[str, object]) -> dict[str, Value]:
    """Return the given parameters by the names of the card. Raises CatalogError."""
    read = read_parameters(card, given, count_packets)
    check_together(card, given, read)
    return read


def list_values(card: catalog.Cca, given: Params) -> Numbers:
    """Return one number per parameter of the card; a word is its index among the choices."""
    return np.array([_number(param, given.get(param.name, param.default)) for param in card.params])


def list_changes(card: catalog.Cca, given: Mapping[str, object]) -> list[tuple[int, float]]:
    """Return the index in the card and the number of each given parameter. Raises CatalogError."""
    names = [param.name for param in card.params]
    read = read_parameters(card, given, count_packets)
    return [(names.index(name), _number(card.param(name), read[name])) for name in read]


def list_columns(
    card: catalog.Cca, params: Mapping[str, ArrayLike], runs: int
) -> tuple[dict[str, Numbers], Numbers]:
    """Return the columns of a sweep, and the values of every parameter, one row per run.

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


def _column(card: catalog.Cca, key: str, values: ArrayLike) -> Numbers:
    column = np.asarray(values)
    if column.ndim > 1 or column.dtype.kind not in "iufUO":
        raise ScenarioError(key, "must be a list of numbers or words, or one of them for all runs")
    each = [list_changes(card, {key: value})[0][1] for value in column.reshape(-1).tolist()]
    return np.array(each, dtype=float).reshape(column.shape)


def _number(param: catalog.Param, value: Value) -> float:
    return float(param.choices.index(value)) if isinstance(value, str) else float(value)


Past = Literal["smooth", "rows"]

#: The absolute tolerance relative to `tolerance` (SciPy's default).
ABSOLUTE = 1e-3


@dataclass(frozen=True)
class Adaptive:
    """Dormand-Prince 5(4): steps as long as `tolerance` allows, and at most `longest`."""

    tolerance: float = 1e-6
    longest: str | None = None

    def describe(self) -> dict[str, Any]:
        """Return the engine's description of the method."""
        most_s = None if self.longest is None else above_zero("longest", self.longest)
        tolerance = number("tolerance", self.tolerance)
        return {
            "kind": "adaptive",
            "relative": tolerance,
            "absolute": ABSOLUTE * tolerance,
            "most_s": most_s,
        }


@dataclass(frozen=True)
class _FixedStep:
    step: str
    past: Past = "smooth"

    def describe(self) -> dict[str, Any]:
        """Return the engine's description of the method."""
        if self.past not in ("smooth", "rows"):
            raise ScenarioError("past", f"must be 'smooth' or 'rows'; got {self.past!r}")
        kind, step_s = type(self).__name__.lower(), above_zero("step", self.step)
        return {"kind": kind, "step_s": step_s, "rows": self.past == "rows"}


class Euler(_FixedStep):
    """Euler's method with fixed steps, as in published programs.

    `past` selects the lookup of past values: `smooth` interpolates, `rows` does not.
    """


class RK4(_FixedStep):
    """The classical Runge-Kutta method with fixed steps; `past` as for `Euler`."""


Method = Adaptive | Euler | RK4


def choose_method(method: object) -> Method:
    """Return the method; the word `adaptive` selects the defaults."""
    if method == "adaptive":
        return Adaptive()
    if isinstance(method, Method):
        return method
    raise ScenarioError(
        "method",
        f"{method!r} is not a method; write 'adaptive', Adaptive(tolerance=1e-6),"
        " Euler(step='20 ms') or RK4(step='20 ms')",
    )


def seconds(place: str, text: object) -> float:
    """Read a time such as "20 ms". Raises ScenarioError with the place."""
    try:
        return parse_time_ps(text) / PS_PER_S
    except UnitError as error:
        raise ScenarioError(place, str(error)) from None


def above_zero(place: str, text: object) -> float:
    """Read a time above zero. Raises ScenarioError with the place."""
    time_s = seconds(place, text)
    if time_s == 0:
        raise ScenarioError(place, f"must be a time above zero; got {text!r}")
    return time_s


def number(place: str, value: object) -> float:
    """Read a number. Raises ScenarioError with the place."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ScenarioError(place, f"must be a number; got {value!r}")
    return float(value)


def describe_method(method: Method) -> Mapping[str, Any]:
    """Return a method as plain data, for run.json."""
    return {"method": type(method).__name__.lower(), **method.__dict__}
