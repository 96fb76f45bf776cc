"""The time-sequence picture of a traced flow (Jacobson 1988, as tcptrace draws it)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from numpy.typing import NDArray

from headgate.plots.palette import GREY, ORDER
from headgate.plots.style import subplots, use_style

SIZE_IN = (9.0, 6.2)
SENT, AGAIN, ACKED, SACKED, GONE, EXPIRED, WINDOW = (
    *(ORDER[0], ORDER[1], ORDER[2], ORDER[4]),
    *("black", ORDER[3], GREY),
)
#: More marks than this are drawn small.
FEW = 1500

Columns = Mapping[str, NDArray[Any]]


def draw_time_sequence(
    flow: str, events: Columns, segment_bytes: int, within_s: tuple[float, float] | None = None
) -> Figure:
    """Draw one connection's events: sequence numbers over time above, windows below.

    `events` are columns of the table of events, of one flow, its ports included; `within_s` is the
    stretch of time that is shown, all by default.
    """
    shown = _within(events, within_s)
    with use_style():
        figure, (above, below) = subplots(
            2, 1, SIZE_IN, sharex=True, gridspec_kw={"height_ratios": [3, 1]}
        )
        _sequence(above, shown)
        _windows(below, shown)
        above.set_title(f"Time-sequence of {flow} (segments of {segment_bytes:,} bytes)")
        below.set_xlabel("time (s)")
        if within_s:
            below.set_xlim(*within_s)
    return figure


def _within(events: Columns, within_s: tuple[float, float] | None) -> Columns:
    if within_s is None:
        return events
    rows = (events["t_s"] >= within_s[0]) & (events["t_s"] <= within_s[1])
    return {name: column[rows] for name, column in events.items()}


def _sequence(ax: Axes, events: Columns) -> None:
    """Draw segments, ACKs, SACK blocks and losses; what is rare lies above."""
    t_s, seq, event = events["t_s"], events["seq"], events["event"]
    data = events["packet"] == "data"
    small = (event == "sent").sum() > FEW
    acked = event == "acknowledged"
    ax.step(t_s[acked], seq[acked], where="post", color=ACKED, label="ACK", zorder=2)
    ends = [events[f"sack{n}_{end}"][acked] for n in (1, 2, 3) for end in ("from", "to")]
    _blocks(ax, t_s[acked], ends)
    size = 1.5 if small else 4
    for rows, mark, colour, label, order in (
        (event == "sent", ".", SENT, "sent", 3),
        (event == "retransmitted", "^", AGAIN, "retransmitted", 5),
        (np.isin(event, ("dropped", "link_loss")) & data, "x", GONE, "dropped or lost", 6),
    ):
        if rows.any():
            of = size if mark == "." else max(size, 4.5)
            ax.plot(t_s[rows], seq[rows], mark, color=colour, markersize=of, label=label,
                    zorder=order, linestyle="none", rasterized=small)  # fmt: skip
    for number, at_s in enumerate(t_s[event == "timeout"]):
        ax.axvline(at_s, color=EXPIRED, linestyle=":", label=None if number else "time-out")
    ax.set_ylabel("sequence number (segments)")
    _explain(ax)


def _blocks(ax: Axes, t_s: NDArray[Any], ends: list[NDArray[Any]]) -> None:
    """Draw each SACK block as a bar at the time of its ACK."""
    bars: list[Any] = []
    for first, last in zip(ends[::2], ends[1::2], strict=True):
        there = np.isfinite(last)
        bars += [
            ((at, a), (at, b))
            for at, a, b in zip(t_s[there], first[there], last[there], strict=True)
        ]
    if bars:
        ax.add_collection(
            LineCollection(bars, colors=SACKED, linewidths=0.7, label="SACK", zorder=1)
        )


def _windows(ax: Axes, events: Columns) -> None:
    known = np.isfinite(events["cwnd_packets"])
    t_s = events["t_s"][known]
    for column, colour, dash, label in (
        ("in_flight_packets", WINDOW, "-", "in flight"),
        ("cwnd_packets", SENT, "-", "cwnd"),
        ("ssthresh_packets", AGAIN, "--", "ssthresh"),
    ):
        values = np.where(np.isfinite(events[column]), events[column], np.nan)[known]
        if np.isfinite(values).any():
            ax.step(t_s, values, dash, where="post", color=colour, label=label, linewidth=1.0)
    ax.set_ylim(bottom=0)
    ax.set_ylabel("segments")
    _explain(ax)


def _explain(ax: Axes) -> None:
    """Put the legend beside the axes, where it hides nothing."""
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
