"""Any network: a GraphML, GML or node-link JSON file, or routers and links written out.

Attributes of nodes: `class`, `mass`. Of edges: the keys of links, such as `rate`, `delay`, `loss`;
missing ones come from the keys of the network. `attributes` adds those of other programs. An
undirected graph has each link both ways. A link is named by its ends, and each further one of that
name gets a number behind a point.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from headgate.base.errors import ScenarioError
from headgate.base.messages import hint, suggest
from headgate.base.names import FreeNames
from headgate.base.strict import fit_model
from headgate.base.units import format_rate, parse_buffer
from headgate.plugin.code_files import name_in_file
from headgate.scenario.base import Buffer, Model, Rate, Time, at
from headgate.scenario.links.behaviour import Behaviour, LinkKeys, Reverse, choose_rate
from headgate.scenario.networks.attributes import (
    LINK_ATTRIBUTES,
    ROUTER_ATTRIBUTES,
    ZOO_NOTES,
    fibre_delay_ps,
    list_host_rates,
    read_link,
    read_router,
)
from headgate.scenario.networks.layout import Demand, Layout, Link, Spot, apply_reverse
from headgate.scenario.queue import DROP_TAIL, Feedback, Queue
from headgate.scenario.toml import anchor_link, change_code

#: Known attributes of nodes and edges; networkx adds the identity of an edge.
NODE_ATTRIBUTES = ("class", "mass")
EDGE_ATTRIBUTES = (
    "rate", "delay", "buffer", "loss", "queue", "feedback", "lose", "changes",
    "ingress", "impairments", "outages", "trace", "course", "reverse",
)  # fmt: skip
_IDENTITY = ("id", "key")


def read_graph(path: str) -> dict[str, Any]:
    """Read a GraphML (.graphml, .xml), GML (.gml) or node-link JSON (.json) file.

    Raises ScenarioError.
    """
    file = Path(path)
    if not file.is_file():
        raise ScenarioError("", f"there is no file {path!r}")
    try:
        graph = _READERS.get(file.suffix, _read_graphml)(file)
    except OSError as error:
        raise ScenarioError("", f"{path!r} cannot be read: {error.strerror}") from None
    except Exception as error:  # each reader raises its own errors for a broken file
        kind = {".json": "node-link JSON", ".gml": "GML"}.get(file.suffix, "GraphML")
        raise ScenarioError("", f"{path!r} is not {kind}: {error}") from None
    found, folder = from_networkx(graph), file.resolve().parent

    def anchor(source: str) -> str:
        name_in_file(str(folder / source), path)
        return str(folder / source)

    found["links"] = [change_code(link, anchor) for link in found["links"]]
    for link in found["links"]:
        anchor_link(link, folder)
    return found


def _read_json(file: Path) -> Any:
    import networkx

    data = json.loads(file.read_text())
    return networkx.node_link_graph(data, edges="links" if "links" in data else "edges")


def _read_graphml(file: Path) -> Any:
    import networkx

    return networkx.read_graphml(file)


def _read_gml(file: Path) -> Any:
    """Read GML, in which routers are named by their ids; parallel edges need no declaration."""
    import networkx

    text = file.read_text(encoding="utf-8")
    if not re.search(r"^\s*multigraph\s", text, re.MULTILINE):
        text = re.sub(r"\bgraph\s*\[", "graph [\n  multigraph 1", text, count=1)
    return networkx.parse_gml(text, label="id")


_READERS = {".json": _read_json, ".gml": _read_gml}


def from_networkx(graph: Any) -> dict[str, Any]:
    """Return the routers, links and direction of a networkx graph as a network's keys.

    Edges from a node to itself are left out. Raises ScenarioError for an attribute that looks like
    a misspelt one.
    """
    nodes, edges = list(graph.nodes(data=True)), list(graph.edges(data=True))
    names = _choose_names(nodes)
    unread = [
        *(f"{key} of nodes" for key in _find_unread(nodes, NODE_ATTRIBUTES, ROUTER_ATTRIBUTES)),
        *(f"{key} of edges" for key in _find_unread(edges, EDGE_ATTRIBUTES, LINK_ATTRIBUTES)),
        *_describe_left_out(nodes, edges),
    ]
    return {
        "routers": [
            {
                "class_name": str(data.get("class", "")),
                **({"mass": data["mass"]} if "mass" in data else {}),
                **read_router(data, str(node)),
                **names[node],
            }
            for node, data in nodes
        ],
        "links": [
            {
                "ends": [names[one]["name"], names[other]["name"]],
                **read_link(data, f"{one}-{other}"),
                **{key: data[key] for key in EDGE_ATTRIBUTES if key in data},
            }
            for one, other, data in edges
            if one != other
        ],
        "directed": bool(graph.is_directed()),
        **({"unread": unread} if unread else {}),
    }


def _choose_names(nodes: Sequence[Any]) -> dict[Any, dict[str, str]]:
    """Return the name of each router: its label if all labels differ, else its id.

    The id of a router that is named by its label stays as its second name.
    """
    ids = {node: str(node) for node, _ in nodes}
    labels = {node: str(data.get("label", "")).strip() for node, data in nodes}
    if not all(labels.values()) or len({*labels.values()}) < len(labels):
        return {node: {"name": name} for node, name in ids.items()}
    if any(ids[node] in labels.values() and ids[node] != labels[node] for node in ids):
        return {node: {"name": name} for node, name in ids.items()}
    return {node: {"name": labels[node], "label": "", "id": ids[node]} for node in ids}


def _describe_left_out(nodes: Sequence[Any], edges: Sequence[Any]) -> list[str]:
    """Describe parts of a file that a network here cannot have."""
    loops = any(one == other for one, other, _ in edges)
    differ = any(len(set(list_host_rates(data, str(node)))) > 1 for node, data in nodes)
    both = "the higher of two different bandwidths of nodes (a host link is equally fast both ways)"
    return ["edges from a node to itself"] * loops + [both] * differ


def _find_unread(parts: Sequence[Any], known: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return the attributes of nodes or edges that are neither `known` nor of other programs."""
    unread: dict[str, None] = {}
    for *names, data in parts:
        for key in map(str, data):
            if key in {*known, *others, *_IDENTITY, *ZOO_NOTES, *unread}:
                continue
            if suggest(key, known):
                what = "node" if len(names) == 1 else "edge"
                label = f"{what} {'-'.join(map(str, names))}"
                says = f"{label} has the attribute {key!r}; {hint(key, known, '')}"
                raise ScenarioError("", says)
            unread[key] = None
    return list(unread)


