"""What pictures take of a trace: the events of each followed connection."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from headgate.errors import HeadgateError
from headgate.pictures.run import Traced
from headgate.pictures.time_sequence import COLUMNS
from headgate.run.trace_log import TRACE_FILE, TRACE_FOLDER
from headgate.traces.stored import StoredTrace, file_name

#: Connections that are drawn at once.
MOST = 12


def read_first(folder: Path) -> Traced | None:
    """Read the first followed connection of a run; None where nothing was traced, or no flow."""
    if not (folder / TRACE_FOLDER / TRACE_FILE).is_file():
        return None
    trace = StoredTrace(folder)
    followed = _followed(trace)
    return _read(trace, followed[0], len(followed)) if followed else None


def read_connections(trace: StoredTrace) -> Iterator[tuple[str, Traced]]:
    """Read the first followed connections, each with the name of its picture.

    Raises HeadgateError if no flow was followed.
    """
    followed = _followed(trace)
    if not followed:
        raise HeadgateError(f"{trace.folder}: no flow was traced; --trace flows=0 follows one")
    for name in followed[:MOST]:
        traced = _read(trace, name)
        yield f"time-sequence-{file_name(traced.flow)}-{name}", traced


def _read(trace: StoredTrace, name: int, among: int = 1) -> Traced:
    table = trace.connections
    row = table["connection"].tolist().index(name)
    size = int(trace.profiles[str(table["transport"][row])]["segment_bytes"])
    return Traced(str(table["flow"][row]), size, _events_of(trace, name), among)


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
