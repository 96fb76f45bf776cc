"""A warning of phase effects: few flows at a drop-tail queue, and nothing random."""

from typing import Any

import pytest

from headgate import Scenario
from headgate.scenario.plan_warnings import scenario_warnings

from .scenarios import RENO, WEB, scenario

CUBIC = {**RENO, "cca": "cubic"}
FAR = {**RENO, "rtt": "80 ms"}
NETWORK = {"kind": "dumbbell", "rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "1 BDP"}
JITTER = {"impairments": [{"name": "jitter", "mean": "0.3 ms"}]}


def doubts(network: dict[str, Any], *flows: dict[str, Any]) -> list[str]:
    made = scenario({**NETWORK, **network}, *flows)
    return [text for text in scenario_warnings(made, *made.plan()) if "phase effects" in text]


def test_the_warning_proposes_a_jitter_of_half_a_packets_time() -> None:
    (said,) = doubts({}, RENO, FAR)
    assert said == (
        "bottleneck: 2 flows share its drop-tail queue, and nothing in the scenario is random."
        " Fractions of a packet's time then decide which flow loses packets, and rates can be"
        " wrong by a factor of several (traffic phase effects). Write"
        ' impairments = [{ name = "jitter", mean = "300 us" }] in [network], or in the link of a'
        " graph, and compare several seeds"
    )


@pytest.mark.parametrize(
    "flows",
    [
        (RENO, CUBIC),
        (RENO, FAR),
        ({**RENO, "count": 4, "cca": {"cubic": 0.5, "bbr3": 0.5}},),
        ({**RENO, "count": 11}, CUBIC),
        (RENO, {**CUBIC, "size": "1 GB"}),
    ],
)
def test_few_flows_that_differ_are_doubted(flows: tuple[dict[str, Any], ...]) -> None:
    assert doubts({}, *flows)


def test_a_jitter_of_nothing_is_no_chance() -> None:
    """As at the first level of a sweep of jitter, which is compared with the others."""
    assert doubts({"impairments": [{"name": "jitter", "mean": "0 s"}]}, RENO, FAR)


@pytest.mark.parametrize(
    ("network", "flows"),
    [
        ({}, (RENO,)),
        ({}, (RENO, RENO)),  # equal flows
        ({}, ({**RENO, "count": 12}, CUBIC)),
        ({}, (RENO, {**CUBIC, "size": "100 packets"})),
        ({}, (RENO, FAR, WEB)),
        ({}, ({**RENO, "cca": "vegas"}, {**FAR, "cca": "vegas"})),  # keeps the queue short
        ({"queue": "red"}, (RENO, FAR)),
        ({"buffer": "infinite"}, (RENO, FAR)),
        ({"loss": 0.001}, (RENO, FAR)),
        (JITTER, (RENO, FAR)),
        ({"outages": [{"start": "1 s", "duration": "1 s"}]}, (RENO, FAR)),
    ],
)
def test_other_scenarios_are_not(
    network: dict[str, Any], flows: tuple[dict[str, Any], ...]
) -> None:
    assert not doubts(network, *flows)


def test_flows_that_share_no_link_are_not_doubted() -> None:
    network = {
        "kind": "graph",
        "rate": "10 Mbit/s",
        "delay": "1 ms",
        "buffer": "10 packets",
        "routers": [{"name": name} for name in "abc"],
        "links": [{"ends": ["a", "b"]}, {"ends": ["b", "c"]}],
    }
    ways = [{"source": "a", "receiver": "b"}, {"source": "b", "receiver": "c"}]
    made = scenario(network, *({**RENO, **way} for way in ways))
    assert not scenario_warnings(made, *made.plan())
    longer = scenario(network, {**RENO, "source": "a", "receiver": "c"}, {**RENO, **ways[1]})
    (said,) = scenario_warnings(longer, *longer.plan())
    assert said.startswith("b-c: 2 flows share")


def rates(network: dict[str, Any], seed: int) -> tuple[float, float]:
    flows = [{**CUBIC, "name": "near"}, {**CUBIC, "name": "far", "rtt": "80 ms"}]
    keys: dict[str, Any] = {"duration": "120 s", "measure": {"warmup": "20 s"}, "seed": seed}
    keys |= {"network": {**NETWORK, **network}, "traffic": flows}
    near, far = Scenario.from_dict(keys).run().flows["goodput_bps"]
    return float(near), float(far)


@pytest.mark.filterwarnings("ignore::headgate.base.errors.SchemeWarning")
def test_jitter_turns_the_result_around() -> None:
    """The flow of 80 ms gets three times as much as that of 40 ms, and with jitter less."""
    near, far = rates({}, 1)
    assert far > 3 * near
    for seed in (1, 2, 3):
        near, far = rates(JITTER, seed)
        assert near > far
