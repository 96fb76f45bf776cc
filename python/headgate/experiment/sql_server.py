"""The process that answers SQL queries: DuckDB with limits, one query after the other.

The SQL of an experiment file may come from a stranger. DuckDB limits the memory of sorts and joins,
but not that of scalar functions. So a separate process answers queries: the system limits its
address space and CPU time, and the client kills it at the deadline. A message is a length of
8 bytes, JSON of that length, and the buffers whose lengths the JSON lists.
"""

from __future__ import annotations

import gc
import json
import resource
import signal
import struct
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, BinaryIO

import duckdb
import nanoarrow as na  # type: ignore[import-untyped]
from nanoarrow.c_array_stream import CArrayStream  # type: ignore[import-untyped]

#: The settings of the database, in this order: the last one locks them.
_SETTINGS = {
    "temp_directory": "''",
    "threads": "1",
    "python_enable_replacements": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "enable_external_access": "false",
    "lock_configuration": "true",
}
#: Address space in bytes for memory that DuckDB does not count.
_UNCOUNTED = 512 << 20
#: The largest size of an answer in bytes.
LARGEST_ANSWER = 64 << 20
_LENGTH = struct.Struct("<Q")
#: After these errors the database is not used again.
_LAST_ERRORS = (duckdb.OutOfMemoryException, duckdb.InternalException, duckdb.FatalException)
_KINDS = {"words": na.large_string, "f": na.float64, "u": na.uint64, "i": na.int64}

#: Since version 2 DuckDB reads a registered table again for each execution of a planned query.
_READS_AGAIN = int(duckdb.__version__.partition(".")[0]) >= 2
#: Planned queries that are kept.
_MOST_QUERIES = 32

Order = dict[str, Any]


def _read_order(source: BinaryIO) -> Order:
    """Read the JSON of a message. Raises EOFError at the end."""
    (length,) = _LENGTH.unpack(_read(source, _LENGTH.size))
    order: Order = json.loads(_read(source, length))
    return order


def _read(source: BinaryIO, size: int) -> bytes:
    data = source.read(size)
    if len(data) < size:
        raise EOFError
    return data


class _Table:
    """A table of a message, as an Arrow stream."""

    def __init__(self, about: Order, source: BinaryIO) -> None:
        self._rows, columns = about["rows"], about["columns"]
        self.form = tuple((column["name"], column["kind"]) for column in columns)
        self._schema = _table_schema(self.form)
        self._columns = [
            na.c_array_from_buffers(
                _schema(column["kind"]),
                self._rows,
                [None if size is None else _read(source, size) for size in column["sizes"]],
                validation_level="none",
            )
            for column in columns
        ]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        array = na.c_array_from_buffers(
            self._schema, self._rows, [None], children=self._columns, validation_level="none"
        )
        stream = CArrayStream.from_c_arrays([array], array.schema, validate=False)
        return stream.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._schema.__arrow_c_schema__()


Tables = Mapping[str, _Table]


class _Slot:
    """A table that a query reads, in whose place the next one can be put."""

    table: _Table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self.table.__arrow_c_schema__()


@cache
def _schema(kind: str) -> Any:
    return na.c_schema(_KINDS[kind]())


@lru_cache(maxsize=256)
def _table_schema(columns: tuple[tuple[str, str], ...]) -> Any:
    return na.c_schema(na.struct({name: _schema(kind) for name, kind in columns}))


def _open(memory_bytes: int) -> duckdb.DuckDBPyConnection:
    database = duckdb.connect(":memory:")
    for name, value in {"memory_limit": f"'{memory_bytes}B'", **_SETTINGS}.items():
        database.execute(f"SET {name} = {value}")
    return database


class _Query:
    """A query with its connection, planned once for all tables of the same columns.

    The runs of a campaign ask the same, and planning takes four times as long as the answer of a
    small run.
    """

    def __init__(self, database: duckdb.DuckDBPyConnection, sql: str) -> None:
        self.cursor, self._sql = database.cursor(), sql
        self._slots: dict[str, _Slot] = {}
        self._ask = ""

    @property
    def is_planned(self) -> bool:
        """Whether it was answered before."""
        return bool(self._ask)

    def answer(self, tables: Tables) -> Order:
        """Answer for these tables. Raises duckdb.Error."""
        for name, table in tables.items():
            self._slots.setdefault(name, _Slot()).table = table
        self._ask = self._ask or self._plan()
        found = self.cursor.execute(self._ask)
        rows, about = found.fetchall(), found.description or ()
        for slot in self._slots.values():  # to free its memory
            del slot.table
        plain = [[float(v) if isinstance(v, Decimal) else v for v in row] for row in rows]
        return {
            "columns": [c[0] for c in about],
            "types": [str(c[1]) for c in about],
            "rows": plain,
        }

    def _plan(self) -> str:
        for name, slot in self._slots.items():
            self.cursor.register(name, slot)
        if not _READS_AGAIN:
            return self._sql
        self.cursor.execute(f"PREPARE query AS {self._sql}")
        return "EXECUTE query"


