"""Any network: a GraphML or node-link JSON file, or routers and links written out.

Attributes of nodes: `class`. Of edges: `rate`, `delay`, `buffer`, `loss`; what an edge lacks comes
from the network's own keys. An undirected graph has each link both ways.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from headgate.errors import ScenarioError
from headgate.scenario.base import Buffer, Model, PacketNumbers, Rate, Time, at
from headgate.scenario.networks.layout import Demand, Layout, Link, Spot
from headgate.scenario.queue import DROP_TAIL, Feedback, Queue, RateChange
from headgate.units import parse_buffer


class Router(Model):
    """A router."""

    name: str = Field(description="Its name.")
    class_name: str = Field(
        "",
        description="Its class, a label without a slash; flows are told apart by pairs of these.",
    )


class GraphLink(Model):
    """A link between two routers."""

    ends: tuple[str, str] = Field(description="Names of the routers, from and to.")
    rate: Rate | None = Field(None, description="Rate; absent = the network's.")
    delay: Time | None = Field(None, description="Propagation delay; absent = the network's.")
    buffer: Buffer | None = Field(None, description="What may wait; absent = the network's.")
    loss: float = Field(0.0, ge=0, lt=1, description="Random loss, after the queue.")
    lose: PacketNumbers = Field((), description="Packets lost, by number; the first is 1.")
    changes: tuple[RateChange, ...] = Field((), description="Rates to come.")
    queue: Queue | None = Field(None, description="Kind of queue; absent = the network's.")
    feedback: Feedback | None = Field(None, description="Router's scheme; absent = the network's.")


class Graph(Model):
    """A network from a file, or written out as `routers` and `links`."""

    kind: Literal["graph"] = "graph"
    file: str | None = Field(None, description="GraphML or node-link JSON file.")
    routers: tuple[Router, ...] = Field((), description="Routers, if there is no file.")
    links: tuple[GraphLink, ...] = Field((), description="Links, if there is no file.")
    directed: bool = Field(False, description="Each link runs one way only.")
    rate: Rate | None = Field(None, description="Rate of links that have none.")
    delay: Time | None = Field(None, description="Delay of links that have none.")
    buffer: Buffer = Field(parse_buffer("1 BDP"), description="Buffer of links that have none.")
    queue: Queue = Field(DROP_TAIL, description="Queue of links that have none.")
    feedback: Feedback | None = Field(None, description="What each router tells senders.")
    host_rate: Rate | None = Field(None, description="Rate of host links; absent = no host links.")
    host_delay: Time = Field(0, description="Delay of host links, each way.")

    @model_validator(mode="before")
    @classmethod
    def _read_the_file(cls, given: Any) -> Any:
        """Replace `file` by what it holds, so that a resolved scenario needs no other file."""
        if not isinstance(given, dict) or not given.get("file"):
            return given
        if given.get("routers") or given.get("links"):
            raise at("file", "give either a file or routers and links")
        from headgate.scenario.networks.graph_file import read_graph

        rest = {key: value for key, value in given.items() if key != "file"}
        try:
            return rest | read_graph(str(given["file"]))
        except ScenarioError as error:
            raise at("file", error.sentence) from None

    @model_validator(mode="after")
    def _is_whole(self) -> Graph:
        names = [router.name for router in self.routers]
        if len(names) < 2:
            raise at("routers", "a network has at least two routers; give a file, or routers")
        if len(set(names)) < len(names):
            raise at("routers", "no two routers have the same name")
        known = set(names)
        for link in self.links:
            self._check(link, known)
        return self

    def _check(self, link: GraphLink, names: set[str]) -> None:
        label = f"link {link.ends[0]}-{link.ends[1]}"
        for end in link.ends:
            if end not in names:
                raise at("links", f"{label} ends at {end!r}, which is not a router")
        if link.ends[0] == link.ends[1]:
            raise at("links", f"{label} runs from a router to itself")
        if link.rate is None and self.rate is None:
            raise at("rate", f"{label} has no rate; give it one, or network.rate for all")
        if link.delay is None and self.delay is None:
            raise at("delay", f"{label} has no delay; give it one, or network.delay for all")

    def layout(self, demand: Demand) -> Layout:  # noqa: ARG002 - the same for every traffic
        """Lay the network out."""
        layout = Layout(rate_bps=max((self._rate(link) for link in self.links), default=0))
        index = {r.name: layout.add_node(r.name, r.class_name) for r in self.routers}
        for link in self.links:
            self._add(layout, link, index)
        edge = None
        if self.host_rate is not None:
            edge = layout.edge("host", self.host_rate, self.host_delay)
        layout.sources = [Spot(node, edge) for node in index.values()]
        layout.receivers = list(layout.sources)
        return layout

    def _add(self, layout: Layout, link: GraphLink, index: dict[str, int]) -> None:
        ends = [(link.ends[0], link.ends[1])]
        if not self.directed:
            ends.append((link.ends[1], link.ends[0]))
        delay = link.delay if link.delay is not None else self.delay or 0
        buffer = link.buffer or self.buffer
        for one, other in ends:
            layout.links.append(
                Link(
                    f"{one}-{other}", index[one], index[other], self._rate(link), delay, buffer,
                    link.loss, link.queue or self.queue, link.lose, link.changes,
                    link.feedback or self.feedback,
                )
            )  # fmt: skip

    def _rate(self, link: GraphLink) -> int:
        return link.rate or self.rate or 0
