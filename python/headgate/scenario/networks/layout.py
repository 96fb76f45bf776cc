"""A network laid out: routers, directed links, kinds of host link, and where hosts may sit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic_core import PydanticCustomError

from headgate.base.errors import LawError, ScenarioError
from headgate.base.parameters import ParameterError
from headgate.base.suggest import also
from headgate.base.units import INFINITE, PS_PER_S, Amount
from headgate.scenario.links.behaviour import PLAIN, Behaviour
from headgate.scenario.networks.routes import Routes
from headgate.scenario.queue import DROP_TAIL, Device, Feedback, Queue

LARGEST_BUFFER = 1e12
"""Packets or bytes: more than any memory holds."""

RELATIVE = ("BDP", "BDP/sqrt(n)")
"""Units of amounts that are multiples of the bandwidth-delay product."""


@dataclass(frozen=True)
class Demand:
    """What the traffic asks of a network before it is laid out."""

    packet_bytes: int
    flows: int
    """Flows when every source is active."""
    rtts_ps: tuple[int, ...] = ()
    """Round trips that traffic sets for itself."""
    duration_ps: int = 0
    """How long the run lasts."""


@dataclass(frozen=True)
class Link:
    """One direction of a link; `buffer` is still as the user wrote it."""

    name: str
    source: int
    target: int
    rate_bps: int
    delay_ps: int
    buffer: Amount
    queue: Queue = DROP_TAIL
    feedback: Feedback | None = None
    behaviour: Behaviour = PLAIN


def turn_round(link: Link) -> Link:
    """Return an equal link in the other direction, without impairments."""
    name, own = f"{link.name}.reverse", link.behaviour.without_impairments()
    return replace(link, name=name, source=link.target, target=link.source, behaviour=own)


@dataclass(frozen=True)
class Edge:
    """A kind of host link, the same both ways; `buffer` is no multiple of BDP."""

    name: str
    rate_bps: int
    delay_ps: int
    buffer: Amount = INFINITE
    class_name: str = ""


@dataclass(frozen=True)
class Spot:
    """A router, and a kind of host link there, that takes a share of the hosts."""

    node: int
    edge: int | None
    weight: float = 1.0


@dataclass
class Layout:
    """A network, ready for traffic."""

    nodes: list[tuple[str, str]] = field(default_factory=list)
    """Name and class of each router."""
    links: list[Link] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    sources: list[Spot] = field(default_factory=list)
    receivers: list[Spot] = field(default_factory=list)
    main_ports: tuple[str, ...] = ()
    """Links (patterns) whose time series are kept unless others are asked for."""
    rate_bps: int = 0
    """What `load` is a share of."""
    rtt_ps: int | None = None
    """Round trip of the bandwidth-delay product; None = the mean over the routes."""
    _indexed: tuple[Sequence[Spot], dict[int, list[int]]] = field(default=((), {}))
    """Of the spots looked at last, which are at each router."""
    _edges: dict[tuple[int, int, Amount], int] = field(default_factory=dict)

    def add_node(self, name: str, class_name: str = "") -> int:
        """Add a router."""
        self.nodes.append((name, class_name))
        return len(self.nodes) - 1

    def add_pair(self, link: Link, back: Link | None = None) -> None:
        """Add a link and the one that runs back, which is `turn_round(link)` unless given."""
        self.links += [link, back or turn_round(link)]

    def edge(
        self,
        name: str,
        rate_bps: int,
        delay_ps: int,
        buffer: Amount = INFINITE,
        class_name: str = "",
    ) -> int:
        """Return the kind of host link with that rate, delay and buffer, made if need be."""
        like = (rate_bps, delay_ps, buffer)
        if like not in self._edges:
            self._edges[like] = len(self.edges)
            self.edges.append(Edge(name, rate_bps, delay_ps, buffer, class_name))
        return self._edges[like]

    def spots(self, default: Sequence[Spot], name: str | None, place: str) -> list[Spot]:
        """Return the places of the routers named `name` (or of that class), or the default ones."""
        if name is None:
            return list(default)
        wanted = self._called.get(name)
        if not wanted:
            raise ScenarioError(place, f"{name!r} is not a router here; {self._list_routers(name)}")
        if default is not self._indexed[0]:
            self._indexed = default, _places_by_node(default)
        at = sorted(place for node in wanted for place in self._indexed[1].get(node, ()))
        kind = default[0].edge if default else None
        return [default[place] for place in at] or [Spot(node, kind) for node in wanted]

    @cached_property
    def _called(self) -> dict[str, list[int]]:
        """Routers by their name, and by their class."""
        called: dict[str, list[int]] = {}
        for index, (node, class_name) in enumerate(self.nodes):
            for name in {node, class_name or node}:
                called.setdefault(name, []).append(index)
        return called

    def _list_routers(self, wanted: str) -> str:
        names = [name for name, _ in self.nodes]
        classes = sorted({class_name for _, class_name in self.nodes if class_name})
        shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        of_class = f"; classes: {', '.join(classes)}" if classes else ""
        return f"routers: {shown}{of_class}{also(wanted, self._called)}"

    @cached_property
    def routes(self) -> Routes:
        """Routes between the routers, once all links are there."""
        ways = [(link.source, link.target, link.delay_ps) for link in self.links]
        return Routes(len(self.nodes), ways)

    def loads(self) -> tuple[list[float], int]:
        """Return each link's share of the flows, and the mean round trip in ps.

        Every source asks every receiver with the weight of both; a router is not asked by itself.
        """
        found = self.routes.loads(_by_node(self.sources), _by_node(self.receivers))
        if found is None:
            return [0.0] * len(self.links), 0
        share, delay_ps = found
        hosts = self._host_delay(self.sources) + self._host_delay(self.receivers)
        return share.tolist(), round(2 * (delay_ps + hosts))

    def _host_delay(self, spots: Iterable[Spot]) -> float:
        pairs = [
            (spot.weight, 0 if spot.edge is None else self.edges[spot.edge].delay_ps)
            for spot in spots
        ]
        return sum(w * d for w, d in pairs) / sum(w for w, _ in pairs)

    def buffers(self, demand: Demand, place: str) -> list[dict[str, int] | str]:
        """Resolve every buffer to whole packets, bytes, or infinite."""
        amounts = self._amounts(demand, place)
        return [amounts(link.buffer, index) for index, link in enumerate(self.links)]

    def devices(self, demand: Demand, of: str) -> list[dict[str, Any] | None]:
        """Make the `queue` or `feedback` of every port, every amount in packets."""
        made: dict[tuple[int, int, float], dict[str, Any] | None] = {}
        found = []
        for index, link in enumerate(self.links):
            device = getattr(link, of)
            # equal devices of equal links: what a device comes to depends on nothing else
            like = (id(device), link.rate_bps, self._share(device, index))
            if like not in made:
                made[like] = self._device(index, device, demand)
            found.append(made[like])
        return found

    def _share(self, device: Device | None, index: int) -> float:
        return self._loads[0][index] if device is not None and device.by_share else 0.0

    def _device(
        self, index: int, device: Device | None, demand: Demand, key: str = ""
    ) -> dict[str, Any] | None:
        """Make a device of a link; `key` is that of the network, if it is not the device's kind."""
        if device is None or device.is_plain:
            return None

        where = f"network.{key or device.device}"
        of_link = f" (link '{self.links[index].name}')"

        def packets(key: str, amount: Amount) -> float:
            place = f"{where}.{key}"
            found = self._amounts(demand, place)(amount, index)
            if isinstance(found, dict) and "packets" in found:
                return float(found["packets"])
            says = f"'{amount}' is not allowed; it must be in packets or in BDP"
            raise ScenarioError(place, says + of_link)

        try:
            made = device.plan(packets)
            device.check_packet(made["params"], demand.packet_bytes)
        except LawError as error:
            raise ScenarioError(where, str(error)) from None
        except ParameterError as error:
            raise ScenarioError(f"{where}.{error.key}", error.sentence + of_link) from None
        except PydanticCustomError as error:
            context = error.context or {}
            raise ScenarioError(f"{where}.{context['key']}", error.message() + of_link) from None
        return made

    def rows(self, demand: Demand) -> list[dict[str, list[dict[str, Any] | None]]]:
        """Make the impairments of every link, before its queue and after."""
        return [
            {
                key: [
                    self._device(index, device, demand, f"{key}[{number}]")
                    for number, device in enumerate(row)
                ]
                for key in ("ingress", "impairments")
                if (row := getattr(link.behaviour, key))
            }
            for index, link in enumerate(self.links)
        ]

    def traces(self) -> dict[str, NDArray[np.uint64]]:
        """Return the traces that links follow, by the names that the plan gives them."""
        traces = [link.behaviour.trace for link in self.links]
        return {trace.name: trace.times_ps for trace in traces if trace is not None}

    @cached_property
    def _loads(self) -> tuple[list[float], int]:
        return self.loads()

    def _amounts(self, demand: Demand, place: str) -> Callable[[Amount, int], dict[str, int] | str]:
        """Make what resolves an amount at a link; routes are looked at only if it is relative."""

        def resolve(amount: Amount, index: int) -> dict[str, int] | str:
            rtt, flows = self.rtt_ps or 0, 0.0
            if self.rtt_ps is None and amount.unit in RELATIVE:
                rtt = self._loads[1]
            if amount.unit == "BDP/sqrt(n)":
                flows = self._loads[0][index] * demand.flows
            yardstick = _Yardstick(rtt, demand.packet_bytes, place)
            return yardstick.resolve(amount, self.links[index], flows)

        return resolve

    def plan(self, demand: Demand, place: str = "network.buffer") -> dict[str, Any]:
        """Make the nodes, links and edges of the plan."""
        buffers = self.buffers(demand, place)
        devices = self.devices(demand, "queue"), self.devices(demand, "feedback")
        return {
            "nodes": [{"name": name, "class": class_name} for name, class_name in self.nodes],
            "links": [
                _link_plan(*parts)
                for parts in zip(self.links, buffers, *devices, self.rows(demand), strict=True)
            ],
            "edges": [
                {
                    "name": edge.name,
                    **({"class": edge.class_name} if edge.class_name else {}),
                    "rate_bps": edge.rate_bps,
                    "delay_ps": edge.delay_ps,
                    "buffer_bytes": _host_bytes(edge, demand.packet_bytes),
                }
                for edge in self.edges
            ],
        }


