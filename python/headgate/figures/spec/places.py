"""The positions of routers in a picture of their network."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from networkx import Graph

#: The distance of routers from their city, and the ratio of the next tier to it.
RING_DEGREES = 2.0
NEXT_RADIUS = 0.8
#: Cities are moved apart to this distance, so that their fans do not overlap.
APART_DEGREES = 8.4
ROUNDS = 200
WIDEST_FAN = 0.75 * math.pi
KM_RATIO = 1.28  # one degree of latitude is so much longer than one of longitude at 38.5 degrees N
#: The distance of a name below its city, and from its router as a share of the height.
NAME_DEGREES = 4.2
NAME_AWAY, ROW_AWAY = 0.04, 0.14
#: The limits below and above a row of routers, which is at 0.
ROW_LIMITS = (-0.5, 0.5)
#: Radius of the circle of routers at one place, as a share of the map; the largest aspect.
CIRCLE, MOST_ASPECT = 0.05, 4.0
#: The most routers with names beside them.
NAMED_ROUTERS = 40
#: Beyond this many routers, the lengths of all paths take too long.
MANY = 400

Point = tuple[float, float]
#: From one router to another.
Link = tuple[str, str]
#: Router -> (name, latitude, longitude).
Cities = Mapping[str, tuple[str, float, float]]


def place_routers(links: Iterable[Link]) -> dict[str, Point]:
    """Place routers in a row if they are a chain, else by the lengths of their paths.

    That is Kamada and Kawai 1989; of very many routers, Fruchterman and Reingold 1991.
    """
    import networkx as nx

    graph = nx.Graph(links)
    row = _find_row(graph)
    if row:
        return {name: (float(i), 0.0) for i, name in enumerate(row)}
    placed = (
        nx.kamada_kawai_layout(graph) if len(graph) <= MANY else nx.spring_layout(graph, seed=1)
    )
    return {name: (float(x), float(y)) for name, (x, y) in placed.items()}


def spread_equal(places: Mapping[str, Point]) -> dict[str, Point]:
    """Move routers with the same coordinates onto a small circle around them.

    Routers at one latitude form a row at 0.
    """
    together: dict[Point, list[str]] = {}
    for name, place in places.items():
        together.setdefault(place, []).append(name)
    xs, ys = zip(*places.values(), strict=True)
    radius = CIRCLE * max(max(xs) - min(xs), max(ys) - min(ys)) or 1.0
    moved, is_row = {}, len(together) > 1 and min(ys) == max(ys)
    for (x, y), names in together.items():
        for number, name in enumerate(names):
            angle, away = 2 * math.pi * number / len(names), radius * (len(names) > 1)
            height = 0.0 if is_row else y
            moved[name] = (x + away * math.cos(angle), height + away * math.sin(angle))
    return moved


def find_aspect(places: Mapping[str, Point]) -> float | None:
    """Return the length of a degree of latitude over one of longitude; None without places."""
    if not places:
        return None
    middle = sum(latitude for _, latitude in places.values()) / len(places)
    return min(MOST_ASPECT, 1 / math.cos(math.radians(middle)))


def are_in_a_row(places: Iterable[Point]) -> bool:
    """Return whether all routers are at one height."""
    return len({y for _, y in places}) == 1


def halve(near: Point, far: Point) -> tuple[Point, Point]:
    """Return the half of a link that leaves the near router."""
    return near, ((near[0] + far[0]) / 2, (near[1] + far[1]) / 2)


def place_in_cities(links: Iterable[Link], cities: Cities) -> dict[str, Point]:
    """Put cities near longitude and latitude, and the routers below a router in a fan around it."""
    fans = _Fans(_move_apart(cities), links)
    for city in cities:
        fans.open(city, (0.0, 2 * math.pi), RING_DEGREES)
    return fans.places


def place_names(places: Mapping[str, Point], cities: Cities) -> dict[str, Point]:
    """Place names below the fans of cities, or on the side that looks away from other routers."""
    if cities:
        return {name: (places[name][0], places[name][1] - NAME_DEGREES) for name in cities}
    if len(places) > NAMED_ROUTERS:
        return {}
    ys = [y for _, y in places.values()]
    away = NAME_AWAY * (max(ys) - min(ys)) or ROW_AWAY
    middle = sum(ys) / len(ys)
    return {name: (x, y + (away if y >= middle else -away)) for name, (x, y) in places.items()}


def _move_apart(cities: Cities) -> dict[str, Point]:
    """Place cities as on a map; move cities that are too close apart."""
    at = np.array([(lon / KM_RATIO, lat) for _, lat, lon in cities.values()])
    for _ in range(ROUNDS):
        gap = at[:, None] - at[None, :]
        far = np.hypot(gap[..., 0], gap[..., 1]) + np.eye(len(at)) * APART_DEGREES
        push = np.maximum(APART_DEGREES - far, 0) / 2
        at = at + (gap * (push / far)[..., None]).sum(axis=1)
    return {name: (float(x) * KM_RATIO, float(y)) for name, (x, y) in zip(cities, at, strict=True)}


def _find_row(graph: Graph[str]) -> Sequence[str]:
    """Return the routers of a chain from end to end; nothing if the graph is no chain."""
    ends = [name for name, links in graph.degree if links == 1]
    is_chain = len(ends) == 2 and graph.number_of_edges() == len(graph) - 1
    if not is_chain or max(links for _, links in graph.degree) > 2:
        return []
    from networkx import shortest_path

    path: list[str] = shortest_path(graph, *sorted(ends))
    return path


class _Fans:
    def __init__(self, places: dict[str, Point], links: Iterable[Link]) -> None:
        self.places = places
        self.children: dict[str, list[str]] = {}
        for child, parent in sorted({link for link in links if _is_up(link)}):
            if child not in places:
                self.children.setdefault(parent, []).append(child)

    def open(self, parent: str, sector: tuple[float, float], radius: float) -> None:
        """Place all routers below `parent` within a sector of angles."""
        own = self.children.get(parent, [])
        sizes = [1 + len(self.children.get(child, ())) for child in own]
        angle, share = sector[0], (sector[1] - sector[0]) / max(1, sum(sizes))
        for child, size in zip(own, sizes, strict=True):
            middle = angle + share * size / 2
            self.places[child] = self._at(parent, middle, radius)
            width = min(share * size, WIDEST_FAN) / 2
            self.open(child, (middle - width, middle + width), radius * NEXT_RADIUS)
            angle += share * size

    def _at(self, parent: str, angle: float, radius: float) -> Point:
        x, y = self.places[parent]
        return x + KM_RATIO * radius * math.cos(angle), y + radius * math.sin(angle)


def _is_up(link: Link) -> bool:
    child, parent = link
    return len(parent) < len(child)