class _Database:
    """A database, and its last queries by SQL and columns of tables."""

    def __init__(self, memory_bytes: int) -> None:
        self._database = _open(memory_bytes)
        self._queries: dict[object, _Query] = {}

    def answer(self, order: Order, tables: Tables) -> Order:
        """Answer a query, or return its error."""
        key = order["sql"], *((name, table.form) for name, table in tables.items())
        query = self._queries.pop(key, None) or _Query(self._database, order["sql"])
        with _limits(query.cursor, order):
            found = _answer(query, order, tables)
        if "rows" not in found or not _READS_AGAIN:
            query.cursor.close()
            return found
        self._queries[key] = query
        if len(self._queries) > _MOST_QUERIES:
            self._queries.pop(next(iter(self._queries))).cursor.close()
        return found


def _answer(query: _Query, order: Order, tables: Tables) -> Order:
    try:
        if not query.is_planned:
            statements = query.cursor.extract_statements(order["sql"])
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                return {"error": "must be one SELECT"}
        if order["only_names"]:
            return {"tables": sorted(_names_in(query.cursor, order["sql"]))}
        return query.answer(tables)
    except duckdb.InterruptException:
        return {"late": True}
    except _LAST_ERRORS as error:
        return {"error": str(error), "is_last": True}
    except duckdb.Error as error:
        unknown = isinstance(error, duckdb.CatalogException)
        return {"error": str(error), "unknown_name": unknown}


def _names_in(database: duckdb.DuckDBPyConnection, sql: str) -> set[str]:
    """Return the names of the tables that a query reads, which need not exist."""
    try:
        return database.get_table_names(sql)
    except duckdb.BinderException:  # DuckDB looks for the columns of USING in the tables
        found = database.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
        parts = [*_parts(json.loads(found[0]))] if found else []
        defined = {
            entry["key"] for part in parts for entry in part.get("cte_map", {}).get("map", ())
        }
        return {part["table_name"] for part in parts if "table_name" in part} - defined


def _parts(tree: Any) -> Iterator[Order]:
    """Yield every object of a JSON value."""
    values: Iterable[Any] = tree if isinstance(tree, list) else ()
    if isinstance(tree, dict):
        yield tree
        values = tree.values()
    for value in values:
        yield from _parts(value)


@contextmanager
def _limits(database: duckdb.DuckDBPyConnection, order: Order) -> Iterator[None]:
    """Limit the address space, the CPU time and the elapsed time of a query."""
    watch = threading.Timer(order["time_s"], database.interrupt)
    watch.start()
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu_s = int(used.ru_utime + used.ru_stime + order["time_s"]) + 2
    _set_soft_limit(resource.RLIMIT_CPU, cpu_s)
    if (size := _address_space()) is not None:
        _set_soft_limit(resource.RLIMIT_AS, size + order["memory_bytes"] + _UNCOUNTED)
    try:
        yield
    finally:
        watch.cancel()


def _set_soft_limit(which: int, value: int) -> None:
    _, hard = resource.getrlimit(which)
    resource.setrlimit(which, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _address_space() -> int | None:
    """Return the bytes of this process's address space; None on systems without /proc."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    except OSError:
        return None
    return int(pages) * resource.getpagesize()


def serve() -> None:
    """Answer queries on standard input until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the client handles it
    source, answers = sys.stdin.buffer, sys.stdout.buffer
    database: _Database | None = None
    gc.freeze()  # modules stay, so no query needs to look for garbage among them
    while True:
        try:
            order = _read_order(source)
            tables = {about["name"]: _Table(about, source) for about in order["tables"]}
        except EOFError:
            return
        database = database or _Database(order["memory_bytes"])
        text = json.dumps(database.answer(order, tables), default=repr).encode()
        if len(text) > LARGEST_ANSWER:
            says = f"gives an answer of more than {LARGEST_ANSWER >> 20} MB"
            text = json.dumps({"error": says}).encode()
        answers.write(_LENGTH.pack(len(text)) + text)
        answers.flush()


if __name__ == "__main__":
    serve()
