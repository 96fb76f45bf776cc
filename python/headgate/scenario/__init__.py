"""What is simulated: typed, frozen, equal to a TOML file."""

from headgate.scenario.law import LawChoice
from headgate.scenario.measure import Measure, Series
from headgate.scenario.sizes import Sizes
from headgate.scenario.spec import ScenarioSpec
from headgate.scenario.times import Times
from headgate.scenario.transport import Pacing, Transport

__all__ = [
    "LawChoice",
    "Measure",
    "Pacing",
    "ScenarioSpec",
    "Series",
    "Sizes",
    "Times",
    "Transport",
]
