"""What pictures take of a trace: the events of each followed connection."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from headgate.base.errors import HeadgateError
from headgate.base.terminal import safe_file_name
from headgate.data.tables import Table
from headgate.engine.run.trace_log import TRACE_FILE, TRACE_FOLDER
from headgate.engine.traces.stored import Connections, StoredTrace
from headgate.figures.pictures.run import Traced
from headgate.figures.pictures.time_sequence import COLUMNS

#: Connections that are drawn at once.
MOST = 12
#: What tells which connection an event is of, and whether its sender tells of it.
KEYS = ("connection", "link", "state")


def read_first(folder: Path) -> Traced | None:
    """Read the first followed connection of a run; None where nothing was traced, or no flow."""
    if not (folder / TRACE_FOLDER / TRACE_FILE).is_file():
        return None
    followed = _Followed.read(StoredTrace(folder), most=1)
    return followed.events_of(next(iter(followed.parts))) if followed.parts else None


def read_connections(trace: StoredTrace) -> Iterator[tuple[str, Traced]]:
    """Read the first followed connections, each with the name of its picture.

    Raises HeadgateError if no flow was followed.
    """
    followed = _Followed.read(trace, MOST)
    if not followed.parts:
        raise HeadgateError(f"{trace.folder}: no flow was traced; --trace flows=0 follows one")
    for row in followed.parts:
        traced, name = followed.events_of(row), followed.connections.identify(row)
        yield f"time-sequence-{safe_file_name(traced.flow)}-{name}", traced


@dataclass(frozen=True)
class _Followed:
    """The first connections of which senders tell, in the order of their first events."""

    trace: StoredTrace
    connections: Connections
    parts: dict[int, list[Table]]
    """Events of each, by its row among the connections."""
    among: int
    """How many connections were followed."""

    @classmethod
    def read(cls, trace: StoredTrace, most: int) -> _Followed:
        """Read the events of at most this many connections, in one pass."""
        connections, seen = Connections(trace.connections), dict[int, None]()
        kept: dict[int, list[Table]] = {}
        for part in trace.parts((*COLUMNS, *KEYS)):
            rows = connections.rows_of(part["connection"], part["t_s"])
            told = (part["link"] == "") & (part["state"] != "")
            seen.update(dict.fromkeys(rows[told].tolist()))
            for row in list(seen)[:most]:
                kept.setdefault(row, []).append(part.where(rows == row))
        return cls(trace, connections, kept, len(seen))

    def events_of(self, row: int) -> Traced:
        """Return what was traced of one connection."""
        table, parts = self.connections.table, self.parts[row]
        size = int(self.trace.profiles[str(table["transport"][row])]["segment_bytes"])
        events = {name: np.concatenate([part[name] for part in parts]) for name in COLUMNS}
        return Traced(str(table["flow"][row]), size, events, self.among)
