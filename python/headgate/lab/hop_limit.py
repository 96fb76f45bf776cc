"""The packet-hops of a run that its plan allows at most: by the links, and by the offered traffic.

Retransmissions of lost packets are not counted, and packets smaller than a full segment may exceed
the limit of a link. Endless flows are limited by the links of their hosts, and other traffic of an
unknown amount by those of the network alone.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from headgate.scenario.traffic import kind_of

#: Links of hosts on a path.
_HOST_LINKS = 2
#: Nodes from which the longest path is searched, at equal distances; a search visits all links.
_SEARCHED = 16


def limit_packet_hops(plan: Mapping[str, Any]) -> float:
    """Return the greatest packet-hops of a run, each data packet with one ACK."""
    offered = sum(_find_offered(item, plan) for item in plan["traffic"])
    path = _find_longest_path(len(plan["nodes"]), plan["links"]) + _HOST_LINKS
    carried = _carry(map(_find_greatest_rate, plan["links"]), plan)
    return 2 * min(offered * path, carried * (1 + _HOST_LINKS))


def _find_offered(item: Mapping[str, Any], plan: Mapping[str, Any]) -> float:
    """Return the data packets that traffic offers, and single flows at most by their hosts."""
    offered = kind_of(item).offered_packets(item, plan["duration_ps"] / 1e12)
    if "count" not in item or not math.isinf(offered):
        return offered
    # A source without a host link, as one without a rate, is limited by the network alone.
    links = [spot["edge"] for spot in item["sources"]]
    rates = [math.inf if link is None else _host_rate(plan["edges"][link]) for link in links]
    return _carry([item["count"] * max(rates)], plan)


def _host_rate(edge: Mapping[str, Any]) -> float:
    return math.inf if edge["rate_bps"] is None else float(edge["rate_bps"])


def _carry(rates_bps: Iterable[float], plan: Mapping[str, Any]) -> float:
    """Return the data packets that links of these rates carry if they are never idle."""
    sizes = [one["segment_bytes"] + one["header_bytes"] for one in plan["transports"]]
    if not sizes:  # no traffic
        return 0.0
    bits = 8 * min(sizes)
    return float(sum(rates_bps) * plan["duration_ps"] / 1e12 / bits)


def _find_greatest_rate(link: Mapping[str, Any]) -> float:
    later = (change.get("rate_bps") or 0 for change in link.get("changes", ()))
    return float(max((link["rate_bps"], *later)))


def _find_longest_path(nodes: int, links: Sequence[Mapping[str, Any]]) -> int:
    """Return the number of links of the longest of the shortest paths from some nodes."""
    neighbours: list[list[int]] = [[] for _ in range(nodes)]
    for link in links:
        neighbours[link["from"]].append(link["to"])
    return max(
        (_measure_from(start, neighbours) for start in range(0, nodes, -(-nodes // _SEARCHED))),
        default=1,
    )


def _measure_from(start: int, neighbours: Sequence[Sequence[int]]) -> int:
    """Return the number of links to the farthest node (breadth-first search)."""
    far, waiting = {start: 0}, deque([start])
    while waiting:
        node = waiting.popleft()
        for other in neighbours[node]:
            if other not in far:
                far[other] = far[node] + 1
                waiting.append(other)
    return max(far.values())
