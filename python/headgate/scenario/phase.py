"""Warn of traffic phase effects: a few flows at a drop-tail queue, and nothing random."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from headgate.base import catalog
from headgate.base.units import format_time_ps
from headgate.scenario.networks.routes import Routes

Plan = Mapping[str, Any]

#: More flows at a queue disturb each other enough.
MOST_FLOWS = 12
#: Packets of a flow that lasts long enough to lose packets many times.
LONG_PACKETS = 10_000
#: A packet, in bits, of which half a transmission time is proposed as mean jitter.
PACKET_BITS = 12_000


def warn_of_phase(plan: Plan, routes: Routes) -> Iterator[str]:
    """Warn of a drop-tail link whose few flows differ, in a scenario without chance.

    Packets of such flows arrive in a fixed order, so that a fraction of a packet's time decides
    which flow loses packets (Floyd and Jacobson 1992, On traffic phase effects in packet-switched
    gateways). Shares can be wrong by a factor of ten.
    """
    items = plan["traffic"]
    if not all(_is_long(item) for item in items) or any(map(_has_chance, _places(plan))):
        return
    if sum(item["count"] for item in items) < 2 or _is_delay_based(plan):
        return
    paths = [_path(item, routes) for item in items]
    for number, link in enumerate(plan["links"]):
        users = [item for item, path in zip(items, paths, strict=True) if number in path]
        flows = sum(item["count"] for item in users)
        if _drops_tail(link) and flows <= MOST_FLOWS and len({*_kinds(users)}) > 1:
            yield _describe(link, flows)
            return


def _describe(link: Mapping[str, Any], flows: int) -> str:
    mean = format_time_ps(_round(PACKET_BITS / 2 / link["rate_bps"] * 1e12))
    return (
        f"{link['name']}: {flows} flows share its drop-tail queue, and nothing in the scenario is"
        " random. Fractions of a packet's time then decide which flow loses packets, and rates can"
        " be wrong by a factor of several (traffic phase effects). Write"
        f' impairments = [{{ name = "jitter", mean = "{mean}" }}] in [network], or in the link of a'
        " graph, and compare several seeds"
    )


def _round(time_ps: float) -> int:
    """Round to one digit."""
    return int(float(f"{time_ps:.0e}"))


def _places(plan: Plan) -> Iterator[Mapping[str, Any]]:
    yield from plan["links"]
    yield from plan["edges"]


def _has_chance(place: Mapping[str, Any]) -> bool:
    """Return whether a link adds delays or losses, or changes at given times."""
    keys = ("loss", "lose", "trace", "changes", "outages", "feedback")
    impairments = (*place.get("ingress", ()), *place.get("impairments", ()))
    return any(place.get(key) for key in keys) or any(map(_has_effect, impairments))


def _has_effect(impairment: Mapping[str, Any]) -> bool:
    """Return whether an impairment does anything; a jitter with a mean of 0 does not."""
    numbers = [value for value in impairment["params"].values() if not isinstance(value, str)]
    return not numbers or any(numbers)


def _is_long(item: Mapping[str, Any]) -> bool:
    """Return whether an item consists of flows that are endless or long, and do not pause."""
    if item["kind"] != "flows" or "key" in item or item.get("pauses"):
        return False
    return item["packets"] is None or item["packets"] >= LONG_PACKETS


def _is_delay_based(plan: Plan) -> bool:
    """Return whether all algorithms keep queues below the buffer, by their family."""
    names = {cca["name"] for cca in plan["laws"] if "own" not in cca}
    return len(names) == len(plan["laws"]) and all(
        catalog.cca(name).family == "delay" for name in names
    )


def _drops_tail(link: Mapping[str, Any]) -> bool:
    return link.get("queue") is None and "packets" in (link.get("buffer") or {})


def _kinds(items: Iterable[Mapping[str, Any]]) -> Iterator[tuple[object, ...]]:
    """Give algorithm, transport, and ends of flows; flows that agree in them are equal."""
    for item in items:
        of = ("sources", "receivers")
        ends = [(place["node"], place["edge"]) for name in of for place in item[name]]
        for part in item.get("laws") or (item,):
            yield part["law"], item["transport"], *ends


def _path(item: Mapping[str, Any], routes: Routes) -> set[int]:
    """Return the links of all routes from sources to receivers."""
    return {
        link
        for source in item["sources"]
        for receiver in item["receivers"]
        for link in routes.links_of(source["node"], receiver["node"])
    }
