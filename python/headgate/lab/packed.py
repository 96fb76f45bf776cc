"""Results that live on: the kept tables of many finished runs, as a few Parquet files.

    FOLDER/PIECE/runs.parquet     a row a run: its identity and digest, what it cost, its run.json
    FOLDER/PIECE/TABLE.parquet    the rows of all its runs, in their order
    FOLDER/PIECE/formed.parquet   the columns that these leave out, and their formulas

A piece is written once and named by its content. So machines that share only a repository each add
their own, and none changes what another has written. A run is known by its identity, which
does not depend on the build of the program, as `Job.id` does: a fresh clone goes on from it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from headgate.base.errors import NotStoredError, StoreError, explain_os
from headgate.base.process import here, is_dead
from headgate.data.parquet import read_columns, write_table
from headgate.data.tables import Data, Table, Words
from headgate.engine.api import Result
from headgate.lab.formed import Formed, leave_out, put_back, read_formed, write_formed

RUNS, DRAFT = "runs", ".draft@"
NAME_LENGTH = 16


@dataclass(frozen=True)
class Part:
    """Where a run's table stands: its file, the first row, and the number of rows."""

    file: str
    first: int
    rows: int


_PARTS = TypeAdapter(dict[str, Part])
_META = TypeAdapter(dict[str, Any])


Labels = tuple[str | int | float, ...]
"""What a campaign calls a run by: the labels of its job, in their order."""
Check = Callable[[Result], bool]
"""Says whether a run has kept what is asked of it."""


def _always(_: Result) -> bool:
    return True