class Router(Model):
    """A router."""

    name: str = Field(description="Its name.")
    class_name: str = Field(
        "",
        description="Its class, a label without a slash; flows are counted by the classes of "
        "their ends.",
    )
    mass: float | None = Field(
        None,
        ge=0,
        description="Its weight in the gravity model of a traffic matrix, such as its population.",
    )
    label: str = Field("", description="Its second name, for source, receiver and maps.")
    id: str = Field("", description="Its id in the file, also for source and receiver.")
    longitude: float | None = Field(None, ge=-180, le=180, description="Degrees east.")
    latitude: float | None = Field(None, ge=-90, le=90, description="Degrees north.")
    host_rate: Rate | None = Field(
        None, description="Rate of the links of its hosts; absent = the network's host_rate."
    )

    @property
    def place(self) -> tuple[float, float] | None:
        """Longitude and latitude, if both are known."""
        if self.longitude is None or self.latitude is None:
            return None
        return self.longitude, self.latitude


class GraphLink(LinkKeys):
    """A link between two routers."""

    ends: tuple[str, str] = Field(description="Names of the routers, from and to.")
    rate: Rate | None = Field(None, description="Rate; absent = the network's.")
    delay: Time | None = Field(
        None,
        description="Propagation delay; absent = the network's, or that of a fibre between the "
        "coordinates of its routers.",
    )
    buffer: Buffer | None = Field(None, description="Buffer; absent = the network's.")
    queue: Queue | None = Field(None, description="Queue discipline; absent = the network's.")
    feedback: Feedback | None = Field(
        None, description="Feedback from the router to senders; absent = the network's."
    )
    reverse: Reverse | None = Field(
        None, description="What differs in the other direction, where links run both ways."
    )


