"""CSV and Parquet tables of a user, read by DuckDB into columns of numbers and words.

Cells of a CSV file are read as text, so that an error can quote the cell and name its line.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import ScenarioError, explain_os
from headgate.base.messages import hint

#: Possible separators; the most frequent one of the header is used.
_SEPARATORS = (",", ";", "\t", "|")


@dataclass(frozen=True)
class Dialect:
    """The format of a CSV file: its separator and its header."""

    separator: str
    columns: tuple[str, ...]
    blank_lines: int  # before the header


def read_dialect(path: str, place: str, corner: str = "") -> Dialect:
    """Read the header; `corner` names a first column without a name.

    Raises ScenarioError for a file without a header.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            lines = iter(file)
            blank, header = 0, next(lines, "")
            while header and not header.strip():
                blank, header = blank + 1, next(lines, "")
    except UnicodeDecodeError:
        raise ScenarioError(place, f"{path!r} {_NOT_UTF_8}") from None
    except OSError as error:
        raise ScenarioError(place, f"{path!r} cannot be read: {explain_os(error)}") from None
    if not header:
        raise ScenarioError(place, f"{path!r} is empty; its first line must name the columns")
    separator = max(_SEPARATORS, key=header.count)
    columns = next(csv.reader([header.strip("\r\n")], delimiter=separator))
    names = tuple(name.strip() for name in columns)
    names = (names[0] or corner, *names[1:])
    twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if twice is not None:
        raise ScenarioError(place, f"{path!r} has two columns {twice!r}; leave one out")
    if "" in names:
        says = f"column {names.index('') + 1} has no name; name it, or leave it out"
        raise ScenarioError(place, f"{path!r}: {says}")
    return Dialect(separator, names, blank)


_NOT_UTF_8 = "is not text in UTF-8; save it as UTF-8"


def find_line(path: str, dialect: Dialect, row: int) -> int:
    """Return the line at which a row begins."""
    for number, (line, _) in enumerate(_rows(path, dialect)):
        if number == row:
            return line
    return 0


def find_mistake(path: str, dialect: Dialect) -> str:
    """Describe the mistake in a CSV file that could not be read."""
    width = len(dialect.columns)
    try:
        for line, cells in _rows(path, dialect):
            if len(cells) != width:
                comma = len(cells) > width and dialect.separator == ","
                why = "; write a point before decimals, not a comma" if comma else ""
                count = f"{len(cells)} cell{'s' * (len(cells) != 1)}"
                return f"has {count} in line {line} and {width} in its header{why}"
    except UnicodeDecodeError:
        return _NOT_UTF_8
    except csv.Error as error:
        return f"is not CSV: {error}"
    return "is not CSV: quotes or ends of lines are wrong"


