"""One bottleneck between two routers; every host behind a separate link.

The default splits the round trip as ns-2's usual scripts do: host links ten times as fast as the
bottleneck with 0.1 RTT each way on each side, 0.3 RTT each way in the middle.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from headgate.base.units import parse_buffer
from headgate.scenario.base import Buffer, Rate, Time
from headgate.scenario.links.behaviour import LinkKeys, Reverse, choose_rate
from headgate.scenario.networks.layout import Demand, Layout, Link, Spot, apply_reverse, turn_round
from headgate.scenario.queue import DROP_TAIL, Feedback, Queue


class Dumbbell(LinkKeys):
    """Two routers, `left` and `right`; the link `bottleneck` between them."""

    kind: Literal["dumbbell"] = "dumbbell"
    rate: Rate | None = Field(
        None, description="Rate of the bottleneck, each way; absent = that of its trace or course."
    )
    rtt: Time = Field(gt=0, description="Propagation round trip, host to host.")
    buffer: Buffer = Field(parse_buffer("1 BDP"), description="Buffer of the bottleneck.")
    queue: Queue = Field(DROP_TAIL, description="Queue discipline of the bottleneck.")
    feedback: Feedback | None = Field(
        None, description="Feedback from each router to senders: XCP, RCP or VCP."
    )
    reverse: Reverse | None = Field(
        None,
        description="What is different from right to left. Without it that direction has the same"
        " rates, delays and queue, and neither losses nor impairments.",
    )
    access: Literal["links", "direct"] = Field(
        "links", description="Hosts behind host links, or directly on the routers."
    )
    host_rate: Rate | None = Field(None, description="Rate of host links; absent = ten times rate.")

    def layout(self, demand: Demand) -> Layout:
        """Lay the network out."""
        direct = self.access == "direct"
        # The shortest round trip determines the middle; host links add the rest for each flow.
        shortest = min((self.rtt, *demand.rtts_ps))
        middle = self.rtt // 2 if direct else 3 * shortest // 10
        behaviour = self.behaviour("network", demand.duration_ps)
        rate = choose_rate(behaviour, self.rate, "network.rate")
        layout = Layout(main_ports=("bottleneck",), rate_bps=rate, rtt_ps=self.rtt)
        left, right = layout.add_node("left"), layout.add_node("right")
        link = Link(
            "bottleneck",
            left,
            right,
            rate,
            behaviour.delay_ps(middle),
            self.buffer,
            self.queue,
            self.feedback,
            behaviour,
        )
        back = apply_reverse(turn_round(link), self.reverse, demand.duration_ps, "network.reverse")
        layout.add_pair(link, back)
        edge = None
        if not direct:
            host_rate = self.host_rate or 10 * max(rate, back.rate_bps)
            edge = layout.edge("host", host_rate, (self.rtt // 2 - middle) // 2)
        layout.sources, layout.receivers = [Spot(left, edge)], [Spot(right, edge)]
        return layout
