"""Packed results: the kept tables of many finished runs, as a few Parquet files.

    FOLDER/PIECE/runs.parquet     one row per run: identity, digest, cost, run.json
    FOLDER/PIECE/TABLE.parquet    the rows of all its runs, in their order
    FOLDER/PIECE/formed.parquet   the derived columns that these omit, and their formulas

A piece is written once and named by its content. So machines that share only a repository add
pieces without changing those of others. A run is identified by its identity, which, unlike
`Job.id`, does not depend on the build of the program, so a new clone can use it. The formula of a
derived column is stored too, because it may change later.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from headgate.base.errors import (
    HeadgateError,
    NotStoredError,
    StoreError,
    report_unwritable,
)
from headgate.base.process import here, is_dead
from headgate.data.columns import Column
from headgate.data.measures.formula import evaluate, form
from headgate.data.parquet import read_columns, write_table
from headgate.data.recent import RECENT, Owner
from headgate.data.tables import Data, LazyTables, Table, Words
from headgate.engine.api import Result

DERIVED_FILE = "formed"


@dataclass(frozen=True)
class DerivedColumn:
    """A column that a file omits: its name, its place among all columns, and its formula."""

    file: str
    column: str
    place: int
    formula: str


def omit_derived(file: str, table: Table) -> tuple[Table, list[DerivedColumn]]:
    """Return a table without the columns that their formulas reproduce, and a list of these.

    `file` is the table's name in the list.
    """
    derived = [
        DerivedColumn(file, name, place, table.about(name).formula)
        for place, name in enumerate(table)
        if _is_reproduced(table, name)
    ]
    gone = {one.column for one in derived}
    return table.only([name for name in table if name not in gone]), derived


def restore_derived(columns: Mapping[str, Any], derived: Iterable[DerivedColumn]) -> dict[str, Any]:
    """Return columns with the derived ones restored in their places."""
    names, left_out = list(columns), sorted(derived, key=lambda one: one.place)
    for one in left_out:
        names.insert(one.place, one.column)
    formulas = {one.column: one.formula for one in left_out}
    return form([Column(name, "", "", formulas.get(name, "")) for name in names], columns)


def write_derived(folder: Path, derived: Iterable[DerivedColumn]) -> None:
    """Write the list of derived columns, if there are any. Raises StoreError."""
    rows = list(derived)
    columns: dict[str, Any] = {
        name: Words.of([getattr(one, name) for one in rows])
        for name in ("file", "column", "formula")
    }
    columns["place"] = np.array([one.place for one in rows], dtype=np.int64)
    if rows:
        write_table(folder / f"{DERIVED_FILE}.parquet", Table(DERIVED_FILE, columns))


def read_derived(folder: Path) -> dict[str, list[DerivedColumn]]:
    """Return the derived columns by file. Raises StoreError."""
    path = folder / f"{DERIVED_FILE}.parquet"
    found: dict[str, list[DerivedColumn]] = {}
    if path.is_file():
        columns = read_columns(path)
        texts = (columns[name].texts().tolist() for name in ("file", "column", "formula"))
        for file, column, formula, place in zip(*texts, columns["place"].tolist(), strict=True):
            found.setdefault(file, []).append(DerivedColumn(file, column, place, formula))
    return found


def _is_reproduced(table: Table, name: str) -> bool:
    """Return whether a formula reproduces a column in every row."""
    column, formula = table[name], table.about(name).formula
    if not formula or column.dtype != np.float64:
        return False
    try:
        again = evaluate(formula, lambda other: table[other])
    except (SyntaxError, ValueError, HeadgateError):
        return False  # it takes more than a row, or what this table has not
    return again.shape == column.shape and np.array_equal(again, column, equal_nan=True)


RUNS, DRAFT = "runs", ".draft@"
NAME_LENGTH = 16


@dataclass(frozen=True)
class Part:
    """Place of a run's table: its file, the first row, and the number of rows."""

    file: str
    first: int
    rows: int


_PARTS = TypeAdapter(dict[str, Part])
_META = TypeAdapter(dict[str, Any])


Labels = tuple[str | int | float, ...]
"""The labels of a run's job, in their order."""
Check = Callable[[Result], bool]
"""Returns whether a run contains the required tables."""


def _always(_: Result) -> bool:
    return True


