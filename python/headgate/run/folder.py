"""A run's folder: one Parquet file a table, and run.json with the checksum of each.

Each file is written, then renamed. Tables of a campaign's run have its labels in front, so that a
query over many folders can tell the runs apart; they are left out when a folder is read back.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from headgate.errors import StoreError, explain_os
from headgate.run.lock import HeldError, hold_lock
from headgate.run.process import here
from headgate.tables import TABLES, Table, Words

if TYPE_CHECKING:
    import duckdb

RUN_FILE = "run.json"
LOCK_FILE = ".lock"
CHECKSUMS = "checksums"
#: The places of a run's tables among others.
ORDER = {name: place for place, name in enumerate(TABLES)}
RUN_COLUMN, LABEL_PREFIX = "run_id", "label_"


#: A table, or its parts one after another where it may not fit into memory.
Rows = Table | Iterable[Table]


def write_folder(folder: Path, tables: Mapping[str, Rows], meta: Mapping[str, Any]) -> None:
    """Write all tables, then run.json: a folder with run.json is whole. Raises StoreError.

    Nothing is put in its place before everything is on the disk, so that neither a full disk nor a
    power cut leaves a part of a run.
    """
    drafts: dict[str, Path] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            draft = drafts[f"{name}.parquet"] = _draft(folder / f"{name}.parquet")
            _write_rows(table, draft)
            flush(draft)
        sums = {name: _checksum(draft) for name, draft in drafts.items()}
        sums[RUN_FILE] = _checksum_of(meta)
        draft = drafts[RUN_FILE] = _draft(folder / RUN_FILE)
        draft.write_text(json.dumps({**meta, CHECKSUMS: sums}, indent=2), encoding="utf-8")
        flush(draft)
        _place(folder, drafts)
    except (OSError, StoreError) as error:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)
        if isinstance(error, StoreError):
            raise
        raise StoreError(f"{folder}: cannot be written: {explain_os(error)}") from None


@contextmanager
def hold_for_run(folder: Path) -> Iterator[None]:
    """Have a folder for one run alone; it is made, and gone afterwards if nothing was put in it.

    Raises StoreError before anything is done if another run has it, or it cannot be written.
    """
    made = not folder.exists()
    try:
        with _hold_folder(folder):
            yield
    finally:
        if made:
            with suppress(OSError):  # there is something in it
                folder.rmdir()


def _hold_folder(folder: Path) -> ExitStack:
    held = ExitStack()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held.enter_context(hold_lock(folder / LOCK_FILE, _owner()))
    except HeldError as error:
        raise StoreError(
            f"{folder}: another run is at work in it ({error}); wait, or choose another folder"
        ) from None
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written: {explain_os(error)}") from None
    return held


def _owner() -> str:
    since = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
    return f"process {os.getpid()} on {socket.gethostname()}, since {since} UTC"


def _place(folder: Path, drafts: Mapping[str, Path]) -> None:
    """Put files in their places, run.json last."""
    (folder / RUN_FILE).unlink(missing_ok=True)
    for name, draft in drafts.items():
        if name == RUN_FILE:
            flush(folder)
        draft.replace(folder / name)
    flush(folder)
    flush(folder.parent)


def write_table(path: Path, table: Table, *, dense: bool = False) -> None:
    """Write one table whole or not at all. Raises StoreError.

    A dense one takes a third less room, and ten times as long.
    """
    try:
        _atomically(path, partial(_write_parquet, table, dense=dense), durable=True)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {explain_os(error)}") from None


def write_bytes(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write a file whole or not at all; a durable one outlives a power cut. Raises StoreError."""
    write_file(path, lambda draft: draft.write_bytes(data), durable=durable)


def write_file(path: Path, write: Callable[[Path], object], *, durable: bool = True) -> None:
    """Have `write` make a draft, and put it in the file's place. Raises StoreError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _atomically(path, write, durable=durable)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {explain_os(error)}") from None


def flush(path: Path) -> None:
    """Have a file, or the names in a folder, on the disk before anything else happens."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_meta(folder: Path) -> dict[str, Any] | None:
    """Read run.json, or None where there is none. Raises StoreError if it is broken."""
    found = _read_manifest(folder)
    return found[0] if found else None


