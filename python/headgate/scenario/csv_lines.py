"""How a CSV file is written, and the lines of its rows: blank ones and cells of several lines."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from headgate.base.errors import ScenarioError, explain_os

#: What may part cells; the first that the header has is taken.
_SEPARATORS = (",", ";", "\t", "|")


@dataclass(frozen=True)
class Dialect:
    """The separator of a CSV file, and its header."""

    separator: str
    columns: tuple[str, ...]
    blank_lines: int
    """Before the header."""


def read_dialect(path: str, place: str) -> Dialect:
    """Read the header. Raises ScenarioError for a file that has none."""
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
    twice = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if twice is not None:
        raise ScenarioError(place, f"{path!r} has two columns {twice!r}; leave one out")
    if "" in names:
        says = f"column {names.index('') + 1} has no name; name it, or leave it out"
        raise ScenarioError(place, f"{path!r}: {says}")
    return Dialect(separator, names, blank)


_NOT_UTF_8 = "is not text in UTF-8; save it as UTF-8"


def find_line(path: str, dialect: Dialect, row: int) -> int:
    """Return the line at which a row begins; both the rows and the lines are counted from above."""
    for number, (line, _) in enumerate(_rows(path, dialect)):
        if number == row:
            return line
    return 0


def find_mistake(path: str, dialect: Dialect) -> str:
    """Say what is wrong with a CSV file that could not be read."""
    width = len(dialect.columns)
    try:
        for line, cells in _rows(path, dialect):
            if len(cells) != width:
                comma = len(cells) > width and dialect.separator == ","
                why = "; write a point before decimals, not a comma" if comma else ""
                return f"has {_cells(len(cells))} in line {line} and {width} in its header{why}"
    except UnicodeDecodeError:
        return _NOT_UTF_8
    except csv.Error as error:
        return f"is not CSV: {error}"
    return "is not CSV: quotes or ends of lines are wrong"


def _cells(number: int) -> str:
    return f"{number} cell{'s' * (number != 1)}"


def _rows(path: str, dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """Yield each row below the header with the line at which it begins, without blank ones."""
    with Path(path).open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=dialect.separator)
        begins, is_header = 1, True
        for cells in reader:
            if cells and not is_header:
                yield begins, cells
            is_header = is_header and not cells
            begins = reader.line_num + 1