class PackedRuns:
    """The packed runs in a folder, which need not exist."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def _places(self) -> dict[str, list[tuple[_Piece, int]]]:
        """The pieces and rows of each run, by its identity. Raises StoreError."""
        places: dict[str, list[tuple[_Piece, int]]] = {}
        for piece in map(_Piece, self._pieces()):
            for row, run in enumerate(piece.identities):
                places.setdefault(run, []).append((piece, row))
        return places

    def _pieces(self) -> list[Path]:
        return sorted(path.parent for path in self.folder.glob(f"[!.]*/{RUNS}.parquet"))

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, identity: object) -> bool:
        return identity in self._places

    def read(self, identity: str, is_whole: Check = _always) -> Result | None:
        """Return a run that passes a check, or None. Raises StoreError if a piece is damaged."""
        results = (piece.read(row) for piece, row in self._places.get(identity, ()))
        return next((result for result in results if is_whole(result)), None)

    def _forget(self) -> None:
        for known in ("_places", "_by_labels"):
            vars(self).pop(known, None)

    @cached_property
    def _by_labels(self) -> dict[Labels, list[tuple[_Piece, int]]]:
        places = (place for own in self._places.values() for place in own)
        found: dict[Labels, list[tuple[_Piece, int]]] = {}
        for piece, row in places:
            found.setdefault(piece.labels(row), []).append((piece, row))
        return found

    def read_labelled(self, labels: Labels) -> Result | None:
        """Return the only run with these labels, or None if there is none or several.

        An engine with other rules gives runs other identities, but their labels remain.
        """
        places = self._by_labels.get(labels, ())
        return places[0][0].read(places[0][1]) if len(places) == 1 else None

    def add(self, results: Mapping[str, Result], is_whole: Check = _always) -> int:
        """Write the missing runs as one piece; return their number."""
        new = {run: one for run, one in results.items() if self.read(run, is_whole) is None}
        if new:
            _write_piece(self.folder, new)
            self._forget()
        return len(new)

    def replace(self, parts: Iterable[Mapping[str, Result]], most_bytes: float = math.inf) -> bool:
        """Write one piece per part and remove all others; return whether this was done.

        If the pieces take more than `most_bytes`, the folder stays as it is. Raises StoreError.
        """
        before, written, total = set(self._pieces()), set[Path](), 0
        for part in parts:
            written.add(piece := _write_piece(self.folder, part))
            total += sum(file.stat().st_size for file in piece.iterdir())
            if total > most_bytes:
                break
        fits = total <= most_bytes
        for piece in set(self._pieces()) - written if fits else written - before:
            shutil.rmtree(piece)
        self._forget()
        return fits


class _Piece:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._owner = Owner()

    @cached_property
    def _runs(self) -> dict[str, Any]:
        columns = read_columns(self.folder / f"{RUNS}.parquet")
        if not {"identity", "meta", "tables"} <= set(columns):
            raise StoreError(f"{self.folder / RUNS}.parquet: is not a list of packed runs")
        if _name_of(self.folder) != self.folder.name:
            raise StoreError(f"{self.folder}: is not as it was written; take it from elsewhere")
        return columns

    @property
    def identities(self) -> list[str]:
        return [str(run) for run in self._runs["identity"].texts()]

    @cached_property
    def _texts(self) -> tuple[list[str], list[str]]:
        return self._runs["meta"].texts().tolist(), self._runs["tables"].texts().tolist()

    def read(self, row: int) -> Result:
        metas, tables = self._texts
        try:
            parts = _PARTS.validate_json(tables[row])
            return Result(_Tables(self, parts), _META.validate_json(metas[row]))
        except ValidationError:
            raise StoreError(
                f"{self.folder / RUNS}.parquet: is not a list of packed runs"
            ) from None

    def labels(self, row: int) -> Labels:
        meta = json.loads(self._texts[0][row])
        return tuple(meta.get("labels", {}).values())

    def table(self, file: str) -> Table:
        """Return the rows of all runs; only recently used tables stay in memory."""
        return RECENT.get(self._owner, file, lambda: self._read(file))

    def _read(self, file: str) -> Table:
        stored = read_columns(self.folder / f"{Path(file).name}.parquet")
        return Table(file, restore_derived(stored, self._derived.get(file, ())))

    @cached_property
    def _derived(self) -> dict[str, list[DerivedColumn]]:
        return read_derived(self.folder)


class _Tables(LazyTables):
    def __init__(self, piece: _Piece, parts: Mapping[str, Part]) -> None:
        self._piece, self._parts = piece, parts

    def __getitem__(self, name: str) -> Table:
        if name not in self._parts:
            raise NotStoredError(f"{self._piece.folder}: stores no table {name!r} of this run")
        part = self._parts[name]
        rows = slice(part.first, part.first + part.rows)
        data = {
            key: column[rows].compact() if isinstance(column, Words) else column[rows]
            for key, column in self._piece.table(part.file).data.items()
        }
        return _StoredTable(name, data, self._piece.folder)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)


class _StoredTable(Table):
    """A table of a packed run, which may omit columns of the run."""

    def __init__(self, name: str, data: Data, folder: Path) -> None:
        super().__init__(name, data)
        self._folder = folder

    def _column(self, name: str) -> Any:
        if name not in self.data:
            place = f"column {name!r} of table {self.name!r}"
            raise NotStoredError(f"{self._folder}: stores no {place} of this run")
        return super()._column(name)

    def _derive(self, name: str, data: Data) -> Table:
        return _StoredTable(name, data, self._folder)


def _write_piece(folder: Path, results: Mapping[str, Result]) -> Path:
    draft = folder / f"{DRAFT}{here()}"
    with report_unwritable(folder):
        for old in folder.glob(f"{DRAFT}*"):
            if is_dead(old.name.removeprefix(DRAFT)):  # a killed process left it
                shutil.rmtree(old, ignore_errors=True)
        draft.mkdir(parents=True)
        parts = _write_tables(draft, results)
        write_table(draft / f"{RUNS}.parquet", _list_runs(results, parts), dense=True)
        final = folder / _name_of(draft)
        if final.exists():  # the same runs
            shutil.rmtree(draft)
        else:
            draft.rename(final)
        return final


def _write_tables(folder: Path, results: Mapping[str, Result]) -> list[dict[str, Part]]:
    """Concatenate tables with the same columns into files; return the places of each run."""
    parts: list[dict[str, Part]] = [{} for _ in results]
    forms: dict[tuple[str, ...], list[tuple[int, Table]]] = {}
    for run, result in enumerate(results.values()):
        for name, table in result.tables.items():
            forms.setdefault((name, *table.columns), []).append((run, table))
    taken: dict[str, int] = {}
    derived: list[DerivedColumn] = []
    for (name, *_), tables in forms.items():
        taken[name] = number = taken.get(name, 0) + 1
        file, first = name if number == 1 else f"{name}-{number}", 0
        for run, table in tables:
            parts[run][name] = Part(file, first, len(table))
            first += len(table)
        joined, own = omit_derived(file, _join([table for _, table in tables]))
        write_table(folder / f"{file}.parquet", joined, dense=True)
        derived += own
    write_derived(folder, derived)
    return parts


def _join(tables: Sequence[Table]) -> Table:
    first = tables[0]
    return Table(first.name, {name: _join_column([t.data[name] for t in tables]) for name in first})


def _join_column(parts: Sequence[Any]) -> Any:
    if any(isinstance(part, Words) or part.dtype.kind in "OU" for part in parts):
        words = [part if isinstance(part, Words) else Words.of(part) for part in parts]
        return Words.join(words)
    return np.concatenate(parts)


def _list_runs(results: Mapping[str, Result], parts: Sequence[Mapping[str, Part]]) -> Table:
    metas = [result.meta for result in results.values()]
    texts = {
        "identity": list(results),
        "digest": [str(meta.get("digest", "")) for meta in metas],
        "meta": [json.dumps(meta) for meta in metas],
        "tables": [_PARTS.dump_json(dict(one)).decode() for one in parts],
    }
    cpu_s = np.array([float(meta.get("cpu_s", 0.0)) for meta in metas])
    return Table(
        RUNS, {**{name: Words.of(column) for name, column in texts.items()}, "cpu_s": cpu_s}
    )


def _name_of(folder: Path) -> str:
    total = hashlib.sha256()
    for path in sorted(folder.glob("*.parquet")):
        with path.open("rb") as file:
            total.update(
                f"{path.name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode()
            )
    return total.hexdigest()[:NAME_LENGTH]
