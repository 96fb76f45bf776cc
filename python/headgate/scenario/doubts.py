"""Warnings about a plan that can run, but hardly as it is meant.

Senders or routers of a scheme lack the other half, or flows start after the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from headgate.base import catalog
from headgate.base.units import format_time_ps
from headgate.scenario.networks.graph import Graph
from headgate.scenario.networks.graph_file import EDGE_ATTRIBUTES, NODE_ATTRIBUTES
from headgate.scenario.networks.routes import Routes

if TYPE_CHECKING:
    from headgate.scenario.planner import Arrays
    from headgate.scenario.spec import ScenarioSpec

Plan = Mapping[str, Any]
Device = Mapping[str, Any] | None

MARKING = 'network.queue = {name = "threshold", mark = "0.17 BDP"}'


def scenario_warnings(scenario: ScenarioSpec, plan: Plan, arrays: Arrays) -> list[str]:
    """Return warnings about a scenario and its plan.

    They are about attributes of a file that mean nothing, senders or routers without each other,
    and flows that never start.
    """
    return [*_warn_of_unread(scenario.network), *_Doubts(plan, arrays).all()]


def _warn_of_unread(network: object) -> Iterator[str]:
    if isinstance(network, Graph) and network.unread:
        yield (
            f"network: these attributes mean nothing here and are ignored: "
            f"{', '.join(network.unread)}; understood are {', '.join(NODE_ATTRIBUTES)} of nodes,"
            f" and {', '.join(EDGE_ATTRIBUTES)} of edges"
        )


class _Doubts:
    def __init__(self, plan: Plan, arrays: Arrays) -> None:
        self.plan, self.arrays, self.links = plan, arrays, plan["links"]

    def all(self) -> list[str]:
        senders = [doubt for item in self.plan["traffic"] for doubt in self._senders(item)]
        return [*senders, *self._routers(), *self._late()]

    def _late(self) -> Iterator[str]:
        """Warn of flows whose start comes when the run is over."""
        ends_ps = self.plan["duration_ps"]
        for number, item in enumerate(self.plan["traffic"]):
            late, count, key = self._count_late(item, ends_ps)
            if late:
                who = "" if key == "start" else f"{late:,} of the {count:,} flows of "
                when = f"at {format_time_ps(item['start_ps'])}, " if key == "start" else ""
                yield (
                    f"traffic[{number}].{key}: {who}'{item['name']}' would start {when}when the run"
                    f" of {format_time_ps(ends_ps)} is over, and never will; let them start"
                    " earlier, or lengthen duration"
                )

    def _count_late(self, item: Mapping[str, Any], ends_ps: int) -> tuple[int, int, str]:
        """Count what of an item starts too late, and all of it; the key says when it starts."""
        listed = self.arrays.get(f"{item.get('key')}.start_ps")
        if listed is not None:
            return int(np.count_nonzero(listed >= ends_ps)), len(listed), "file"
        count, first = item.get("count", 1), item.get("start_ps", 0)
        if first >= ends_ps:
            return count, count, "start"
        step = item.get("stagger_ps", 0)
        in_time = -(-(ends_ps - first) // step) if step else count
        return max(0, count - in_time), count, "stagger"

    @cached_property
    def _routes(self) -> Routes:
        ways = [(link["from"], link["to"], link["delay_ps"]) for link in self.links]
        return Routes(len(self.plan["nodes"]), ways)

    def _senders(self, item: Mapping[str, Any]) -> Iterator[str]:
        for law in map(self._law, self._law_indices(item)):
            need = None if law is None else _need(law)
            if law is not None and need is not None:
                yield from self._missing(item, law.name, need)

    def _law_indices(self, item: Mapping[str, Any]) -> list[int]:
        """Return the laws of the traffic: one, those of a mix, or those of a flow list."""
        listed = self.arrays.get(f"{item.get('key')}.law")
        if listed is not None:
            return [int(index) for index in np.unique(listed)]
        return sorted({part["law"] for part in item.get("laws", ())} or {item["law"]})

    def _law(self, index: int) -> catalog.Law | None:
        """Return the card of a law of the plan; a user's own has none."""
        law = self.plan["laws"][index]
        return None if "own" in law else catalog.law(law["name"])

    def _missing(self, item: Mapping[str, Any], law: str, need: _Need) -> Iterator[str]:
        serving = [need.serves(link.get(need.key)) for link in self.links]
        if all(serving):
            return
        way = self._routes.find_unserved(*_ends(item), serving)
        if way:
            names = [self.links[link]["name"] for link in way]
            passed = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
            yield (
                f"'{item['name']}': no link on a path of its '{law}' senders ({passed}) "
                f"{need.does}, so they behave as 'reno' does there; write {need.remedy}"
            )

    def _routers(self) -> Iterator[str]:
        used = {index for item in self.plan["traffic"] for index in self._law_indices(item)}
        spoken = {law.scheme for law in map(self._law, used) if law is not None}
        silent: dict[str, list[str]] = {}
        for link in self.links:
            feedback = link.get("feedback")
            if feedback is not None and feedback["name"] not in spoken:
                silent.setdefault(feedback["name"], []).append(link["name"])
        for scheme, names in silent.items():
            others = f" and {len(names) - 1} more links" if len(names) > 1 else ""
            yield (
                f"network.feedback: no traffic uses '{scheme}', so its router feedback at "
                f"{names[0]}{others} has no effect"
            )


@dataclass(frozen=True)
class _Need:
    """What some link on each way must do."""

    key: str
    serves: Callable[[Device], bool]
    does: str
    remedy: str


def _need(law: catalog.Law) -> _Need | None:
    if law.scheme is not None:
        remedy = f'network.feedback = "{law.scheme}"'
        return _Need(
            "feedback", _speaks(law.scheme), f"has the router feedback '{law.scheme}'", remedy
        )
    return _Need("queue", _marks, "marks packets", MARKING) if law.needs_marks else None


def _speaks(scheme: str) -> Callable[[Device], bool]:
    return lambda feedback: feedback is not None and feedback["name"] == scheme


def _marks(queue: Device) -> bool:
    """Whether a discipline marks packets: one made for it, or one that may; a user's own may."""
    if queue is None or "own" in queue:
        return queue is not None
    card = catalog.device("queue", queue["name"])
    ecn = next((param.default for param in card.params if param.name == "ecn"), None)
    return card.family == "mark" or queue["params"].get("ecn", ecn) == "on"


def _ends(item: Mapping[str, Any]) -> tuple[set[int], set[int]]:
    """Return the routers of the sources and of the receivers."""
    if "places" in item:
        nodes = {place["node"] for place in item["places"]}
        return nodes, nodes
    sources, receivers = ({place["node"] for place in item[of]} for of in ("sources", "receivers"))
    return sources, receivers
