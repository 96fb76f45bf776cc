"""Demands between routers: read from a file, or computed by a gravity model.

A demand is an amount of traffic from an origin to a destination, in bit/s or in users. A file lists
one demand a row, or is square: a row for each origin and a column for each destination.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations, product
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import ScenarioError
from headgate.scenario.networks.layout import Layout, Spot, apportion
from headgate.scenario.table_file import UserTable, open_table

#: Columns of a list of demands.
COLUMNS = ("origin", "destination", "amount")
#: Columns of a file with the masses of routers.
MASSES = ("router", "mass")
#: Pairs of routers of a matrix: each becomes a process with a random stream.
MOST_PAIRS = 250_000
#: Columns that a message lists.
_SHOWN = 6
_AMOUNT = "a number of at least 0"
_WHOLE = "a whole number of at least 0"


@dataclass(frozen=True)
class Demand:
    """An amount of traffic between two routers or classes; `row` is its row in the file."""

    origin: str
    destination: str
    amount: float
    row: int


@dataclass(frozen=True)
class Pair:
    """An amount of traffic between two places of the network."""

    source: Spot
    receiver: Spot
    amount: float


def read_demands(path: str, place: str, *, whole: bool) -> tuple[list[Demand], UserTable]:
    """Read the demands above zero, whole numbers if they are users. Raises ScenarioError."""
    table = open_table(path, place, corner=COLUMNS[0])
    if not set(COLUMNS[1:]).isdisjoint(table.columns):
        for name in COLUMNS:
            if name not in table.columns:
                says = f"a list of demands needs the columns {', '.join(COLUMNS)}"
                raise ScenarioError(place, f"{path!r} lacks the column {name!r}; {says}")
        table.check_columns(COLUMNS)
        demands = _read_list(table, whole)
    else:
        demands = _read_square(table, whole)
    if not demands:
        raise ScenarioError(place, f"{path!r}: there is no demand above 0; at least one is needed")
    return demands, table


def _read_list(table: UserTable, whole: bool) -> list[Demand]:
    amounts = _read_amounts(table, COLUMNS[2], whole)
    ends = []
    for column in COLUMNS[:2]:
        words, codes = table.words(column)
        ends.append([words[int(code)] for code in codes])
    demands: list[Demand] = []
    seen: dict[tuple[str, str], int] = {}
    for row, (origin, destination, amount) in enumerate(zip(*ends, amounts, strict=True)):
        first = seen.setdefault((origin, destination), row)
        if first != row:
            says = f"lists {origin} to {destination} again, after {_place_of(table, first)}"
            table.reject(row, f"{says}; each pair may occur once")
        demands.append(Demand(origin, destination, float(amount), row))
    return [demand for demand in demands if demand.amount > 0]


def _place_of(table: UserTable, row: int) -> str:
    return table.where(row)


def _read_square(table: UserTable, whole: bool) -> list[Demand]:
    first, *destinations = table.columns
    words, codes = table.words(first)
    origins = [words[int(code)] for code in codes]
    if first != COLUMNS[0] and set(origins).isdisjoint(destinations):
        raise ScenarioError(
            table.place,
            f"{table.path!r} consists of {', '.join(table.columns[:_SHOWN])}; a list of demands"
            f" needs the columns {', '.join(COLUMNS)}, a square file a column for each destination",
        )
    for row, origin in enumerate(origins):
        if (before := origins.index(origin)) != row:
            table.reject(row, f"is of {origin!r} again, after {_place_of(table, before)}")
    columns = {name: _read_amounts(table, name, whole, empty=0.0) for name in destinations}
    return [
        Demand(origin, destination, float(columns[destination][row]), row)
        for row, origin in enumerate(origins)
        for destination in destinations
        if columns[destination][row] > 0
    ]


def _read_amounts(
    table: UserTable, name: str, whole: bool, empty: float | None = None
) -> NDArray[np.float64]:
    allowed = _WHOLE if whole else _AMOUNT
    column = table.numbers(name, allowed)
    if empty is not None:
        column = np.nan_to_num(column, nan=empty)
    good = column >= 0
    table.require(good & (column == np.floor(column)) if whole else good, name, column, allowed)
    return column


def find_pairs(demands: Sequence[Demand], table: UserTable, layout: Layout) -> list[Pair]:
    """Return the demands between places; those of classes are split over their routers.

    Raises ScenarioError for an unknown router, a demand to its own origin, or a missing route.
    """
    pairs: list[Pair] = []
    sources = _find_spots(layout, layout.sources, [(d.origin, d.row) for d in demands], table)
    ends = [(d.destination, d.row) for d in demands]
    receivers = _find_spots(layout, layout.receivers, ends, table)
    for demand in demands:
        places = _cross(sources[demand.origin], receivers[demand.destination])
        if not places:
            _reject(table, demand, "which starts and ends at the same router; leave it out")
        if apart := _find_unrouted(layout, places):
            _reject(table, demand, f"but {apart}")
        pairs += _split(places, demand.amount)
        _check_number(len(pairs), table.place)
    return pairs


Places = list[tuple[Spot, Spot]]


def _find_spots(
    layout: Layout, defaults: Sequence[Spot], ends: Iterable[tuple[str, int]], table: UserTable
) -> dict[str, list[Spot]]:
    """Return the places of routers and classes by their names; each comes with a row."""
    found: dict[str, list[Spot]] = {}
    for name, row in ends:
        if name in found:
            continue
        try:
            found[name] = layout.spots(defaults, name, table.place)
        except ScenarioError as error:
            says = error.sentence
            if set(table.columns).isdisjoint(COLUMNS[1:]):
                says += f"; a list of demands needs the columns {', '.join(COLUMNS)}"
            table.reject(row, f"names {name!r}: {says}")
    return found


def _reject(table: UserTable, demand: Demand, says: str) -> NoReturn:
    what = f"{demand.amount:g} from {demand.origin} to {demand.destination}"
    table.reject(demand.row, f"has {what}, {says}")


def _cross(sources: Sequence[Spot], receivers: Sequence[Spot]) -> Places:
    """Return all pairs of places at different routers."""
    pairs = product(sources, receivers)
    return [(source, receiver) for source, receiver in pairs if source.node != receiver.node]


def _find_unrouted(layout: Layout, places: Places) -> str:
    """Describe two routers without a route in both directions; "" if there are none."""
    groups = layout.routes.groups
    for source, receiver in places:
        if groups[source.node] != groups[receiver.node]:
            names = [layout.nodes[spot.node][0] for spot in (source, receiver)]
            return f"no route leads from {names[0]!r} to {names[1]!r} and back"
    return ""


def _split(places: Places, amount: float) -> list[Pair]:
    """Split an amount over places by the weights of both."""
    weights = np.array([source.weight * receiver.weight for source, receiver in places])
    parts = amount * weights / weights.sum()
    return [Pair(*ends, float(part)) for ends, part in zip(places, parts, strict=True)]


def _check_number(pairs: int, place: str) -> None:
    if pairs > MOST_PAIRS:
        raise ScenarioError(
            place, f"there are more than {MOST_PAIRS:,} pairs of places; leave some out"
        )


def read_masses(path: str, place: str) -> dict[str, float]:
    """Read the columns router and mass of a file. Raises ScenarioError."""
    table = open_table(path, place)
    for name in MASSES:
        if name not in table.columns:
            says = f"{path!r} lacks the column {name!r}; masses need {' and '.join(MASSES)}"
            raise ScenarioError(place, says)
    masses = _read_amounts(table, "mass", whole=False)
    words, codes = table.words("router")
    rows = sorted((int(code), row) for row, code in enumerate(codes))
    for (one, before), (other, row) in pairwise(rows):
        if one == other:
            table.reject(row, f"lists {words[one]} again, after {_place_of(table, before)}")
    return {words[code]: float(masses[row]) for code, row in rows}


def find_gravity(
    layout: Layout, masses: Mapping[str, float] | None, exponent: float, place: str
) -> list[Pair]:
    """Return pairs whose amounts add up to 1: product of masses over a power of the distance.

    The distance is the propagation delay of the route. Without masses, those of the routers count.
    `place` is the key of the model. Raises ScenarioError.
    """
    by_node = layout.masses if masses is None else _by_node(layout, masses, f"{place}.masses")
    if not by_node:
        says = (
            "the routers of this network lack a mass; write masses, or the attribute mass of nodes"
        )
        raise ScenarioError(f"{place}.masses", says)
    nodes = [node for node, mass in by_node.items() if mass > 0]
    names = {node: layout.nodes[node][0] for node in nodes}
    sources = {node: layout.spots(layout.sources, names[node], place) for node in nodes}
    receivers = {node: layout.spots(layout.receivers, names[node], place) for node in nodes}
    pairs: list[Pair] = []
    for origin, destination in permutations(nodes, 2):
        places = _cross(sources[origin], receivers[destination])
        if apart := _find_unrouted(layout, places):
            raise ScenarioError(f"{place}.masses", apart)
        weight = by_node[origin] * by_node[destination]
        if exponent:
            weight /= _distance_s(layout, origin, destination, place) ** exponent
        pairs += _split(places, weight)
        _check_number(len(pairs), place)
    total = sum(pair.amount for pair in pairs)
    if not total > 0:
        raise ScenarioError(f"{place}.masses", "at least two routers need a mass above 0")
    return [Pair(pair.source, pair.receiver, pair.amount / total) for pair in pairs]


def _by_node(layout: Layout, masses: Mapping[str, float], place: str) -> dict[int, float]:
    """Return the masses of routers; that of a class is the mass of each of its routers."""
    found: dict[int, float] = {}
    for name, mass in masses.items():
        for spot in layout.spots([], name, place):
            found[spot.node] = mass
    return found


def _distance_s(layout: Layout, origin: int, destination: int, place: str) -> float:
    delay_ps = layout.routes.delay_ps(origin, destination) or 0
    if not delay_ps:
        names = " and ".join(repr(layout.nodes[node][0]) for node in (origin, destination))
        says = f"the route between {names} takes 0 s, so that no distance divides their masses"
        raise ScenarioError(f"{place}.exponent", says)
    return delay_ps / 1e12


def whole_users(pairs: Sequence[Pair], users: int) -> list[int]:
    """Return whole numbers of users in proportion to the pairs, which add up to `users`."""
    return apportion(users, [pair.amount for pair in pairs])