def find_run(folder: Path) -> tuple[StoredTables, dict[str, Any]]:
    """Find a run: its tables, which are read when they are asked for, and its run.json.

    Raises StoreError if there is none, or a file is not what was written.
    """
    found = _read_manifest(folder)
    if found is None:
        raise StoreError(f"{folder}: holds no finished run (there is no run.json)")
    meta, sums = found
    own = [Path(name).stem for name in sorted(sums) if name != RUN_FILE]
    names = sorted(own, key=lambda name: ORDER.get(name, len(ORDER)))
    for name in names:
        path = folder / f"{name}.parquet"
        if not path.is_file():
            raise StoreError(f"{path}: there is no such file; run the scenario again")
        if sums.get(path.name) != _checksum(path):
            raise _damage_error(path)
    return StoredTables(folder, names), meta


def find_runs(folder: Path) -> list[Path]:
    """Give the folders of finished runs: this one, or those of a study or an experiment in it."""
    if (folder / RUN_FILE).is_file():
        return [folder]
    return sorted(path.parent for path in (folder / "runs").glob(f"*/{RUN_FILE}"))


class StoredTables(Mapping[str, Table]):
    """The tables of a run's folder, a study's own among them, each read when it is asked for."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self._folder = folder
        self._read: dict[str, Table | None] = dict.fromkeys(names)

    def __getitem__(self, name: str) -> Table:
        if name not in self._read:
            kept = ", ".join(self._read) or "none"
            raise StoreError(f"{self._folder}: this run kept no table {name!r}; it has {kept}")
        table = self._read[name]
        if table is None:
            table = self._read[name] = read_table(self._folder, name)
        return table

    def __iter__(self) -> Iterator[str]:
        return iter(self._read)

    def __len__(self) -> int:
        return len(self._read)


def _read_manifest(folder: Path) -> tuple[dict[str, Any], dict[str, str]] | None:
    """Read run.json apart from its checksums, and these."""
    path = folder / RUN_FILE
    try:
        meta = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise StoreError(
            f"{path}: cannot be read ({error}); remove {folder} and run again"
        ) from None
    sums = meta.pop(CHECKSUMS, None) if isinstance(meta, dict) else None
    if not isinstance(sums, dict) or sums.get(RUN_FILE) != _checksum_of(meta):
        raise _damage_error(path)
    return meta, sums


def read_table(folder: Path, name: str) -> Table:
    """Read one table of a run's folder, without the labels. Raises StoreError."""
    columns = read_columns(folder / f"{name}.parquet")
    own = {key: c for key, c in columns.items() if not key.startswith((RUN_COLUMN, LABEL_PREFIX))}
    return Table(name, own)


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _checksum_of(meta: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(meta).encode()).hexdigest()


def _damage_error(path: Path) -> StoreError:
    return StoreError(f"{path}: its checksum does not fit; remove {path.parent} and run again")


def query(sql: str) -> list[dict[str, Any]]:
    """Ask DuckDB; give its rows."""
    with _database().cursor() as database:
        found = database.execute(sql)
        names = [column[0] for column in found.description or ()]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def _draft(path: Path) -> Path:
    return path.with_name(f".{path.name}@{here()}")


def _atomically(path: Path, write: Callable[[Path], object], *, durable: bool) -> None:
    draft = _draft(path)
    try:
        write(draft)
        if durable:
            flush(draft)
        draft.replace(path)
        if durable:
            flush(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def _write_rows(rows: Rows, path: Path) -> None:
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
    """Write rows that DuckDB knows, with what is said of the columns of a table."""
    import duckdb

    about = ", ".join(f"{quote(name)}: {quote(json.dumps(like.metadata(name)))}" for name in like)
    try:
        database.execute(
            f"COPY {rows} TO {quote(str(path))} (FORMAT parquet, KV_METADATA {{{about}}}{options})"
        )
    except duckdb.Error as error:
        raise StoreError(f"{path.parent}: cannot be written: {_first_line(error)}") from None


def read_columns(path: Path, names: Sequence[str] = ()) -> dict[str, Any]:
    """Read a Parquet file, or those columns of it: arrays, and `Words` for texts.

    Raises StoreError.
    """
    import duckdb

    try:
        with _database().cursor() as database:
            columns = database.read_parquet(str(path)).select(*names or ("*",)).fetchnumpy()
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
    if column.dtype.kind in "OUST":
        return Words.of(np.ma.filled(column, ""))
    if np.ma.is_masked(column):
        return np.ma.filled(column.astype(np.float64), np.nan)
    return np.ma.getdata(column)


def quote(text: str) -> str:
    """Write a text as SQL has it."""
    return "'" + text.replace("'", "''") + "'"


def _first_line(error: Exception) -> str:
    text = str(error)
    full = os.strerror(errno.ENOSPC)  # DuckDB wraps it in an object of its own
    return full if full in text else text.splitlines()[0].rstrip(".")
