"""A chain of equal bottlenecks: long flows cross all of them, cross flows one each.

Routers r0 ... rN, links hop1 ... hopN. Traffic goes from r0 to rN unless it names routers.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from headgate.base.units import parse_buffer
from headgate.scenario.base import Buffer, Model, Rate, Time
from headgate.scenario.links.behaviour import Behaviour
from headgate.scenario.networks.layout import Demand, Layout, Link, Spot
from headgate.scenario.queue import DROP_TAIL, Feedback, Impairment, Queue


class ParkingLot(Model):
    """`hops` links in a row; the round trip is that of the whole chain."""

    kind: Literal["parking_lot"] = "parking_lot"
    hops: int = Field(3, ge=1, le=1000, description="Number of links in the chain.")
    rate: Rate = Field(description="Rate of each link of the chain, each way.")
    rtt: Time = Field(gt=0, description="Propagation round trip over the whole chain.")
    buffer: Buffer = Field(parse_buffer("1 BDP"), description="Buffer of each link.")
    queue: Queue = Field(DROP_TAIL, description="Queue discipline of each link.")
    feedback: Feedback | None = Field(
        None, description="Feedback from each router to senders: XCP, RCP or VCP."
    )
    loss: float = Field(0.0, ge=0, lt=1, description="Random loss on each link, forward.")
    impairments: tuple[Impairment, ...] = Field(
        (), description="Impairments behind the queue of each link, forward, in this order."
    )
    host_rate: Rate | None = Field(None, description="Rate of host links; absent = ten times rate.")

    def layout(self, demand: Demand) -> Layout:
        """Lay the network out."""
        chain = 3 * min((self.rtt, *demand.rtts_ps)) // 10
        layout = Layout(main_ports=("hop*[0-9]",), rate_bps=self.rate, rtt_ps=self.rtt)
        routers = [layout.add_node(f"r{i}") for i in range(self.hops + 1)]
        delay = chain // self.hops
        behaviour = Behaviour(loss=self.loss, impairments=self.impairments)
        for i in range(self.hops):
            ends = routers[i], routers[i + 1]
            shape = (self.rate, delay, self.buffer, self.queue, self.feedback)
            layout.add_pair(Link(f"hop{i + 1}", ends[0], ends[1], *shape, behaviour))
        rest = self.rtt // 2 - delay * self.hops
        edge = layout.edge("host", self.host_rate or 10 * self.rate, rest // 2)
        layout.sources = [Spot(routers[0], edge)]
        layout.receivers = [Spot(routers[-1], edge)]
        return layout
