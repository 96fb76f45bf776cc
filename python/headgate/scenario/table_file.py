"""Tables of a user's, CSV or Parquet, read by DuckDB into columns of numbers and words.

Cells of a CSV file are read as text, so that an error can quote the cell and name its line.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import ScenarioError
from headgate.base.suggest import hint
from headgate.scenario.csv_lines import Dialect, find_line, find_mistake, read_dialect

Numbers = NDArray[np.float64]

_PARQUET = (".parquet", ".pq")
#: Types of DuckDB whose values are numbers, as their names begin.
_NUMBERS = ("DECIMAL", "DOUBLE", "FLOAT", "HUGEINT", "TINYINT", "SMALLINT", "INTEGER", "BIGINT")
_UNSIGNED = tuple(f"U{name}" for name in _NUMBERS)
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*")
_DATE = re.compile(r"\s*\d{2,4}[-/.]\d{1,2}[-/.]\d{1,4}.*|\s*\d{1,2}:\d{2}.*")


@dataclass(frozen=True)
class UserTable:
    """A table that a user wrote; `place` is the key of the scenario that names its file."""

    path: str
    place: str
    relation: Any
    dialect: Dialect | None
    """How the CSV file is written; None for Parquet."""

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.relation.columns)

    @cached_property
    def _types(self) -> dict[str, str]:
        return dict(zip(self.relation.columns, map(str, self.relation.types), strict=True))

    def check_columns(self, known: Collection[str]) -> None:
        """Raise ScenarioError for a column that means nothing."""
        for name in self.columns:
            if name not in known:
                says = hint(name, known, f"the columns are {', '.join(known)}")
                raise ScenarioError(
                    self.place, f"{self.path!r}: there is no column {name!r}; {says}"
                )

    def numbers(self, name: str, allowed: str) -> Numbers:
        """Return a column of numbers in the order of the file, NaN for an empty cell.

        Raises ScenarioError for a cell that is no number.
        """
        kind = self._types[name]
        if kind != "VARCHAR" and not kind.startswith((*_NUMBERS, *_UNSIGNED)):
            raise ScenarioError(
                self.place, f"{self.path!r}: {name} has the type {kind}; it must be {allowed}"
            )
        cell = _quote(name)
        number = f"TRY_CAST({cell} AS DOUBLE)"
        is_text = f"{cell} IS NOT NULL AND ({number} IS NULL OR NOT isfinite({number}))"
        rows = self._fetch(f"{number} AS number, {is_text} AS is_text")
        wrong = np.flatnonzero(rows["is_text"])
        if len(wrong):
            self._refuse_text(int(wrong[0]), name, allowed)
        return np.ma.filled(np.ma.asarray(rows["number"], np.float64), np.nan)

    def words(self, name: str) -> tuple[list[str], NDArray[np.uint64]]:
        """Return the distinct words of a column in order, and each row's index into them.

        Raises ScenarioError for an empty cell.
        """
        rows = np.ma.asarray(self._fetch(f"{_quote(name)}::VARCHAR AS word")["word"])
        if np.ma.is_masked(rows):
            row = int(np.flatnonzero(np.ma.getmaskarray(rows))[0])
            self.refuse(row, f"has no {name}; each row must name one, or none")
        words = sorted(set(rows.data))
        index = {word: code for code, word in enumerate(words)}
        return words, np.fromiter((index[word] for word in rows.data), np.uint64, len(rows))

    def require(self, good: NDArray[np.bool_], name: str, column: Numbers, allowed: str) -> None:
        """Raise ScenarioError for the first row that is not good, with its line and number."""
        wrong = np.flatnonzero(~good)
        if not len(wrong):
            return
        row = int(wrong[0])
        value = column[row]
        has = f"has no {name}" if np.isnan(value) else f"has {name} = {value:g}"
        self.refuse(row, f"{has}; it must be {allowed}")

    def refuse(self, row: int, says: str) -> NoReturn:
        """Raise ScenarioError about a row."""
        raise ScenarioError(self.place, f"{self.path!r}: {self.where(row)} {says}")

    def where(self, row: int) -> str:
        """Return where a row is in the file, `line 4` or, in Parquet, `row 3`."""
        if self.dialect is None:
            return f"row {row + 1}"
        return f"line {find_line(self.path, self.dialect, row)}"

    def _refuse_text(self, row: int, name: str, allowed: str) -> NoReturn:
        cell = _quote(name)
        ((text,),) = self.relation.project(f"{cell}::VARCHAR").limit(1, offset=row).fetchall()
        self.refuse(row, f"has {name} = {text[:40]!r}; it must be {allowed}{_explain(text)}")

    def _fetch(self, columns: str) -> dict[str, Any]:
        import duckdb

        try:
            found: dict[str, Any] = self.relation.project(columns).fetchnumpy()
        except duckdb.Error:
            raise ScenarioError(self.place, f"{self.path!r} {self._mistake()}") from None
        return found

    def _mistake(self) -> str:
        if self.dialect is None:
            return "cannot be read; it is not a whole Parquet file"
        return find_mistake(self.path, self.dialect)


def open_table(path: str, place: str) -> UserTable:
    """Open a file with at least one column. Raises ScenarioError."""
    if not Path(path).is_file():
        raise ScenarioError(place, f"there is no file {path!r}")
    import duckdb

    if path.endswith(_PARQUET):
        try:
            return UserTable(path, place, duckdb.connect().read_parquet(path), None)
        except duckdb.Error:
            raise ScenarioError(
                place, f"{path!r} cannot be read; it is not a Parquet file"
            ) from None
    dialect = read_dialect(path, place)
    return UserTable(path, place, duckdb.connect().sql(_select_csv(path, dialect)), dialect)


def _select_csv(path: str, dialect: Dialect) -> str:
    """Write the query of all cells as text. DuckDB guesses nothing."""
    columns = ", ".join(f"{_literal(name)}: 'VARCHAR'" for name in dialect.columns)
    options = {
        "columns": f"{{{columns}}}",
        "delim": _literal(dialect.separator),
        "header": "true",
        "skip": str(dialect.blank_lines),
        "quote": "'\"'",
        "escape": "'\"'",
        "auto_detect": "false",
    }
    listed = ", ".join(f"{name} = {value}" for name, value in options.items())
    return f"SELECT * FROM read_csv({_literal(path)}, {listed})"


def _explain(text: str) -> str:
    """Say what a text in place of a number may have been, if that is plain."""
    if _DECIMAL_COMMA.fullmatch(text):
        return f"; write a point before decimals, such as {text.strip().replace(',', '.')}"
    if _DATE.fullmatch(text):
        return "; this is a date or a time of day, so write a number that counts from the start"
    return ""


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
