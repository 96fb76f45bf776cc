"""Networks: one file for each, and its name here; `kind` says which."""

from typing import Annotated

from pydantic import Discriminator

from headgate.scenario.networks.dumbbell import Dumbbell
from headgate.scenario.networks.four_tier import FourTier
from headgate.scenario.networks.graph import Graph
from headgate.scenario.networks.parking_lot import ParkingLot

Network = Annotated[Dumbbell | ParkingLot | FourTier | Graph, Discriminator("kind")]
