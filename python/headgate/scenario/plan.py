"""From a scenario to the plan that the engine runs: units resolved, defaults filled in."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headgate import __version__
from headgate.errors import CatalogError, LawError, ScenarioError
from headgate.scenario.flow_list import read_flow_list
from headgate.scenario.habits import plan_habits
from headgate.scenario.law import LawChoice
from headgate.scenario.networks.layout import Demand, Layout, Spot
from headgate.scenario.places import ends, pairs, place_of, pools
from headgate.scenario.problems import join
from headgate.scenario.traffic import Flows, Group, Poisson, Replay, Web, packets_of

if TYPE_CHECKING:
    from headgate.scenario.scenario import Scenario

Arrays = dict[str, NDArray[np.uint64]]


def make_plan(scenario: Scenario) -> tuple[dict[str, Any], Arrays]:
    """Give the plan and the arrays that it names; raise ScenarioError if it cannot run."""
    return _Planner(scenario).plan()


class _Planner:
    """Collects profiles, laws and arrays while the traffic is laid out."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.demand = Demand(
            packet_bytes=scenario.transport.packet_bytes,
            flows=sum(_most_flows(group) for group in scenario.traffic),
            rtts_ps=tuple(g.rtt for g in scenario.traffic if g.rtt is not None),
        )
        self.layout: Layout = scenario.network.layout(self.demand)
        self.transports: list[dict[str, Any]] = []
        self.laws: list[dict[str, Any]] = []
        self.arrays: Arrays = {}
        self.files: list[str] = []
        self.names: dict[str, int] = {}

    def plan(self) -> tuple[dict[str, Any], Arrays]:
        traffic = [
            item
            for index, group in enumerate(self.scenario.traffic)
            for item in self.group(group, index)
        ]
        plan = {
            "seed": self.scenario.seed,
            "duration_ps": self.scenario.duration,
            **self.layout.plan(self.demand),
            "transports": self.transports,
            "laws": self.laws,
            "traffic": traffic,
            **({"files": self.files} if self.files else {}),
            "measure": self.measure(traffic),
        }
        return plan, self.arrays

    # Laws, profiles, names -----------------------------------------------------------------

    def law(self, choice: LawChoice) -> int:
        return _index(self.laws, choice.plan())

    def law_of(self, group: Group, place: str) -> dict[str, Any]:
        try:
            return group.law_plan()
        except LawError as error:
            raise ScenarioError(place, str(error)) from None

    def transport(self, group: Group) -> int:
        profile = group.transport or self.scenario.transport
        plan = profile.plan(profile.preset)
        same = [i for i, known in enumerate(self.transports) if {**known, "name": ""} ==
                {**plan, "name": ""}]  # fmt: skip
        if same:
            return same[0]
        used = sum(known["name"].split("-")[0] == profile.preset for known in self.transports)
        plan["name"] = f"{profile.preset}-{used + 1}" if used else profile.preset
        return _index(self.transports, plan)

    def name(self, wanted: str) -> str:
        """Give a name that no other traffic has."""
        self.names[wanted] = self.names.get(wanted, 0) + 1
        return wanted if self.names[wanted] == 1 else f"{wanted}-{self.names[wanted]}"

    # Traffic -------------------------------------------------------------------------------

    def group(self, group: Group, index: int) -> list[dict[str, Any]]:
        place = f"traffic[{index}]"
        sources, receivers = ends(self.layout, group, place)
        law = self.law_of(group, f"{place}.control")
        common = {"law": _index(self.laws, law), "transport": self.transport(group)}
        mixed = isinstance(group, Web) and group.laws
        # random streams go by the name: who has which law of a mix is nobody else's luck
        name = self.name(group.name or ("users" if mixed else law["name"]))
        if isinstance(group, Flows):
            between = pairs(group.count, sources, receivers, place)
            return self.flows(group, name, common, between)
        if isinstance(group, Replay):
            return [self.replay(group, name, common, place, (sources[0], receivers[0]))]
        if isinstance(group, Web):
            habits = plan_habits(group, self, place)
            return [self.web(group, name, common, sources, receivers) | habits]
        assert isinstance(group, Poisson)
        return [self.poisson(group, name, common, sources, receivers)]

    def segment(self, group: Group) -> int:
        return (group.transport or self.scenario.transport).segment_bytes

    def flows(
        self, group: Flows, name: str, common: dict[str, Any], between: list[tuple[Spot, Spot]]
    ) -> list[dict[str, Any]]:
        size = (
            None if group.size is None else math.ceil(packets_of(group.size, self.segment(group)))
        )
        return [
            {
                "kind": "flow",
                "name": name if group.count == 1 else f"{name}.{number}",
                **common,
                "source": place_of(source),
                "receiver": place_of(receiver),
                "start_ps": group.start + number * group.stagger,
                "packets": size,
                **({} if group.stop is None else {"stop_ps": group.stop}),
            }
            for number, (source, receiver) in enumerate(between)
        ]

    def web(
        self,
        group: Web,
        name: str,
        common: dict[str, Any],
        sources: list[Spot],
        receivers: list[Spot],
    ) -> dict[str, Any]:
        return {
            "kind": "web",
            "name": name,
            **common,
            "sources": pools(sources, group.users),
            "receivers": pools(receivers, group.receivers or group.users),
            "think_s": group.think / 1e12,
            "size": group.size.plan(self.segment(group)),
            "at_once": group.at_once,
        }

    def file(self, name: str) -> int:
        if name not in self.files:
            self.files.append(name)
        return self.files.index(name)

    def class_name(self, wanted: str | None, place: str) -> str:
        """Check that there are routers of that class."""
        classes = sorted({class_name for _, class_name in self.layout.nodes if class_name})
        if wanted is not None and wanted not in classes:
            known = ", ".join(classes) or "none in this network"
            raise ScenarioError(place, f"{wanted!r} is not a class of routers; classes: {known}")
        return wanted or ""

    def poisson(
        self,
        group: Poisson,
        name: str,
        common: dict[str, Any],
        sources: list[Spot],
        receivers: list[Spot],
    ) -> dict[str, Any]:
        profile = group.transport or self.scenario.transport
        per_s = group.arrivals
        if per_s is None:
            bits = 8 * profile.packet_bytes * packets_of(group.size.mean, profile.segment_bytes)
            per_s = (group.load or 0.0) * self.layout.rate_bps / bits
        return {
            "kind": "poisson",
            "name": name,
            **common,
            "sources": pools(sources, group.hosts),
            "receivers": pools(receivers, group.hosts),
            "flows_per_s": per_s,
            "size": group.size.plan(profile.segment_bytes),
            "start_ps": group.start,
            "stop_ps": self.scenario.duration if group.stop is None else group.stop,
        }

    def replay(
        self,
        group: Replay,
        name: str,
        common: dict[str, Any],
        place: str,
        ends: tuple[Spot, Spot],
    ) -> dict[str, Any]:
        flows, file = read_flow_list(group.file, f"{place}.file"), f"{place}.file"
        places = [place_of(ends[0]), place_of(ends[1])]
        self.arrays[f"{name}.start_ps"] = flows.start_ps
        self.arrays[f"{name}.packets"] = flows.packets(self.segment(group))
        for column, default in (
            ("source", self.layout.sources),
            ("receiver", self.layout.receivers),
        ):
            if column in flows.names:
                words, codes = flows.names[column]
                spots = [self.layout.spots(default, word, file)[0] for word in words]
                lookup = np.array([_index(places, place_of(spot)) for spot in spots], np.uint64)
                self.arrays[f"{name}.{column}"] = lookup[codes]
        if "law" in flows.names:
            words, codes = flows.names["law"]
            lookup = np.array([self.law(_law(word, file)) for word in words], np.uint64)
            self.arrays[f"{name}.law"] = lookup[codes]
        return {
            "kind": "replay",
            "name": name,
            "key": name,
            **common,
            "places": places,
            "source": 0,
            "receiver": 1,
        }

    # Measurement ---------------------------------------------------------------------------

    def measure(self, traffic: list[dict[str, Any]]) -> dict[str, Any]:
        measure, duration = self.scenario.measure, self.scenario.duration
        return {
            "warmup_ps": measure.warmup,
            "periods": measure.period_bounds(duration),
            "interval_ps": measure.interval,
            "flows": measure.flows,
            "series": self.series(traffic),
        }

    def series(self, traffic: list[dict[str, Any]]) -> dict[str, Any] | None:
        series = self.scenario.measure.series
        if series == "none":
            return None
        single = [item["name"] for item in traffic if item["kind"] == "flow"]
        links = [link.name for link in self.layout.links]
        flows = _chosen(single, series.flows, "measure.series.flows", known="flows")
        ports = self.layout.main_ports if series.ports is None else series.ports
        chosen = _chosen(links, ports, "measure.series.ports", known="links")
        laws = {item["name"]: item["law"] for item in traffic if item["kind"] == "flow"}
        return {
            "interval_ps": series.interval,
            "flows": _dealt([single[index] for index in flows], laws, series.most),
            "links": chosen,
        }