class Graph(Model):
    """A network from a file, or written out as `routers` and `links`."""

    kind: Literal["graph"] = "graph"
    file: str | None = Field(None, description="GraphML, GML or node-link JSON file.")
    routers: tuple[Router, ...] = Field((), description="Routers, if there is no file.")
    links: tuple[GraphLink, ...] = Field((), description="Links, if there is no file.")
    directed: bool = Field(False, description="Each link runs one way only.")
    rate: Rate | None = Field(None, description="Rate of links that have none.")
    delay: Time | None = Field(
        None,
        description="Delay of links that have none; absent = that of a fibre between the "
        "coordinates of their routers.",
    )
    buffer: Buffer = Field(parse_buffer("1 BDP"), description="Buffer of links that have none.")
    queue: Queue = Field(DROP_TAIL, description="Queue discipline of links that have none.")
    feedback: Feedback | None = Field(
        None, description="Feedback from each router to senders: XCP, RCP or VCP."
    )
    unread: tuple[str, ...] = Field(
        (), description="Attributes of the file that mean nothing here; a warning lists them."
    )
    host_rate: Rate | None = Field(None, description="Rate of host links; absent = no host links.")
    host_delay: Time = Field(0, description="Delay of host links, each way.")

    @model_validator(mode="before")
    @classmethod
    def _read_the_file(cls, given: Any) -> Any:
        """Replace `file` by its content, so that a resolved scenario needs no other file."""
        if not isinstance(given, dict) or not given.get("file"):
            return given
        if given.get("routers") or given.get("links"):
            raise at("file", "give either a file or routers and links")
        path = str(given["file"])
        rest = {key: value for key, value in given.items() if key != "file"}
        try:
            found = read_graph(path)
            routers = [
                fit_model(Router, router, f"node {router['name']}") for router in found["routers"]
            ]
            links = [
                fit_model(GraphLink, link, f"edge {link['ends'][0]}-{link['ends'][1]}")
                for link in found["links"]
            ]
        except ScenarioError as error:
            raise at("file", f"{path!r}: {error}" if error.place else error.sentence) from None
        return rest | found | {"routers": routers, "links": links}

    @model_validator(mode="after")
    def _is_whole(self) -> Graph:
        names = [router.name for router in self.routers]
        if len(names) < 2:
            raise at("routers", "a network has at least two routers; give a file, or routers")
        if len(set(names)) < len(names):
            raise at("routers", "no two routers have the same name")
        known = {router.name: router for router in self.routers}
        loops = [f"{a}-{b}" for a, b in (link.ends for link in self.links) if a == b]
        if loops:
            what = "this link runs" if len(loops) == 1 else "these links run"
            raise at("links", f"{what} from a router to itself: {', '.join(loops)}")
        for link in self.links:
            self._check(link, known)
        return self

    def _check(self, link: GraphLink, names: Mapping[str, Router]) -> None:
        label = f"link {link.ends[0]}-{link.ends[1]}"
        for end in link.ends:
            if end not in names:
                raise at("links", f"{label} ends at {end!r}, which is not a router")
        if link.reverse is not None and self.directed:
            raise at("links", f"{label} runs one way; write the other as a link of its own")
        own = link.trace is not None or link.course is not None
        if link.rate is None and self.rate is None and not own:
            raise at("rate", f"{label} has no rate; give it one, or network.rate for all")
        if link.delay is None and self.delay is None and link.course is None:
            unplaced = [end for end in link.ends if names[end].place is None]
            if unplaced:
                says = "give it one, or network.delay for all, or coordinates to its routers"
                lack = f"; {' and '.join(unplaced)} lack longitude or latitude"
                has_places = any(router.place for router in names.values())
                raise at("delay", f"{label} has no delay; {says}{lack * has_places}")

    def layout(self, demand: Demand) -> Layout:
        """Lay the network out."""
        layout = Layout()
        index = {
            r.name: layout.add_node(r.name, r.class_name, r.label or r.id) for r in self.routers
        }
        layout.masses = {index[r.name]: r.mass for r in self.routers if r.mass is not None}
        names = FreeNames(separator=".")
        for number, link in enumerate(self.links):
            pair = self._lay_out(link, index, demand.duration_ps, f"network.links[{number}]")
            layout.links += [replace(one, name=names.take(one.name)) for one in pair]
        layout.rate_bps = max((link.rate_bps for link in layout.links), default=0)
        layout.sources = [
            Spot(index[router.name], self._host_link(router, layout)) for router in self.routers
        ]
        layout.receivers = list(layout.sources)
        return layout

    def _host_link(self, router: Router, layout: Layout) -> int | None:
        """Return the kind of host link at a router; None without a rate."""
        if router.host_rate is not None and router.host_rate != self.host_rate:
            name = f"host {format_rate(router.host_rate)}"
            return layout.edge(name, router.host_rate, self.host_delay)
        if self.host_rate is None:
            return None
        return layout.edge("host", self.host_rate, self.host_delay)

    def _lay_out(
        self, link: GraphLink, index: dict[str, int], duration_ps: int, place: str
    ) -> list[Link]:
        """Return the link, and its reverse unless the graph is directed."""
        one, other = link.ends
        behaviour = link.behaviour(place, duration_ps)
        forward = Link(
            f"{one}-{other}",
            index[one],
            index[other],
            self._rate(link, behaviour, place),
            self._delay(link, behaviour, place),
            link.buffer or self.buffer,
            link.queue or self.queue,
            link.feedback or self.feedback,
            behaviour,
        )
        if self.directed:
            return [forward]
        ends = index[other], index[one]
        back = replace(forward, name=f"{other}-{one}", source=ends[0], target=ends[1])
        reverse = f"{place}.reverse"
        return [forward, apply_reverse(back, link.reverse, duration_ps, reverse)]

    def _rate(self, link: GraphLink, behaviour: Behaviour, place: str) -> int:
        others = self.rate if behaviour.rate_bps is None else None
        return choose_rate(behaviour, link.rate or others, f"{place}.rate")

    def _delay(self, link: GraphLink, behaviour: Behaviour, place: str) -> int:
        delay = link.delay if link.delay is not None else self.delay
        if delay is None:
            delay = self._fibre_delay(link)
        if behaviour.first("delay_s") is None and delay is None:
            says = "this key is required, or a course with delay_s"
            raise ScenarioError(f"{place}.delay", says)
        return behaviour.delay_ps(delay or 0)

    def _fibre_delay(self, link: GraphLink) -> int | None:
        """Return the delay between the coordinates of a link's routers, if they are known."""
        places = {router.name: router.place for router in self.routers if router.name in link.ends}
        one, other = (places[end] for end in link.ends)
        return None if one is None or other is None else fibre_delay_ps(one, other)
