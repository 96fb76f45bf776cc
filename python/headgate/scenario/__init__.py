"""Scenarios as typed, frozen objects, equivalent to a TOML file."""

from headgate.scenario.cca import CcaChoice
from headgate.scenario.distributions import Sizes, Times
from headgate.scenario.presets import Pacing
from headgate.scenario.spec import Measure, ScenarioSpec, Series
from headgate.scenario.transport import Transport

__all__ = [
    "CcaChoice",
    "Measure",
    "Pacing",
    "ScenarioSpec",
    "Series",
    "Sizes",
    "Times",
    "Transport",
]