def _link_plan(
    link: Link,
    buffer: dict[str, int] | str,
    queue: dict[str, Any] | None,
    feedback: dict[str, Any] | None,
    rows: dict[str, Any],
) -> dict[str, Any]:
    """Make the link of the plan; what it has not is left out."""
    rest = {"queue": queue, "feedback": feedback, **link.behaviour.plan(link.delay_ps), **rows}
    return {
        "name": link.name,
        "from": link.source,
        "to": link.target,
        "rate_bps": link.rate_bps,
        "delay_ps": link.delay_ps,
        "buffer": buffer,
        "loss": link.behaviour.first_loss,
        **{key: value for key, value in rest.items() if value},
    }


def _host_bytes(edge: Edge, packet_bytes: int) -> int | None:
    """Return what may wait at each end of a host link; None = no limit."""
    found = _Yardstick(0, packet_bytes, "network.host_buffer").resolve(edge.buffer, edge, 0.0)
    if isinstance(found, str):
        return None
    return found["packets"] * packet_bytes if "packets" in found else found["bytes"]


def _places_by_node(spots: Sequence[Spot]) -> dict[int, list[int]]:
    places: dict[int, list[int]] = {}
    for place, spot in enumerate(spots):
        places.setdefault(spot.node, []).append(place)
    return places


