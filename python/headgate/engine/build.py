"""Scenarios in one call: a network, and flows by the names of their algorithms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from headgate.base.errors import ScenarioError
from headgate.engine.api import Result, Scenario
from headgate.engine.keys import DumbbellKeys, FourTierKeys, GraphKeys, ParkingLotKeys

Flow = str | type | Mapping[str, Any]
"""A CCA by its name, a class that is a CCA, or a mapping of the keys of one kind of traffic."""

_STAGGER_MS = 10


def dumbbell(*, flows: Sequence[Flow], **network: Unpack[DumbbellKeys]) -> Scenario:
    """Make a scenario with one bottleneck between two routers.

    Each of `flows` is an algorithm ("reno"), a class that is an algorithm, or a mapping of the keys
    of traffic (`{"cca": "cubic", "count": 3}`, `{"kind": "web", ...}`). Flows given by an algorithm
    or a class alone are endless, and number n of the list starts at n * 10 ms; otherwise equal
    flows would stay in step. Mappings start at 0 unless they contain `start`. Rows of
    `result.flows` are in the order of start: select them by `cca` or by `traffic`, which is the
    `name` of a mapping.

    Keywords are keys of the network, as quantities with units: `rate="20 Mbit/s"`, `rtt="40 ms"`,
    `buffer="1 BDP"` (the default), and optionally `queue`, `loss`, `reverse` and so on; or keys of
    the scenario itself: `duration="60 s"`, `seed=1`, `transport`, `measure`, `title`. Raises
    ScenarioError for a wrong key or value, CcaError for a class that cannot be an algorithm.

    >>> import headgate
    >>> headgate.dumbbell(rate="20 Mbit/s", rtt="40 ms", flows=["cubic", "bbr"])
    Scenario(dumbbell, 2 traffic items, 60 s, seed 1)
    """
    return _scenario("dumbbell", flows, network)


def parking_lot(*, flows: Sequence[Flow], **network: Unpack[ParkingLotKeys]) -> Scenario:
    """Make a scenario with a chain of equal bottlenecks.

    `flows` are those of `dumbbell`; they go from router `r0` to the last one unless they name
    `source` and `receiver`. Keywords: `hops=3`, the number of links; `rate` of each link; `rtt`
    of the whole chain; `buffer`, `queue` and `loss` of each link; and keys of the scenario itself.
    Raises ScenarioError or CcaError, as `dumbbell` does.
    """
    return _scenario("parking_lot", flows, network)


def abilene(*, flows: Sequence[Flow], **network: Unpack[FourTierKeys]) -> Scenario:
    """Make a scenario with four tiers: Abilene's backbone, points of presence, access, hosts.

    `flows` are those of `dumbbell`; each goes from a random source to a random receiver. Keywords:
    `rate` of the backbone's links, `buffer` and `queue` of each link, `delay_multiplier`,
    `source_shares` and `receiver_shares` of hosts by class of access router, and so on; and keys
    of the scenario itself. Raises ScenarioError or CcaError, as `dumbbell` does.
    """
    return _scenario("abilene", flows, network)


def graph(source: Any, *, flows: Sequence[Flow], **network: Unpack[GraphKeys]) -> Scenario:
    """Make a scenario on any network, from a networkx graph or a file.

    `source` is the graph, or the path of a GraphML or node-link JSON file. Attributes of its edges
    are keys of links, with units (`rate="1 Gbit/s"`, `delay="5 ms"`); keywords are what edges
    without them have, and keys of the scenario itself. `flows` are those of `dumbbell`, as mappings
    with `source` and `receiver`, which name routers. Raises ScenarioError or CcaError.
    """
    if isinstance(source, str | Path):
        return _scenario("graph", flows, {"file": str(source), **network})
    from headgate.scenario.networks.graph import from_networkx

    if not hasattr(source, "edges"):
        raise ScenarioError(
            "network", f"give a graph of networkx, or the path of a graph's file; got {source!r}"
        )
    return _scenario("graph", flows, {**from_networkx(source), **network})


def load(path: str | Path) -> Scenario:
    """Read a scenario from a TOML file. Raises ScenarioError if it is wrong."""
    return Scenario.load(path)


def read(folder: str | Path) -> Result:
    """Read the result of a run from its folder. Raises StoreError if it is not one."""
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
    """Raise ScenarioError unless it is a list of flows."""
    if isinstance(flows, str | Mapping | type) or not isinstance(flows, Sequence):
        raise ScenarioError("flows", f"{flows!r} is not a list; write one, such as flows=['reno']")
    for number, flow in enumerate(flows):
        if not isinstance(flow, str | type | Mapping):
            says = (
                f"{flow!r} is not a flow; write an algorithm's name, a class, or a dict of its keys"
            )
            raise ScenarioError(f"flows[{number}]", says)


def _traffic(flow: Flow, number: int) -> Mapping[str, Any]:
    # Equal flows that start in the same picosecond would stay in step indefinitely.
    if isinstance(flow, str | type):
        return {"kind": "flows", "cca": flow, "start": f"{number * _STAGGER_MS} ms"}
    return {"kind": "flows", **flow}
