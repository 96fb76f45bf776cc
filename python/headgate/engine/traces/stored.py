"""A stored trace: read, exported as CSV, and prepared for pictures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import HeadgateError, StoreError, explain_library
from headgate.base.terminal import safe_file_name
from headgate.data.parquet import query, quote, read_columns
from headgate.data.tables import Table
from headgate.engine.run.trace import CONNECTIONS_FILE, EVENTS_FOLDER, TRACE_FILE, TRACE_FOLDER
from headgate.figures.spec.packets import COLUMNS
from headgate.figures.spec.run import TracedFlow


class StoredTrace:
    """The trace of a run's folder, written by `headgate run --trace`.

    Raises StoreError if there is none, or it cannot be read.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder) / TRACE_FOLDER
        try:
            self.meta: dict[str, Any] = json.loads((self.folder / TRACE_FILE).read_bytes())
        except FileNotFoundError:
            raise StoreError(
                f"{folder}: contains no trace; headgate run SCENARIO --out {folder} --trace "
                "flows=0 writes one"
            ) from None
        except (OSError, ValueError) as error:
            raise StoreError(f"{self.folder / TRACE_FILE}: cannot be read ({error})") from None

    @property
    def ends_s(self) -> float:
        """End of the trace in seconds."""
        ended_s: float | None = self.meta["ended_s"]
        return self.meta["plan"]["duration_ps"] / 1e12 if ended_s is None else ended_s

    @property
    def connections(self) -> Table:
        """One row per traced connection, in the order of their first events."""
        return Table("connections", read_columns(self.folder / CONNECTIONS_FILE))

    def parts(self, columns: Sequence[str] = ()) -> Iterator[Table]:
        """Yield the events in order of time, in parts that fit into memory."""
        for path in sorted((self.folder / EVENTS_FOLDER).glob("*.parquet")):
            yield Table("events", read_columns(path, columns))

    @property
    def profiles(self) -> Mapping[str, Mapping[str, Any]]:
        """Transport profiles of the plan by name."""
        return {profile["name"]: profile for profile in self.meta["plan"]["transports"]}

    @property
    def events_sql(self) -> str:
        """All events as one table of SQL."""
        return quote(str(self.folder / EVENTS_FOLDER / "*.parquet"))

    def count(self) -> dict[tuple[str, str, str], int]:
        """Count the events by flow, link and kind, sorted by name."""
        rows = query(
            f"SELECT flow, link, event, count(*) AS n FROM {self.events_sql} "
            "GROUP BY ALL ORDER BY ALL"
        )
        return {(row["flow"], row["link"], row["event"]): row["n"] for row in rows}


class Connections:
    """Finds the connection of an event."""

    def __init__(self, table: Table) -> None:
        order = np.lexsort((table["opened_s"], table["connection"]))
        self.table = table.where(order)
        self._names, self._opened_s = self.table["connection"], self.table["opened_s"]

    def rows_of(self, names: NDArray[Any], t_s: NDArray[Any]) -> NDArray[np.intp]:
        """Return the rows of the table for events of these connections at these times.

        A name is used again after 256 connections of one sender's slot: the last one opened by then
        is meant.
        """
        rows = np.searchsorted(self._names, names, side="right") - 1
        while True:
            early = (self._opened_s[rows] > t_s) & (rows > 0)
            early &= self._names[rows - 1] == names
            if not early.any():
                return rows
            rows = np.where(early, rows - 1, rows)

    def identify(self, row: int) -> str:
        """Return a unique name of a connection: its name, and the number of a later use."""
        name = self._names[row]
        use = row - int(np.searchsorted(self._names, name))
        return f"{name}-{use + 1}" if use else str(name)


def write_csv(trace: StoredTrace) -> list[Path]:
    """Write `events.csv` into the trace's folder; a missing value is empty. Raises StoreError."""
    import duckdb

    path = trace.folder / "events.csv"
    try:
        query(f"COPY (FROM {trace.events_sql}) TO {quote(str(path))} (FORMAT csv, HEADER)")
    except duckdb.Error as error:
        raise StoreError(f"{path}: cannot be written: {explain_library(error)}") from None
    return [path]


#: Greatest number of connections that are drawn.
MOST = 12
#: Columns that identify the connection and origin of an event.
KEYS = ("connection", "link", "state")


def read_first(folder: Path) -> TracedFlow | None:
    """Read the first followed connection of a run; None without a trace or a followed flow."""
    if not (folder / TRACE_FOLDER / TRACE_FILE).is_file():
        return None
    followed = _FollowedConnections.read(StoredTrace(folder), most=1)
    return followed.events_of(next(iter(followed.parts))) if followed.parts else None


def read_connections(trace: StoredTrace) -> Iterator[tuple[str, TracedFlow]]:
    """Read the first followed connections, each with the name of its picture.

    Raises HeadgateError if no flow was followed.
    """
    followed = _FollowedConnections.read(trace, MOST)
    if not followed.parts:
        raise HeadgateError(f"{trace.folder}: no flow was traced; --trace flows=0 follows one")
    for row in followed.parts:
        traced, name = followed.events_of(row), followed.connections.identify(row)
        yield f"time-sequence-{safe_file_name(traced.flow)}-{name}", traced


@dataclass(frozen=True)
class _FollowedConnections:
    """The first connections with events of senders, in the order of these."""

    trace: StoredTrace
    connections: Connections
    parts: dict[int, list[Table]]
    """Events of each connection, by its row."""
    among: int
    """Number of followed connections."""

    @classmethod
    def read(cls, trace: StoredTrace, most: int) -> _FollowedConnections:
        connections, seen = Connections(trace.connections), dict[int, None]()
        kept: dict[int, list[Table]] = {}
        for part in trace.parts((*COLUMNS, *KEYS)):
            rows = connections.rows_of(part["connection"], part["t_s"])
            of_senders = (part["link"] == "") & (part["state"] != "")
            seen.update(dict.fromkeys(rows[of_senders].tolist()))
            for row in list(seen)[:most]:
                kept.setdefault(row, []).append(part.where(rows == row))
        return cls(trace, connections, kept, len(seen))

    def events_of(self, row: int) -> TracedFlow:
        table, parts = self.connections.table, self.parts[row]
        size = int(self.trace.profiles[str(table["transport"][row])]["segment_bytes"])
        events = {name: np.concatenate([part[name] for part in parts]) for name in COLUMNS}
        return TracedFlow(str(table["flow"][row]), size, events, self.among)
