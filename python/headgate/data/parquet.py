"""Tables as Parquet files, through DuckDB."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from headgate.base.errors import StoreError, explain_library, report_unwritable
from headgate.base.files import replace_file
from headgate.data.tables import Table, Words

if TYPE_CHECKING:
    import duckdb

#: A file from this size on is read column by column, because DuckDB takes as much memory again for
#: the columns that it reads together.
LARGE_FILE_BYTES = 4_000_000
#: A table, or its parts if it may not fit into memory.
Rows = Table | Iterable[Table]


def write_table(path: Path, table: Table, *, dense: bool = False) -> None:
    """Write a whole table or nothing. Raises StoreError.

    A dense file takes two thirds of the space, and ten times as long.
    """
    with report_unwritable(path):
        replace_file(path, partial(_write_parquet, table, dense=dense), durable=True)


def query(sql: str) -> list[dict[str, Any]]:
    """Return the rows of a DuckDB query."""
    with _database().cursor() as database:
        found = database.execute(sql)
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def write_rows(rows: Rows, path: Path) -> None:
    """Write a table or its parts into a file. Raises StoreError."""
    if isinstance(rows, Table):
        _write_parquet(rows, path)
        return
    parts: list[Path] = []
    try:
        for table in rows:
            parts.append(path.with_name(f"{path.name}-{len(parts)}"))
            _write_parquet(table, parts[-1])
        names = ", ".join(quote(str(part)) for part in parts)
        with _database().cursor() as database:
            _copy(database, f"(FROM read_parquet([{names}]))", table, path)
    finally:
        for part in parts:
            part.unlink(missing_ok=True)


def _write_parquet(table: Table, path: Path, *, dense: bool = False) -> None:
    with _database().cursor() as database:
        database.register("written", table)
        _copy(database, "written", table, path, ", COMPRESSION zstd, COMPRESSION_LEVEL 19" * dense)


def _copy(
    database: duckdb.DuckDBPyConnection, rows: str, like: Table, path: Path, options: str = ""
) -> None:
    import duckdb

    about = ", ".join(f"{quote(name)}: {quote(json.dumps(like.metadata(name)))}" for name in like)
    try:
        database.execute(
            f"COPY {rows} TO {quote(str(path))} (FORMAT parquet, KV_METADATA {{{about}}}{options})"
        )
    except duckdb.Error as error:
        raise StoreError(f"{path.parent}: cannot be written: {explain_library(error)}") from None


def read_columns(path: Path, names: Sequence[str] = ()) -> dict[str, Any]:
    """Read a Parquet file, or some of its columns: arrays, and `Words` for texts.

    Raises StoreError.
    """
    import duckdb

    try:
        with _database().cursor() as database:
            rows = database.read_parquet(str(path))
            wanted = [quote_name(name) for name in names or rows.columns]
            step = len(wanted) if path.stat().st_size < LARGE_FILE_BYTES else 1
            parts = (wanted[first : first + step] for first in range(0, len(wanted), step))
            read = (rows.select(*part).fetchnumpy() for part in parts)
            return {name: _column(column) for part in read for name, column in part.items()}
    except duckdb.Error as error:
        raise StoreError(
            f"{path}: cannot be read ({explain_library(error)}); remove {path.parent} and run again"
        ) from None


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """Return the one database in memory; opening it costs more than a small table."""
    import duckdb

    return duckdb.connect()


def _column(column: Any) -> Any:
    if column.dtype.kind in "OUST":
        return Words.of(np.ma.filled(column, ""))
    if np.ma.is_masked(column):
        return np.ma.filled(column.astype(np.float64), np.nan)
    return np.ma.getdata(column)


def quote(text: str) -> str:
    """Quote a text for SQL."""
    return "'" + text.replace("'", "''") + "'"


def quote_name(name: str) -> str:
    """Quote the name of a column for SQL."""
    return '"' + name.replace('"', '""') + '"'
