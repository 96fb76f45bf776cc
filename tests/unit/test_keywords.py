"""Keywords of the functions that make scenarios are the keys of their networks."""

from typing import get_type_hints

import pytest

from headgate import Scenario, dumbbell
from headgate.engine import keys
from headgate.scenario.networks.dumbbell import Dumbbell
from headgate.scenario.networks.four_tier import FourTier
from headgate.scenario.networks.graph import Graph
from headgate.scenario.networks.parking_lot import ParkingLot

SCENARIO = set(Scenario.model_fields) - {"network", "traffic"}


@pytest.mark.parametrize(
    ("typed", "network", "given"),
    [
        (keys.DumbbellKeys, Dumbbell, set()),
        (keys.ParkingLotKeys, ParkingLot, set()),
        (keys.FourTierKeys, FourTier, set()),
        (keys.GraphKeys, Graph, {"file"}),
    ],
)
def test_keywords_are_the_keys_of_the_network(typed: type, network: type, given: set[str]) -> None:
    fields = set(network.model_fields)  # type: ignore[attr-defined]
    assert set(get_type_hints(typed)) == (fields - {"kind"} - given) | SCENARIO


def test_the_short_form_of_a_scenario_is_a_line() -> None:
    short = dumbbell(rate="20 Mbit/s", rtt="40 ms", flows=["cubic", "bbr"], title="x" * 200)
    title = f"{'x' * 30!r}"
    assert repr(short) == f"Scenario({title}, dumbbell, 2 traffic items, 60 s, seed 1)"
    assert len(repr(short)) < 100


def test_the_short_form_of_a_result_is_a_line() -> None:
    result = dumbbell(rate="1 Mbit/s", rtt="40 ms", flows=["reno"], duration="1 s").run()
    assert repr(result).startswith("Result(1 flow, 2 ports, ")
    assert repr(result).endswith(f"digest {result.digest[:8]})")
    assert len(repr(result)) < 100
