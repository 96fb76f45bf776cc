"""Scenarios in one call: a network, and flows by the names of their laws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from headgate.api import Result, Scenario
from headgate.errors import ScenarioError

Flow = str | type | Mapping[str, Any]
"""A law's name, a class that is a law, or the keys of one kind of traffic."""

_STAGGER_MS = 10


def dumbbell(*, flows: Sequence[Flow], **network: Any) -> Scenario:
    """Make a dumbbell: `rate`, `rtt`, `buffer` and the other keys of its network.

    Keys of the scenario itself (`transport`, `measure`, `title`) may be given too.
    """
    return _scenario("dumbbell", flows, network)


def parking_lot(*, flows: Sequence[Flow], **network: Any) -> Scenario:
    """Make a chain of bottlenecks: `hops`, `rate`, `rtt`, `buffer`."""
    return _scenario("parking_lot", flows, network)


def abilene(*, flows: Sequence[Flow], **network: Any) -> Scenario:
    """Make the four-tier network: `rate` of the backbone, `buffer`, shares of hosts."""
    return _scenario("abilene", flows, network)


def graph(source: Any, *, flows: Sequence[Flow], **network: Any) -> Scenario:
    """Make a network of a networkx graph, or of a GraphML or node-link JSON file."""
    if isinstance(source, str | Path):
        return _scenario("graph", flows, {"file": str(source), **network})
    from headgate.scenario.networks.graph_file import from_networkx

    return _scenario("graph", flows, from_networkx(source) | network)


def load(path: str | Path) -> Scenario:
    """Read a scenario from TOML."""
    return Scenario.load(path)


def read(folder: str | Path) -> Result:
    """Read the results of a run from its folder."""
    return Result.read(folder)


def _scenario(kind: str, flows: Sequence[Flow], keys: Mapping[str, Any]) -> Scenario:
    _check_flows(flows)
    own = [key for key in Scenario.model_fields if key not in ("network", "traffic")]
    return Scenario.from_dict(
        {key: keys[key] for key in own if key in keys}
        | {
            "network": {"kind": kind} | {k: v for k, v in keys.items() if k not in own},
            "traffic": [_traffic(flow, number) for number, flow in enumerate(flows)],
        }
    )


def _check_flows(flows: Any) -> None:
    """Refuse what is no list of flows; raise ScenarioError."""
    if isinstance(flows, str | Mapping | type) or not isinstance(flows, Sequence):
        raise ScenarioError("flows", f"{flows!r} is no list; write one, such as flows=['reno']")
    for number, flow in enumerate(flows):
        if not isinstance(flow, str | type | Mapping):
            says = f"{flow!r} is no flow; write a law's name, a class, or a dict of its keys"
            raise ScenarioError(f"flows[{number}]", says)


def _traffic(flow: Flow, number: int) -> Mapping[str, Any]:
    # Equal flows that start in the same picosecond would stay in step for ever.
    if isinstance(flow, str | type):
        key = "law" if isinstance(flow, str) else "control"
        return {"kind": "flows", key: flow, "start": f"{number * _STAGGER_MS} ms"}
    return {"kind": "flows", **flow}