def identity_of(plan: dict[str, Any], arrays: Arrays) -> str:
    """Give the SHA-256 of a plan, its arrays and the version: equal means equal results."""
    digest = hashlib.sha256(json.dumps([__version__, plan], sort_keys=True).encode())
    for name in sorted(arrays):
        digest.update(name.encode())
        digest.update(arrays[name].tobytes())
    return digest.hexdigest()


def _most_flows(group: Group) -> int:
    if isinstance(group, Flows):
        return group.count
    if isinstance(group, Web):
        return group.users
    return group.hosts if isinstance(group, Poisson) else 1


def _index(items: list[dict[str, Any]], item: dict[str, Any]) -> int:
    """Give the index of `item`, added if it is new."""
    if item not in items:
        items.append(item)
    return items.index(item)


def _law(word: str, place: str) -> LawChoice:
    from pydantic import ValidationError

    try:
        return LawChoice.model_validate(word)
    except ValidationError as error:
        cause = error.errors()[0].get("ctx", {}).get("error", error)
        raise ScenarioError(place, f"in the column 'law', {cause}") from None
    except CatalogError as error:
        raise ScenarioError(place, str(error)) from None


def _dealt(flows: list[str], laws: Mapping[str, int], most: int) -> list[str]:
    """Keep at most so many flows, the first of each law in turn, and leave them in their order."""
    turn = Counter[int]()
    dealt: list[tuple[int, int]] = []
    for place, name in enumerate(flows):
        dealt.append((turn[laws[name]], place))
        turn[laws[name]] += 1
    return [flows[place] for place in sorted(place for _, place in sorted(dealt)[:most])]


def _chosen(names: list[str], patterns: tuple[str, ...], place: str, known: str) -> list[int]:
    """Give the indices of the names that match; a pattern without a star must match."""
    chosen: dict[int, None] = {}
    for number, pattern in enumerate(patterns):
        found = [i for i, name in enumerate(names) if fnmatch.fnmatchcase(name, pattern)]
        if not found and not any(mark in pattern for mark in "*?["):
            shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
            raise ScenarioError(
                join([place, number]), f"{pattern!r} is none of the {known}: {shown or 'none'}"
            )
        chosen.update(dict.fromkeys(found))
    return list(chosen)


def plan_json(plan: dict[str, Any]) -> str:
    """Write the plan as the engine reads it."""
    return json.dumps(plan, separators=(",", ":"), allow_nan=False)
