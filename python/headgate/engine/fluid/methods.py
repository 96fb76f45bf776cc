"""How a fluid model is solved: steps as long as a tolerance allows, or of one length."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from headgate.base.errors import ScenarioError, UnitError
from headgate.base.units import PS_PER_S, parse_time_ps

Past = Literal["smooth", "rows"]

#: The absolute tolerance of a state, in that of its relative one (as SciPy has it by default).
ABSOLUTE = 1e-3


@dataclass(frozen=True)
class Adaptive:
    """Dormand-Prince 5(4): steps as long as `tolerance` allows, and no longer than `longest`."""

    tolerance: float = 1e-6
    longest: str | None = None

    def order(self) -> dict[str, Any]:
        """Return what the engine reads."""
        most_s = None if self.longest is None else above_zero("longest", self.longest)
        tolerance = number("tolerance", self.tolerance)
        return {
            "kind": "adaptive",
            "relative": tolerance,
            "absolute": ABSOLUTE * tolerance,
            "most_s": most_s,
        }


@dataclass(frozen=True)
class Euler:
    """Euler's method in steps of one length, as published programs have it.

    `past` is how the past is looked up: `smooth`, between rows too, or `rows` only.
    """

    step: str
    past: Past = "smooth"

    def order(self) -> dict[str, Any]:
        """Return what the engine reads."""
        return _describe_fixed("euler", self.step, self.past)


@dataclass(frozen=True)
class RK4:
    """The classical Runge-Kutta method in steps of one length; `past` as for `Euler`."""

    step: str
    past: Past = "smooth"

    def order(self) -> dict[str, Any]:
        """Return what the engine reads."""
        return _describe_fixed("rk4", self.step, self.past)


Method = Adaptive | Euler | RK4


def choose_method(method: object) -> Method:
    """Return the method that is meant; the word `adaptive` is the one with its defaults."""
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
    """Read a time such as "20 ms"; a wrong one is refused with its place."""
    try:
        return parse_time_ps(text) / PS_PER_S
    except UnitError as error:
        raise ScenarioError(place, str(error)) from None


def above_zero(place: str, text: object) -> float:
    """Read a time that is not zero."""
    time_s = seconds(place, text)
    if time_s == 0:
        raise ScenarioError(place, f"must be a time above zero; got {text!r}")
    return time_s


def number(place: str, value: object) -> float:
    """Read a number; anything else is refused with its place."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ScenarioError(place, f"must be a number; got {value!r}")
    return float(value)


def describe_method(method: Method) -> Mapping[str, Any]:
    """Return a method as plain data, for the record of a run."""
    return {"method": type(method).__name__.lower(), **method.__dict__}


def _describe_fixed(kind: str, step: object, past: object) -> dict[str, Any]:
    if past not in ("smooth", "rows"):
        raise ScenarioError("past", f"must be 'smooth' or 'rows'; got {past!r}")
    return {"kind": kind, "step_s": above_zero("step", step), "rows": past == "rows"}
