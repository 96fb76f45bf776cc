"""A traffic matrix: demands between routers, from a file or a gravity model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from headgate.base.errors import ScenarioError
from headgate.base.units import parse_time_ps
from headgate.scenario.base import Model, Rate, Time, at
from headgate.scenario.demands import (
    Pair,
    find_gravity,
    find_pairs,
    read_demands,
    read_masses,
    whole_users,
)
from headgate.scenario.distributions import Sizes
from headgate.scenario.group import SIZE_KEYS, Arrays, Group, Item, Need, Planner, place_of
from headgate.scenario.networks.layout import Layout, Spot
from headgate.scenario.traffic.poisson import Poisson
from headgate.scenario.traffic.web import Web

#: Bit/s of each unit of a file.
RATES = {"bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9}
#: Flows/s below which the engine starts none.
LEAST_PER_S = 1e-5
#: Hosts of a pair on either side, if the amounts are rates.
HOSTS = 10


class Gravity(Model):
    """Demands in proportion to the product of the masses of two routers.

    With an exponent, the product is divided by that power of the distance, which is the propagation
    delay of the route (Zipf 1946; without distance Roughan 2005).
    """

    total: Rate | None = Field(None, description="Sum of all demands, if they are rates.")
    users: int | None = Field(
        None, ge=1, le=100_000_000, description="Number of users of all pairs, in place of total."
    )
    masses: str | dict[str, float] | None = Field(
        None,
        description="Masses of routers or classes: a table, or a CSV or Parquet file with the"
        " columns router, mass; absent = the key mass of the network's routers.",
    )
    exponent: float = Field(
        0.0, ge=0, le=10, description="Power of the distance; 0 = distance does not count."
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Gravity:
        if (self.total is None) == (self.users is None):
            raise at("total", 'write either total = "2 Gbit/s" or users = 500')
        masses = self.masses if isinstance(self.masses, dict) else {}
        wrong = next((name for name, mass in masses.items() if mass < 0), None)
        if wrong is not None:
            says = f"{wrong} weighs {masses[wrong]:g}; a mass must be a number of at least 0"
            raise at("masses", says)
        return self


class Matrix(Group):
    """A traffic matrix: data flows from each origin to its destinations, by stated amounts.

    Amounts in bit/s are means: files arrive as a Poisson process whose rate is the amount over the
    mean size of a file on the wire, headers included. If the network cannot carry an amount, flows
    accumulate. Amounts in users are users as those of `web`, each with a host at the origin: it
    sends a file to a host at the destination, waits, and sends the next one.
    """

    #: Keys of other traffic that are not allowed.
    refused: ClassVar[tuple[str, ...]] = ("source", "receiver", "reverse", "rtt")
    #: Keys that only one of the two kinds of amount has.
    of_rates: ClassVar[tuple[str, ...]] = ("hosts", "start", "stop")
    of_users: ClassVar[tuple[str, ...]] = ("think", "at_once")
    is_composed: ClassVar[bool] = True
    plan_keys: ClassVar[Mapping[str, str]] = SIZE_KEYS

    kind: Literal["matrix"] = "matrix"
    file: str | None = Field(
        None,
        description="CSV or Parquet file: the columns origin, destination, amount; or a row for"
        " each origin and a column for each destination.",
    )
    unit: Literal["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "users"] | None = Field(
        None, description="Unit of the amounts in the file."
    )
    gravity: Gravity | None = Field(None, description="A model of the demands, in place of a file.")
    scale: float = Field(
        1.0, gt=0, le=1e9, description="Factor of all amounts; users are rounded to whole ones."
    )
    size: Sizes = Field(description="File sizes.")
    hosts: int | None = Field(
        None,
        ge=1,
        le=100_000,
        description=f"Hosts of each pair on either side, for rates; absent = {HOSTS}.",
    )
    start: Time | None = Field(None, description="First possible arrival, for rates; absent = 0 s.")
    stop: Time | None = Field(
        None, description="No arrivals from here on, for rates; absent = the end."
    )
    think: Time | None = Field(
        None, gt=0, description="Mean time between two files, for users; absent = 3.5 s."
    )
    at_once: float | None = Field(
        None, ge=0, le=1, description="Share of the users who begin at once; absent = 0."
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        for key in self.refused:
            if getattr(self, key) not in (None, False):
                raise at(key, "a matrix names its origins and destinations; leave this key out")
        if (self.file is None) == (self.gravity is None):
            raise at("file", "write either file = 'demands.csv' or [traffic.gravity]")
        if (self.file is None) != (self.unit is None):
            says = "the unit of a gravity model is that of its total; leave this key out"
            need = "this key is required: the unit of the amounts, such as 'Mbit/s' or 'users'"
            raise at("unit", says if self.file is None else need)
        others, unit = (self.of_rates, "rates") if self.are_users else (self.of_users, "users")
        for key in others:
            if getattr(self, key) is not None:
                raise at(key, f"this key is for amounts that are {unit}; leave it out")
        if self.stop is not None and self.stop <= (self.start or 0):
            raise at("stop", "stop must be after start")
        return self

    @property
    def are_users(self) -> bool:
        """Whether the amounts are numbers of users."""
        return self.unit == "users" if self.gravity is None else self.gravity.users is not None

    def default_name(self, cca: str) -> str:  # noqa: ARG002 - the same with every algorithm
        """Return the name of traffic without a name in the scenario."""
        return self.kind

    @property
    def most_flows(self) -> int:
        """One per user; unknown for rates."""
        if not self.are_users:
            return 1
        if self.gravity is not None:
            return round((self.gravity.users or 0) * self.scale)
        try:
            demands, _ = read_demands(self.file or "", "", whole=True)
        except ScenarioError:  # found again with its place
            return 1
        return round(sum(demand.amount for demand in demands) * self.scale)

    def find_pairs(self, layout: Layout, place: str) -> list[Pair]:
        """Return the pairs of places, with amounts in bit/s or users. Raises ScenarioError."""
        if (model := self.gravity) is not None:
            key = f"{place}.gravity"
            masses = model.masses
            if isinstance(masses, str):
                masses = read_masses(masses, f"{key}.masses")
            pairs = find_gravity(layout, masses, model.exponent, key)
            factor = float(model.total or model.users or 0) * self.scale
        else:
            assert self.file is not None
            demands, table = read_demands(self.file, f"{place}.file", whole=self.are_users)
            pairs = find_pairs(demands, table, layout)
            factor = RATES.get(str(self.unit), 1) * self.scale
        return [Pair(pair.source, pair.receiver, pair.amount * factor) for pair in pairs]

    def lay_out(self, planner: Planner, item: Item) -> dict[str, Any]:
        """Return arrivals or users of the plan: each pool of sources sends to one of receivers."""
        pairs = self.find_pairs(planner.layout, item.place)
        make = self._users if self.are_users else self._arrivals
        made = make(pairs, planner, item)
        return made | self.mix_plan(planner, item.place)

    def _arrivals(self, pairs: list[Pair], planner: Planner, item: Item) -> dict[str, Any]:
        profile = planner.profile(self.transport)
        bits = 8 * profile.packet_bytes * self.size.mean_sent(profile.segment_bytes)
        rates = [pair.amount / bits for pair in pairs]
        _check_rates(pairs, rates, planner.layout, item.place)
        hosts = HOSTS if self.hosts is None else self.hosts
        return {
            "kind": "poisson",
            **_pools(pairs, [hosts] * len(pairs), most=hosts),
            "flows_per_s": sum(rates),
            "rates_per_s": rates,
            "size": self.size.plan(profile.segment_bytes),
            "start_ps": self.start or 0,
            "stop_ps": planner.find_end(self.start, self.stop),
        }

    def _users(self, pairs: list[Pair], planner: Planner, item: Item) -> dict[str, Any]:
        users = whole_users(pairs, round(sum(pair.amount for pair in pairs)))
        kept = [(pair, count) for pair, count in zip(pairs, users, strict=True) if count]
        if not kept:
            raise ScenarioError(f"{item.place}.scale", "leaves no user; at least one is needed")
        think = parse_time_ps("3.5 s") if self.think is None else self.think
        segment_bytes = planner.profile(self.transport).segment_bytes
        return {
            "kind": "web",
            **_pools([pair for pair, _ in kept], [count for _, count in kept]),
            "think_s": think / 1e12,
            "size": self.size.plan(segment_bytes),
            "at_once": self.at_once or 0.0,
        }

    @classmethod
    def estimate(cls, item: Mapping[str, Any], arrays: Arrays) -> Need:
        """Estimate the memory as that of arrivals or users, which its item of the plan is."""
        return (Web if item["kind"] == "web" else Poisson).estimate(item, arrays)


def _check_rates(pairs: list[Pair], rates: list[float], layout: Layout, place: str) -> None:
    """Raise ScenarioError for a pair whose flows are too rare for the engine."""
    for pair, rate in zip(pairs, rates, strict=True):
        if rate < LEAST_PER_S:
            names = [layout.nodes[spot.node][0] for spot in (pair.source, pair.receiver)]
            raise ScenarioError(
                f"{place}.size",
                f"{pair.amount:.3g} bit/s from {names[0]} to {names[1]} are one file in"
                f" {1 / rate / 3600:.0f} h, and at least one in {1 / LEAST_PER_S / 3600:.0f} h is"
                " needed; write smaller files, or leave the pair out",
            )


def _pools(pairs: list[Pair], hosts: list[int], most: int | None = None) -> dict[str, Any]:
    """Return a pool of sources for each pair, and one of receivers for each destination."""
    places: dict[tuple[int, int | None], int] = {}
    ends: list[Spot] = []
    counts: list[int] = []
    receivers_of = []
    for pair, count in zip(pairs, hosts, strict=True):
        spot = pair.receiver
        index = places.setdefault((spot.node, spot.edge), len(places))
        if index == len(ends):
            ends.append(spot)
            counts.append(0)
        counts[index] += count
        receivers_of.append(index)
    shared = zip(ends, counts, strict=True)
    return {
        "sources": [
            {**place_of(pair.source), "hosts": count}
            for pair, count in zip(pairs, hosts, strict=True)
        ],
        "receivers": [
            {**place_of(spot), "hosts": min(count, most or count)} for spot, count in shared
        ],
        "receivers_of": receivers_of,
    }
