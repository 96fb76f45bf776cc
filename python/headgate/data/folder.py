"""The folder of a run: one Parquet file per table, and run.json with their checksums.

Each file is written as a draft, then renamed. Tables of a campaign's run begin with its labels, so
that a query over many folders can distinguish the runs; reading a folder omits them.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from headgate.base.errors import StoreError, report_unwritable
from headgate.base.files import flush, name_draft
from headgate.base.process import HeldError, hold_lock
from headgate.data.parquet import Rows, read_columns, write_rows
from headgate.data.recent import RECENT, Owner
from headgate.data.tables import TABLES, LazyTables, Table

RUN_FILE = "run.json"
#: The folder of many runs, and the file of the experiment that is kept beside it.
RUNS, EXPERIMENT = "runs", "experiment.toml"
LOCK_FILE = ".lock"
CHECKSUMS = "checksums"
#: The order of a run's tables.
ORDER = {name: place for place, name in enumerate(TABLES)}
RUN_COLUMN, LABEL_PREFIX = "run_id", "label_"


def write_folder(folder: Path, tables: Mapping[str, Rows], meta: Mapping[str, Any]) -> None:
    """Write all tables, then run.json: a folder with run.json is complete. Raises StoreError.

    No file is renamed before all are on the disk, so that neither a full disk nor a power cut
    leaves a part of a run.
    """
    drafts: dict[str, Path] = {}

    def place(name: str) -> Path:
        drafts[name] = name_draft(folder / name)
        return drafts[name]

    try:
        with report_unwritable(folder):
            folder.mkdir(parents=True, exist_ok=True)
            _write_files(place, tables, meta)
            _place(folder, drafts)
    except StoreError:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)
        raise


def fill_folder(folder: Path, tables: Mapping[str, Rows], meta: Mapping[str, Any]) -> None:
    """Write all tables and run.json into a new folder, which is then moved to its place.

    Everything is on the disk at the end. Raises StoreError.
    """
    with report_unwritable(folder):
        _write_files(folder.joinpath, tables, meta)
        flush(folder)


def _write_files(
    place: Callable[[str], Path], tables: Mapping[str, Rows], meta: Mapping[str, Any]
) -> None:
    """Write the files of a run to their places, with run.json and the checksums last."""
    sums = {}
    for table_name, table in tables.items():
        name = f"{table_name}.parquet"
        path = place(name)
        write_rows(table, path)
        flush(path)
        sums[name] = _checksum(path)
    sums[RUN_FILE] = _checksum_of(meta)
    path = place(RUN_FILE)
    path.write_bytes(_write_json({**meta, CHECKSUMS: sums}))
    flush(path)


def name_folder(given: str | Path) -> Path:
    """Return the folder of this name. Raises StoreError for an empty text."""
    if isinstance(given, str) and not given.strip():
        raise StoreError(f"{given!r} is not a folder; write a name such as 'out/run'")
    return Path(given)


@contextmanager
def hold_for_run(folder: Path) -> Iterator[None]:
    """Lock a folder for one run; a new folder that stays empty is removed.

    Raises StoreError at once if another run holds it, or it cannot be written.
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
    held, since = ExitStack(), time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
    owner = f"process {os.getpid()} on {socket.gethostname()}, since {since} UTC"
    with report_unwritable(folder):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            held.enter_context(hold_lock(folder / LOCK_FILE, owner))
        except HeldError as error:
            raise StoreError(
                f"{folder}: another run is at work in it ({error}); wait, or choose another folder"
            ) from None
    return held


def _place(folder: Path, drafts: Mapping[str, Path]) -> None:
    """Rename drafts, run.json last."""
    (folder / RUN_FILE).unlink(missing_ok=True)
    for name, draft in drafts.items():
        if name == RUN_FILE:
            flush(folder)
        draft.replace(folder / name)
    flush(folder)
    flush(folder.parent)


def read_meta(folder: Path) -> dict[str, Any] | None:
    """Read run.json; None if it is missing. Raises StoreError if it is broken."""
    found = _read_manifest(folder)
    return found[0] if found else None


def _explain_no_run(folder: Path) -> str:
    """Return why a folder is not that of a run, and how to read the runs that it contains."""
    if not (folder / RUNS).is_dir():
        return "contains no finished run (there is no run.json)"
    says = f"this folder contains many runs; read one of the folders in {folder / RUNS}"
    file = folder / EXPERIMENT
    if not file.is_file():
        return says
    return (
        f"{says}, a table such as {folder / 'runs.parquet'}, or all of the experiment by"
        f" Experiment.load({str(file)!r}).run({str(folder)!r}), which makes no finished run again"
    )


def find_run(folder: Path) -> tuple[StoredTables, dict[str, Any]]:
    """Return the tables of a run, which are read on demand, and its run.json.

    Raises StoreError if there is no run, or a file has changed.
    """
    found = _read_manifest(folder)
    if found is None:
        raise StoreError(f"{folder}: {_explain_no_run(folder)}")
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
    """Return the folders of finished runs: this one, or those of a study in it."""
    if (folder / RUN_FILE).is_file():
        return [folder]
    return sorted(path.parent for path in (folder / "runs").glob(f"*/{RUN_FILE}"))


class StoredTables(LazyTables):
    """The tables of a run's folder, including a study's, each read on demand.

    Only recently used tables stay in memory (`headgate.data.recent`).
    """

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self._folder, self._names, self._owner = folder, tuple(names), Owner()

    def __getitem__(self, name: str) -> Table:
        if name not in self._names:
            kept = ", ".join(self._names) or "none"
            raise StoreError(f"{self._folder}: this run kept no table {name!r}; it has {kept}")
        return RECENT.get(self._owner, name, lambda: read_table(self._folder, name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _read_manifest(folder: Path) -> tuple[dict[str, Any], dict[str, str]] | None:
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


def _write_json(meta: Mapping[str, Any]) -> bytes:
    """Write JSON with an indent: the standard library does so ten times as slowly."""
    from pydantic_core import to_json

    return to_json(meta, indent=2, inf_nan_mode="constants")


def _checksum_of(meta: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(meta).encode()).hexdigest()


def _damage_error(path: Path) -> StoreError:
    return StoreError(f"{path}: its checksum does not fit; remove {path.parent} and run again")
