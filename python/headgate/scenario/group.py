"""The common parts of all kinds of traffic: keys, parts of the plan, places of hosts."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from headgate.base.errors import CcaError, ScenarioError
from headgate.base.names import FreeNames
from headgate.scenario.base import Model, Time, at
from headgate.scenario.cca import ABOUT_MIX, Cca, CcaShare
from headgate.scenario.mixes import ROUNDING
from headgate.scenario.networks.layout import Layout, Spot, apportion
from headgate.scenario.transport import Transport

#: Keys of sizes in the plan, and their keys in the scenario.
SIZE_KEYS = dict.fromkeys(("size.packets", "size.mean_packets"), "size.mean")
Arrays = dict[str, NDArray[np.uint64]]
#: Packets that open a connection, in the direction of its data, and the rounding of a size.
OPENING_PACKETS = 2.0


class Planner:
    """Collects profiles, algorithms, names and arrays while the traffic is laid out."""

    def __init__(
        self, layout: Layout, transport: Transport, duration_ps: int, chosen: Iterable[str] = ()
    ) -> None:
        self.layout, self.transport, self.duration_ps = layout, transport, duration_ps
        self.transports: list[dict[str, Any]] = []
        self.ccas: list[dict[str, Any]] = []
        self.arrays: Arrays = {}
        self.files: list[str] = []
        self.names = FreeNames(chosen)

    def find_end(self, start_ps: int | None, stop_ps: int | None) -> int:
        """Return the end of arrivals, ps: as given, or the later of the run's end and the start."""
        return max(self.duration_ps, start_ps or 0) if stop_ps is None else stop_ps

    def profile(self, own: Transport | None) -> Transport:
        """Return the transport profile of traffic; by default that of the scenario."""
        return self.transport if own is None else own.lay_over(self.transport)

    def add_transport(self, profile: Transport) -> int:
        """Return the number of a profile; equal profiles share one."""
        plan = profile.plan(profile.base)
        for number, known in enumerate(self.transports):
            if known | {"name": ""} == plan | {"name": ""}:
                return number
        used = sum(known["name"].split("-")[0] == profile.base for known in self.transports)
        plan["name"] = f"{profile.base}-{used + 1}" if used else profile.base
        return _index(self.transports, plan)

    def add_cca(self, plan: dict[str, Any]) -> int:
        """Return the number of an algorithm."""
        return _index(self.ccas, plan)

    def add_file(self, name: str) -> int:
        """Return the number of a kind of file."""
        return _index(self.files, name)

    def check_class(self, wanted: str | None, place: str) -> str:
        """Return a class of routers, empty for none. Raises ScenarioError if it does not exist."""
        classes = sorted({class_name for _, class_name in self.layout.nodes if class_name})
        if wanted is not None and wanted not in classes:
            known = ", ".join(classes) or "none in this network"
            raise ScenarioError(place, f"{wanted!r} is not a class of routers; classes: {known}")
        return wanted or ""


def _index(items: list[Any], item: Any) -> int:
    """Return the index of `item`, added if it is new."""
    if item not in items:
        items.append(item)
    return items.index(item)


#: Bytes of memory before the first packet: a host with its link, a flow of a list.
HOST_BYTES, LISTED_BYTES = 44, 48


@dataclass(frozen=True)
class Item:
    """The common part of an item of the plan."""

    name: str
    place: str  # in the scenario, for error messages
    sources: list[Spot]
    receivers: list[Spot]


@dataclass(frozen=True)
class Need:
    """An estimate of the memory of an item of the plan."""

    key: str  # of the scenario, which determines the number
    what: str
    size: int  # bytes before the first packet
    flows: float  # flows with a row in the results


