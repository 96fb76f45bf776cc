"""From the settings of a design to scenarios that run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headgate.as_toml import as_toml
from headgate.design.factor import Factor
from headgate.errors import HeadgateError, ScenarioError

if TYPE_CHECKING:
    from headgate.api import Scenario


def scenarios(
    factors: Sequence[Factor], settings: Sequence[Mapping[str, Any]], base: Scenario
) -> list[Scenario]:
    """Return `base` with each of the settings; a factor that does not fit is named."""
    for factor in factors:
        for level in factor.levels or (factor.low, factor.high):
            _fits(factor, level, base)
    return [base.replaced(changes) for changes in settings]


def _fits(factor: Factor, level: Any, base: Scenario) -> None:
    try:
        base.replaced({factor.setting: level})
    except HeadgateError as error:
        raise ScenarioError(
            f"factor {factor.name}, {factor.setting} = {as_toml(level)}", str(error)
        ) from None
