"""Packets: real packets of a live run, and the time-sequence of a traced flow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from headgate.data.measures.formula import ratio
from headgate.data.tables import Table
from headgate.figures.spec.drawing import Line, Numbers, Panel, Picture
from headgate.figures.spec.looks import Look, look_at
from headgate.figures.spec.run import Columns, Run, TracedFlow
from headgate.figures.spec.selection import (
    HEADROOM,
    MOST_IN_PICTURE,
    say_sampled,
    share_times,
    thin,
    thin_evenly,
)

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
    edges = _cut_intervals(series, until_s)
    title, span = "Real packets (live)", (0.0, until_s)
    if len(flows) > len(most):
        title += f": the {len(most)} of {len(flows)} flows that sent most"
    goodput, delay = [], []
    for place, flow in enumerate(most.tolist()):
        rates, delays = _average_packets(series.where(series["flow"] == flow), edges)
        middle = (edges[:-1] + edges[1:]) / 2
        name = _name(flows, flow)
        goodput.append(Line(name, middle, rates, look_at(place, dash=0)))
        delay.append(Line(name, middle, delays, look_at(place, dash=0), listed=False))
    down = runs[0].list_outages()
    panels = (
        Panel("Goodput", "time (s)", "rate (Mbit/s)", tuple(goodput), x_range=span, tall=1.5,
              outages=down),
        Panel("Delay from host to host", "time (s)", "mean delay (ms)", tuple(delay), x_range=span,
              outages=down),
        _draw_lateness(seconds, span),
    )  # fmt: skip
    over_s = float(edges[1] - edges[0])
    caption = f"Payload as it arrived, and the time that it took, over {over_s:.3g} s."
    return Picture(title, caption, panels)


def _name(flows: Table, row: int) -> str:
    source = f"{flows['from_host'][row]}:{flows['source_port'][row]}"
    destination = f"{flows['to_host'][row]}:{flows['destination_port'][row]}"
    return f"{flows['protocol'][row]} {source} > {destination}"


def _cut_intervals(series: Table, until_s: float) -> Numbers:
    """Return the edges of at most POINTS intervals, each a multiple of the series'."""
    interval_s = float(series["interval_s"][0])
    intervals = round(until_s / interval_s)
    several = -(-intervals // POINTS)
    return np.arange(-(-intervals // several) + 1, dtype=np.float64) * several * interval_s


def _average_packets(rows: Table, edges: Numbers) -> tuple[Numbers, Numbers]:
    """Return goodput (Mbit/s) and mean delay (ms); no delay if nothing arrived."""
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
        Line("latest", middle_s, most, look_at(0), style="points", listed=False),
        Line("mean", middle_s, mean, look_at(0), listed=False),
    )
    title = "Lateness of packets handed to hosts: mean of each second (line), the latest (points)"
    return Panel(title, "time (s)", "lateness (ms)", lines, x_range=span)


#: Columns of the table of events that are drawn.
SACK = tuple(f"sack{number}_{end}" for number in (1, 2, 3) for end in ("from", "to"))
COLUMNS = (
    *("t_s", "event", "packet", "seq", "cwnd_packets", "ssthresh_packets", "in_flight_packets"),
    *SACK,
)
SENT, AGAIN, ACKED, SACKED, GONE, EXPIRED = (look_at(place, dash=0) for place in range(6))
#: The most points of one kind; sent and acknowledged segments exceed it first.
MOST_OF_KIND = MOST_IN_PICTURE // 3
#: How much taller the sequence is than the windows.
TALL = 2.5


def draw_first_time_sequence(runs: Sequence[Run]) -> Picture | None:
    """Draw the first flow that was followed, if one was."""
    traced = runs[0].trace_one() if runs[0].trace_one else None
    return None if traced is None else draw_time_sequence(traced, None, runs[0].list_outages())


def draw_time_sequence(
    traced: TracedFlow,
    within_s: tuple[float, float] | None = None,
    outages: Sequence[tuple[float, float]] = (),
) -> Picture:
    """Draw sequence numbers over time, and windows below.

    `within_s` is the stretch of time that is shown, all by default. `outages` are start and end of
    times at which a link is down.
    """
    events = _select_events(traced.events, within_s)
    t_s = events["t_s"]
    first_s, last_s = within_s or ((t_s.min(), t_s.max()) if len(t_s) else (0.0, 0.0))
    down = tuple(span for span in outages if span[0] < last_s and span[1] > first_s)
    kept = {name: thin_evenly(int(rows.sum()), MOST_OF_KIND) for name, rows in _find_kinds(events)}
    shown, known = 0, 0
    for name, rows in _find_kinds(events):
        known += int(rows.sum())
        shown += len(range(*kept[name].indices(int(rows.sum()))))
    title = f"Time-sequence of {traced.flow} (segments of {traced.segment_bytes:,} bytes)"
    said = [
        f"The first of {traced.among} traced flows; `headgate trace --plot` draws each."
        * (traced.among > 1 and within_s is None),
        say_sampled(shown, known),
    ]
    above = Panel(
        "", "time (s)", "sequence number (segments)", tuple(_draw_sequence(events, kept)),
        x_range=within_s, tall=TALL, outages=down,
    )  # fmt: skip
    windows = tuple(_draw_windows(events))
    top = max((float(line.y.max()) for line in windows), default=1.0)
    below = Panel("", "time (s)", "segments", windows, x_range=within_s,
                  y_range=(0, HEADROOM * top), outages=down)  # fmt: skip
    return Picture(title, " ".join(filter(None, said)), share_times((above, below)))


def _select_events(events: Columns, within_s: tuple[float, float] | None) -> Columns:
    if within_s is None:
        return events
    rows = (events["t_s"] >= within_s[0]) & (events["t_s"] <= within_s[1])
    return {name: column[rows] for name, column in events.items()}


def _find_kinds(events: Columns) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    event, is_data = events["event"], events["packet"] == "data"
    yield "ACK", event == "acknowledged"
    yield "sent", event == "sent"
    yield "retransmitted", event == "retransmitted"
    yield "dropped or lost", np.isin(event, ("dropped", "link_loss")) & is_data


def _draw_sequence(events: Columns, kept: Mapping[str, slice]) -> Iterator[Line]:
    """Draw SACK blocks, ACKs, segments and losses; rare events lie on top."""
    rows = {name: np.flatnonzero(chosen)[kept[name]] for name, chosen in _find_kinds(events)}
    t_s, seq = events["t_s"], np.asarray(events["seq"], np.float64)
    acked = rows.pop("ACK")
    yield from _draw_blocks(events, acked)
    yield Line("ACK", t_s[acked], seq[acked], ACKED, style="step")
    for (name, chosen), look in zip(rows.items(), (SENT, AGAIN, GONE), strict=True):
        if len(chosen):
            yield Line(name, t_s[chosen], seq[chosen], look, style="points")
    expired = t_s[events["event"] == "timeout"]
    if len(expired) and len(seq):
        low, high = np.nanmin(seq), np.nanmax(seq)
        least, most = np.full(len(expired), low), np.full(len(expired), high)
        yield _draw_bars("time-out", expired, least, most, EXPIRED)


def _draw_blocks(events: Columns, acked: NDArray[np.intp]) -> Iterator[Line]:
    t_s = events["t_s"][acked]
    ends = [np.asarray(events[name][acked], np.float64) for name in SACK]
    first, last = np.concatenate(ends[::2]), np.concatenate(ends[1::2])
    there = np.isfinite(last)
    if there.any():
        yield _draw_bars("SACK", np.tile(t_s, 3)[there], first[there], last[there], SACKED)


def _draw_bars(name: str, x: Numbers, low: Numbers, high: Numbers, look: Look) -> Line:
    """Draw upright bars as one line with gaps."""
    gap = np.full(len(x), np.nan)
    xs, ys = np.stack([x, x, x], axis=1).ravel(), np.stack([low, high, gap], axis=1).ravel()
    return Line(name, xs, ys, look, style="thin")


def _draw_windows(events: Columns) -> Iterator[Line]:
    known = np.isfinite(events["cwnd_packets"])
    for column, look, name in (
        ("in_flight_packets", None, "in flight"),
        ("cwnd_packets", SENT, "cwnd"),
        ("ssthresh_packets", AGAIN.dashed(1), "ssthresh"),
    ):
        values = np.asarray(events[column], np.float64)
        rows = known & np.isfinite(values)
        if rows.any():
            x, y = thin(events["t_s"][rows], values[rows], MOST_OF_KIND)
            yield Line(name, x, y, look, "step")
