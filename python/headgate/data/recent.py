"""Tables of stored runs that were read last, in a limited amount of memory.

An analysis reads a table of a run several times, column by column, and then turns to the next run.
So recent tables stay in memory, and the others are read again when they are used again. The memory
of an analysis therefore does not grow with the number of runs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from headgate.data.tables import Table

#: The most bytes of tables in memory that nothing uses at present.
MOST_BYTES = 500_000_000


class Owner:
    """The stored run, or the piece of several runs, to which tables belong."""


class RecentTables:
    """The tables that were used last; together they take at most `most_bytes`, or are one table."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.most_bytes = most_bytes
        self._tables: dict[tuple[Owner, str], Table] = {}
        self._bytes = 0
        self._lock = threading.Lock()

    def get(self, owner: Owner, name: str, read: Callable[[], Table]) -> Table:
        """Return a table of an owner, which `read` reads if it is not in memory."""
        with self._lock:
            table = self._tables.pop((owner, name), None)
            self._bytes -= 0 if table is None else table.nbytes
        if table is None:
            table = read()
        with self._lock:
            self._keep((owner, name), table)
        return table

    def _keep(self, key: tuple[Owner, str], table: Table) -> None:
        """Put a table last, and release the first ones while all take too much memory."""
        known = self._tables.pop(key, None)  # another thread was faster
        self._bytes += table.nbytes - (0 if known is None else known.nbytes)
        self._tables[key] = table
        while self._bytes > self.most_bytes and len(self._tables) > 1:
            first = next(iter(self._tables))
            self._bytes -= self._tables.pop(first).nbytes


#: The recent tables of this process.
RECENT = RecentTables()
