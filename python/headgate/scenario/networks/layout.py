"""A network laid out: routers, directed links, kinds of host link, and where hosts may sit."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from headgate.errors import ScenarioError
from headgate.scenario.queue import DROP_TAIL, Device, Feedback, Queue, RateChange
from headgate.units import INFINITE, PS_PER_S, Amount

Routes = dict[int, tuple[int, int | None]]
"""Router -> delay in ps, and the last link on the way there."""


@dataclass(frozen=True)
class Demand:
    """What the traffic asks of a network before it is laid out."""

    packet_bytes: int
    flows: int
    """Flows when every source is active."""
    rtts_ps: tuple[int, ...] = ()
    """Round trips that traffic sets for itself."""


@dataclass(frozen=True)
class Link:
    """One direction of a link; `buffer` is still as the user wrote it."""

    name: str
    source: int
    target: int
    rate_bps: int
    delay_ps: int
    buffer: Amount
    loss: float = 0.0
    queue: Queue = DROP_TAIL
    lose: tuple[int, ...] = ()
    changes: tuple[RateChange, ...] = ()
    feedback: Feedback | None = None


@dataclass(frozen=True)
class Edge:
    """A kind of host link, the same both ways; `buffer` is no multiple of BDP."""

    name: str
    rate_bps: int
    delay_ps: int
    buffer: Amount = INFINITE


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
    _routes: dict[int, Routes] = field(default_factory=dict)

    def add_node(self, name: str, class_name: str = "") -> int:
        """Add a router."""
        self.nodes.append((name, class_name))
        return len(self.nodes) - 1

    def add_pair(self, link: Link) -> None:
        """Add a link and the equal one that runs back."""
        back = replace(
            link,
            name=f"{link.name}.reverse",
            source=link.target,
            target=link.source,
            loss=0.0,
            lose=(),
        )
        self.links += [link, back]

    def edge(self, name: str, rate_bps: int, delay_ps: int, buffer: Amount = INFINITE) -> int:
        """Give the kind of host link with that rate, delay and buffer, made if need be."""
        for index, edge in enumerate(self.edges):
            if (edge.rate_bps, edge.delay_ps, edge.buffer) == (rate_bps, delay_ps, buffer):
                return index
        self.edges.append(Edge(name, rate_bps, delay_ps, buffer))
        return len(self.edges) - 1

    def spots(self, default: Sequence[Spot], name: str | None, place: str) -> list[Spot]:
        """Give the places of the routers called `name` (or of that class), or the default ones."""
        if name is None:
            return list(default)
        wanted = [
            index
            for index, (node, class_name) in enumerate(self.nodes)
            if node == name or (class_name and class_name == name)
        ]
        if not wanted:
            raise ScenarioError(place, f"{name!r} is not a router here; {self._known()}")
        found = [spot for spot in default if spot.node in wanted]
        kind = default[0].edge if default else None
        return found or [Spot(node, kind) for node in wanted]

    def _known(self) -> str:
        names = [name for name, _ in self.nodes]
        classes = sorted({class_name for _, class_name in self.nodes if class_name})
        shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        return f"routers: {shown}" + (f"; classes: {', '.join(classes)}" if classes else "")

    def routes_from(self, node: int) -> Routes:
        """Give delay in ps and last link of the shortest route to each router in reach."""
        if node not in self._routes:
            self._routes[node] = self._find_routes(node)
        return self._routes[node]

    def _find_routes(self, node: int) -> Routes:
        out: dict[int, list[int]] = {}
        for index, link in enumerate(self.links):
            out.setdefault(link.source, []).append(index)
        best: Routes = {}
        queue: list[tuple[int, int, int | None]] = [(0, node, None)]
        while queue:
            delay, here, via = heapq.heappop(queue)
            if here in best:
                continue
            best[here] = (delay, via)
            for index in out.get(here, ()):
                link = self.links[index]
                if link.target not in best:
                    heapq.heappush(queue, (delay + link.delay_ps, link.target, index))
        return best

    def loads(self) -> tuple[list[float], int]:
        """Give each link's share of the flows, and the mean round trip in ps.

        Every source asks every receiver with the weight of both; a router is not asked by itself.
        """
        share = [0.0] * len(self.links)
        total = delay_sum = 0.0
        receivers = _by_node(self.receivers)
        for source, weight in _by_node(self.sources).items():
            routes = self.routes_from(source)
            for receiver, other in receivers.items():
                if receiver == source or receiver not in routes:
                    continue
                total += weight * other
                delay_sum += weight * other * routes[receiver][0]
                self._walk_back(routes, receiver, weight * other, share)
        if not total:
            return share, 0
        hosts = self._host_delay(self.sources) + self._host_delay(self.receivers)
        return [part / total for part in share], round(2 * (delay_sum / total + hosts))

    def _walk_back(
        self,
        routes: Routes,
        node: int,
        weight: float,
        share: list[float],
    ) -> None:
        via = routes[node][1]
        while via is not None:
            share[via] += weight
            via = routes[self.links[via].source][1]

    def _host_delay(self, spots: Iterable[Spot]) -> float:
        pairs = [
            (spot.weight, 0 if spot.edge is None else self.edges[spot.edge].delay_ps)
            for spot in spots
        ]
        return sum(w * d for w, d in pairs) / sum(w for w, _ in pairs)

    def buffers(self, demand: Demand, place: str) -> list[dict[str, int] | str]:
        """Resolve every buffer to whole packets, bytes, or infinite."""
        return self._resolve([link.buffer for link in self.links], demand, place)

    def devices(self, demand: Demand, of: str) -> list[dict[str, Any] | None]:
        """Make the `queue` or `feedback` of every port, every amount in packets."""
        return [
            self._device(index, getattr(link, of), demand) for index, link in enumerate(self.links)
        ]

    def _device(self, index: int, device: Device | None, demand: Demand) -> dict[str, Any] | None:
        if device is None or device.is_plain:
            return None

        def packets(key: str, amount: Amount) -> float:
            place = f"network.{device.device}.{key}"
            amounts = [amount if at == index else INFINITE for at in range(len(self.links))]
            found = self._resolve(amounts, demand, place)[index]
            if isinstance(found, dict) and "packets" in found:
                return float(found["packets"])
            says = f"'{amount}' is not allowed; it is a number of packets or of BDP"
            raise ScenarioError(place, says)

        return {"name": device.kind, "params": device.resolve(packets)}

    def _resolve(
        self, amounts: list[Amount], demand: Demand, place: str
    ) -> list[dict[str, int] | str]:
        relative = any(amount.unit.startswith("BDP") for amount in amounts)
        share, mean_rtt = self.loads() if relative else ([0.0] * len(self.links), 0)
        rtt = mean_rtt if self.rtt_ps is None else self.rtt_ps
        yardstick = _Yardstick(rtt, demand.packet_bytes, place)
        return [
            yardstick.resolve(amount, link, part * demand.flows)
            for amount, link, part in zip(amounts, self.links, share, strict=True)
        ]

    def plan(self, demand: Demand, place: str = "network.buffer") -> dict[str, Any]:
        """Make the nodes, links and edges of the plan."""
        links = [
            {
                "name": link.name,
                "from": link.source,
                "to": link.target,
                "rate_bps": link.rate_bps,
                "delay_ps": link.delay_ps,
                "buffer": buffer,
                "loss": link.loss,
                "lose": list(link.lose),
                "queue": queue,
                "feedback": feedback,
                "changes": [{"at_ps": c.at, "rate_bps": c.rate} for c in link.changes],
            }
            for link, buffer, queue, feedback in zip(
                self.links,
                self.buffers(demand, place),
                self.devices(demand, "queue"),
                self.devices(demand, "feedback"),
                strict=True,
            )
        ]
        return {
            "nodes": [{"name": name, "class": class_name} for name, class_name in self.nodes],
            "links": links,
            "edges": [
                {
                    "name": edge.name,
                    "rate_bps": edge.rate_bps,
                    "delay_ps": edge.delay_ps,
                    "buffer_bytes": _host_bytes(edge, demand.packet_bytes),
                }
                for edge in self.edges
            ],
        }


def _host_bytes(edge: Edge, packet_bytes: int) -> int | None:
    """Return what may wait at each end of a host link; None = no limit."""
    found = _Yardstick(0, packet_bytes, "network.host_buffer").resolve(edge.buffer, edge, 0.0)
    if isinstance(found, str):
        return None
    return found["packets"] * packet_bytes if "packets" in found else found["bytes"]


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
            return {"bytes": self._bytes(amount, amount.value)}
        if amount.unit == "ps":
            return {"bytes": self._bytes(amount, amount.value * link.rate_bps / (8 * PS_PER_S))}
        packets = float(amount.value)
        if amount.unit != "packets":
            packets *= link.rate_bps * self.rtt_ps / (8e12 * self.packet_bytes)
        if amount.unit == "BDP/sqrt(n)":
            packets /= math.sqrt(max(1.0, flows))
        if packets < 0.5 or (amount.unit == "packets" and packets < 1):
            raise ScenarioError(
                self.place,
                f"'{amount}' is {packets:.2g} packets at {link.name}; the least is one packet",
            )
        return {"packets": math.floor(packets + 0.5)}

    def _bytes(self, amount: Amount, size: Fraction) -> int:
        if size < self.packet_bytes:
            raise ScenarioError(
                self.place,
                f"'{amount}' holds no packet of {self.packet_bytes} B; the least is one packet",
            )
        return int(size)


def apportion(total: int, weights: Sequence[float]) -> list[int]:
    """Split `total` in proportion to `weights`, by largest remainder, the first wins a tie."""
    whole = sum(weights)
    exact = [total * weight / whole for weight in weights]
    parts = [math.floor(value + 1e-9) for value in exact]
    order = sorted(range(len(weights)), key=lambda i: (parts[i] - exact[i], i))
    for index in order[: total - sum(parts)]:
        parts[index] += 1
    return parts