class Group(Model):
    """The common keys of all kinds of traffic.

    Readers of a plan recognise items by their keys, not by their kind: `count` is the number of
    single flows; `sources` and `receivers` are places (with `hosts`, pools), or all are listed in
    `places`; `laws` and the column `{key}.law` add to `law`.
    """

    #: Whether a network with many places requires `source` and `receiver`.
    names_its_ends: ClassVar[bool] = False
    #: Whether it is traffic of another kind in the plan, with a pool of receivers for each pool of
    #: sources.
    is_composed: ClassVar[bool] = False
    #: Whether it consists of streams of media, which are no flows.
    has_streams: ClassVar[bool] = False
    #: The key of the number of hosts.
    hosts_key: ClassVar[str] = "hosts"
    #: Keys of the plan with another name in the scenario.
    plan_keys: ClassVar[Mapping[str, str]] = {}

    kind: str = Field("", description="Kind of traffic.")
    name: str = Field("", description="Name in the results; made from the algorithm if absent.")
    cca: Cca | None = Field(None, description=ABOUT_MIX)
    transport: Transport | None = Field(
        None,
        description="TCP profile of this traffic. With a preset it replaces the scenario's profile;"
        " without one, its keys replace single keys of that profile.",
    )
    source: str | None = Field(
        None, description="Router (or class of routers) whose hosts send; absent = the network's."
    )
    receiver: str | None = Field(
        None,
        description="Router (or class of routers) whose hosts receive; absent = the network's.",
    )
    reverse: bool = Field(False, description="Send against the network's main direction.")
    rtt: Time | None = Field(
        None, description="Propagation round trip; sets the delay of this traffic's host links."
    )

    @model_validator(mode="after")
    def _has_a_cca(self) -> Self:
        self._check_cca()
        return self

    def _check_cca(self) -> None:
        if self.cca is None:
            raise at("cca", "this key is required")
        if isinstance(self.cca, tuple) and not self.cca:
            raise at("cca", "a mix has at least one part")
        for source in dict.fromkeys(part.source for part in self.mix):
            total = sum(part.share for part in self.mix if part.source == source)
            if abs(total - 1) > ROUNDING:
                of = "" if source is None else f" of {source}"
                raise at("cca", f"the shares{of} must add up to 1; these add up to {total:g}")

    @property
    def mix(self) -> tuple[CcaShare, ...]:
        """The parts of a mix of algorithms; empty for one algorithm."""
        return self.cca if isinstance(self.cca, tuple) else ()

    def cca_plan(self) -> dict[str, Any]:
        """Return the algorithm of the plan, the first of a mix.

        Raises CcaError for invalid user-defined code.
        """
        one = self.mix[0].cca if isinstance(self.cca, tuple) else self.cca
        assert one is not None
        return one.plan()

    def mix_plan(self, planner: Planner, place: str) -> dict[str, Any]:
        """Return the shares of the algorithms in the plan; nothing for one algorithm.

        Raises ScenarioError for a class without routers.
        """
        shares = []
        for number, part in enumerate(self.mix):
            key = f"{place}.cca[{number}]"
            try:
                law = planner.add_cca(part.cca.plan())
            except CcaError as error:
                raise ScenarioError(f"{key}.cca", str(error)) from None
            class_name = planner.check_class(part.source, f"{key}.source")
            shares.append({"law": law, "share": part.share, "class": class_name})
        return {"laws": shares} if shares else {}

    def default_name(self, cca: str) -> str:
        """Return the name of traffic without a name in the scenario.

        That of a mix does not depend on its algorithms, and thus the random streams do not.
        """
        return self.kind if self.mix else cca

    def own_rtts_ps(self, place: str) -> tuple[int, ...]:  # noqa: ARG002 - for errors in files
        """Return round trips set by the traffic, including the shortest. Raises ScenarioError."""
        return () if self.rtt is None else (self.rtt,)

    @property
    @abstractmethod
    def most_flows(self) -> int:
        """The largest number of simultaneous flows, for buffers that depend on it."""

    @abstractmethod
    def lay_out(self, planner: Planner, item: Item) -> dict[str, Any]:
        """Return the keys of the plan beyond the common ones. Raises ScenarioError."""

    @classmethod
    @abstractmethod
    def estimate(cls, item: Mapping[str, Any], arrays: Arrays) -> Need:
        """Estimate the memory of an item of the plan."""

    @classmethod
    def offered_packets(cls, item: Mapping[str, Any], duration_s: float) -> float:
        """Return the data packets that an item of the plan offers at most; infinite if unknown."""
        del item, duration_s
        return math.inf

    def key_of(self, key: str) -> str | None:
        """Return the key of the scenario for a key of the plan, if the names differ."""
        return self.plan_keys.get(key)


