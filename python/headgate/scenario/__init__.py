"""What is simulated: typed, frozen, equal to a TOML file."""

from headgate.scenario.law import LawChoice
from headgate.scenario.measure import Measure, Series
from headgate.scenario.networks import Abilene, Dumbbell, Graph, ParkingLot
from headgate.scenario.scenario import Scenario
from headgate.scenario.traffic import Flows, Poisson, Replay, Sizes, Web
from headgate.scenario.transport import Pacing, Transport

__all__ = [
    "Abilene",
    "Dumbbell",
    "Flows",
    "Graph",
    "LawChoice",
    "Measure",
    "Pacing",
    "ParkingLot",
    "Poisson",
    "Replay",
    "Scenario",
    "Series",
    "Sizes",
    "Transport",
    "Web",
]
