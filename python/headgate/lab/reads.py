"""Records of the tables and columns that an analysis reads from finished runs.

An analysis receives watched runs, which record each table and column that it reads. Its findings
follow from these alone, so a run trimmed to them gives the same numbers. No list of columns is
written by hand: a column that a new claim reads is stored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from headgate.data.tables import Data, LazyTables, Table
from headgate.engine.api import Result

Note = Callable[[str], None]
Columns = dict[str, set[str]]


class Reads:
    """The tables and columns that were read of each run, by its identity."""

    def __init__(self) -> None:
        self._of_runs: defaultdict[str, Columns] = defaultdict(lambda: defaultdict(set))

    def watch(self, run: str, result: Result) -> Result:
        """Return a run that records reads."""
        return Result(_WatchedTables(result.tables, self._of_runs[run]), result.meta)

    def trim(self, run: str, result: Result) -> Result:
        """Return a run with only the tables and columns that were read, without reading them."""
        read = self._of_runs[run]
        columns = {name: frozenset(read[name]) for name in result.tables if name in read}
        return Result(_TrimmedTables(result.tables, columns), result.meta)


class _TrimmedTables(LazyTables):
    """The tables of a run with some of their columns, or the first, which keeps the rows."""

    def __init__(self, tables: Mapping[str, Table], columns: Mapping[str, frozenset[str]]) -> None:
        self._tables, self._columns = tables, columns

    def __getitem__(self, name: str) -> Table:
        read, table = self._columns[name], self._tables[name]
        return table.only([column for column in table if column in read] or table.columns[:1])

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


class _WatchedTables(LazyTables):
    def __init__(self, tables: Mapping[str, Table], columns: Columns) -> None:
        self._tables, self._columns = tables, columns

    def __getitem__(self, name: str) -> Table:
        table = self._tables[name]
        return _WatchedTable(table.name, table.data, table, self._columns[name].add)

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)


class _WatchedTable(Table):
    """A table, or a part of one, that records reads of its columns."""

    def __init__(self, name: str, data: Data, source: Table, note: Note) -> None:
        super().__init__(name, data)
        self._source, self._note = source, note

    def __contains__(self, name: object) -> bool:
        found = super().__contains__(name)
        if found:
            self._note(str(name))
        return found

    def _column(self, name: str) -> Any:
        if name not in self.data:
            self._source.about(name)  # it knows why it lacks a column
        self._note(name)
        return super()._column(name)

    def _derive(self, name: str, data: Data) -> Table:
        return _WatchedTable(name, data, self._source, self._note)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        for name in self:
            self._note(name)
        return super().__arrow_c_stream__(requested_schema)
