"""Questions to tables in SQL, by DuckDB, which reaches nothing but these tables.

What an experiment file asks may be a stranger's: it reads no file, loads no extension, sees no
variable of this program, and has so much time and memory.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from headgate.columns import OF_A_RUN
from headgate.errors import HeadgateError
from headgate.tables import Table, Words

if TYPE_CHECKING:
    import duckdb

#: Seconds and memory that one question may take.
TIME_S, MEMORY = 10.0, "1GB"
#: The settings of the database, in this order: after the last one none can be changed.
_SETTINGS = {
    "memory_limit": f"'{MEMORY}'",
    "temp_directory": "''",
    "threads": "1",
    "python_enable_replacements": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "enable_external_access": "false",
    "lock_configuration": "true",
}


#: Where a star is all columns, and no product.
_EVERYTHING = re.compile(r"(\bselect|\bdistinct|,|\.|\()\s*\*")


class SqlError(HeadgateError):
    """A question that cannot be asked or answered, in one sentence."""


@dataclass(frozen=True)
class Answer:
    """What DuckDB said: names and types of columns, and rows."""

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def ask(sql: str, tables: Mapping[str, Table]) -> Answer:
    """Ask one SELECT of the tables. Raises SqlError."""
    with _connect() as database, _explain(tables):
        _require_select(database, sql)
        for name in database.get_table_names(sql) & tables.keys():
            database.register(name, _named_in(sql, tables[name]))
        with _time_limit(database):
            found = database.execute(sql)
            rows = found.fetchall()
        told = found.description or ()
        return Answer(tuple(c[0] for c in told), tuple(str(c[1]) for c in told), rows)


def _named_in(sql: str, table: Table) -> Table:
    """Leave out the columns that a question cannot mean: each costs as much as to sum one up."""
    said, name = sql.lower().replace("count(*)", ""), table.name.lower()
    if _EVERYTHING.search(said) or name in said.replace(f"from {name}", ""):
        return table
    kept = [column for column in table if column.lower() in said]
    return table.only(kept) if kept else table


def tables_in(sql: str) -> frozenset[str]:
    """Name the tables that a question is about. Raises SqlError."""
    with _connect() as database, _explain({}):
        _require_select(database, sql)
        return frozenset(database.get_table_names(sql))


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
def _database() -> duckdb.DuckDBPyConnection:
    """Return the one database that is locked; opening it costs more than most questions."""
    import duckdb

    database = duckdb.connect(":memory:")
    for name, value in _SETTINGS.items():
        database.execute(f"SET {name} = {value}")
    return database


@contextmanager
def _connect() -> Iterator[duckdb.DuckDBPyConnection]:
    with _database().cursor() as database:
        yield database


@contextmanager
def _time_limit(database: duckdb.DuckDBPyConnection) -> Iterator[None]:
    watch = threading.Timer(TIME_S, database.interrupt)
    watch.start()
    try:
        yield
    finally:
        watch.cancel()


@contextmanager
def _explain(tables: Mapping[str, Table]) -> Iterator[None]:
    """Make one sentence of what DuckDB has against a question."""
    import duckdb

    try:
        yield
    except duckdb.InterruptException:
        raise SqlError(f"takes longer than {TIME_S:g} s, the time that it may take") from None
    except duckdb.CatalogException as error:
        known = f"; the tables are {', '.join(tables)}" if tables else ""
        raise SqlError(f"{_first_line(error)}{known}") from None
    except duckdb.Error as error:
        raise SqlError(_first_line(error)) from None


def _require_select(database: duckdb.DuckDBPyConnection, sql: str) -> None:
    import duckdb

    statements = database.extract_statements(sql)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise SqlError("must be one SELECT")


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".!")