def _rows(path: str, dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows below the header with the lines at which they begin; skip blank rows."""
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=dialect.separator)
        begins, is_header = 1, True
        for cells in reader:
            if cells and not is_header:
                yield begins, cells
            is_header = is_header and not cells
            begins = reader.line_num + 1


Numbers = NDArray[np.float64]

_PARQUET = (".parquet", ".pq")
#: The first words of DuckDB's numerical types.
_NUMBERS = ("DECIMAL", "DOUBLE", "FLOAT", "HUGEINT", "TINYINT", "SMALLINT", "INTEGER", "BIGINT")
_UNSIGNED = tuple(f"U{name}" for name in _NUMBERS)
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*")
_DATE = re.compile(r"\s*\d{2,4}[-/.]\d{1,2}[-/.]\d{1,4}.*|\s*\d{1,2}:\d{2}.*")


@dataclass(frozen=True)
class UserTable:
    """A table of a user; `place` is the key of the scenario with its file."""

    path: str
    place: str
    relation: Any
    dialect: Dialect | None  # None for Parquet

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.relation.columns)

    @cached_property
    def _types(self) -> dict[str, str]:
        return dict(zip(self.relation.columns, map(str, self.relation.types), strict=True))

    def check_columns(self, known: Collection[str]) -> None:
        """Raise ScenarioError for an unknown column."""
        for name in self.columns:
            if name not in known:
                says = hint(name, known, f"the columns are {', '.join(known)}")
                says = f"{self.path!r}: there is no column {name!r}; {says}"
                raise ScenarioError(self.place, says)

    def numbers(self, name: str, allowed: str) -> Numbers:
        """Return a column of numbers, NaN for an empty cell. Raises ScenarioError for text."""
        kind = self._types[name]
        if kind != "VARCHAR" and not kind.startswith((*_NUMBERS, *_UNSIGNED)):
            says = f"{name} has the type {kind}; it must be {allowed}"
            raise ScenarioError(self.place, f"{self.path!r}: {says}")
        cell = _quote(name)
        number = f"TRY_CAST({cell} AS DOUBLE)"
        is_text = f"{cell} IS NOT NULL AND ({number} IS NULL OR NOT isfinite({number}))"
        rows = self._fetch(f"{number} AS number, {is_text} AS is_text")
        wrong = np.flatnonzero(rows["is_text"])
        if len(wrong):
            row = self.relation.project(f"{cell}::VARCHAR").limit(1, offset=int(wrong[0]))
            ((text,),) = row.fetchall()
            says = f"has {name} = {text[:40]!r}; it must be {allowed}{_explain(text)}"
            self.reject(int(wrong[0]), says)
        return np.ma.filled(np.ma.asarray(rows["number"], np.float64), np.nan)

    def words(self, name: str) -> tuple[list[str], NDArray[np.uint64]]:
        """Return the sorted words of a column, and their index for each row.

        Raises ScenarioError for an empty cell.
        """
        rows = np.ma.asarray(self._fetch(f"{_quote(name)}::VARCHAR AS word")["word"])
        if np.ma.is_masked(rows):
            row = int(np.flatnonzero(np.ma.getmaskarray(rows))[0])
            self.reject(row, f"has no {name}; each row must name one, or none")
        words = sorted(set(rows.data))
        index = {word: code for code, word in enumerate(words)}
        return words, np.fromiter((index[word] for word in rows.data), np.uint64, len(rows))

    def require(self, good: NDArray[np.bool_], name: str, column: Numbers, allowed: str) -> None:
        """Raise ScenarioError for the first row that is not `good`, with its line and number."""
        wrong = np.flatnonzero(~good)
        if not len(wrong):
            return
        row = int(wrong[0])
        value = column[row]
        has = f"has no {name}" if np.isnan(value) else f"has {name} = {value:g}"
        self.reject(row, f"{has}; it must be {allowed}")

    def reject(self, row: int, says: str) -> NoReturn:
        """Raise ScenarioError about a row."""
        raise ScenarioError(self.place, f"{self.path!r}: {self.where(row)} {says}")

    def where(self, row: int) -> str:
        """Return the place of a row in the file: `line 4` or, in Parquet, `row 3`."""
        if self.dialect is None:
            return f"row {row + 1}"
        return f"line {find_line(self.path, self.dialect, row)}"

    def _fetch(self, columns: str) -> dict[str, Any]:
        import duckdb

        try:
            found: dict[str, Any] = self.relation.project(columns).fetchnumpy()
        except duckdb.Error:
            says = "cannot be read; it is not a whole Parquet file"
            if self.dialect is not None:
                says = find_mistake(self.path, self.dialect)
            raise ScenarioError(self.place, f"{self.path!r} {says}") from None
        return found


def open_table(path: str, place: str, corner: str = "") -> UserTable:
    """Open a file with at least one column; `corner` names a first column without a name.

    Raises ScenarioError.
    """
    if not Path(path).is_file():
        raise ScenarioError(place, f"there is no file {path!r}")
    import duckdb

    if path.endswith(_PARQUET):
        try:
            return UserTable(path, place, duckdb.connect().read_parquet(path), None)
        except duckdb.Error:
            says = f"{path!r} cannot be read; it is not a Parquet file"
            raise ScenarioError(place, says) from None
    dialect = read_dialect(path, place, corner)
    return UserTable(path, place, duckdb.connect().sql(_select_csv(path, dialect)), dialect)


def _select_csv(path: str, dialect: Dialect) -> str:
    """Return the query for all cells as text, without guesses by DuckDB."""
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
    """Explain a text in the place of a number, if its meaning is clear."""
    if _DECIMAL_COMMA.fullmatch(text):
        return f"; write a point before decimals, such as {text.strip().replace(',', '.')}"
    if _DATE.fullmatch(text):
        return "; this is a date or a time of day, so write a number that counts from the start"
    return ""


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
