"""Tables of a run, or of all runs of a study or experiment, as CSV or Parquet for other programs.

Of many runs a table has the rows of all, with the run's identity and labels in front, as they are
stored. DuckDB reads and writes them as streams, so that no table needs to fit into memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from headgate.base.errors import StoreError, explain_library
from headgate.base.files import write_file
from headgate.base.messages import hint
from headgate.base.terminal import escape_formula
from headgate.data.columns import EVERY_TABLE
from headgate.data.folder import RUN_FILE, find_run, find_runs
from headgate.data.parquet import quote
from headgate.data.tables import Table

if TYPE_CHECKING:
    import duckdb

FORMATS = ("csv", "parquet")


def export(
    folder: Path, out: Path, formats: Sequence[str], tables: Sequence[str] = ()
) -> Iterator[Path]:
    """Write tables of a folder, all unless named, in each of the formats; yield each file.

    Raises StoreError for a folder that holds no runs, a damaged run, a table that none has kept.
    """
    files = find_tables(folder)
    for name in tables:
        if name not in files:
            says = hint(name, files, f"there are {', '.join(files)}")
            raise StoreError(f"{folder}: holds no table {name!r}; {says}")
    for name in tables or files:
        for form in formats:
            path = out / f"{name}.{form}"
            _write(files[name], name, path)
            yield path


def find_tables(folder: Path) -> dict[str, list[Path]]:
    """Return the files of each table of a run, or of all runs below a study's folder.

    Those of a study itself, such as the means of an experiment, are among them. Raises StoreError.
    """
    runs = find_runs(folder)
    if not runs:
        raise StoreError(
            f"{folder}: holds neither a run ({RUN_FILE}) nor finished runs of a study (runs)"
        )
    of_study = [] if runs == [folder] else sorted(folder.glob("*.parquet"))
    return {path.stem: [path] for path in of_study} | _by_name(runs)


def _by_name(runs: Iterable[Path]) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {}
    for run in runs:
        kept, _ = find_run(run)  # every file is as it was written
        for name in kept:
            found.setdefault(name, []).append(run / f"{name}.parquet")
    return found


def _write(files: Sequence[Path], name: str, path: Path) -> None:
    import duckdb

    listed = ", ".join(quote(str(file)) for file in files)
    rows = f"read_parquet([{listed}], union_by_name = true)"
    try:
        with duckdb.connect() as database:
            asked = _harmless(database, rows) if path.suffix == ".csv" else f"FROM {rows}"
            options = "FORMAT csv, HEADER" if path.suffix == ".csv" else _with_meaning(name)
            copy = f"COPY ({asked}) TO {{}} ({options})".replace
            write_file(
                path, lambda draft: database.execute(copy("{}", quote(str(draft)))), durable=False
            )
    except duckdb.Error as error:
        raise StoreError(f"{path}: cannot be written: {explain_library(error)}") from None


def _harmless(database: duckdb.DuckDBPyConnection, rows: str) -> str:
    """Ask for all rows, with texts that a spreadsheet would compute written so that it does not."""
    about = database.execute(f"DESCRIBE FROM {rows}").fetchall()
    texts = [name for name, kind, *_ in about if kind == "VARCHAR"]
    changed = {name: cases for name in texts if (cases := _changed(database, rows, name))}
    replaced = ", ".join(f"{_case(n, cases)} AS {_name(n)}" for n, cases in changed.items())
    return f"SELECT * REPLACE ({replaced}) FROM {rows}" if replaced else f"FROM {rows}"


def _changed(database: duckdb.DuckDBPyConnection, rows: str, column: str) -> dict[str, str]:
    """Return the texts of a column that are written otherwise."""
    asked = f"SELECT DISTINCT {_name(column)} FROM {rows} WHERE {_name(column)} IS NOT NULL"
    written = {text: escape_formula(text) for (text,) in database.execute(asked).fetchall()}
    return {text: cell for text, cell in sorted(written.items()) if text != cell}


def _case(column: str, cases: Mapping[str, str]) -> str:
    whens = " ".join(f"WHEN {quote(text)} THEN {quote(cell)}" for text, cell in cases.items())
    return f"CASE {_name(column)} {whens} ELSE {_name(column)} END"


def _with_meaning(table: str) -> str:
    """Write Parquet with unit, definition and formula of each column, as a run's own files have."""
    known = Table(table, {c.name: np.zeros(0) for c in EVERY_TABLE.get(table, ())})
    about = ", ".join(f"{quote(n)}: {quote(json.dumps(known.metadata(n)))}" for n in known)
    return f"FORMAT parquet, KV_METADATA {{{about}}}" if about else "FORMAT parquet"


def _name(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'
