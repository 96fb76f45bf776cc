"""A run's folder: one Parquet file a table, and run.json. Each file is written, then renamed."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from headgate.errors import StoreError
from headgate.tables import TABLES, Table, Words

if TYPE_CHECKING:
    import duckdb

RUN_FILE = "run.json"


def write_folder(folder: Path, tables: Mapping[str, Table], meta: Mapping[str, Any]) -> None:
    """Write all tables, then run.json: a folder with run.json is whole. Raises StoreError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            _atomically(folder / f"{name}.parquet", partial(_write_parquet, table))
        text = json.dumps(meta, indent=2)
        _atomically(folder / RUN_FILE, lambda path: _write_text(path, text))
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written: {error.strerror or error}") from None


def write_table(path: Path, table: Table) -> None:
    """Write one table whole or not at all. Raises StoreError."""
    try:
        _atomically(path, partial(_write_parquet, table))
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror or error}") from None


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file whole or not at all. Raises StoreError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _atomically(path, lambda draft: _write(draft, data))
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror or error}") from None


def read_meta(folder: Path) -> dict[str, Any] | None:
    """Read run.json, or None where there is none. Raises StoreError if it is broken."""
    path = folder / RUN_FILE
    try:
        meta: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise StoreError(
            f"{path}: cannot be read ({error}); remove {folder} and run again"
        ) from None
    return meta


def read_tables(folder: Path) -> dict[str, Table]:
    """Read every table of a run's folder, a study's own among them.

    Raises StoreError if one is missing or cut short.
    """
    names = dict.fromkeys((*TABLES, *sorted(path.stem for path in folder.glob("[!.]*.parquet"))))
    return {name: Table(name, _read_parquet(folder / f"{name}.parquet")) for name in names}


def _atomically(path: Path, write: Callable[[Path], None]) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        write(draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _write_text(path: Path, text: str) -> None:
    _write(path, text.encode())


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _write_parquet(table: Table, path: Path) -> None:
    import duckdb

    about = ", ".join(
        f"{_quote(name)}: {_quote(json.dumps(table.metadata(name)))}" for name in table
    )
    with _database().cursor() as database:
        database.register("written", table)
        try:
            database.execute(
                f"COPY written TO {_quote(str(path))} (FORMAT parquet, KV_METADATA {{{about}}})"
            )
        except duckdb.Error as error:
            raise StoreError(f"{path.parent}: cannot be written: {_first_line(error)}") from None


def _read_parquet(path: Path) -> dict[str, Any]:
    import duckdb

    if not path.is_file():
        raise StoreError(f"{path}: there is no such file; run the scenario again")
    try:
        with _database().cursor() as database:
            columns = database.read_parquet(str(path)).fetchnumpy()
    except duckdb.Error as error:
        raise StoreError(
            f"{path}: cannot be read ({_first_line(error)}); remove {path.parent} and run again"
        ) from None
    return {name: _column(column) for name, column in columns.items()}


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """Give the one database in memory; opening it costs more than a small table."""
    import duckdb

    return duckdb.connect()


def _column(column: Any) -> Any:
    values = np.asarray(column.data if np.ma.isMA(column) else column)
    return Words.of(values) if values.dtype.kind in "OUST" else values


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _first_line(error: Exception) -> str:
    text = str(error)
    full = os.strerror(errno.ENOSPC)  # DuckDB wraps it in an object of its own
    return full if full in text else text.splitlines()[0].rstrip(".")
