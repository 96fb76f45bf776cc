"""Warnings about a plan that can run, but probably not as it was meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from headgate.base import catalog
from headgate.base.messages import count_others
from headgate.base.units import format_time_ps
from headgate.scenario.marking import (
    find_obstacle,
    is_switched_on,
    makes_marks,
    marks,
    write_switch,
)
from headgate.scenario.networks.attributes import LINK_ATTRIBUTES, ROUTER_ATTRIBUTES
from headgate.scenario.networks.graph import EDGE_ATTRIBUTES, NODE_ATTRIBUTES, Graph
from headgate.scenario.networks.routes import Routes
from headgate.scenario.offered import warn_of_arrivals
from headgate.scenario.phase import warn_of_phase
from headgate.scenario.round_trips import warn_of_round_trip
from headgate.scenario.shares import list_laws, warn_of_shares
from headgate.scenario.unused_keys import warn_of_transport
from headgate.scenario.variants import warn_of_unused

if TYPE_CHECKING:
    from headgate.scenario.group import Arrays
    from headgate.scenario.spec import ScenarioSpec

Plan = Mapping[str, Any]

MARKING = 'network.queue = {name = "threshold", mark = "0.17 BDP"} or network.queue = "dualpi2"'


def scenario_warnings(scenario: ScenarioSpec, plan: Plan, arrays: Arrays) -> list[str]:
    """Return warnings about ignored attributes and settings, late flows, and phase effects."""
    return [
        *_warn_of_unread(scenario.network),
        *warn_of_round_trip(scenario, plan),
        *warn_of_transport(scenario, plan, arrays),
        *_PlanWarnings(plan, arrays).all(),
    ]


def _warn_of_unread(network: object) -> Iterator[str]:
    if isinstance(network, Graph) and network.unread:
        yield (
            f"network: these attributes mean nothing here and are ignored: "
            f"{', '.join(network.unread)}; understood are"
            f" {', '.join((*NODE_ATTRIBUTES, *ROUTER_ATTRIBUTES))} of nodes, and"
            f" {', '.join((*EDGE_ATTRIBUTES, *LINK_ATTRIBUTES))} of edges"
        )


class _PlanWarnings:
    def __init__(self, plan: Plan, arrays: Arrays) -> None:
        self.plan, self.arrays, self.links = plan, arrays, plan["links"]

    def all(self) -> list[str]:
        senders = [
            text
            for item in self.plan["traffic"]
            for text in (
                *self._warn_of_senders(item),
                *self._warn_of_ecn(item),
                *self._warn_of_ignored_marks(item),
            )
        ]
        return [
            *senders,
            *warn_of_shares(self.plan, self.arrays),
            *warn_of_unused(self.plan),
            *self._warn_of_routers(),
            *self._warn_of_marks(),
            *self._warn_of_late_flows(),
            *self._warn_of_parallel_links(),
            *warn_of_phase(self.plan, self._routes),
            *warn_of_arrivals(self.plan, self._routes),
        ]

    def _warn_of_parallel_links(self) -> Iterator[str]:
        """Warn of links that carry nothing because another one connects the same routers."""
        between: dict[tuple[int, int], list[Mapping[str, Any]]] = {}
        for link in self.links:
            between.setdefault((link["from"], link["to"]), []).append(link)
        groups = [links for links in between.values() if len(links) > 1]
        if not groups:
            return
        used = min(groups[0], key=lambda link: link["delay_ps"])
        idle = [link["name"] for link in groups[0] if link is not used]
        pairs = {frozenset((links[0]["from"], links[0]["to"])) for links in groups}
        more = len(pairs) - 1
        count = count_others(more, "pair", " of routers")
        others = f", and so are the links of {count}" * (more > 0)
        yield (
            f"network: {', '.join([used['name'], *idle])} are parallel{others}. All packets use the"
            f" one with the least delay, or the first of equal ones: {used['name']}, not"
            f" {', '.join(idle)}"
        )

    def _warn_of_late_flows(self) -> Iterator[str]:
        """Warn of flows that would start after the end of the run."""
        ends_ps = self.plan["duration_ps"]
        for number, item in enumerate(self.plan["traffic"]):
            late, count, key = self._count_late(item, ends_ps)
            if late:
                who = "" if key == "start" else f"{late:,} of the {count:,} flows of "
                when = f"at {format_time_ps(item['start_ps'])}, " if key == "start" else ""
                yield (
                    f"traffic[{number}].{key}: {who}'{item['name']}' would start {when}after the"
                    f" end of the run, which lasts {format_time_ps(ends_ps)}; let them start"
                    " earlier, or lengthen duration"
                )

    def _count_late(self, item: Mapping[str, Any], ends_ps: int) -> tuple[int, int, str]:
        """Count the late flows of an item and all its flows; name the key of their start."""
        listed = self.arrays.get(f"{item.get('key')}.start_ps")
        if listed is not None:
            return int(np.count_nonzero(listed >= ends_ps)), len(listed), "file"
        count, first = item.get("count", item.get("streams", 1)), item.get("start_ps", 0)
        if first >= ends_ps:
            return count, count, "start"
        step = item.get("stagger_ps", 0)
        in_time = -(-(ends_ps - first) // step) if step else count
        return max(0, count - in_time), count, "stagger"

    @cached_property
    def _routes(self) -> Routes:
        ways = [(link["from"], link["to"], link["delay_ps"]) for link in self.links]
        return Routes(len(self.plan["nodes"]), ways)

    def _cca_cards(self, item: Mapping[str, Any]) -> list[catalog.Cca]:
        """Return the cards of the algorithms of an item; user-defined ones lack a card."""
        return [catalog.cca(cca["name"]) for cca in self._list_ccas(item) if "own" not in cca]

    def _list_ccas(self, item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        laws = list_laws(self.plan, item, self.arrays)
        return [self.plan["laws"][index] for index in laws]

    def _warn_of_senders(self, item: Mapping[str, Any]) -> Iterator[str]:
        """Warn of senders without a link that serves them on some path."""
        for cca in self._cca_cards(item):
            if cca.scheme is not None:
                serving = [_has_feedback(link, cca.scheme) for link in self.links]
                does = f"has the router feedback '{cca.scheme}'"
                remedy = f'network.feedback = "{cca.scheme}"'
            elif cca.needs_marks:
                serving, does, remedy = self._marking, "marks packets", MARKING
            else:
                continue
            if way := self._find_unserved(item, serving):
                yield (
                    f"'{item['name']}': no link on a path of its '{cca.name}' senders"
                    f" ({self._name_way(way)}) {does}, so they behave as 'reno' does there;"
                    f" {(cca.needs_marks and self._find_obstacle(way)) or f'write {remedy}'}"
                )

    def _warn_of_ecn(self, item: Mapping[str, Any]) -> Iterator[str]:
        """Warn of ECN without a link that marks packets on some path."""
        ccas = self._cca_cards(item)
        if not self._enables_ecn(item) or any(cca.needs_marks for cca in ccas):
            return  # `_warn_of_senders` warns of algorithms that need marks
        if way := self._find_unserved(item, self._marking):
            switch = write_switch(self.links[way[0]]) if len(way) == 1 else ""
            remedy = self._find_obstacle(way) or f"write {switch or MARKING}"
            yield (
                f"'{item['name']}': ecn is on, but no link on a path of its senders"
                f" ({self._name_way(way)}) marks packets, so it changes nothing there; {remedy}"
            )

    @cached_property
    def _marking(self) -> list[bool]:
        """Whether each link marks packets."""
        return [
            (marks(link.get("queue")) and not find_obstacle(self.plan, link)) or makes_marks(link)
            for link in self.links
        ]

    def _find_obstacle(self, way: Sequence[int]) -> str:
        """Say why a link of a path does not mark although its discipline does; empty if none."""
        said = (find_obstacle(self.plan, self.links[link]) for link in way)
        return next(filter(None, said), "")

    def _warn_of_ignored_marks(self, item: Mapping[str, Any]) -> Iterator[str]:
        """Warn of ECN with algorithms that do not slow down for marks."""
        if not any(self._marking) or not self._enables_ecn(item):
            return  # without marks, `_warn_of_ecn` warns
        laws = [law for law in self._list_ccas(item) if "own" not in law]
        named = [law["name"] for law in laws if catalog.cca(law["name"]).ignores(law["params"])]
        if named:
            yield (
                f"'{item['name']}': ecn is on, but {' and '.join(map(repr, dict.fromkeys(named)))}"
                f" {'ignores' if len({*named}) == 1 else 'ignore'} marks, so packets are marked"
                " instead of dropped and the sender does not slow down; write"
                ' transport = {ecn = "off"}'
            )

    def _enables_ecn(self, item: Mapping[str, Any]) -> bool:
        """Return whether the transport of the scenario enables ECN for an item."""
        ecn = self.plan["transports"][item["transport"]]["ecn"]
        return bool(ecn) and not _brings_transport(item)

    def _warn_of_marks(self) -> Iterator[str]:
        """Warn of disciplines that are set to mark packets if no traffic uses ECN."""
        if any(map(self._may_use_ecn, self.plan["traffic"])):
            return
        names = [link["name"] for link in self.links if is_switched_on(link.get("queue"))]
        if names:
            yield (
                f"network.queue: ecn is on at {_name_links(names)}, but no traffic uses ECN, so"
                " packets are dropped instead of marked; write transport = {ecn = true}, or leave"
                " this ecn out"
            )

    def _may_use_ecn(self, item: Mapping[str, Any]) -> bool:
        """Return whether ECN is enabled for an item, or may be by its algorithms or programs."""
        if _brings_transport(item) or self._enables_ecn(item):
            return True
        are_own = any("own" in cca for cca in self._list_ccas(item))
        return are_own or any(cca.needs_marks for cca in self._cca_cards(item))

    def _find_unserved(self, item: Mapping[str, Any], serving: list[bool]) -> list[int]:
        """Return the links of a path that does not serve the senders; none without such a path."""
        if all(serving):
            return []
        return self._routes.find_unserved(*_ends(item), serving) or []

    def _name_way(self, way: Sequence[int]) -> str:
        """Name the first link of a path and the last."""
        names = [self.links[link]["name"] for link in way]
        return " to ".join(dict.fromkeys([*names[:1], *names[-1:]]))

    def _warn_of_routers(self) -> Iterator[str]:
        """Warn of router feedback that no traffic uses."""
        used = {cca.scheme for item in self.plan["traffic"] for cca in self._cca_cards(item)}
        unused: dict[str, list[str]] = {}
        for link in self.links:
            feedback = link.get("feedback")
            if feedback is not None and feedback["name"] not in used:
                unused.setdefault(feedback["name"], []).append(link["name"])
        for scheme, names in unused.items():
            yield (
                f"network.feedback: no traffic uses '{scheme}', so its router feedback at "
                f"{_name_links(names)} has no effect"
            )


def _brings_transport(item: Mapping[str, Any]) -> bool:
    """Return whether packets of an item come from programs or from streams of media."""
    return "hosts" in item or "rate_controller" in item


def _name_links(names: Sequence[str]) -> str:
    more = len(names) - 1
    return names[0] + f" and {count_others(more, 'link')}" * (more > 0)


def _has_feedback(link: Mapping[str, Any], scheme: str) -> bool:
    return link.get("feedback") is not None and bool(link["feedback"]["name"] == scheme)


def _ends(item: Mapping[str, Any]) -> tuple[set[int], set[int]]:
    """Return the routers of the sources and of the receivers."""
    if "places" in item:
        nodes = {place["node"] for place in item["places"]}
        return nodes, nodes
    sources, receivers = ({place["node"] for place in item[of]} for of in ("sources", "receivers"))
    return sources, receivers
