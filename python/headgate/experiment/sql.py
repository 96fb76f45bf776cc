"""SQL queries on tables, answered by DuckDB, which can access only these tables.

The SQL of an experiment file may come from a stranger. A query reads no file, loads no extension,
sees no variable of this program, and is limited in time and memory. Therefore a separate process
answers queries (`sql_server.py`). Each client process starts one, and keeps it for all its queries.
"""

from __future__ import annotations

import atexit
import json
import math
import os
import re
import select
import struct
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from headgate.base.errors import HeadgateError
from headgate.base.process import python_command
from headgate.data.columns import OF_ANY_RUN
from headgate.data.tables import Table, Words

#: The limits of one query: seconds and bytes of memory.
TIME_S, MEMORY_BYTES = 10.0, 10**9
#: Seconds that the process may take beyond its limit to report that it reached the limit.
_GRACE_S = 2.0
#: Seconds to start the process on a busy machine, and to send the tables.
_START_S = 120.0
#: A message begins with its length.
_LENGTH = struct.Struct("<Q")
#: A star that means all columns, not a product.
_EVERYTHING = re.compile(r"(\bselect|\bdistinct|,|\.|\()\s*\*")

Message = dict[str, Any]


class SqlError(HeadgateError):
    """A query that is wrong, or that cannot be answered within its limits."""


