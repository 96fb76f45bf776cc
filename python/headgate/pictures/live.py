"""Real packets of a run in real time: what their flows sent, and how late they were written."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headgate.pictures.drawing import Line, Numbers, Panel, Picture
from headgate.pictures.run import PS_PER_S, Run
from headgate.tables import Table

MOST_FLOWS = 6
#: Points of a line, and the shortest interval over which a rate is taken.
POINTS, SHORTEST_S = 300, 0.1


def draw_real_packets(runs: Sequence[Run]) -> Picture | None:
    """Draw the rates of the real flows that sent most, and below them the loop's lateness."""
    tables = runs[0].tables
    if "arrivals" not in {*tables} or not len(tables["arrivals"]):
        return None
    arrivals, flows, seconds = tables["arrivals"], tables["live_flows"], tables["live_seconds"]
    until_s = float(arrivals["ended_ps"][0]) / PS_PER_S
    step_s = max(SHORTEST_S, until_s / POINTS)
    most = np.argsort(-flows["sent_bytes"].astype(np.int64), kind="stable")[:MOST_FLOWS]
    sent = [
        Line(_name(flows, flow), *_rate(arrivals, flow, until_s, step_s), place)
        for place, flow in enumerate(most.tolist())
    ]
    title = "Real packets"
    if len(flows) > len(most):
        title += f": the {len(most)} of {len(flows)} flows that sent most"
    span = (0.0, until_s)
    rates = Panel(
        "What they sent", "time (s)", "rate (Mbit/s)", tuple(sent), x_range=span, tall=1.5
    )
    caption = f"IP bytes as they left their hosts, over {step_s:.3g} s."
    return Picture(title, caption, (rates, _draw_lateness(seconds, span)))


def _name(flows: Table, row: int) -> str:
    source = f"{flows['from_host'][row]}:{flows['source_port'][row]}"
    destination = f"{flows['to_host'][row]}:{flows['destination_port'][row]}"
    return f"{flows['protocol'][row]} {source} > {destination}"


def _rate(arrivals: Table, flow: int, until_s: float, step_s: float) -> tuple[Numbers, Numbers]:
    """Give the middles of intervals and the rate in each, Mbit/s."""
    at = arrivals["flow"] == flow
    edges = np.arange(0.0, until_s + step_s, step_s)
    times_s = arrivals["time_ps"][at] / PS_PER_S
    sent_bytes, _ = np.histogram(times_s, edges, weights=arrivals["size_bytes"][at])
    return (edges[:-1] + edges[1:]) / 2, 8e-6 * sent_bytes / step_s


def _draw_lateness(seconds: Table, span: tuple[float, float]) -> Panel:
    written = seconds["written_packets"] > 0
    middle_s = seconds["t_s"][written] + 0.5
    most, mean = (1e3 * seconds[f"{of}_lateness_s"][written] for of in ("max", "mean"))
    lines = (
        Line("latest", middle_s, most, 0, style="points", listed=False),
        Line("mean", middle_s, mean, 0, listed=False),
    )
    title = "How late they were written: mean of each second (line), the latest (points)"
    return Panel(title, "time (s)", "lateness (ms)", lines, x_range=span)
