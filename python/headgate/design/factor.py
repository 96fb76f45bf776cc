"""A factor: what is varied, between which levels, in the words of the scenario that takes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from headgate.base.errors import HeadgateError
from headgate.base.messages import as_toml

Scale = Literal["linear", "log"]
_QUANTITY = re.compile(r"\s*([+-]?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*(\S.*?)?\s*")
#: A level between two others is written with this number of digits: nobody sets a rate more finely.
DIGITS = 6


@dataclass(frozen=True)
class Factor:
    """A factor with its levels, in the words of the scenario that takes them.

    `low` and `high` are its extremes. In between, a number is interpolated on its scale; a factor
    with `levels`, which are then all that it has, takes the nearest one.
    """

    name: str
    title: str
    setting: str
    low: Any
    high: Any
    scale: Scale = "linear"
    levels: tuple[Any, ...] = ()
    source: str = ""
    words: tuple[str, str] | None = None
    """What low and high are called, such as `slow network` and `fast network`."""
    whole: bool = False
    """Whether its scenario takes whole numbers only, such as a number of flows."""

    def level(self, coded: float) -> Any:
        """Return the level that a coded value stands for: -1 low, +1 high, 0 the centre."""
        if self.levels:
            return self.levels[round((coded + 1) / 2 * (len(self.levels) - 1))]
        if abs(coded) == 1:
            return self.high if coded > 0 else self.low
        return self._between(coded)

    @property
    def numeric(self) -> bool:
        """Whether there are levels between low and high."""
        return not self.levels and self._numbers() is not None

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
        return f"{_plain(rounded)} {unit}" if unit else rounded

    def _numbers(self) -> tuple[float, float, str] | None:
        """Return low, high and the unit both are written in, where they are numbers."""
        low, high = _read(self.low), _read(self.high)
        if low is None or high is None:
            return None
        if low[1] == high[1]:
            return low[0], high[0], low[1]
        return _in_one_unit(low, high)


def letters(count: int) -> list[str]:
    """Name factors as handbooks do, `A` to `Z` without `I`; beyond 25 of them `X1`, `X2`, ..."""
    alphabet = [chr(code) for code in range(ord("A"), ord("Z") + 1) if chr(code) != "I"]
    return alphabet[:count] if count <= len(alphabet) else number_factors(count)


def number_factors(count: int) -> list[str]:
    """Name factors `X1`, `X2`, ..."""
    return [f"X{i}" for i in range(1, count + 1)]


def make_coded_factors(names: Sequence[str]) -> list[Factor]:
    """Return factors without a meaning yet: their levels are -1 and +1."""
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
    """Write both in the unit of `low`, if units of a scenario lead from one to the other."""
    from headgate.base.units import ratio

    factor = ratio(high[1], low[1])
    return None if factor is None else (low[0], high[0] * factor, low[1])


def _interpolate(low: float, high: float, share: float, scale: Scale, name: str) -> float:
    if scale == "linear":
        return low + share * (high - low)
    if low <= 0 or high <= 0:
        raise HeadgateError(
            f"factor {name}: scale 'log' is for levels above zero, and these are {low:g}, {high:g}"
        )
    return float(low * (high / low) ** share)


def _plain(value: float) -> str:
    """Write a number in as few digits as give it back, without an exponent."""
    return f"{Decimal(repr(value)):f}".removesuffix(".0")
