"""One bottleneck between two routers; every host behind a link of its own.

The default splits the round trip as ns-2's usual scripts do: host links ten times as fast as the
bottleneck with 0.1 RTT each way on each side, 0.3 RTT each way in the middle.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from headgate.scenario.base import Buffer, Model, PacketNumbers, Rate, Time
from headgate.scenario.networks.layout import Demand, Layout, Link, Spot
from headgate.scenario.queue import DROP_TAIL, Feedback, Queue, RateChange
from headgate.units import parse_buffer


class Dumbbell(Model):
    """Two routers, `left` and `right`; the link `bottleneck` between them."""

    kind: Literal["dumbbell"] = "dumbbell"
    rate: Rate = Field(description="Rate of the bottleneck, each way.")
    rtt: Time = Field(gt=0, description="Propagation round trip, host to host.")
    buffer: Buffer = Field(parse_buffer("1 BDP"), description="What may wait at the bottleneck.")
    lose: PacketNumbers = Field((), description="Packets lost there, by number; the first is 1.")
    changes: tuple[RateChange, ...] = Field((), description="Rates of the bottleneck to come.")
    queue: Queue = Field(DROP_TAIL, description="What the bottleneck does beside queueing.")
    feedback: Feedback | None = Field(None, description="What each router tells senders.")
    loss: float = Field(0.0, ge=0, lt=1, description="Random loss, left to right, after the queue.")
    access: Literal["links", "direct"] = Field(
        "links", description="Hosts behind host links, or directly on the routers."
    )
    host_rate: Rate | None = Field(None, description="Rate of host links; absent = ten times rate.")

    def layout(self, demand: Demand) -> Layout:
        """Lay the network out."""
        direct = self.access == "direct"
        # The shortest round trip of all sets the middle, so that each flow's host links can make
        # up the rest of its own.
        shortest = min((self.rtt, *demand.rtts_ps))
        middle = self.rtt // 2 if direct else 3 * shortest // 10
        layout = Layout(main_ports=("bottleneck",), rate_bps=self.rate, rtt_ps=self.rtt)
        left, right = layout.add_node("left"), layout.add_node("right")
        shape = (
            self.rate,
            middle,
            self.buffer,
            self.loss,
            self.queue,
            self.lose,
            self.changes,
            self.feedback,
        )
        layout.add_pair(Link("bottleneck", left, right, *shape))
        edge = None
        if not direct:
            host_rate = self.host_rate or 10 * self.rate
            edge = layout.edge("host", host_rate, (self.rtt // 2 - middle) // 2)
        layout.sources, layout.receivers = [Spot(left, edge)], [Spot(right, edge)]
        return layout
