"""A four-tier network after Abilene, in the shape of the NIST study of TCP replacements.

11 backbone routers (A to K, west to east) and 14 links, 22 points of presence (A1 to K2), 139
access routers, hosts. The counts are the study's (6 D, 28 F and 105 N access routers); what it does
not publish is ours and marked so: which routers carry D and F, delays of the lower tiers, shares.
"""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field, model_validator

from headgate.scenario.base import Buffer, Model, Rate, Time, at
from headgate.scenario.networks.layout import Demand, Layout, Link, Spot
from headgate.scenario.queue import DROP_TAIL, Feedback, Queue
from headgate.units import parse_buffer, parse_rate, parse_time

# City, latitude and longitude in degrees.
CITIES = {
    "A": ("Seattle", 47.61, -122.33),
    "B": ("Sunnyvale", 37.37, -122.04),
    "C": ("Los Angeles", 34.05, -118.24),
    "D": ("Denver", 39.74, -104.98),
    "E": ("Kansas City", 39.10, -94.58),
    "F": ("Houston", 29.76, -95.37),
    "G": ("Chicago", 41.88, -87.63),
    "H": ("Indianapolis", 39.77, -86.16),
    "I": ("Atlanta", 33.75, -84.39),
    "J": ("Washington", 38.90, -77.04),
    "K": ("New York", 40.71, -74.01),
}
BACKBONE = (
    "A-B", "A-D", "B-C", "B-D", "C-F", "D-E", "E-F",
    "E-H", "F-I", "G-H", "G-K", "H-I", "I-J", "J-K",
)  # fmt: skip
# Ours: D routers sit at six cities, from coast to coast.
DIRECT_AT = ("B", "C", "F", "G", "I", "K")
FAST_ROUTERS, NORMAL_ROUTERS = 28, 105
EARTH_RADIUS_KM, LIGHT_IN_GLASS_KM_S = 6371.0, 299_792.458 * 2 / 3


class Ratios(Model):
    """Speeds of the tiers, relative to one another."""

    backbone: float = Field(80, gt=0, description="Links between backbone routers.")
    pop: float = Field(10, gt=0, description="Links of points of presence to the backbone.")
    D: float = Field(10, gt=0, description="Links of D access routers to the backbone.")
    F: float = Field(2, gt=0, description="Links of F access routers.")
    N: float = Field(1, gt=0, description="Links of N access routers.")


class Shares(Model):
    """Shares of the hosts under each class of access router; they add up to 1."""

    D: float = Field(ge=0, le=1, description="Share under the 6 D routers.")
    F: float = Field(ge=0, le=1, description="Share under the 28 F routers.")
    N: float = Field(ge=0, le=1, description="Share under the 105 N routers.")

    @model_validator(mode="after")
    def _whole(self) -> Shares:
        total = self.D + self.F + self.N
        if abs(total - 1) > 1e-6:
            raise at("", f"the shares D, F and N add up to 1; these add up to {total:g}")
        return self


