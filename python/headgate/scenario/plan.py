"""From a scenario to the plan that the engine runs: units resolved, defaults filled in."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate, chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.errors import CatalogError, LawError, ScenarioError
from headgate.names import each_name, name_counts
from headgate.scenario.flow_list import read_flow_list
from headgate.scenario.habits import plan_habits
from headgate.scenario.law import LawChoice
from headgate.scenario.networks.layout import Demand, Layout, Spot
from headgate.scenario.places import ends, place_of, pools, sending
from headgate.scenario.problems import join
from headgate.scenario.sizes import packets_of
from headgate.scenario.spec import ScenarioSpec
from headgate.scenario.traffic import Flows, Group, Poisson, Replay, Web
from headgate.version import __version__

Arrays = dict[str, NDArray[np.uint64]]

#: Fits 64 bits, and is refused by the engine wherever a count of packets or an instant stands.
MOST = 2**62


def make_plan(scenario: ScenarioSpec) -> tuple[dict[str, Any], Arrays]:
    """Give the plan and the arrays that it names; raise ScenarioError if it cannot run."""
    return _Planner(scenario).plan()


class _Planner:
    """Collects profiles, laws and arrays while the traffic is laid out."""

    def __init__(self, scenario: ScenarioSpec) -> None:
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
        traffic = [self.group(group, index) for index, group in enumerate(self.scenario.traffic)]
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

    def group(self, group: Group, index: int) -> dict[str, Any]:
        place = f"traffic[{index}]"
        sources, receivers = ends(self.layout, group, place)
        law = self.law_of(group, f"{place}.control")
        common = {"law": _index(self.laws, law), "transport": self.transport(group)}
        mixed = isinstance(group, Web) and group.laws
        # random streams go by the name: who has which law of a mix is nobody else's luck
        name = self.name(group.name or ("users" if mixed else law["name"]))
        if isinstance(group, Flows):
            senders = sending(group.count, sources, receivers, place)
            return self.flows(group, name, common, senders, receivers)
        if isinstance(group, Replay):
            return self.replay(group, name, common, place, (sources[0], receivers[0]))
        if isinstance(group, Web):
            habits = plan_habits(group, self, place)
            return self.web(group, name, common, sources, receivers) | habits
        assert isinstance(group, Poisson)
        return self.poisson(group, name, common, sources, receivers)

    def segment(self, group: Group) -> int:
        return (group.transport or self.scenario.transport).segment_bytes

    def flows(
        self,
        group: Flows,
        name: str,
        common: dict[str, Any],
        sources: list[Spot],
        receivers: list[Spot],
    ) -> dict[str, Any]:
        size = (
            None if group.size is None else math.ceil(packets_of(group.size, self.segment(group)))
        )
        return {
            "kind": "flows",
            "name": name,
            "count": group.count,
            **common,
            "sources": [place_of(spot) for spot in sources],
            "receivers": [place_of(spot) for spot in receivers],
            "start_ps": group.start,
            "stagger_ps": group.stagger,
            "packets": size if size is None else min(size, MOST),
            **({} if group.stop is None else {"stop_ps": group.stop}),
        }

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
            bits = 8 * profile.packet_bytes * group.size.mean_sent(profile.segment_bytes)
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
        places: dict[Spot, int] = {}
        source, receiver = (_place(places, end) for end in ends)
        self.arrays[f"{name}.start_ps"] = flows.start_ps
        self.arrays[f"{name}.packets"] = flows.packets(self.segment(group))
        for column, default in (
            ("source", self.layout.sources),
            ("receiver", self.layout.receivers),
        ):
            if column in flows.names:
                words, codes = flows.names[column]
                spots = [self.layout.spots(default, word, file)[0] for word in words]
                lookup = np.array([_place(places, spot) for spot in spots], np.uint64)
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
            "places": [place_of(spot) for spot in places],
            "source": source,
            "receiver": receiver,
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
        links = [(index, link.name) for index, link in enumerate(self.layout.links)]
        ports = self.layout.main_ports if series.ports is None else series.ports
        return {
            "interval_ps": series.interval,
            "flows": _choose_followed(traffic, series.flows, series.most),
            "links": _choose_matching(
                [lambda: iter(links)], ports, "measure.series.ports", "links"
            ),
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


def _place(places: dict[Spot, int], spot: Spot) -> int:
    """Give the index of the place of `spot`, added if it is new."""
    return places.setdefault(replace(spot, weight=1.0), len(places))


def _law(word: str, place: str) -> LawChoice:
    from pydantic import ValidationError

    try:
        return LawChoice.model_validate(word)
    except ValidationError as error:
        cause = error.errors()[0].get("ctx", {}).get("error", error)
        raise ScenarioError(place, f"in the column 'law', {cause}") from None
    except CatalogError as error:
        raise ScenarioError(place, str(error)) from None


Named = Callable[[], Iterator[tuple[int, str]]]
"""Gives numbers with their names, as often as it is called."""


def _choose_followed(
    traffic: list[dict[str, Any]], patterns: tuple[str, ...], most: int
) -> list[int]:
    """Give the numbers of the single flows that the series follow."""
    firsts = accumulate(name_counts(traffic), initial=0)
    groups = [
        (first, item)
        for first, item in zip(firsts, traffic, strict=False)
        if item["kind"] == "flows"
    ]
    named = [partial(_flows_of, first, item) for first, item in groups]
    begins = [first for first, _ in groups]
    flows = _choose_matching(named, patterns, "measure.series.flows", "flows", most)
    laws = [groups[bisect_right(begins, number) - 1][1]["law"] for number in flows]
    return _deal(flows, laws, most)


def _flows_of(first: int, item: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    return enumerate(each_name([item]), first)


def _deal(flows: list[int], laws: list[int], most: int) -> list[int]:
    """Keep at most `most` flows, the first of each law in turn, and leave them in their order."""
    turn = Counter[int]()
    dealt: list[tuple[int, int]] = []
    for place, law in enumerate(laws):
        dealt.append((turn[law], place))
        turn[law] += 1
    return [flows[place] for place in sorted(place for _, place in sorted(dealt)[:most])]


def _choose_matching(
    named: Sequence[Named],
    patterns: tuple[str, ...],
    place: str,
    known: str,
    most: int | None = None,
) -> list[int]:
    """Give the numbers of the names that match, of each group at most `most`.

    A pattern without a star must match.
    """
    chosen: dict[int, None] = {}
    for number, pattern in enumerate(patterns):
        matches = re.compile(fnmatch.translate(pattern)).match
        found = [
            at
            for group in named
            for at in islice((at for at, name in group() if matches(name)), most)
        ]
        if not found and not any(mark in pattern for mark in "*?["):
            names = [name for _, name in islice(chain.from_iterable(g() for g in named), 9)]
            shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
            raise ScenarioError(
                join([place, number]), f"{pattern!r} is none of the {known}: {shown or 'none'}"
            )
        chosen.update(dict.fromkeys(found))
    return list(chosen)


def plan_json(plan: dict[str, Any]) -> str:
    """Write the plan as the engine reads it."""
    return json.dumps(plan, separators=(",", ":"), allow_nan=False)
