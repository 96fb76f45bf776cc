"""Every picture of a run: its description, the data that it needs, and its function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headgate.figures.spec.comparisons import (
    draw_completion,
    draw_completion_by_size,
    draw_tradeoff,
)
from headgate.figures.spec.drawing import Drawing
from headgate.figures.spec.flows import draw_cwnd, draw_rtt, draw_throughput
from headgate.figures.spec.packets import draw_first_time_sequence, draw_real_packets
from headgate.figures.spec.ports import draw_queue, draw_topology
from headgate.figures.spec.run import Run

_SERIES_OF_FLOWS = 'traffic of kind "flows" with measure.series.flows'


@dataclass(frozen=True)
class Kind:
    """A picture: `needs` names missing data if `draw` gives None; `compares` takes many runs."""

    name: str
    about: str
    needs: str
    draw: Callable[[Sequence[Run]], Drawing | None]
    compares: bool = False


KINDS: tuple[Kind, ...] = (
    Kind(
        "throughput",
        "what each algorithm and flow gets over time, the total and the capacity",
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
        "throughput of each CCA by delay; an ellipse over replicates",
        'the folders of several runs or algorithms (measure.flows is not "none")',
        draw_tradeoff,
        compares=True,
    ),
    Kind(
        "fct",
        "how completion times are distributed, by size class and CCA",
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
