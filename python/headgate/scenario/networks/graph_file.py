"""Graphs of networkx, and the files it reads, as routers and links."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from headgate.errors import ScenarioError
from headgate.scenario.toml import anchor_code, anchor_link, note_laws

_ATTRIBUTES = (
    "rate", "delay", "buffer", "loss", "queue", "feedback", "lose", "changes",
    "ingress", "impairments", "trace", "course", "reverse",
)  # fmt: skip


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
    found = from_networkx(graph)
    for link in found["links"]:
        anchor_code(link, "queue", file.resolve().parent)
        anchor_link(link, file.resolve().parent)
    note_laws({"network": found}, path)
    return found


def _node_link(data: Any) -> Any:
    import networkx

    edges = "links" if "links" in data else "edges"
    return networkx.node_link_graph(data, edges=edges)


def from_networkx(graph: Any) -> dict[str, Any]:
    """Return the routers, links and direction of a networkx graph as a network's keys."""
    return {
        "routers": [
            {"name": str(node), "class_name": str(data.get("class", ""))}
            for node, data in graph.nodes(data=True)
        ],
        "links": [_link(one, other, data) for one, other, data in graph.edges(data=True)],
        "directed": bool(graph.is_directed()),
    }


def _link(one: object, other: object, data: dict[str, Any]) -> dict[str, Any]:
    own = {key: data[key] for key in _ATTRIBUTES if key in data}
    return {"ends": [str(one), str(other)], **own}
