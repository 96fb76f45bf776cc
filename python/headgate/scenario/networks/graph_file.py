"""Graphs of networkx, and the files it reads, as routers and links."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from headgate.base.errors import ScenarioError
from headgate.base.suggest import hint, suggest
from headgate.plugin.trust import name_in_file
from headgate.scenario.toml import anchor_link, change_code

#: What is understood of nodes and of edges; networkx puts the identity of an edge among the rest.
NODE_ATTRIBUTES = ("class",)
EDGE_ATTRIBUTES = (
    "rate", "delay", "buffer", "loss", "queue", "feedback", "lose", "changes",
    "ingress", "impairments", "trace", "course", "reverse",
)  # fmt: skip
_IDENTITY = ("id", "key")


def read_graph(path: str) -> dict[str, Any]:
    """Read a GraphML (.graphml, .xml) or node-link JSON (.json) file. Raises ScenarioError."""
    file = Path(path)
    if not file.is_file():
        raise ScenarioError("", f"there is no file {path!r}")
    import networkx

    try:
        if file.suffix == ".json":
            graph = _node_link(json.loads(file.read_text()))
        else:
            graph = networkx.read_graphml(file)
    except OSError as error:
        raise ScenarioError("", f"{path!r} cannot be read: {error.strerror}") from None
    except Exception as error:  # each reader has its own errors for a broken file
        kind = "node-link JSON" if file.suffix == ".json" else "GraphML"
        raise ScenarioError("", f"{path!r} is not {kind}: {error}") from None
    found, folder = from_networkx(graph), file.resolve().parent

    def anchor(source: str) -> str:
        name_in_file(str(folder / source), path)
        return str(folder / source)

    found["links"] = [change_code(link, anchor) for link in found["links"]]
    for link in found["links"]:
        anchor_link(link, folder)
    return found


def _node_link(data: Any) -> Any:
    import networkx

    edges = "links" if "links" in data else "edges"
    return networkx.node_link_graph(data, edges=edges)


def from_networkx(graph: Any) -> dict[str, Any]:
    """Return the routers, links and direction of a networkx graph as a network's keys.

    Raises ScenarioError for an attribute that looks like a misspelt one.
    """
    nodes, edges = list(graph.nodes(data=True)), list(graph.edges(data=True))
    unread = [
        *(f"{key} of nodes" for key in _find_unread(nodes, NODE_ATTRIBUTES)),
        *(f"{key} of edges" for key in _find_unread(edges, EDGE_ATTRIBUTES)),
    ]
    return {
        "routers": [
            {"name": str(node), "class_name": str(data.get("class", ""))} for node, data in nodes
        ],
        "links": [_link(*edge) for edge in edges],
        "directed": bool(graph.is_directed()),
        **({"unread": unread} if unread else {}),
    }


def _link(one: object, other: object, data: dict[str, Any]) -> dict[str, Any]:
    own = {key: data[key] for key in EDGE_ATTRIBUTES if key in data}
    return {"ends": [str(one), str(other)], **own}


def _find_unread(parts: Sequence[Any], known: Sequence[str]) -> list[str]:
    """Return the attributes of nodes or edges that mean nothing here."""
    unread: dict[str, None] = {}
    for *names, data in parts:
        for key in map(str, data):
            if key in known or key in _IDENTITY or key in unread:
                continue
            if suggest(key, known):
                what = "node" if len(names) == 1 else "edge"
                label = f"{what} {'-'.join(map(str, names))}"
                says = f"{label} has the attribute {key!r}; {hint(key, known, '')}"
                raise ScenarioError("", says)
            unread[key] = None
    return list(unread)
