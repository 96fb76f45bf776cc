"""From the settings of a design to scenarios that run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from headgate.base.errors import HeadgateError, ScenarioError
from headgate.base.messages import as_toml
from headgate.design.factor import Factor
from headgate.scenario.toml import tables_with

if TYPE_CHECKING:
    from headgate.engine.api import Scenario

#: Coded levels one of which lies between two whole numbers, whatever whole numbers the ends are.
TRIED = (0.1, 0.12345)


def scenarios(
    factors: Sequence[Factor], settings: Sequence[Mapping[str, Any]], base: Scenario
) -> list[Scenario]:
    """Return `base` with each of the settings; a factor that does not fit is named."""
    for factor in factors:
        for level in factor.levels or (factor.low, factor.high):
            _fits(factor, level, base)
    return [base.varied(changes) for changes in settings]


def _fits(factor: Factor, level: Any, base: Scenario) -> None:
    if "." not in factor.setting and (tables := tables_with(factor.setting, type(base))):
        settings = " or ".join(f"{table}.{factor.setting}" for table in tables)
        says = f"'{factor.setting}' is no path in a scenario; write setting = \"{settings}\""
        raise ScenarioError(f"factor {factor.name}", says)
    try:
        base.varied({factor.setting: level})
    except HeadgateError as error:
        raise ScenarioError(
            f"factor {factor.name}, {factor.setting} = {as_toml(level)}", str(error)
        ) from None


def take_whole_levels(factors: Sequence[Factor], base: Scenario | None) -> tuple[Factor, ...]:
    """Return factors, those with whole levels between low and high whose key takes no fraction.

    Without a base nothing says what a key takes, and levels are fractions.
    """
    return tuple(replace(f, whole=base is not None and _is_whole(f, base)) for f in factors)


def _is_whole(factor: Factor, base: Scenario) -> bool:
    """Try a level between two whole numbers: refused as it is, and taken when it is rounded."""
    if not factor.numeric:
        return False
    numbered = replace(factor, whole=True)
    coded = next((c for c in TRIED if factor.level(c) != numbered.level(c)), None)
    return coded is not None and not _takes(factor, coded, base) and _takes(numbered, coded, base)


def _takes(factor: Factor, coded: float, base: Scenario) -> bool:
    try:
        base.varied({factor.setting: factor.level(coded)})
    except HeadgateError:
        return False
    return True
