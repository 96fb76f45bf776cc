"""Export of a run's tables, or of all runs of a study, as CSV or Parquet for other programs.

A table of many runs contains the rows of all, after the run's identity and labels, as stored.
DuckDB streams the rows, so no table needs to fit into memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from headgate.base.errors import StoreError, explain_library
from headgate.base.files import write_file
from headgate.base.messages import hint
from headgate.base.terminal import escape_formula
from headgate.data.columns import EVERY_TABLE
from headgate.data.folder import RUN_FILE, find_run, find_runs
from headgate.data.parquet import quote, quote_name
from headgate.data.tables import Table

if TYPE_CHECKING:
    import duckdb

FORMATS = ("csv", "parquet")


def export(
    folder: Path, out: Path, formats: Sequence[str], tables: Sequence[str] = ()
) -> Iterator[Path]:
    """Write tables of a folder, by default all, in each format; yield each file.

    Raises StoreError for a folder without runs, a damaged run, or an unknown table.
    """
    files = find_tables(folder)
    for name in tables:
        if name not in files:
            says = hint(name, files, f"there are {', '.join(files)}")
            raise StoreError(f"{folder}: contains no table {name!r}; {says}")
    for name in tables or files:
        for form in formats:
            path = out / f"{name}.{form}"
            _write(files[name], name, path)
            yield path


def find_tables(folder: Path) -> dict[str, list[Path]]:
    """Return the files of each table of a run, or of all runs in a study's folder.

    They include tables of the study itself, such as the means of an experiment. Raises StoreError.
    """
    runs = find_runs(folder)
    if not runs:
        raise StoreError(
            f"{folder}: holds neither a run ({RUN_FILE}) nor finished runs of a study (runs)"
        )
    of_study = [] if runs == [folder] else sorted(folder.glob("*.parquet"))
    of_runs: dict[str, list[Path]] = {}
    for run in runs:
        kept, _ = find_run(run)  # verifies every file
        for name in kept:
            of_runs.setdefault(name, []).append(run / f"{name}.parquet")
    return {path.stem: [path] for path in of_study} | of_runs


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
    """Return the query of all rows, with cells escaped that a spreadsheet would compute."""
    about = database.execute(f"DESCRIBE FROM {rows}").fetchall()
    replaced = []
    for name in (quote_name(column) for column, kind, *_ in about if kind == "VARCHAR"):
        asked = f"SELECT DISTINCT {name} FROM {rows} WHERE {name} IS NOT NULL"
        texts = sorted(text for (text,) in database.execute(asked).fetchall())
        cells = {text: cell for text in texts if (cell := escape_formula(text)) != text}
        whens = " ".join(f"WHEN {quote(text)} THEN {quote(cell)}" for text, cell in cells.items())
        if whens:
            replaced.append(f"CASE {name} {whens} ELSE {name} END AS {name}")
    return f"SELECT * REPLACE ({', '.join(replaced)}) FROM {rows}" if replaced else f"FROM {rows}"


def _with_meaning(table: str) -> str:
    known = Table(table, {c.name: np.zeros(0) for c in EVERY_TABLE.get(table, ())})
    about = ", ".join(f"{quote(n)}: {quote(json.dumps(known.metadata(n)))}" for n in known)
    return f"FORMAT parquet, KV_METADATA {{{about}}}" if about else "FORMAT parquet"
