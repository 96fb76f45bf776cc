"""Tables from files: Parquet, and text with cells between commas, semicolons, tabs, bars or blanks.

Cells of text stay words, since a guess at types would make days of ratios and truth of levels
named "t". A file that is no table is refused with its line: a row that is cut short never becomes a
different row. An apostrophe that keeps a cell from being computed is taken off again.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import AnalysisError, explain_library
from headgate.base.terminal import unescape_formula

Columns = dict[str, NDArray[Any]]
#: A row of cells with the number of its line.
Row = tuple[int, list[str]]

#: Separators of cells, tried in this order; a head without any is separated by blanks.
SEPARATORS = ("\t", ";", ",", "|")
#: First bytes that name another encoding than UTF-8, which Excel writes as "Unicode text".
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
GZIP = b"\x1f\x8b"
#: A number as half of Europe writes it.
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")


@dataclass(frozen=True)
class TextForm:
    """How a text file writes numbers, missing cells, and letters.

    `missing` lists words for missing cells in addition to empty ones. Without an `encoding` a file
    is UTF-8, or UTF-16 with a byte order mark.
    """

    decimal: str = "."
    missing: tuple[str, ...] = ()
    encoding: str = ""

    def __post_init__(self) -> None:
        if self.decimal not in (".", ","):
            raise AnalysisError(f"decimal: {self.decimal!r} is neither '.' nor ','")
        try:
            codecs.lookup(self.encoding or "utf-8")
        except LookupError:
            raise AnalysisError(
                f"encoding: {self.encoding!r} is not known; write one such as utf-8, latin-1,"
                " cp1252 or utf-16"
            ) from None

    @property
    def separators(self) -> tuple[str, ...]:
        """The possible separators of cells."""
        return tuple(one for one in SEPARATORS if one != self.decimal)


PLAIN = TextForm()


def read(path: Path, form: TextForm = PLAIN) -> tuple[Columns, list[int]]:
    """Return the columns of a file, named by its first line, and each row's line number.

    A Parquet file is not read in lines.

    Blank lines, and lines that start with # above the names, are skipped. Raises AnalysisError.
    """
    if not path.is_file():
        raise AnalysisError(f"{path}: there is no such file")
    is_parquet = path.suffix == ".parquet"
    if is_parquet and form != PLAIN:
        raise AnalysisError(
            f"{path}: Parquet contains typed cells; leave out decimal, missing and encoding, which"
            " describe a text file"
        )
    columns, lines = (_parquet(path), []) if is_parquet else _text(path, form)
    if not columns or not len(next(iter(columns.values()))):
        raise AnalysisError(f"{path}: has no rows")
    return columns, lines


def _parquet(path: Path) -> Columns:
    import duckdb

    try:
        with duckdb.connect() as connection:
            found = connection.execute("SELECT * FROM read_parquet(?)", [str(path)])
            names = [column[0] for column in found.description or ()]
            return _columns(names, found.fetchall())
    except duckdb.Error as error:
        raise AnalysisError(f"{path}: cannot be read ({explain_library(error)})") from None


def _text(path: Path, form: TextForm) -> tuple[Columns, list[int]]:
    try:
        found = _rows(_decode(path.read_bytes(), form.encoding), form.separators)
        _, head = next(found, (0, []))
        names = distinct(_name_columns(head), "two columns are named")
        rows = list(found)
        cells = [
            ["" if cell in form.missing else cell for cell in _fit_row(row, head)] for row in rows
        ]
        return _columns(names, cells), [line for line, _ in rows]
    except (OSError, EOFError, csv.Error) as error:
        raise AnalysisError(f"{path}: cannot be read ({error})") from None
    except ValueError as error:
        raise AnalysisError(f"{path}: {error}") from None


def _decode(raw: bytes, encoding: str) -> str:
    raw = gzip.decompress(raw) if raw.startswith(GZIP) else raw
    try:
        text = raw.decode(encoding or ("utf-16" if raw.startswith(UTF_16) else "utf-8-sig"))
    except UnicodeError as error:
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        line = raw.count(b"\n", 0, start) + 1
        hint = "" if encoding else "; --encoding names another, such as cp1252"
        name = encoding or "UTF-8"
        raise ValueError(f"line {line} is no text in {name}{hint}") from None
    if "\0" in text:
        raise ValueError("is no text: it holds zero bytes")
    return text


def _rows(text: str, separators: tuple[str, ...]) -> Iterator[Row]:
    """Yield the rows that are not empty, the names first."""
    lines = io.StringIO(text, newline=None).read().split("\n")
    named = (i for i, line in enumerate(lines) if line.strip() and line.lstrip()[0] != "#")
    first = next(named, len(lines))
    rest = lines[first:]
    separator = _separator(rest[0], separators) if rest else ","
    reader = csv.reader(
        _join_quoted_lines(rest, separator), delimiter=separator, skipinitialspace=True
    )
    for cells in reader:
        stripped = [unescape_formula(cell.strip()) for cell in cells]
        if any(stripped):
            yield first + reader.line_num, stripped


def _separator(head: str, separators: tuple[str, ...]) -> str:
    outside = "".join(head.split('"')[::2])
    most = max(separators, key=outside.count)
    return most if most in outside else " "


def _join_quoted_lines(lines: Iterable[str], separator: str) -> Iterator[str]:
    """Restore line ends, which quotes may contain; strip blanks around a row."""
    for line in lines:
        yield (line.strip() if separator == " " else line) + "\n"


def _name_columns(head: list[str]) -> list[str]:
    """Give columns without a name, such as row numbers, a number."""
    return [name or f"column {place}" for place, name in enumerate(head, 1)]


def _fit_row(row: Row, head: list[str]) -> list[str]:
    """Return as many cells as there are names; empty cells at the end may be absent."""
    line, cells = row
    if len(cells) < len(head) or any(cells[len(head) :]):
        raise ValueError(
            f"line {line} has {len(cells)} cells, but its first names {len(head)} columns "
            f"({', '.join(head)}); a table is a line of names and its rows"
        )
    return cells[: len(head)]


def _columns(names: list[str], rows: list[Any]) -> Columns:
    cells = zip(*rows, strict=True) if rows else ([] for _ in names)
    return {name: np.array(column, dtype=object) for name, column in zip(names, cells, strict=True)}


def distinct(names: Iterable[str], noun: str) -> list[str]:
    """Return the names; raises ValueError if one comes twice."""
    seen = list(names)
    twice = next((name for i, name in enumerate(seen) if name in seen[:i]), None)
    if twice is not None:
        raise ValueError(f"{noun} {twice!r}")
    return seen
