"""Factors: the settings of a scenario that a design varies, with their levels."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import HeadgateError, ScenarioError
from headgate.base.messages import as_toml, name_run

if TYPE_CHECKING:
    from headgate.engine.api import Scenario

Scale = Literal["linear", "log"]
_QUANTITY = re.compile(r"\s*([+-]?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*(\S.*?)?\s*")
#: The number of significant digits of an interpolated level.
DIGITS = 6
#: Coded levels, of which at least one lies between whole numbers for any whole low and high.
TRIED = (0.1, 0.12345)


@dataclass(frozen=True)
class Factor:
    """A factor with its levels, written as in a scenario.

    `low` and `high` are its extremes. Numbers in between are interpolated on its scale. `levels`
    lists all levels of a factor that cannot be interpolated; coded values select the nearest one.
    """

    name: str
    title: str
    setting: str
    low: Any
    high: Any
    scale: Scale = "linear"
    levels: tuple[Any, ...] = ()
    source: str = ""
    words: tuple[str, ...] | None = None
    """Names of the levels, such as `slow network` and `fast network`."""
    whole: bool = False
    """Whether the scenario accepts only whole numbers, such as a number of flows."""

    def level(self, coded: float) -> Any:
        """Return the level of a coded value: -1 is low, +1 is high, 0 is the centre."""
        if self.levels:
            return self.levels[round((coded + 1) / 2 * (len(self.levels) - 1))]
        if abs(coded) == 1:
            return self.high if coded > 0 else self.low
        return self._between(coded)

    @property
    def numeric(self) -> bool:
        """Whether there are levels between low and high."""
        return not self.levels and self._numbers() is not None

    def describe(self, *coded: float) -> str:
        """Write a quantity with four digits and its unit, or the range of two."""
        numbers = self._numbers()
        if numbers is None or self.levels:
            return str(self.level(coded[0]))
        values = self.numbers_at(np.array(coded, float))
        texts = dict.fromkeys(f"{value:.4g}" for value in sorted(values))
        return f"{' to '.join(texts)} {numbers[2]}".strip()

    def numbers_at(self, coded: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the numbers of coded levels of a quantity, in the unit of its low level."""
        numbers = self._numbers()
        assert numbers is not None
        low, high, _ = numbers
        share = (coded + 1) / 2
        if self.scale == "linear":
            return np.asarray(low + share * (high - low))
        return np.asarray(_interpolate(low, high, 0.0, "log", self.name) * (high / low) ** share)

    def _between(self, coded: float) -> Any:
        numbers = self._numbers()
        if numbers is None:
            raise HeadgateError(
                f"factor {self.name}: there is no level between {as_toml(self.low)} and"
                f" {as_toml(self.high)}; "
                "centre points and samples need numbers, with the same unit if they have one"
            )
        low, high, unit = numbers
        value = _interpolate(low, high, (coded + 1) / 2, self.scale, self.name)
        rounded = float(round(value)) if self.whole else float(f"{value:.{DIGITS}g}")
        if self.whole and not unit:
            return int(rounded)
        # Without an exponent, in the fewest digits that give the same number.
        plain = f"{Decimal(repr(rounded)):f}".removesuffix(".0")
        return f"{plain} {unit}" if unit else rounded

    def _numbers(self) -> tuple[float, float, str] | None:
        """Return low, high and their common unit if they are numbers."""
        low, high = _read(self.low), _read(self.high)
        if low is None or high is None:
            return None
        if low[1] == high[1]:
            return low[0], high[0], low[1]
        return _in_one_unit(low, high)


def letter_factors(count: int) -> list[str]:
    """Name factors as handbooks do: `A` to `Z` without `I`, or `X1`, `X2`, ... beyond 25."""
    alphabet = string.ascii_uppercase.replace("I", "")
    return list(alphabet[:count]) if count <= len(alphabet) else number_factors(count)


