"""From a scenario to the plan that the engine runs: units resolved, defaults filled in."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, chain, islice
from typing import Any

from headgate.base.errors import CcaError, ScenarioError
from headgate.base.messages import also
from headgate.base.names import each_name, name_counts
from headgate.base.version import number_results
from headgate.scenario.group import Arrays, Group, Item, Planner, find_ends
from headgate.scenario.networks.layout import Demand, Layout
from headgate.scenario.spec import ScenarioSpec

#: Number of names among which similar ones are searched: a run may contain a million flows.
_SEARCHED = 1000


def make_plan(scenario: ScenarioSpec) -> tuple[dict[str, Any], Arrays]:
    """Return the plan and its arrays. Raises ScenarioError if it cannot run."""
    demand = Demand(
        packet_bytes=scenario.transport.packet_bytes,
        flows=sum(group.most_flows for group in scenario.traffic),
        rtts_ps=tuple(
            rtt_ps
            for index, group in enumerate(scenario.traffic)
            for rtt_ps in group.own_rtts_ps(f"traffic[{index}]")
        ),
        duration_ps=scenario.duration,
    )
    layout = scenario.network.layout(demand)
    chosen = [group.name for group in scenario.traffic if group.name]
    planner = Planner(layout, scenario.transport, scenario.duration, chosen)
    traffic = [_lay_out(group, index, planner) for index, group in enumerate(scenario.traffic)]
    plan = {
        "seed": scenario.seed,
        "duration_ps": scenario.duration,
        **layout.plan(demand),
        "transports": planner.transports,
        "laws": planner.ccas,
        "traffic": traffic,
        **({"files": planner.files} if planner.files else {}),
        "measure": _measure(scenario, layout, traffic),
    }
    return plan, planner.arrays | layout.traces()


def _lay_out(group: Group, index: int, planner: Planner) -> dict[str, Any]:
    place = f"traffic[{index}]"
    sources, receivers = find_ends(planner.layout, group, place)
    try:
        cca = group.cca_plan()
    except CcaError as error:
        raise ScenarioError(f"{place}.cca", str(error)) from None
    common = {
        "law": planner.add_cca(cca),
        "transport": planner.add_transport(planner.profile(group.transport)),
    }
    wanted = group.name or group.default_name(cca["name"])
    name = planner.names.take(wanted, is_chosen=bool(group.name))
    own = group.lay_out(planner, Item(name, place, sources, receivers))
    return {"kind": group.kind, "name": name, **common, **own}


def _measure(
    scenario: ScenarioSpec, layout: Layout, traffic: list[dict[str, Any]]
) -> dict[str, Any]:
    measure = scenario.measure
    return {
        "warmup_ps": measure.warmup,
        "periods": measure.period_bounds(scenario.duration),
        "interval_ps": measure.sampling_ps(scenario.duration),
        "flows": measure.flows,
        "series": _series(scenario, layout, traffic),
    }


def _series(
    scenario: ScenarioSpec, layout: Layout, traffic: list[dict[str, Any]]
) -> dict[str, Any] | None:
    series = scenario.measure.series
    if series == "none":
        return None
    links = [(index, link.name) for index, link in enumerate(layout.links)]
    ports = layout.main_ports if series.ports is None else series.ports
    return {
        "interval_ps": series.interval,
        "flows": _choose_followed(traffic, series.flows, series.most),
        "links": _choose_matching([lambda: iter(links)], ports, "measure.series.ports[]", "links"),
    }


def choose_numbers(
    plan: Mapping[str, Any],
    flows: Sequence[str] | str,
    links: Sequence[str] | str,
    places: tuple[str, str] = ("flows[]", "links[]"),
) -> tuple[set[int], set[int]]:
    """Return the numbers of the traffic and of the links that match a pattern, or several.

    Raises ScenarioError for a pattern without a star that matches nothing; `places` are the keys of
    the patterns, and `[]` in a key becomes the number of the pattern.
    """
    traffic, names = plan["traffic"], [link["name"] for link in plan["links"]]
    flows, links = ([one] if isinstance(one, str) else one for one in (flows, links))
    return (
        set(_choose_matching([lambda: enumerate(each_name(traffic))], flows, places[0], "flows")),
        set(_choose_matching([lambda: enumerate(names)], links, places[1], "links")),
    )


def identity_of(plan: dict[str, Any], arrays: Arrays) -> str:
    """Return the SHA-256 of plan, arrays and version; equal hashes mean equal results."""
    text = json.dumps(plan, sort_keys=True)
    numbers = ", ".join(map(json.dumps, number_results(text)))
    digest = hashlib.sha256(f"[{numbers}, {text}]".encode())
    for name in sorted(arrays):
        digest.update(name.encode())
        digest.update(arrays[name].tobytes())
    return digest.hexdigest()


#: Returns an iterator over numbers and names.
NumberedNames = Callable[[], Iterator[tuple[int, str]]]


def _choose_followed(
    traffic: list[dict[str, Any]], patterns: tuple[str, ...], most: int
) -> list[int]:
    """Return the numbers of the single flows of the time series."""
    firsts = accumulate(name_counts(traffic), initial=0)
    groups = [
        (first, item) for first, item in zip(firsts, traffic, strict=False) if "count" in item
    ]
    named = [partial(_name_flows, first, item) for first, item in groups]
    begins = [first for first, _ in groups]
    flows = _choose_matching(named, patterns, "measure.series.flows[]", "flows", most)
    ccas = [groups[bisect_right(begins, number) - 1][1]["law"] for number in flows]
    return _deal(flows, ccas, most)


def _name_flows(first: int, item: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    return enumerate(each_name([item]), first)


def _deal(flows: list[int], ccas: list[int], most: int) -> list[int]:
    """Keep at most `most` flows, the first of each algorithm in turn, in their order."""
    turn = Counter[int]()
    dealt: list[tuple[int, int]] = []
    for place, cca in enumerate(ccas):
        dealt.append((turn[cca], place))
        turn[cca] += 1
    return [flows[place] for place in sorted(place for _, place in sorted(dealt)[:most])]


def _choose_matching(
    named: Sequence[NumberedNames],
    patterns: Sequence[str],
    place: str,
    known: str,
    most: int | None = None,
) -> list[int]:
    """Return the numbers of matching names, at most `most` of each group.

    Raises ScenarioError for a pattern without a star that matches nothing.
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
            says = f"there is no {pattern!r} among the {known}: {_list_near(pattern, named)}"
            raise ScenarioError(place.replace("[]", f"[{number}]"), says)
        chosen.update(dict.fromkeys(found))
    return list(chosen)


def _list_near(pattern: str, named: Sequence[NumberedNames]) -> str:
    """List the first names, and suggest similar ones."""
    names = [name for _, name in islice(chain.from_iterable(g() for g in named), _SEARCHED)]
    shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    return f"{shown or 'none'}{also(pattern, names)}"


def plan_json(plan: dict[str, Any]) -> str:
    """Return the plan as JSON for the engine."""
    return json.dumps(plan, separators=(",", ":"), allow_nan=False)
