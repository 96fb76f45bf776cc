"""The time-sequence of a traced flow (Jacobson 1988, as tcptrace draws it), its windows below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from headgate.figures.pictures.drawing import Line, Numbers, Panel, Picture
from headgate.figures.pictures.limits import HEADROOM, share_times
from headgate.figures.pictures.run import Columns, Run, Traced
from headgate.figures.pictures.thin import MOST_IN_PICTURE, say_sampled, thin, thin_evenly

#: Columns of the table of events that are drawn.
SACK = tuple(f"sack{number}_{end}" for number in (1, 2, 3) for end in ("from", "to"))
COLUMNS = (
    *("t_s", "event", "packet", "seq", "cwnd_packets", "ssthresh_packets", "in_flight_packets"),
    *SACK,
)
#: Places among the colours of lines.
SENT, AGAIN, ACKED, SACKED, GONE, EXPIRED = range(6)
#: Points of one kind: what is sent and acknowledged is thinned first, for it is most.
MOST_OF_KIND = MOST_IN_PICTURE // 3
#: How much taller the sequence is than the windows.
TALL = 2.5


def draw_first_time_sequence(runs: Sequence[Run]) -> Picture | None:
    """Draw the first flow that was followed, if one was."""
    traced = runs[0].trace_one() if runs[0].trace_one else None
    return None if traced is None else draw_time_sequence(traced)


def draw_time_sequence(traced: Traced, within_s: tuple[float, float] | None = None) -> Picture:
    """Draw sequence numbers over time, and windows below.

    `within_s` is the stretch of time that is shown, all by default.
    """
    events = _cut(traced.events, within_s)
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
        x_range=within_s, tall=TALL,
    )  # fmt: skip
    windows = tuple(_draw_windows(events))
    top = max((float(line.y.max()) for line in windows), default=1.0)
    below = Panel("", "time (s)", "segments", windows, x_range=within_s,
                  y_range=(0, HEADROOM * top))  # fmt: skip
    return Picture(title, " ".join(filter(None, said)), share_times((above, below)))


def _cut(events: Columns, within_s: tuple[float, float] | None) -> Columns:
    if within_s is None:
        return events
    rows = (events["t_s"] >= within_s[0]) & (events["t_s"] <= within_s[1])
    return {name: column[rows] for name, column in events.items()}


def _find_kinds(events: Columns) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield the rows of each kind of event that has a mark of its own."""
    event, is_data = events["event"], events["packet"] == "data"
    yield "ACK", event == "acknowledged"
    yield "sent", event == "sent"
    yield "retransmitted", event == "retransmitted"
    yield "dropped or lost", np.isin(event, ("dropped", "link_loss")) & is_data


def _draw_sequence(events: Columns, kept: Mapping[str, slice]) -> Iterator[Line]:
    """Draw SACK blocks, ACKs, segments and losses; what is rare lies above."""
    rows = {name: np.flatnonzero(where)[kept[name]] for name, where in _find_kinds(events)}
    t_s, seq = events["t_s"], np.asarray(events["seq"], np.float64)
    acked = rows.pop("ACK")
    yield from _draw_blocks(events, acked)
    yield Line("ACK", t_s[acked], seq[acked], ACKED, style="step")
    for (name, where), colour in zip(rows.items(), (SENT, AGAIN, GONE), strict=True):
        if len(where):
            yield Line(name, t_s[where], seq[where], colour, style="points")
    expired = t_s[events["event"] == "timeout"]
    if len(expired) and len(seq):
        low, high = np.nanmin(seq), np.nanmax(seq)
        least, most = np.full(len(expired), low), np.full(len(expired), high)
        yield _draw_bars("time-out", expired, least, most, EXPIRED)


def _draw_blocks(events: Columns, acked: NDArray[np.intp]) -> Iterator[Line]:
    """Draw each SACK block as a bar at the time of its ACK."""
    t_s = events["t_s"][acked]
    ends = [np.asarray(events[name][acked], np.float64) for name in SACK]
    first, last = np.concatenate(ends[::2]), np.concatenate(ends[1::2])
    there = np.isfinite(last)
    if there.any():
        yield _draw_bars("SACK", np.tile(t_s, 3)[there], first[there], last[there], SACKED)


def _draw_bars(name: str, x: Numbers, low: Numbers, high: Numbers, colour: int) -> Line:
    """Draw upright bars: one line with gaps."""
    gap = np.full(len(x), np.nan)
    xs, ys = np.stack([x, x, x], axis=1).ravel(), np.stack([low, high, gap], axis=1).ravel()
    return Line(name, xs, ys, colour, style="thin")


def _draw_windows(events: Columns) -> Iterator[Line]:
    known = np.isfinite(events["cwnd_packets"])
    for column, colour, dash, name in (
        ("in_flight_packets", None, 0, "in flight"),
        ("cwnd_packets", SENT, 0, "cwnd"),
        ("ssthresh_packets", AGAIN, 1, "ssthresh"),
    ):
        values = np.asarray(events[column], np.float64)
        rows = known & np.isfinite(values)
        if rows.any():
            x, y = thin(events["t_s"][rows], values[rows], MOST_OF_KIND)
            yield Line(name, x, y, colour, dash, "step")