def number_factors(count: int) -> list[str]:
    """Name factors `X1`, `X2`, ..."""
    return [f"X{i}" for i in range(1, count + 1)]


def make_coded_factors(names: Sequence[str]) -> list[Factor]:
    """Return factors that set nothing: their levels are -1 and +1."""
    return [Factor(name, "", name, -1, 1) for name in names]


def _read(value: Any) -> tuple[float, str] | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value), ""
    match = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    return None if match is None else (float(match[1]), match[2] or "")


def _in_one_unit(
    low: tuple[float, str], high: tuple[float, str]
) -> tuple[float, float, str] | None:
    """Convert both to the unit of `low`, if the units are compatible."""
    from headgate.base.units import ratio

    factor = ratio(high[1], low[1])
    return None if factor is None else (low[0], high[0] * factor, low[1])


def _interpolate(low: float, high: float, share: float, scale: Scale, name: str) -> float:
    if scale == "linear":
        return low + share * (high - low)
    if low <= 0 or high <= 0:
        raise HeadgateError(
            f"factor {name}: scale 'log' needs levels above zero, not {low:g} and {high:g}"
        )
    return float(low * (high / low) ** share)


def write_settings(factors: Sequence[Factor], coded: Iterable[float]) -> dict[str, Any]:
    """Return the settings of a run by their paths in the scenario."""
    return {one.setting: one.level(value) for one, value in zip(factors, coded, strict=True)}


class Variable(Protocol):
    """A base of a design: a scenario, or parameters that make one."""

    def varied(self, changes: Mapping[str, Any]) -> Scenario:
        """Return the scenario with changed settings. Raises ScenarioError."""


def make_scenarios(
    factors: Sequence[Factor], settings: Sequence[Mapping[str, Any]], base: Variable
) -> list[Scenario]:
    """Return `base` with each of the settings; the error names a factor that does not fit."""
    for factor in factors:
        for level in factor.levels or (factor.low, factor.high):
            _check_level(factor, level, base)
    return [_vary(base, changes) for changes in settings]


def _vary(base: Variable, changes: Mapping[str, Any]) -> Scenario:
    """Return `base` with the settings of a run; levels beyond low and high may not fit."""
    try:
        return base.varied(changes)
    except HeadgateError as error:
        raise ScenarioError(name_run(changes), str(error)) from None


def _check_level(factor: Factor, level: Any, base: Variable) -> None:
    from headgate.scenario.toml import tables_with

    model: Any = getattr(base, "model", type(base))
    if "." not in factor.setting and (tables := tables_with(factor.setting, model)):
        settings = " or ".join(f'setting = "{table}.{factor.setting}"' for table in tables)
        says = f"'{factor.setting}' is not a path in a scenario; write {settings}"
        raise ScenarioError(f"factor {factor.name}", says)
    try:
        base.varied({factor.setting: level})
    except HeadgateError as error:
        raise ScenarioError(
            f"factor {factor.name}, {factor.setting} = {as_toml(level)}", str(error)
        ) from None


def round_whole_factors(factors: Sequence[Factor], base: Variable | None) -> tuple[Factor, ...]:
    """Return factors whose interpolated levels are whole if their key accepts only whole numbers.

    Without a base the accepted numbers are unknown, and levels are fractions.
    """
    return tuple(replace(f, whole=base is not None and _is_whole(f, base)) for f in factors)


def _is_whole(factor: Factor, base: Variable) -> bool:
    """Return whether a level between whole numbers is rejected, and accepted after rounding."""
    if not factor.numeric:
        return False
    rounded = replace(factor, whole=True)
    coded = next((c for c in TRIED if factor.level(c) != rounded.level(c)), None)
    if coded is None:
        return False
    return not _accepts(factor, coded, base) and _accepts(rounded, coded, base)


def _accepts(factor: Factor, coded: float, base: Variable) -> bool:
    try:
        base.varied({factor.setting: factor.level(coded)})
    except HeadgateError:
        return False
    return True