def mean_packets(size: Mapping[str, Any]) -> float:
    """Return the mean of the sizes of a plan, with the packets that open the connection."""
    return float(size.get("packets", size.get("mean_packets", 0.0))) + OPENING_PACKETS


def count_hosts(pools: list[Mapping[str, Any]]) -> int:
    """Count the hosts of pools of the plan."""
    return sum(pool["hosts"] for pool in pools)


Spots = list[Spot]


def find_ends(layout: Layout, group: Group, place: str) -> tuple[Spots, Spots]:
    """Return the places of the sources and receivers of traffic. Raises ScenarioError."""
    if group.is_composed:
        return [], []
    unnamed = None in (group.source, group.receiver)
    if group.names_its_ends and unnamed and len(layout.sources) > 2:
        raise ScenarioError(place, "flows in this network name their source and receiver")
    forward = layout.sources, layout.receivers
    default = forward[::-1] if group.reverse else forward
    sources = layout.spots(default[0], group.source, f"{place}.source")
    receivers = layout.spots(default[1], group.receiver, f"{place}.receiver")
    _require_routes(layout, sources, receivers, place)
    if group.rtt is not None:
        return place_at_rtt(layout, (sources, receivers), group.rtt, f"{place}.rtt")
    return sources, receivers


def _require_routes(layout: Layout, sources: Spots, receivers: Spots, place: str) -> None:
    """Raise ScenarioError unless routes lead there and back."""
    origins, targets = {spot.node for spot in sources}, {spot.node for spot in receivers}
    names = [name for name, _ in layout.nodes]
    if origins == targets and len(origins) == 1:
        only = names[next(iter(origins))]
        raise ScenarioError(place, f"the source and the receiver are both at {only!r}")
    groups = layout.routes.groups
    first, other = min(origins), min(targets)
    for one, two in [(first, node) for node in targets] + [(node, other) for node in origins]:
        if groups[one] != groups[two]:
            is_back = layout.routes.delay_ps(one, two) is not None
            start, end = (two, one) if is_back else (one, two)
            says = f"no route leads from {names[start]!r} to {names[end]!r}"
            raise ScenarioError(place, says)


def place_at_rtt(
    layout: Layout, spots: tuple[Spots, Spots], rtt_ps: int, place: str
) -> tuple[Spots, Spots]:
    """Return places with host links whose delay makes up the round trip.

    Raises ScenarioError for several routers, no host links, or a longer route.
    """
    sources, receivers = spots
    several = any(len({spot.node for spot in side}) > 1 for side in spots)
    if several or sources[0].edge is None:
        says = "a round trip of its own needs host links, one source and one receiver router"
        raise ScenarioError(place, says)
    ends = sources[0].node, receivers[0].node
    route = sum(layout.routes.delay_ps(*pair) or 0 for pair in (ends, ends[::-1]))
    rest = (rtt_ps - route) // 2
    if rest < 2:
        says = f"{rtt_ps / 1e9:g} ms is not above the route's own {route / 1e9:g} ms"
        raise ScenarioError(place, says)
    rate = layout.edges[sources[0].edge].rate_bps
    edge = layout.edge(f"host {rtt_ps / 1e9:g} ms", rate, rest // 2)
    return [Spot(sources[0].node, edge)], [Spot(receivers[0].node, edge)]


def place_of(spot: Spot) -> dict[str, Any]:
    """Return a place of the plan."""
    return {"node": spot.node, "edge": spot.edge}


def pools(spots: Spots, hosts: int) -> list[dict[str, Any]]:
    """Distribute hosts over the places, as pools of the plan."""
    counts = apportion(hosts, [spot.weight for spot in spots])
    shared = zip(spots, counts, strict=True)
    return [{**place_of(spot), "hosts": count} for spot, count in shared if count]
