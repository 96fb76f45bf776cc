"""A network of four tiers: backbone, points of presence, access routers of three classes, hosts.

Counts and cities are those of its topology. Delays of the lower tiers, the shares of hosts and the
interfaces' speeds are ours.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pydantic import Field, field_validator, model_validator

from headgate.base.units import INFINITE, Amount, parse_buffer, parse_rate, parse_time_ps
from headgate.data.topologies import ABILENE, ISP, Topology
from headgate.scenario.base import Buffer, Model, Rate, Time, at
from headgate.scenario.networks.layout import Demand, Layout, Link, Spot
from headgate.scenario.queue import DROP_TAIL, Feedback, Queue

TOPOLOGIES = {"abilene": ABILENE, "isp": ISP}


class Ratios(Model):
    """Speeds of the tiers, relative to one another."""

    backbone: float = Field(80, ge=1e-6, le=1e6, description="Links between backbone routers.")
    pop: float = Field(
        10, ge=1e-6, le=1e6, description="Links of points of presence to the backbone."
    )
    D: float = Field(10, ge=1e-6, le=1e6, description="Links of D access routers to the backbone.")
    F: float = Field(2, ge=1e-6, le=1e6, description="Links of F access routers.")
    N: float = Field(1, ge=1e-6, le=1e6, description="Links of N access routers.")


class Shares(Model):
    """Shares of the hosts under each class of access router; they add up to 1."""

    D: float = Field(ge=0, le=1, description="Share under the D routers.")
    F: float = Field(ge=0, le=1, description="Share under the F routers.")
    N: float = Field(ge=0, le=1, description="Share under the N routers.")

    @model_validator(mode="after")
    def _whole(self) -> Shares:
        total = self.D + self.F + self.N
        if abs(total - 1) > 1e-6:
            raise at("", f"the shares D, F and N must add up to 1; these add up to {total:g}")
        return self


class FourTier(Model):
    """Backbone, points of presence, access routers of classes D, F, N, and hosts of two speeds."""

    kind: Literal["abilene", "isp"] = Field(
        "abilene", description="The backbone: after Abilene, or a larger provider's."
    )
    rate: Rate = Field(description="Rate of the backbone's links.")
    ratios: Ratios = Field(default_factory=Ratios, description="Speeds of the tiers.")
    delay_multiplier: float = Field(1.0, gt=0, le=1000, description="Multiplies every delay.")
    lower_delay: Time = Field(
        parse_time_ps("500 us"),
        gt=0,
        description="Delay of each PoP, access and host link, before the multiplier.",
    )
    buffer: Buffer = Field(parse_buffer("1 BDP"), description="Buffer of each link.")
    queue: Queue = Field(DROP_TAIL, description="Queue discipline of each link.")
    feedback: Feedback | None = Field(
        None, description="Feedback from each router to senders: XCP, RCP or VCP."
    )
    source_shares: Shares = Field(
        default_factory=lambda: Shares(D=0.3, F=0.6, N=0.1), description="Where sources are."
    )
    receiver_shares: Shares = Field(
        default_factory=lambda: Shares(D=0.1, F=0.3, N=0.6), description="Where receivers are."
    )
    fast_rate: Rate = Field(parse_rate("960 Mbit/s"), description="Fast host interface.")
    normal_rate: Rate = Field(parse_rate("96 Mbit/s"), description="Normal host interface.")
    fast_share: float = Field(0.5, ge=0, le=1, description="Share of hosts that are fast.")
    host_buffer: Buffer = Field(
        INFINITE,
        description="Buffer of a host link: its router drops what exceeds it, its host's senders"
        " wait. Not in BDP.",
    )

    @field_validator("host_buffer")
    @classmethod
    def _no_multiple(cls, buffer: Amount) -> Amount:
        if buffer.unit.startswith("BDP"):
            raise at("", f"'{buffer}' is not allowed; write a time, packets or bytes: '50 ms'")
        return buffer

    def layout(self, demand: Demand) -> Layout:  # noqa: ARG002 - the same for every traffic
        """Lay the network out."""
        topology = TOPOLOGIES[self.kind]
        layout = Layout(main_ports=topology.backbone, rate_bps=self.rate)
        cities = {name: layout.add_node(name) for name in topology.cities}
        for pair in topology.backbone:
            one, other = pair.split("-")
            delay = self._delay(topology.distance_ps(one, other))
            self._pair(layout, pair, (cities[one], cities[other]), self.rate, delay)
        pops = [
            self._lower(layout, f"{city}{number}", "", cities[city], "pop")
            for city in topology.cities
            for number in range(1, topology.pops + 1)
        ]
        access = self._access_routers(topology, layout, cities, pops)
        edges = self._host_links(layout)
        layout.sources = self._spots(access, edges, self.source_shares)
        layout.receivers = self._spots(access, edges, self.receiver_shares)
        return layout

    def _pair(
        self, layout: Layout, name: str, ends: tuple[int, int], rate: int, delay: int
    ) -> None:
        link = Link(name, *ends, rate, delay, self.buffer)
        layout.add_pair(replace(link, queue=self.queue, feedback=self.feedback))

    def _access_routers(
        self, topology: Topology, layout: Layout, cities: dict[str, int], pops: list[int]
    ) -> dict[str, list[int]]:
        """Hang D routers on the backbone; deal F, then N routers round the points of presence."""
        access: dict[str, list[int]] = {"D": [], "F": [], "N": []}
        for city in topology.direct_at:
            access["D"].append(self._lower(layout, f"{city}0a", "D", cities[city], "D"))
        for i in range(topology.fast + topology.normal):
            pop, letter = pops[i % len(pops)], "abcdefghij"[i // len(pops)]
            name, tier = f"{layout.nodes[pop][0]}{letter}", "F" if i < topology.fast else "N"
            access[tier].append(self._lower(layout, name, tier, pop, tier))
        return access

    def _lower(self, layout: Layout, name: str, class_name: str, parent: int, tier: str) -> int:
        node = layout.add_node(name, class_name)
        rate = round(self.rate * getattr(self.ratios, tier) / self.ratios.backbone)
        delay = self._delay(self.lower_delay)
        up = f"{name}-{layout.nodes[parent][0]}"
        self._pair(layout, up, (node, parent), max(1, rate), delay)
        return node

    def _host_links(self, layout: Layout) -> list[tuple[int, float]]:
        delay = self._delay(self.lower_delay)
        kinds = [
            ("fast", self.fast_rate, self.fast_share),
            ("normal", self.normal_rate, 1 - self.fast_share),
        ]
        return [
            (layout.edge(n, rate, delay, self.host_buffer, class_name=n), share)
            for n, rate, share in kinds
            if share > 0
        ]

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