@dataclass(frozen=True)
class Answer:
    """The names and types of columns, and the rows, of a query's result."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def ask(sql: str, tables: Mapping[str, Table]) -> Answer:
    """Run one SELECT on the tables. Raises SqlError."""
    names = sorted(tables_in(sql) & tables.keys())
    kept = [_drop_columns(sql, tables[name]).extended(name, {}) for name in names]
    answer = _send(sql, kept, known=tables)
    rows = [tuple(row) for row in answer["rows"]]
    return Answer(tuple(answer["columns"]), tuple(answer["types"]), rows)


def _drop_columns(sql: str, table: Table) -> Table:
    """Drop the columns that a query does not name: sending one costs as much as summing it."""
    text, name = sql.lower().replace("count(*)", ""), table.name.lower()
    if _EVERYTHING.search(text) or name in text.replace(f"from {name}", ""):
        return table
    kept = [column for column in table if column.lower() in text]
    return table.only(kept) if kept else table


@lru_cache(maxsize=4096)
def tables_in(sql: str) -> frozenset[str]:
    """Return the names of the tables in a query. Raises SqlError."""
    return frozenset(_send(sql, only_names=True)["tables"])


def ask_all(questions: Sequence[str], tables: Mapping[str, Table]) -> list[float] | None:
    """Run several queries for one number each, at little more than the cost of one query.

    Returns None if one of them is wrong.
    """
    try:
        answer = ask(f"SELECT {', '.join(f'({one})' for one in questions)}", tables)
    except SqlError:
        return None
    if len(answer.columns) != len(questions) or {"VARCHAR", "BLOB"} & {*answer.types}:
        return None
    return [math.nan if value is None else float(value) for value in answer.rows[0]]


def number(answer: Answer) -> float:
    """Return the number of an answer; NaN for an empty one. Raises SqlError."""
    _require_one(len(answer.columns), "columns")
    _require_one(len(answer.rows) or 1, "rows")
    value = answer.rows[0][0] if answer.rows else None
    if value is None:
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        raise SqlError(f"gives {value!r}, which is not a number") from None


def _require_one(count: int, noun: str) -> None:
    if count != 1:
        raise SqlError(f"gives {count} {noun}; it must give one number")


def check(sql: str) -> frozenset[str]:
    """Check a query on empty tables of a run; return the tables that it reads. Raises SqlError."""
    answer = ask(sql, _empty_tables())
    _require_one(len(answer.columns), "columns")
    if answer.types[0] in ("VARCHAR", "BLOB") or "[" in answer.types[0]:
        raise SqlError(f"gives {answer.types[0]}, which is not a number")
    return tables_in(sql)


@cache
def _empty_tables() -> dict[str, Table]:
    return {
        name: Table(
            name,
            {c.name: np.zeros(0) if c.unit else Words(np.zeros(0), ()) for c in OF_ANY_RUN[name]},
        )
        for name in OF_ANY_RUN
    }


def _send(
    sql: str,
    tables: Sequence[Table] = (),
    *,
    known: Mapping[str, Table] | None = None,
    only_names: bool = False,
) -> Message:
    """Send a query and return the answer. Errors of DuckDB become one sentence, a SqlError."""
    order = {
        "sql": sql, "only_names": only_names, "time_s": TIME_S, "memory_bytes": MEMORY_BYTES,
    }  # fmt: skip
    answer = _process().ask(order, tables)
    if "late" in answer:
        raise SqlError(_explain_end(order, late=True))
    if "error" in answer:
        unknown = known and answer.get("unknown_name")
        names = f"; the tables are {', '.join(known or ())}" if unknown else ""
        first_line = (answer["error"].splitlines() or [""])[0].rstrip(".!")
        raise SqlError(f"{first_line}{names}")
    return answer


def _explain_end(order: Mapping[str, Any], *, late: bool) -> str:
    if late:
        return f"takes longer than {order['time_s']:g} s, the time that it may take"
    return (
        f"takes more than the {order['memory_bytes'] / 1e9:g} GB of memory or the"
        f" {order['time_s']:g} s that it may take"
    )


class _EndedError(Exception):
    """The process ended, or was killed at the deadline, before it answered."""

    def __init__(self, *, late: bool) -> None:
        self.late = late


class SqlProcess:
    """The process that answers queries; it starts with the first query, and again if it ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._start_s = _START_S
        atexit.register(self.close)

    def ask(self, order: Mapping[str, Any], tables: Sequence[Table]) -> Message:
        """Return the answer to a query. Raises SqlError if there is none.

        The order contains the SQL and its limits of time and memory.
        """
        with self._lock:
            try:
                answer = self._ask(order, tables)
            except _EndedError as ended:
                self.close()
                raise SqlError(_explain_end(order, late=ended.late)) from None
            except BaseException:  # such as Ctrl-C: a late answer would be read as the next one
                self.close()
                raise
            if answer.get("is_last"):
                self.close()
            return answer

    def _ask(self, order: Mapping[str, Any], tables: Sequence[Table]) -> Message:
        process = self._start()
        columns = {table.name: [table.arrow_column(name) for name in table] for table in tables}
        about = [
            {
                "name": table.name,
                "rows": len(table),
                "columns": [
                    {"name": name, "kind": kind, "sizes": [_size(part) for part in parts]}
                    for name, (kind, parts) in zip(table, columns[table.name], strict=True)
                ],
            }
            for table in tables
        ]
        text = json.dumps({**order, "tables": about}).encode()
        buffers = [part for each in columns.values() for _, parts in each for part in parts]
        assert process.stdin is not None
        try:
            for part in (_LENGTH.pack(len(text)), text, *buffers):
                if part is not None:
                    process.stdin.write(part)
            process.stdin.flush()
        except OSError:
            raise _EndedError(late=False) from None
        head = self._read(process, _LENGTH.size, order["time_s"] + _GRACE_S + self._start_s)
        self._start_s = 0.0
        (length,) = _LENGTH.unpack(head)
        answer: Message = json.loads(self._read(process, length, _START_S))
        return answer

    def _read(self, process: subprocess.Popen[bytes], size: int, patience_s: float) -> bytes:
        assert process.stdout is not None
        pipe, until_s = process.stdout.fileno(), time.monotonic() + patience_s
        parts, missing = [], size
        while missing:
            left_s = until_s - time.monotonic()
            if left_s <= 0 or not select.select([pipe], [], [], left_s)[0]:
                raise _EndedError(late=True)
            part = os.read(pipe, min(missing, 1 << 20))
            if not part:
                raise _EndedError(late=False)
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def _start(self) -> subprocess.Popen[bytes]:
        """Return the process, started if necessary; a fork of this program starts a new one."""
        if self._process is None or self._owner != os.getpid():
            self._process = subprocess.Popen(
                python_command("-m", "headgate.experiment.sql_server"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self._owner, self._start_s = os.getpid(), _START_S
        return self._process

    def close(self) -> None:
        """Kill the process."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):  # data that it did not read
                pipe.close()  # type: ignore[union-attr]


def _size(part: Any) -> int | None:
    return None if part is None else memoryview(part).nbytes


@cache
def _process() -> SqlProcess:
    """Return the process of this program: starting it costs more than most queries."""
    return SqlProcess()
