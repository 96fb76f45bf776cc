"""Every picture of a run: its description, the data that it needs, and its function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headgate.figures.spec.comparisons import draw_tradeoff
from headgate.figures.spec.completion import draw_completion, draw_completion_by_size
from headgate.figures.spec.drawing import Drawing
from headgate.figures.spec.facets import Facets
from headgate.figures.spec.flows import draw_cwnd, draw_rtt, draw_throughput
from headgate.figures.spec.over_time import (
    overlay_cwnd,
    overlay_queue,
    overlay_rtt,
    overlay_throughput,
)
from headgate.figures.spec.packets import draw_first_time_sequence, draw_real_packets
from headgate.figures.spec.ports import draw_queue, draw_topology
from headgate.figures.spec.run import Run

_SERIES_OF_FLOWS = 'traffic of kind "flows" with measure.series.flows'


@dataclass(frozen=True)
class Kind:
    """A picture: `needs` names missing data if `draw` gives None.

    `compare` draws several runs in a grid by factors; with `overlaid`, only if the user asks.
    """

    name: str
    about: str
    needs: str
    draw: Callable[[Sequence[Run]], Drawing | None]
    compare: Callable[[Sequence[Run], Facets], Drawing | None] | None = None
    overlaid: bool = False

    @property
    def compares(self) -> bool:
        """Whether it shows several runs without being asked."""
        return self.compare is not None and not self.overlaid


KINDS: tuple[Kind, ...] = (
    Kind(
        "throughput",
        "what each algorithm and flow gets over time, the total and the capacity",
        'a series of flows or ports (measure.series is not "none")',
        draw_throughput,
        overlay_throughput,
        overlaid=True,
    ),
    Kind(
        "rtt",
        "round-trip times of flows over time",
        _SERIES_OF_FLOWS,
        draw_rtt,
        overlay_rtt,
        overlaid=True,
    ),
    Kind(
        "cwnd",
        "congestion windows of flows over time",
        _SERIES_OF_FLOWS,
        draw_cwnd,
        overlay_cwnd,
        overlaid=True,
    ),
    Kind(
        "queue",
        "queues of the ports with the most loss or waiting, in packets and ms",
        "a series of ports: measure.series.ports",
        draw_queue,
        overlay_queue,
        overlaid=True,
    ),
    Kind(
        "throughput-delay",
        "throughput of each CCA by delay; an ellipse over replicates",
        'the folders of several runs or algorithms (measure.flows is not "none")',
        draw_tradeoff,
        draw_tradeoff,
    ),
    Kind(
        "fct",
        "how completion times are distributed, by size class and CCA",
        'flows of given size that finish (measure.flows is not "none")',
        draw_completion,
        draw_completion,
    ),
    Kind(
        "fct-size",
        "completion time of each flow against its size",
        'flows of several given sizes that finish (measure.flows is not "none")',
        draw_completion_by_size,
        draw_completion_by_size,
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