class PackedRuns:
    """The packed runs below a folder, which need not be there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def _places(self) -> dict[str, list[tuple[_Piece, int]]]:
        """The pieces and the rows there of each run, by its identity. Raises StoreError."""
        found = sorted(path.parent for path in self.folder.glob(f"[!.]*/{RUNS}.parquet"))
        places: dict[str, list[tuple[_Piece, int]]] = {}
        for piece in map(_Piece, found):
            for row, run in enumerate(piece.identities):
                places.setdefault(run, []).append((piece, row))
        return places

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, identity: object) -> bool:
        return identity in self._places

    def read(self, identity: str, is_whole: Check = _always) -> Result | None:
        """Return a run that has what is asked of it, or None if none is here.

        Raises StoreError where a piece is damaged.
        """
        results = (piece.read(row) for piece, row in self._places.get(identity, ()))
        return next((result for result in results if is_whole(result)), None)

    def _forget(self) -> None:
        """Have the pieces listed again."""
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
        """Return the one run that had these labels, or None if there is none or several.

        An engine with other rules knows its runs by other identities; what a run was, its labels
        say all the same.
        """
        places = self._by_labels.get(labels, ())
        return places[0][0].read(places[0][1]) if len(places) == 1 else None

    def add(self, results: Mapping[str, Result], is_whole: Check = _always) -> int:
        """Write those that are not here, by their identities, as one piece; return how many."""
        new = {run: one for run, one in results.items() if self.read(run, is_whole) is None}
        if new:
            _write_piece(self.folder, new)
            self._forget()
        return len(new)

    def replace(self, parts: Iterable[Mapping[str, Result]]) -> int:
        """Write a piece of each part, remove all other pieces, and return the bytes of their files.

        Raises StoreError.
        """
        written = {_write_piece(self.folder, part) for part in parts}
        for place in sorted(path.parent for path in self.folder.glob(f"[!.]*/{RUNS}.parquet")):
            if place not in written:
                shutil.rmtree(place)
        self._forget()
        return sum(file.stat().st_size for piece in written for file in piece.iterdir())


@dataclass(frozen=True)
class _Piece:
    """One piece; its tables are read when they are asked for."""

    folder: Path

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
        """The runs, in their order."""
        return [str(run) for run in self._runs["identity"].texts()]

    @cached_property
    def _texts(self) -> tuple[list[str], list[str]]:
        return self._runs["meta"].texts().tolist(), self._runs["tables"].texts().tolist()

    def read(self, row: int) -> Result:
        """Return the run of a row. Raises StoreError."""
        metas, tables = self._texts
        try:
            parts = _PARTS.validate_json(tables[row])
            return Result(_Tables(self, parts), _META.validate_json(metas[row]))
        except ValidationError:
            raise StoreError(
                f"{self.folder / RUNS}.parquet: is not a list of packed runs"
            ) from None

    @cached_property
    def _read(self) -> dict[str, Mapping[str, Any]]:
        return {}

    def labels(self, row: int) -> Labels:
        """Return the labels of the run of a row, in their order."""
        meta = json.loads(self._texts[0][row])
        return tuple(meta.get("labels", {}).values())

    def columns(self, file: str) -> Mapping[str, Any]:
        """Return all rows of a file."""
        if file not in self._read:
            stored = read_columns(self.folder / f"{Path(file).name}.parquet")
            self._read[file] = put_back(stored, self._formed.get(file, ()))
        return self._read[file]

    @cached_property
    def _formed(self) -> dict[str, list[Formed]]:
        return read_formed(self.folder)


class _Tables(Mapping[str, Table]):
    """The tables of a packed run."""

    def __init__(self, piece: _Piece, parts: Mapping[str, Part]) -> None:
        self._piece, self._parts = piece, parts

    def __getitem__(self, name: str) -> Table:
        if name not in self._parts:
            raise NotStoredError(f"{self._piece.folder}: stores no table {name!r} of this run")
        part = self._parts[name]
        rows = slice(part.first, part.first + part.rows)
        columns = self._piece.columns(part.file)
        data = {key: _rows_of(columns[key], rows) for key in columns}
        return _StoredTable(name, data, self._piece.folder)

    def __contains__(self, name: object) -> bool:
        return name in self._parts

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)


class _StoredTable(Table):
    """A table of a packed run, which may have fewer columns than the run had."""

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


def _rows_of(column: Any, rows: slice) -> Any:
    return Words.of(column[rows].texts()) if isinstance(column, Words) else column[rows]


def _write_piece(folder: Path, results: Mapping[str, Result]) -> Path:
    """Write a piece among drafts, give it its name, and return it. Raises StoreError."""
    draft = folder / f"{DRAFT}{here()}"
    try:
        _sweep(folder)
        draft.mkdir(parents=True)
        parts = _write_tables(draft, results)
        write_table(draft / f"{RUNS}.parquet", _list_runs(results, parts), dense=True)
        final = folder / _name_of(draft)
        if final.exists():  # the same runs
            shutil.rmtree(draft)
        else:
            draft.rename(final)
        return final
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written: {explain_os(error)}") from None


def _sweep(folder: Path) -> None:
    """Remove what killed processes left half written."""
    for draft in folder.glob(f"{DRAFT}*"):
        if is_dead(draft.name.removeprefix(DRAFT)):
            shutil.rmtree(draft, ignore_errors=True)


def _write_tables(folder: Path, results: Mapping[str, Result]) -> list[dict[str, Part]]:
    """Write tables of one form one after another; return where those of each run stand."""
    parts: list[dict[str, Part]] = [{} for _ in results]
    forms: dict[tuple[str, ...], list[tuple[int, Table]]] = {}
    for run, result in enumerate(results.values()):
        for name, table in result.tables.items():
            forms.setdefault((name, *table.columns), []).append((run, table))
    taken: dict[str, int] = {}
    formed: list[Formed] = []
    for (name, *_), tables in forms.items():
        taken[name] = number = taken.get(name, 0) + 1
        file, first = name if number == 1 else f"{name}-{number}", 0
        for run, table in tables:
            parts[run][name] = Part(file, first, len(table))
            first += len(table)
        joined, own = leave_out(file, _join([table for _, table in tables]))
        write_table(folder / f"{file}.parquet", joined, dense=True)
        formed += own
    write_formed(folder, formed)
    return parts


def _join(tables: Sequence[Table]) -> Table:
    """Put tables of the same columns one after another."""
    first = tables[0]
    columns = {name: np.concatenate([table[name] for table in tables]) for name in first}
    words = {
        name: Words.of(column) for name, column in columns.items() if column.dtype.kind in "OU"
    }
    return Table(first.name, {**columns, **words})


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
    """Return the name that a piece has by its files."""
    total = hashlib.sha256()
    for path in sorted(folder.glob("*.parquet")):
        with path.open("rb") as file:
            total.update(
                f"{path.name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode()
            )
    return total.hexdigest()[:NAME_LENGTH]
