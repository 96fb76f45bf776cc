"""Real packets of a run in real time: what arrived of their flows, when, and how late."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headgate.data.measures.formula import ratio
from headgate.data.tables import Table
from headgate.figures.pictures.drawing import Line, Numbers, Panel, Picture
from headgate.figures.pictures.run import Run

MOST_FLOWS = 6
#: Points of a line at most.
POINTS = 300


def draw_real_packets(runs: Sequence[Run]) -> Picture | None:
    """Draw goodput and delay of the real flows that sent most; below them the loop's lateness."""
    tables = runs[0].tables
    if "live_series" not in {*tables} or not len(tables["live_series"]):
        return None
    series, flows, seconds = tables["live_series"], tables["live_flows"], tables["live_seconds"]
    until_s = float(series["t_s"].max() + series["interval_s"][0])
    sent = np.argsort(-flows["sent_bytes"].astype(np.int64), kind="stable")
    most = sent[np.isin(sent, series["flow"])][:MOST_FLOWS]
    edges = _cut(series, until_s)
    title, span = "Real packets (live)", (0.0, until_s)
    if len(flows) > len(most):
        title += f": the {len(most)} of {len(flows)} flows that sent most"
    goodput, delay = [], []
    for place, flow in enumerate(most.tolist()):
        rates, delays = _average(series.where(series["flow"] == flow), edges)
        middle = (edges[:-1] + edges[1:]) / 2
        name = _name(flows, flow)
        goodput.append(Line(name, middle, rates, place))
        delay.append(Line(name, middle, delays, place, listed=False))
    panels = (
        Panel("Goodput", "time (s)", "rate (Mbit/s)", tuple(goodput), x_range=span, tall=1.5),
        Panel("Delay from host to host", "time (s)", "mean delay (ms)", tuple(delay), x_range=span),
        _draw_lateness(seconds, span),
    )
    over_s = float(edges[1] - edges[0])
    caption = f"Payload as it arrived, and the time that it took, over {over_s:.3g} s."
    return Picture(title, caption, panels)


def _name(flows: Table, row: int) -> str:
    source = f"{flows['from_host'][row]}:{flows['source_port'][row]}"
    destination = f"{flows['to_host'][row]}:{flows['destination_port'][row]}"
    return f"{flows['protocol'][row]} {source} > {destination}"


def _cut(series: Table, until_s: float) -> Numbers:
    """Return the edges of intervals of the picture, each of as many of the series."""
    interval_s = float(series["interval_s"][0])
    intervals = round(until_s / interval_s)
    several = -(-intervals // POINTS)
    return np.arange(-(-intervals // several) + 1, dtype=np.float64) * several * interval_s


def _average(rows: Table, edges: Numbers) -> tuple[Numbers, Numbers]:
    """Return goodput (Mbit/s) and mean delay (ms) of one flow; no delay where nothing arrived."""
    middle_s = rows["t_s"] + rows["interval_s"] / 2
    packets = rows["delivered_packets"].astype(np.float64)
    arrived = packets > 0
    delays_s = np.where(arrived, rows["mean_delay_s"], 0.0) * packets
    weights = (rows["delivered_payload_bytes"], delays_s, packets)
    payload, delay, count = (np.histogram(middle_s, edges, weights=of)[0] for of in weights)
    return 8e-6 * payload / np.diff(edges), 1e3 * ratio(delay, count)


def _draw_lateness(seconds: Table, span: tuple[float, float]) -> Panel:
    written = seconds["written_packets"] > 0
    middle_s = seconds["t_s"][written] + 0.5
    most, mean = (1e3 * seconds[f"{of}_lateness_s"][written] for of in ("max", "mean"))
    lines = (
        Line("latest", middle_s, most, 0, style="points", listed=False),
        Line("mean", middle_s, mean, 0, listed=False),
    )
    title = "Lateness of packets handed to hosts: mean of each second (line), the latest (points)"
    return Panel(title, "time (s)", "lateness (ms)", lines, x_range=span)