def _by_node(spots: Iterable[Spot]) -> dict[int, float]:
    weights: dict[int, float] = {}
    for spot in spots:
        weights[spot.node] = weights.get(spot.node, 0.0) + spot.weight
    return weights


@dataclass(frozen=True)
class _Yardstick:
    """What amounts are multiples of; `place` is where the user wrote them."""

    rtt_ps: int
    packet_bytes: int
    place: str

    def resolve(self, amount: Amount, link: Link | Edge, flows: float) -> dict[str, int] | str:
        if amount.unit == "infinite":
            return "infinite"
        if amount.unit == "B":
            return {"bytes": self._bytes(amount, amount.value, link)}
        if amount.unit == "ps":
            return {
                "bytes": self._bytes(amount, amount.value * link.rate_bps / (8 * PS_PER_S), link)
            }
        packets = float(amount.value)
        if amount.unit != "packets":
            packets *= link.rate_bps * self.rtt_ps / (8e12 * self.packet_bytes)
        if amount.unit == "BDP/sqrt(n)":
            packets /= math.sqrt(max(1.0, flows))
        if packets < 0.5 or (amount.unit == "packets" and packets < 1):
            raise ScenarioError(
                self.place,
                f"'{amount}' is {packets:.2g} packets at {link.name}; it must be at least one "
                "packet",
            )
        self._holds(amount, packets, "packets", link)
        return {"packets": math.floor(packets + 0.5)}

    def _bytes(self, amount: Amount, size: Fraction, link: Link | Edge) -> int:
        if size < self.packet_bytes:
            raise ScenarioError(
                self.place,
                f"'{amount}' holds no packet of {self.packet_bytes} B; it must hold at least one",
            )
        self._holds(amount, float(size), "bytes", link)
        return int(size)

    def _holds(self, amount: Amount, size: float, unit: str, link: Link | Edge) -> None:
        if size > LARGEST_BUFFER:
            raise ScenarioError(
                self.place,
                f"'{amount}' is {size:.2g} {unit} at {link.name}; write 'infinite' for no limit",
            )


def apportion(total: int, weights: Sequence[float]) -> list[int]:
    """Split `total` in proportion to `weights`, by largest remainder, the first wins a tie."""
    whole = sum(weights)
    exact = [total * weight / whole for weight in weights]
    parts = [math.floor(value + 1e-9) for value in exact]
    order = sorted(range(len(weights)), key=lambda i: (parts[i] - exact[i], i))
    for index in order[: total - sum(parts)]:
        parts[index] += 1
    return parts
