"""Columns that follow from others by their formulas need no room in a file.

A piece of packed runs lists the columns left out in `formed.parquet`, with the formula that each
was formed by: what was stored stays what it was, though a formula may change later.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from headgate.base.errors import HeadgateError
from headgate.data.columns import Column
from headgate.data.measures.formula import evaluate, form
from headgate.data.parquet import read_columns, write_table
from headgate.data.tables import Table, Words

FORMED = "formed"


@dataclass(frozen=True)
class Formed:
    """A column that a file has not: its name, its place among all columns, and its formula."""

    file: str
    column: str
    place: int
    formula: str


def leave_out(file: str, table: Table) -> tuple[Table, list[Formed]]:
    """Return a table without the columns whose formulas give their very values, and a list of them.

    `file` is the name by which the list knows the table.
    """
    formed = [
        Formed(file, name, place, table.about(name).formula)
        for place, name in enumerate(table)
        if _follows(table, name)
    ]
    gone = {one.column for one in formed}
    return table.only([name for name in table if name not in gone]), formed


def put_back(columns: Mapping[str, Any], formed: Iterable[Formed]) -> dict[str, Any]:
    """Return columns with those left out among them again, each in its place."""
    names, left_out = list(columns), sorted(formed, key=lambda one: one.place)
    for one in left_out:
        names.insert(one.place, one.column)
    formulas = {one.column: one.formula for one in left_out}
    return form([Column(name, "", "", formulas.get(name, "")) for name in names], columns)


def write_formed(folder: Path, formed: Iterable[Formed]) -> None:
    """Write the list of columns left out, where there are any. Raises StoreError."""
    rows = list(formed)
    columns: dict[str, Any] = {
        name: Words.of([getattr(one, name) for one in rows])
        for name in ("file", "column", "formula")
    }
    columns["place"] = np.array([one.place for one in rows], dtype=np.int64)
    if rows:
        write_table(folder / f"{FORMED}.parquet", Table(FORMED, columns))


def read_formed(folder: Path) -> dict[str, list[Formed]]:
    """Return the columns left out by their files. Raises StoreError."""
    path = folder / f"{FORMED}.parquet"
    found: dict[str, list[Formed]] = {}
    for one in _read_list(path) if path.is_file() else ():
        found.setdefault(one.file, []).append(one)
    return found


def _read_list(path: Path) -> Iterator[Formed]:
    columns = read_columns(path)
    texts = (columns[name].texts().tolist() for name in ("file", "column", "formula"))
    for file, column, formula, place in zip(*texts, columns["place"].tolist(), strict=True):
        yield Formed(file, column, place, formula)


def _follows(table: Table, name: str) -> bool:
    """Say whether a column is what its formula makes of the others, in every row."""
    column, formula = table[name], table.about(name).formula
    if not formula or column.dtype != np.float64:
        return False
    try:
        again = evaluate(formula, lambda other: table[other])
    except (SyntaxError, ValueError, HeadgateError):
        return False  # it takes more than a row, or what this table has not
    return again.shape == column.shape and np.array_equal(again, column, equal_nan=True)
