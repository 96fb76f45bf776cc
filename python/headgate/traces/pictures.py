"""Pictures of a trace: the time-sequence of each followed connection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from headgate.errors import HeadgateError
from headgate.plots.style import save
from headgate.plots.time_sequence import draw_time_sequence
from headgate.traces.stored import StoredTrace, file_name

#: Pictures that are drawn at once.
MOST = 12
COLUMNS = (
    *("t_s", "event", "packet", "seq", "cwnd_packets", "ssthresh_packets", "in_flight_packets"),
    *(f"sack{number}_{end}" for number in (1, 2, 3) for end in ("from", "to")),
)


def draw_connections(trace: StoredTrace, within_s: tuple[float, float] | None = None) -> list[Path]:
    """Draw the time-sequence of the first followed connections as PNG and SVG into DIR/figures.

    Raises HeadgateError if no flow was followed.
    """
    followed = _followed(trace)
    if not followed:
        raise HeadgateError(f"{trace.folder}: no flow was traced; --trace flows=0 follows one")
    paths: list[Path] = []
    table = trace.connections
    by_name = {name: row for row, name in enumerate(table["connection"].tolist())}
    for name in followed[:MOST]:
        row = by_name[name]
        flow = str(table["flow"][row])
        size = int(trace.profiles[str(table["transport"][row])]["segment_bytes"])
        figure = draw_time_sequence(flow, _events_of(trace, name), size, within_s)
        picture = f"time-sequence-{file_name(flow)}-{name}"
        paths += save(figure, trace.folder.parent / "figures", picture)
    return paths


def _followed(trace: StoredTrace) -> list[int]:
    """Give the connections of which senders tell, in the order of their first events."""
    found: dict[int, None] = {}
    for part in trace.parts():
        told = (part["link"] == "") & (part["state"] != "")
        found.update(dict.fromkeys(part["connection"][told].tolist()))
    return list(found)


def _events_of(trace: StoredTrace, connection: int) -> dict[str, Any]:
    parts = [part.where(part["connection"] == connection) for part in trace.parts()]
    return {name: np.concatenate([part[name] for part in parts]) for name in COLUMNS}
