"""Questions to tables in SQL, by DuckDB, which reaches nothing but these tables.

What an experiment file asks may be a stranger's: it reads no file, loads no extension, sees no
variable of this program, and has limited time and memory. So another process answers
(`sql_server.py`): one per process that asks, for all its questions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from headgate.data.columns import OF_A_RUN
from headgate.data.tables import Table, Words
from headgate.experiment.sql_process import SqlError, SqlProcess

__all__ = ["Answer", "SqlError", "ask", "ask_all", "check", "number", "tables_in"]

#: Seconds and bytes of memory that one question may take.
TIME_S, MEMORY_BYTES = 10.0, 10**9

#: Where a star is all columns, and no product.
_EVERYTHING = re.compile(r"(\bselect|\bdistinct|,|\.|\()\s*\*")


@dataclass(frozen=True)
class Answer:
    """What DuckDB said: names and types of columns, and rows."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def ask(sql: str, tables: Mapping[str, Table]) -> Answer:
    """Ask one SELECT of the tables. Raises SqlError."""
    asked = sorted(tables_in(sql) & tables.keys())
    kept = [_named_in(sql, tables[name]).extended(name, {}) for name in asked]
    said = _send(sql, kept, known=tables)
    rows = [tuple(row) for row in said["rows"]]
    return Answer(tuple(said["columns"]), tuple(said["types"]), rows)


def _named_in(sql: str, table: Table) -> Table:
    """Leave out the columns that a question cannot mean: each costs as much as to sum one up."""
    said, name = sql.lower().replace("count(*)", ""), table.name.lower()
    if _EVERYTHING.search(said) or name in said.replace(f"from {name}", ""):
        return table
    kept = [column for column in table if column.lower() in said]
    return table.only(kept) if kept else table


@lru_cache(maxsize=4096)
def tables_in(sql: str) -> frozenset[str]:
    """Name the tables that a question is about. Raises SqlError."""
    return frozenset(_send(sql, only_names=True)["tables"])


def ask_all(questions: Sequence[str], tables: Mapping[str, Table]) -> list[float] | None:
    """Ask for several numbers at once, which costs little more than one; None if one is wrong."""
    try:
        answer = ask(f"SELECT {', '.join(f'({one})' for one in questions)}", tables)
    except SqlError:
        return None
    whole = len(answer.columns) == len(questions) and not {"VARCHAR", "BLOB"} & {*answer.types}
    return (
        [math.nan if value is None else float(value) for value in answer.rows[0]] if whole else None
    )


def number(answer: Answer) -> float:
    """Read the one number of an answer; NaN where there is none. Raises SqlError."""
    if len(answer.columns) != 1:
        raise SqlError(f"gives {len(answer.columns)} columns; it must give one number")
    if len(answer.rows) > 1:
        raise SqlError(f"gives {len(answer.rows)} rows; it must give one number")
    value = answer.rows[0][0] if answer.rows else None
    if value is None:
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        raise SqlError(f"gives {value!r}, which is not a number") from None


def check(sql: str) -> frozenset[str]:
    """Hold a question to the tables of a run without one; return those it asks. Raises SqlError."""
    answer = ask(sql, _empty_tables())
    if len(answer.columns) != 1:
        raise SqlError(f"gives {len(answer.columns)} columns; it must give one number")
    if answer.types[0] in ("VARCHAR", "BLOB") or "[" in answer.types[0]:
        raise SqlError(f"gives {answer.types[0]}, which is not a number")
    return tables_in(sql)


@cache
def _empty_tables() -> dict[str, Table]:
    """Return the tables of a run without a row."""
    return {
        name: Table(
            name,
            {c.name: np.zeros(0) if c.unit else Words(np.zeros(0), ()) for c in OF_A_RUN[name]},
        )
        for name in OF_A_RUN
    }


@cache
def _process() -> SqlProcess:
    """Return the process that answers; to start it costs more than most questions."""
    return SqlProcess()


def _send(
    sql: str,
    tables: Sequence[Table] = (),
    *,
    known: Mapping[str, Table] | None = None,
    only_names: bool = False,
) -> dict[str, Any]:
    """Send a question, and make one sentence of what DuckDB has against it. Raises SqlError."""
    order = {
        "sql": sql, "only_names": only_names, "time_s": TIME_S, "memory_bytes": MEMORY_BYTES,
    }  # fmt: skip
    said = _process().ask(order, tables)
    if "late" in said:
        raise SqlError(f"takes longer than {TIME_S:g} s, the time that it may take")
    if "error" in said:
        names = f"; the tables are {', '.join(known)}" if known and said.get("unknown_name") else ""
        raise SqlError(f"{_first_line(said['error'])}{names}")
    return said


def _first_line(text: str) -> str:
    return (text.splitlines() or [""])[0].rstrip(".!")