class Abilene(Model):
    """Backbone, points of presence, access routers of classes D, F, N, and hosts of two speeds."""

    kind: Literal["abilene"] = "abilene"
    rate: Rate = Field(description="Rate of the backbone's links.")
    ratios: Ratios = Field(default_factory=Ratios, description="Speeds of the tiers.")
    delay_multiplier: float = Field(1.0, gt=0, le=1000, description="Multiplies every delay.")
    lower_delay: Time = Field(
        parse_time("500 us"),
        gt=0,
        description="Delay of each PoP, access and host link, before the multiplier.",
    )
    buffer: Buffer = Field(parse_buffer("1 BDP"), description="What may wait at each link.")
    queue: Queue = Field(DROP_TAIL, description="What each link does beside queueing.")
    feedback: Feedback | None = Field(None, description="What each router tells senders.")
    source_shares: Shares = Field(
        default_factory=lambda: Shares(D=0.3, F=0.6, N=0.1), description="Where sources are."
    )
    receiver_shares: Shares = Field(
        default_factory=lambda: Shares(D=0.1, F=0.3, N=0.6), description="Where receivers are."
    )
    fast_rate: Rate = Field(parse_rate("960 Mbit/s"), description="Fast host interface.")
    normal_rate: Rate = Field(parse_rate("96 Mbit/s"), description="Normal host interface.")
    fast_share: float = Field(0.5, ge=0, le=1, description="Share of hosts that are fast.")

    def layout(self, demand: Demand) -> Layout:  # noqa: ARG002 - the same for every traffic
        """Lay the network out."""
        layout = Layout(main_ports=tuple(BACKBONE), rate_bps=self.rate)
        cities = {name: layout.add_node(name) for name in CITIES}
        for pair in BACKBONE:
            ends = cities[pair[0]], cities[pair[2]]
            delay = self._delay(distance_ps(pair[0], pair[2]))
            layout.add_pair(
                Link(
                    pair,
                    *ends,
                    self.rate,
                    delay,
                    self.buffer,
                    queue=self.queue,
                    feedback=self.feedback,
                )
            )
        pops = [
            self._lower(layout, f"{c}{i}", "", cities[c], "pop") for c in CITIES for i in (1, 2)
        ]
        access = self._access_routers(layout, cities, pops)
        edges = self._host_links(layout)
        layout.sources = self._spots(access, edges, self.source_shares)
        layout.receivers = self._spots(access, edges, self.receiver_shares)
        return layout

    def _access_routers(
        self, layout: Layout, cities: dict[str, int], pops: list[int]
    ) -> dict[str, list[int]]:
        """Hang D routers on the backbone; deal F, then N routers round the points of presence."""
        access: dict[str, list[int]] = {"D": [], "F": [], "N": []}
        for city in DIRECT_AT:
            access["D"].append(self._lower(layout, f"{city}0a", "D", cities[city], "D"))
        for i in range(FAST_ROUTERS + NORMAL_ROUTERS):
            pop, letter = pops[i % len(pops)], "abcdefghij"[i // len(pops)]
            name, tier = f"{layout.nodes[pop][0]}{letter}", "F" if i < FAST_ROUTERS else "N"
            access[tier].append(self._lower(layout, name, tier, pop, tier))
        return access

    def _lower(self, layout: Layout, name: str, class_name: str, parent: int, tier: str) -> int:
        node = layout.add_node(name, class_name)
        rate = round(self.rate * getattr(self.ratios, tier) / self.ratios.backbone)
        delay = self._delay(self.lower_delay)
        up = f"{name}-{layout.nodes[parent][0]}"
        layout.add_pair(
            Link(
                up,
                node,
                parent,
                max(1, rate),
                delay,
                self.buffer,
                queue=self.queue,
                feedback=self.feedback,
            )
        )
        return node

    def _host_links(self, layout: Layout) -> list[tuple[int, float]]:
        delay = self._delay(self.lower_delay)
        kinds = [
            ("fast", self.fast_rate, self.fast_share),
            ("normal", self.normal_rate, 1 - self.fast_share),
        ]
        return [(layout.edge(n, rate, delay), share) for n, rate, share in kinds if share > 0]

    def _spots(
        self, access: dict[str, list[int]], edges: list[tuple[int, float]], shares: Shares
    ) -> list[Spot]:
        return [
            Spot(node, edge, getattr(shares, tier) * part / len(routers))
            for tier, routers in access.items()
            if getattr(shares, tier) > 0
            for node in routers
            for edge, part in edges
        ]

    def _delay(self, delay_ps: int) -> int:
        return max(1, round(delay_ps * self.delay_multiplier))


def distance_ps(one: str, other: str) -> int:
    """Give the time light in glass takes along the great circle between two cities, in ps."""
    (_, lat1, lon1), (_, lat2, lon2) = CITIES[one], CITIES[other]
    phi1, phi2 = math.radians(lat1), math.radians(lat2)
    half = (
        math.sin((phi2 - phi1) / 2) ** 2
        + math.cos(phi1) * math.cos(phi2) * math.sin(math.radians(lon2 - lon1) / 2) ** 2
    )
    km = 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(half))
    return round(km / LIGHT_IN_GLASS_KM_S * 1e12)
