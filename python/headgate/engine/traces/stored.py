"""A trace in the folder of a run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import StoreError
from headgate.data.parquet import query, quote, read_columns
from headgate.data.tables import Table
from headgate.engine.run.trace_log import CONNECTIONS_FILE, EVENTS_FOLDER, TRACE_FILE, TRACE_FOLDER


class StoredTrace:
    """What `headgate run --trace` has written; the folder is that of the run.

    Raises StoreError if there is none, or it cannot be read.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder) / TRACE_FOLDER
        try:
            self.meta: dict[str, Any] = json.loads((self.folder / TRACE_FILE).read_bytes())
        except FileNotFoundError:
            raise StoreError(
                f"{folder}: holds no trace; headgate run SCENARIO --out {folder} --trace flows=0 "
                "writes one"
            ) from None
        except (OSError, ValueError) as error:
            raise StoreError(f"{self.folder / TRACE_FILE}: cannot be read ({error})") from None

    @property
    def ends_s(self) -> float:
        """When it ends: with the run, or before."""
        ended_s: float | None = self.meta["ended_s"]
        return self.meta["plan"]["duration_ps"] / 1e12 if ended_s is None else ended_s

    @property
    def connections(self) -> Table:
        """One row a connection of which packets were seen, in the order of their first events."""
        return Table("connections", read_columns(self.folder / CONNECTIONS_FILE))

    def parts(self, columns: Sequence[str] = ()) -> Iterator[Table]:
        """Yield the events in order of time, in parts that fit into memory.

        Only those columns, if any are named.
        """
        for path in sorted((self.folder / EVENTS_FOLDER).glob("*.parquet")):
            yield Table("events", read_columns(path, columns))

    @property
    def profiles(self) -> Mapping[str, Mapping[str, Any]]:
        """Transport profiles by their names, as the plan has them."""
        return {profile["name"]: profile for profile in self.meta["plan"]["transports"]}

    @property
    def events_sql(self) -> str:
        """Name all events as one table of SQL."""
        return quote(str(self.folder / EVENTS_FOLDER / "*.parquet"))

    def count(self) -> dict[tuple[str, str, str], int]:
        """Count the events by flow, link and kind, in the order of their names."""
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

        A name is used again after 256 connections of one sender's slot: the last one that had
        opened then is meant.
        """
        rows = np.searchsorted(self._names, names, side="right") - 1
        while True:
            early = (self._opened_s[rows] > t_s) & (rows > 0)
            early &= self._names[rows - 1] == names
            if not early.any():
                return rows
            rows = np.where(early, rows - 1, rows)

    def identify(self, row: int) -> str:
        """Name a connection as no other: its name, and from the second use on which use it is."""
        name = self._names[row]
        use = row - int(np.searchsorted(self._names, name))
        return f"{name}-{use + 1}" if use else str(name)
