"""A network laid out: routers, directed links, kinds of host link, places of hosts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic_core import PydanticCustomError

from headgate.base.errors import CcaError, ScenarioError
from headgate.base.messages import also
from headgate.base.parameters import ParameterError
from headgate.base.units import INFINITE, Amount
from headgate.scenario.links.behaviour import PLAIN, Behaviour, Reverse
from headgate.scenario.networks.routes import Routes
from headgate.scenario.networks.yardstick import Yardstick
from headgate.scenario.queue import DROP_TAIL, Device, Feedback, Queue

#: Units of amounts that are multiples of the bandwidth-delay product.
RELATIVE = ("BDP", "BDP/sqrt(n)")


@dataclass(frozen=True)
class Demand:
    """Properties of traffic and run that the layout of a network depends on."""

    packet_bytes: int
    flows: int  # when every source is active
    rtts_ps: tuple[int, ...] = ()  # round trips that traffic sets
    duration_ps: int = 0  # of the run


@dataclass(frozen=True)
class Link:
    """One direction of a link; `buffer` is in the units of the user."""

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
    """A kind of host link, equal both ways; `buffer` is not in BDP."""

    name: str
    rate_bps: int
    delay_ps: int
    buffer: Amount = INFINITE
    class_name: str = ""


@dataclass(frozen=True)
class Spot:
    """A router, a kind of host link there, and its share of the hosts."""

    node: int
    edge: int | None
    weight: float = 1.0


@dataclass
class Layout:
    """A network, ready for traffic."""

    nodes: list[tuple[str, str]] = field(default_factory=list)  # names and classes of routers
    labels: dict[str, list[int]] = field(default_factory=dict)  # routers of each label
    links: list[Link] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    sources: list[Spot] = field(default_factory=list)
    receivers: list[Spot] = field(default_factory=list)
    main_ports: tuple[str, ...] = ()  # patterns of links with time series by default
    rate_bps: int = 0  # the rate for `load` of several pairs
    rtt_ps: int | None = None  # for the bandwidth-delay product; None: the mean over the routes
    masses: dict[int, float] = field(default_factory=dict)  # of routers, for a gravity model
    _edges: dict[tuple[int, int, Amount], int] = field(default_factory=dict)
    _indexed: tuple[Sequence[Spot], dict[int, list[int]]] = field(default=((), {}))
    """The spots of the last call of `spots`, and their places by router."""

    def add_node(self, name: str, class_name: str = "", label: str = "") -> int:
        """Add a router; its label is a second name."""
        self.nodes.append((name, class_name))
        if label:
            self.labels.setdefault(label, []).append(len(self.nodes) - 1)
        return len(self.nodes) - 1

    def add_pair(self, link: Link, back: Link | None = None) -> None:
        """Add a link and its reverse, by default `turn_round(link)`."""
        self.links += [link, back or turn_round(link)]

    def edge(
        self,
        name: str,
        rate_bps: int,
        delay_ps: int,
        buffer: Amount = INFINITE,
        class_name: str = "",
    ) -> int:
        """Return the index of the kind of host link with these properties."""
        like = (rate_bps, delay_ps, buffer)
        if like not in self._edges:
            self._edges[like] = len(self.edges)
            self.edges.append(Edge(name, rate_bps, delay_ps, buffer, class_name))
        return self._edges[like]

    def spots(self, default: Sequence[Spot], name: str | None, place: str) -> list[Spot]:
        """Return the spots of routers with this name or class; without a name, `default`."""
        if name is None:
            return list(default)
        wanted = self._by_name.get(name) or self.labels.get(name)
        if wanted and name not in self._by_name and len(wanted) > 1:
            of_label = ", ".join(self.nodes[node][0] for node in wanted)
            says = f"{name!r} is the label of several routers, {of_label}; write the name of one"
            raise ScenarioError(place, says)
        if not wanted:
            raise ScenarioError(place, f"{name!r} is not a router here; {self._list_routers(name)}")
        if default is not self._indexed[0]:
            self._indexed = default, _places_by_node(default)
        at = sorted(place for node in wanted for place in self._indexed[1].get(node, ()))
        kind = default[0].edge if default else None
        return [default[place] for place in at] or [Spot(node, kind) for node in wanted]

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        """The routers of each name and class."""
        routers: dict[str, list[int]] = {}
        for index, (node, class_name) in enumerate(self.nodes):
            for name in {node, class_name or node}:
                routers.setdefault(name, []).append(index)
        return routers

    def _list_routers(self, wanted: str) -> str:
        names = [name for name, _ in self.nodes]
        classes = sorted({class_name for _, class_name in self.nodes if class_name})
        shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        of_class = f"; classes: {', '.join(classes)}" if classes else ""
        return f"routers: {shown}{of_class}{also(wanted, [*self._by_name, *self.labels])}"

    @cached_property
    def routes(self) -> Routes:
        """Routes between the routers, for use after all links were added."""
        ways = [(link.source, link.target, link.delay_ps) for link in self.links]
        return Routes(len(self.nodes), ways)

    def find_rate(self, sources: Iterable[Spot], receivers: Iterable[Spot]) -> int:
        """Return the least rate on the path of a single pair of places, else that for `load`."""
        ends = [{spot.node for spot in side} for side in (sources, receivers)]
        pairs = [(one, other) for one in ends[0] for other in ends[1] if one != other]
        if len(pairs) != 1:
            return self.rate_bps
        return min(self.links[link].rate_bps for link in self.routes.links_of(*pairs[0]))

    @cached_property
    def loads(self) -> tuple[list[float], int]:
        """The share of flows at each link, and the mean round trip in ps.

        Flows run from every source to every receiver, weighted by both, except to the same router.
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

    def _devices(self, demand: Demand, of: str) -> list[dict[str, Any] | None]:
        """Return the `queue` or `feedback` of every port, all amounts in packets."""
        made: dict[tuple[int, int, float], dict[str, Any] | None] = {}
        found = []
        for index, link in enumerate(self.links):
            device: Device | None = getattr(link, of)
            share = self.loads[0][index] if device is not None and device.by_share else 0.0
            like = (id(device), link.rate_bps, share)  # nothing else changes a device
            if like not in made:
                made[like] = self._device(index, device, demand)
            found.append(made[like])
        return found

    def _device(
        self, index: int, device: Device | None, demand: Demand, key: str = ""
    ) -> dict[str, Any] | None:
        """Return a device of a link; `key` is its key in the network, by default its kind."""
        if device is None or device.is_plain:
            return None

        where = f"network.{key or device.device}"
        of_link = f" (link '{self.links[index].name}')"

        def packets(key: str, amount: Amount) -> float:
            place = f"{where}.{key}"
            found = self._resolve(amount, index, demand, place)
            if isinstance(found, dict) and "packets" in found:
                return float(found["packets"])
            says = f"'{amount}' is not allowed; it must be in packets or in BDP"
            raise ScenarioError(place, says + of_link)

        try:
            made = device.plan(packets)
            device.check_packet(made["params"], demand.packet_bytes)
        except CcaError as error:
            raise ScenarioError(where, str(error)) from None
        except ParameterError as error:
            raise ScenarioError(f"{where}.{error.key}", error.sentence + of_link) from None
        except PydanticCustomError as error:
            context = error.context or {}
            raise ScenarioError(f"{where}.{context['key']}", error.message() + of_link) from None
        return made

    def _impairments(self, index: int, demand: Demand) -> dict[str, Any]:
        """Return the impairments of a link, before its queue and after."""
        return {
            key: [
                self._device(index, device, demand, f"{key}[{number}]")
                for number, device in enumerate(getattr(self.links[index].behaviour, key))
            ]
            for key in ("ingress", "impairments")
        }

    def traces(self) -> dict[str, NDArray[np.uint64]]:
        """Return the traces of links by their names in the plan."""
        traces = [link.behaviour.trace for link in self.links]
        return {trace.name: trace.times_ps for trace in traces if trace is not None}

    def _resolve(
        self, amount: Amount, index: int, demand: Demand, place: str
    ) -> dict[str, int] | str:
        """Resolve an amount at a link; only relative amounts need the routes."""
        rtt, flows = self.rtt_ps or 0, 0.0
        if self.rtt_ps is None and amount.unit in RELATIVE:
            rtt = self.loads[1]
        if amount.unit == "BDP/sqrt(n)":
            flows = self.loads[0][index] * demand.flows
        return Yardstick(rtt, demand.packet_bytes, place).resolve(amount, self.links[index], flows)

    def _resolve_buffer(self, index: int, demand: Demand, place: str) -> dict[str, int] | str:
        """Resolve the buffer of a link; that of a trace counts packets. Raises ScenarioError."""
        link = self.links[index]
        buffer = self._resolve(link.buffer, index, demand, place)
        if link.behaviour.trace is not None and isinstance(buffer, dict) and "bytes" in buffer:
            packets = max(1, buffer["bytes"] // demand.packet_bytes)
            says = "a link with a trace counts its buffer in packets or BDP"
            raise ScenarioError(place, f'{link.name}: {says}; write "{packets} packets"')
        return buffer

    def plan(self, demand: Demand, place: str = "network.buffer") -> dict[str, Any]:
        """Return the nodes, links and edges of the plan."""
        buffers = [self._resolve_buffer(index, demand, place) for index in range(len(self.links))]
        queues, feedback = self._devices(demand, "queue"), self._devices(demand, "feedback")
        return {
            "nodes": [{"name": name, "class": class_name} for name, class_name in self.nodes],
            "links": [
                _link_plan(
                    link,
                    buffers[index],
                    queue=queues[index],
                    feedback=feedback[index],
                    **link.behaviour.plan(link.delay_ps),
                    **self._impairments(index, demand),
                )
                for index, link in enumerate(self.links)
            ],
            "edges": [_edge_plan(edge, demand.packet_bytes) for edge in self.edges],
        }


def _link_plan(link: Link, buffer: dict[str, int] | str, **optional: Any) -> dict[str, Any]:
    """Return a link of the plan, without empty optional keys."""
    return {
        "name": link.name,
        "from": link.source,
        "to": link.target,
        "rate_bps": link.rate_bps,
        "delay_ps": link.delay_ps,
        "buffer": buffer,
        "loss": link.behaviour.first_loss,
        **{key: value for key, value in optional.items() if value},
    }


def _edge_plan(edge: Edge, packet_bytes: int) -> dict[str, Any]:
    """Return a kind of host link of the plan; a buffer of None is unlimited."""
    found = Yardstick(0, packet_bytes, "network.host_buffer").resolve(edge.buffer, edge, 0.0)
    size = None
    if isinstance(found, dict):
        size = found["packets"] * packet_bytes if "packets" in found else found["bytes"]
    return {
        "name": edge.name,
        **({"class": edge.class_name} if edge.class_name else {}),
        "rate_bps": edge.rate_bps,
        "delay_ps": edge.delay_ps,
        "buffer_bytes": size,
    }


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


def apportion(total: int, weights: Sequence[float]) -> list[int]:
    """Split `total` in proportion to `weights` by largest remainders; the first wins a tie."""
    whole = sum(weights)
    exact = [total * weight / whole for weight in weights]
    parts = [math.floor(value + 1e-9) for value in exact]
    order = sorted(range(len(weights)), key=lambda i: (parts[i] - exact[i], i))
    for index in order[: total - sum(parts)]:
        parts[index] += 1
    return parts


def apply_reverse(back: Link, reverse: Reverse | None, duration_ps: int, place: str) -> Link:
    """Return the link in the other direction with the keys of `reverse`. Raises ScenarioError."""
    if reverse is None:
        return back
    own = reverse.behaviour(place, duration_ps, back.behaviour)
    rate = reverse.rate or own.rate_bps or back.rate_bps
    if reverse.delay is not None and own.first("delay_s") is not None:
        says = "the course gives the delay; leave one of the two out"
        raise ScenarioError(f"{place}.delay", says)
    delay = back.delay_ps if reverse.delay is None else reverse.delay
    return replace(
        back,
        rate_bps=rate,
        delay_ps=own.delay_ps(delay),
        buffer=reverse.buffer or back.buffer,
        queue=reverse.queue or back.queue,
        feedback=reverse.feedback or back.feedback,
        behaviour=own,
    )
