"""A run's folder: one Parquet file a table, and run.json with the checksum of each.

Each file is written, then renamed. Tables of a campaign's run have its labels in front, so that a
query over many folders can tell the runs apart; they are left out when a folder is read back.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from headgate.errors import StoreError
from headgate.run.process import here
from headgate.tables import TABLES, Table, Words

if TYPE_CHECKING:
    import duckdb

RUN_FILE = "run.json"
CHECKSUMS = "checksums"
RUN_COLUMN, LABEL_PREFIX = "run_id", "label_"


def write_folder(folder: Path, tables: Mapping[str, Table], meta: Mapping[str, Any]) -> None:
    """Write all tables, then run.json: a folder with run.json is whole. Raises StoreError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            _atomically(folder / f"{name}.parquet", partial(_write_parquet, table))
        sums = {f"{name}.parquet": _checksum(folder / f"{name}.parquet") for name in tables}
        sums[RUN_FILE] = _checksum_of(meta)
        text = json.dumps({**meta, CHECKSUMS: sums}, indent=2)
        _atomically(folder / RUN_FILE, lambda path: _write_text(path, text))
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written: {error.strerror or error}") from None


def write_table(path: Path, table: Table) -> None:
    """Write one table whole or not at all. Raises StoreError."""
    try:
        _atomically(path, partial(_write_parquet, table))
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror or error}") from None


def write_bytes(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a file whole or not at all; a durable one outlives a power cut. Raises StoreError."""
    write_file(path, lambda draft: _write(draft, data, durable=durable))


def write_file(path: Path, write: Callable[[Path], None]) -> None:
    """Have `write` make a draft, and put it in the file's place. Raises StoreError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _atomically(path, write)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror or error}") from None


def read_meta(folder: Path) -> dict[str, Any] | None:
    """Read run.json, or None where there is none. Raises StoreError if it is broken."""
    found = _read_manifest(folder)
    return found[0] if found else None


def _read_manifest(folder: Path) -> tuple[dict[str, Any], dict[str, str]] | None:
    """Read run.json apart from its checksums, and these."""
    path = folder / RUN_FILE
    try:
        meta: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise StoreError(
            f"{path}: cannot be read ({error}); remove {folder} and run again"
        ) from None
    sums: dict[str, str] = meta.pop(CHECKSUMS, {})
    if sums.get(RUN_FILE) != _checksum_of(meta):
        raise _damaged(path)
    return meta, sums


def read_tables(folder: Path) -> dict[str, Table]:
    """Read every table of a run's folder, a study's own among them.

    Raises StoreError if one is missing or cut short.
    """
    _, sums = _read_manifest(folder) or ({}, {})
    own = sorted(Path(name).stem for name in sums if name != RUN_FILE)
    tables = {name: _read_table(folder, name) for name in dict.fromkeys((*TABLES, *own))}
    for name in tables:  # after reading, which says more about a file that is cut short
        if sums.get(f"{name}.parquet") != _checksum(folder / f"{name}.parquet"):
            raise _damaged(folder / f"{name}.parquet")
    return tables


def _read_table(folder: Path, name: str) -> Table:
    columns = _read_parquet(folder / f"{name}.parquet")
    own = {key: c for key, c in columns.items() if not key.startswith((RUN_COLUMN, LABEL_PREFIX))}
    return Table(name, own)


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _checksum_of(meta: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(meta).encode()).hexdigest()


def _damaged(path: Path) -> StoreError:
    return StoreError(f"{path}: its checksum does not fit; remove {path.parent} and run again")


def query(sql: str) -> list[dict[str, Any]]:
    """Ask DuckDB; give its rows."""
    with _database().cursor() as database:
        found = database.execute(sql)
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def _atomically(path: Path, write: Callable[[Path], None]) -> None:
    draft = path.with_name(f".{path.name}@{here()}")
    try:
        write(draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _write_text(path: Path, text: str) -> None:
    _write(path, text.encode())


def _write(path: Path, data: bytes, *, durable: bool = True) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        if durable:
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
