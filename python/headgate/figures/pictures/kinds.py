"""Every picture of a run: one line each, what it needs, and what makes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headgate.figures.pictures.completion import draw_completion, draw_completion_by_size
from headgate.figures.pictures.drawing import Drawing
from headgate.figures.pictures.flows import draw_cwnd, draw_rtt, draw_throughput
from headgate.figures.pictures.live import draw_real_packets
from headgate.figures.pictures.network import draw_topology
from headgate.figures.pictures.queues import draw_queue
from headgate.figures.pictures.run import Run
from headgate.figures.pictures.time_sequence import draw_first_time_sequence
from headgate.figures.pictures.tradeoff import draw_tradeoff

_SERIES_OF_FLOWS = 'traffic of kind "flows" with measure.series.flows'


@dataclass(frozen=True)
class Kind:
    """A picture: `needs` is what to measure where `draw` gives None; `compares` takes many runs."""

    name: str
    about: str
    needs: str
    draw: Callable[[Sequence[Run]], Drawing | None]
    compares: bool = False


KINDS: tuple[Kind, ...] = (
    Kind(
        "throughput",
        "what each law and flow gets over time, the total and the capacity",
        'a series of flows or ports (measure.series is not "none")',
        draw_throughput,
    ),
    Kind("rtt", "round-trip times of flows over time", _SERIES_OF_FLOWS, draw_rtt),
    Kind("cwnd", "congestion windows of flows over time", _SERIES_OF_FLOWS, draw_cwnd),
    Kind(
        "queue",
        "queues of the ports with the most loss or waiting, in packets and ms",
        "a series of ports: measure.series.ports",
        draw_queue,
    ),
    Kind(
        "throughput-delay",
        "throughput of each law by delay; an ellipse over replicates",
        'the folders of several runs or laws (measure.flows is not "none")',
        draw_tradeoff,
        compares=True,
    ),
    Kind(
        "fct",
        "how completion times are distributed, by size class and law",
        'flows of given size that finish (measure.flows is not "none")',
        draw_completion,
        compares=True,
    ),
    Kind(
        "fct-size",
        "completion time of each flow against its size",
        'flows of several given sizes that finish (measure.flows is not "none")',
        draw_completion_by_size,
        compares=True,
    ),
    Kind(
        "time-sequence",
        "segments, ACKs and losses of the first traced flow, and its windows",
        "a trace: headgate run SCENARIO --out DIR --trace flows=0",
        draw_first_time_sequence,
    ),
    Kind(
        "real-packets",
        "what flows of real packets sent over time, and how late packets arrived",
        "real programs: headgate emulate SCENARIO --out DIR",
        draw_real_packets,
    ),
    Kind(
        "topology",
        "the network: how busy each link is and what it loses",
        "links between routers",
        draw_topology,
    ),
)
