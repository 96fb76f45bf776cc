"""Where the sources and receivers of traffic sit, and whether routes lead between them."""

from __future__ import annotations

from typing import Any

from headgate.base.errors import ScenarioError
from headgate.scenario.group import Group
from headgate.scenario.networks.layout import Layout, Spot, apportion

Spots = list[Spot]


def ends(layout: Layout, group: Group, place: str) -> tuple[Spots, Spots]:
    """Return where the sources and the receivers of the traffic sit. Raises ScenarioError."""
    unnamed = None in (group.source, group.receiver)
    if group.names_its_ends and unnamed and len(layout.sources) > 2:
        raise ScenarioError(place, "flows in this network name their source and receiver")
    forward = layout.sources, layout.receivers
    default = forward[::-1] if group.reverse else forward
    sources = layout.spots(default[0], group.source, f"{place}.source")
    receivers = layout.spots(default[1], group.receiver, f"{place}.receiver")
    _reachable(layout, sources, receivers, place)
    if group.rtt is not None:
        return at_rtt(layout, (sources, receivers), group.rtt, f"{place}.rtt")
    return sources, receivers


def _reachable(layout: Layout, sources: Spots, receivers: Spots, place: str) -> None:
    """Raise ScenarioError unless packets get there and ACKs back."""
    origins, targets = {spot.node for spot in sources}, {spot.node for spot in receivers}
    if origins == targets and len(origins) == 1:
        only = layout.nodes[next(iter(origins))][0]
        raise ScenarioError(place, f"the source and the receiver are both at {only!r}")
    groups = layout.routes.groups
    first, other = min(origins), min(targets)
    for one, two in [(first, node) for node in targets] + [(node, other) for node in origins]:
        if groups[one] != groups[two]:
            raise ScenarioError(place, _no_route(layout, one, two))


def _no_route(layout: Layout, one: int, other: int) -> str:
    """Say which way there is none."""
    if layout.routes.delay_ps(one, other) is not None:
        one, other = other, one
    return f"no route leads from {layout.nodes[one][0]!r} to {layout.nodes[other][0]!r}"


def at_rtt(
    layout: Layout, spots: tuple[Spots, Spots], rtt_ps: int, place: str
) -> tuple[Spots, Spots]:
    """Return the hosts links of their own, whose delay makes up the round trip.

    Raises ScenarioError where there are several routers or no host links, or the route is longer.
    """
    sources, receivers = spots
    several = any(len({spot.node for spot in side}) > 1 for side in spots)
    if several or sources[0].edge is None:
        raise ScenarioError(
            place, "a round trip of its own needs host links, one source and one receiver router"
        )
    route = layout.routes.delay_ps(sources[0].node, receivers[0].node) or 0
    rest = rtt_ps // 2 - route
    if rest < 2:
        raise ScenarioError(
            place, f"{rtt_ps / 1e9:g} ms is not above the route's own {2 * route / 1e9:g} ms"
        )
    rate = layout.edges[sources[0].edge].rate_bps
    edge = layout.edge(f"host {rtt_ps / 1e9:g} ms", rate, rest // 2)
    return [Spot(sources[0].node, edge)], [Spot(receivers[0].node, edge)]


def place_of(spot: Spot) -> dict[str, Any]:
    """Make the place of the plan."""
    return {"node": spot.node, "edge": spot.edge}


def pools(spots: Spots, hosts: int) -> list[dict[str, Any]]:
    """Share hosts out over the places, as pools of the plan."""
    counts = apportion(hosts, [spot.weight for spot in spots])
    return [
        {**place_of(spot), "hosts": count}
        for spot, count in zip(spots, counts, strict=True)
        if count
    ]
