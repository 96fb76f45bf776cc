"""A table to analyse: one row per run, factors and responses as columns, from any source."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, time, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import AnalysisError
from headgate.base.level_order import LevelOrder, level_text
from headgate.base.messages import hint
from headgate.base.optional import require
from headgate.base.units import sizes
from headgate.figures.analysis.in_memory import find_scale, make_array, name_of, read_memory
from headgate.figures.analysis.read import DECIMAL_COMMA, PLAIN, TextForm, distinct, read

Numbers = NDArray[np.float64]

#: How a missing value is written by spreadsheets, R, pandas, databases and SAS.
MISSING = ("", "na", "nan", "<na>", "nat", "n/a", "null", ".")
TRUTH_WORDS = ("true", "false", "yes", "no", "t", "f", "y", "n")
#: The longest word that may mean a missing value.
SHORT_WORD = 8
WITH_UNIT = re.compile(r"[+-]?[\d.]+\s*[^\d\s_]")
THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
#: The least number of rows for which a column of distinct words or whole numbers names rows.
MOST_ALONE = 10
#: The square of a larger number is infinite, that of a smaller one is zero; every analysis squares.
LARGEST, SMALLEST = 1e150, 1e-150
#: Ordered words of levels, the lowest first.
LOW_AND_HIGH = (
    ("low", "high"), ("lo", "hi"), ("off", "on"), ("no", "yes"), ("false", "true"), ("-", "+"),
    ("small", "large"), ("short", "long"), ("slow", "fast"), ("few", "many"),
    ("low", "medium", "high"), ("small", "medium", "large"), ("slow", "medium", "fast"),
    ("short", "medium", "long"),
)  # fmt: skip
#: Types of times; NumPy reads some of them as a number of nanoseconds.
_TIMES = (np.datetime64, np.timedelta64, date, time, timedelta)
_NO_NUMBERS = (complex, np.complexfloating, *_TIMES)


@dataclass(frozen=True)
class Frame:
    """Columns of equal length by their names; `name` is their source.

    `order` is the order of levels in an experiment, and of those factors in `scales` that are
    ordered categories; `lines` are line numbers of a text file, `decimal` is its decimal mark.
    """

    name: str
    columns: Mapping[str, NDArray[Any]]
    order: LevelOrder = field(default_factory=LevelOrder)
    scales: frozenset[str] = frozenset()
    lines: Sequence[int] = ()
    decimal: str = PLAIN.decimal

    @classmethod
    def of(cls, source: Any, form: TextForm = PLAIN) -> Frame:
        """Read a CSV or Parquet file, a mapping of columns, or a table or data frame.

        `form` says how a text file is written.

        Raises AnalysisError, MissingLibraryError.
        """
        require("analysis", "an analysis")
        if isinstance(source, Frame):
            return source
        if isinstance(source, str | Path):
            columns, lines = read(Path(source), form)
            return cls(str(source), columns, lines=lines, decimal=form.decimal)
        given, name = read_memory(source), name_of(source)
        columns = {key: make_array(column) for key, column in given.items()}
        for key, column in columns.items():
            if column.ndim != 1:
                raise AnalysisError(f"{name}: {key} is no list with one value a row")
        if len({len(column) for column in columns.values()}) > 1:
            raise AnalysisError(f"{name}: its columns differ in length")
        if not columns or not len(next(iter(columns.values()))):
            raise AnalysisError(f"{name}: has no rows")
        scales = {key: of for key, column in given.items() if (of := find_scale(column))}
        return replace(cls(name, columns).with_order(scales), scales=frozenset(scales))

    def only(self, rows: NDArray[np.intp]) -> Frame:
        """Return some rows."""
        kept = {name: column[rows] for name, column in self.columns.items()}
        lines = [self.lines[row] for row in rows.tolist()] if self.lines else ()
        return replace(self, columns=kept, lines=lines)

    def with_columns(self, columns: Mapping[str, NDArray[Any]]) -> Frame:
        """Return other columns of the same table, in which levels keep their order."""
        return replace(self, columns=columns)

    def with_order(self, order: Mapping[str, Sequence[str]]) -> Frame:
        """Return the table with its levels in this order, by factor; others keep theirs."""
        levels = {name: tuple(_text(level) for level in of) for name, of in order.items()}
        known = LevelOrder({**self.order.levels, **levels})
        return replace(self, order=known, scales=self.scales - order.keys())

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def column(self, name: str) -> NDArray[Any]:
        """Return a column; the error for an unknown column lists the known ones."""
        if name in self.columns:
            return self.columns[name]
        says = hint(name, self.columns, "").strip()
        listed = " ".join([*[says] * bool(says), f"columns: {', '.join(self.columns)}"])
        raise AnalysisError(f"{self.name}: there is no column {name!r}; {listed}")

    def require(self, *names: str) -> None:
        """Raise AnalysisError unless every name is a column, and none is given twice."""
        for name in names:
            self.column(name)
        _refuse_repeated(self.name, "named twice:", names)

    def numbers(self, name: str) -> Numbers:
        """Return a response; missing and infinite values are NaN."""
        column = self.column(name)
        try:
            # A column of numbers is taken at once; cells of text are read one by one.
            plain = column.dtype.kind in "biuf"
            cells = (
                column if plain else [self._number(row, cell) for row, cell in enumerate(column)]
            )
            values = np.array(cells, dtype=float)
        except ValueError as error:
            raise AnalysisError(f"{self.name}: {name} is a response, but {error}") from None
        largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
        if largest > LARGEST:
            raise AnalysisError(f"{self.name}: {name} has numbers beyond {LARGEST:g}")
        if 0 < largest < SMALLEST:
            raise AnalysisError(
                f"{self.name}: the numbers of {name} are below {SMALLEST:g}, so their squares are"
                " zero; scale them"
            )
        return np.where(np.isfinite(values), values, np.nan)

    def _number(self, row: int, cell: Any) -> float:
        try:
            return _number(cell, self.decimal)
        except ValueError as error:
            place = f"line {self.lines[row]}" if self.lines else f"row {row + 1}"
            raise ValueError(f"{error} ({place})") from None

    def labels(self, name: str) -> list[str]:
        """Return the label of each row, "" if it is missing.

        A word for a missing value, such as NA, is a label among other words (Namibia, North
        America), and missing in a column of numbers.
        """
        texts = [self._label(cell) for cell in self.column(name)]
        words = {text for text in texts if text.lower() not in MISSING}
        if sizes(sorted(words)) is None:
            return texts
        return ["" if text.lower() in MISSING else text for text in texts]

    def _label(self, cell: Any) -> str:
        """Return a label as text; a number with a decimal comma gets a point."""
        text = _text(cell)
        is_comma = self.decimal == "," and DECIMAL_COMMA.fullmatch(text)
        return text.replace(",", ".") if is_comma else text

    def levels(self, factor: str) -> Levels:
        """Return the levels of a factor, in order, and the level of each row.

        Raises AnalysisError if a factor has fewer than two.
        """
        texts = self.labels(factor)
        names, order = self._order_levels(factor, {text for text in texts if text})
        if len(names) < 2:
            has = f"{names[0]!r} only" if names else "nothing"
            raise AnalysisError(f"{self.name}: the factor {factor} has {has}; it takes two levels")
        if len(names) == len(self) >= MOST_ALONE and _are_row_numbers(names):
            raise AnalysisError(
                f"{self.name}: {factor} has another level in each of {len(self)} rows: it names the"
                " rows and is no factor"
            )
        places = {name: place for place, name in enumerate(names)}
        return Levels(factor, names, np.array([places.get(text, -1) for text in texts]), order)

    def find_unordered(self, factor: str) -> list[str]:
        """Return the levels of a factor that the given order does not list."""
        texts = dict.fromkeys(self.labels(factor))
        return [text for text in texts if text and text not in self.order.levels[factor]]

    def _order_levels(self, factor: str, names: set[str]) -> tuple[tuple[str, ...], str]:
        if factor in self.order.levels:
            given = tuple(self.order.sort(factor, names))
            if factor in self.scales:
                return given, "scale"
            return given, "size" if (given, "size") == _order_levels(names) else "given"
        return _order_levels(names)

    def groups(self, by: Sequence[str]) -> dict[tuple[str, ...], NDArray[np.intp]]:
        """Return the rows of each combination of labels, in order of their first row.

        Raises AnalysisError if a row lacks a label.
        """
        labels = [self.labels(name) for name in by]
        for name, column in zip(by, labels, strict=True):
            if "" in column:
                raise AnalysisError(
                    f"{self.name}: row {column.index('') + 1} has nothing in {name}"
                )
        found: dict[tuple[str, ...], list[int]] = {}
        for row in range(len(self)):
            found.setdefault(tuple(column[row] for column in labels), []).append(row)
        return {key: np.array(rows) for key, rows in found.items()}


@dataclass(frozen=True)
class Levels:
    """The levels of a factor: their names, low first, and the place of each row's (-1: missing).

    `order` is the source of the order: `given` by the experiment, the `scale` of ordered
    categories, `size`, `words` such as off and on, or `alphabet`.
    """

    factor: str
    names: tuple[str, ...]
    places: NDArray[np.int64]
    order: str

    @property
    def coded(self) -> Numbers:
        """-1 for the first level, +1 for the last, between them in equal steps; NaN if missing."""
        codes = np.linspace(-1.0, 1.0, len(self.names))
        return np.where(self.places < 0, np.nan, codes[self.places])

    @property
    def ordered(self) -> bool:
        """Whether the levels are ordered, so that effects are signed: numbers, or low and high.

        The order in which a file lists names does not count.
        """
        if self.order == "given":
            return sizes(self.names) is not None
        return self.order != "alphabet"

    def describe(self) -> str:
        """Name the low and the high level, or state that the levels are unordered."""
        if not self.ordered:
            return f"{self.factor}: {', '.join(self.names)} (names, without an order)"
        low, *between, high = self.names
        middle = f"then {', '.join(between)}, " if between else ""
        return f"{self.factor}: low is {low}, {middle}high is {high}"


def _refuse_repeated(table: str, noun: str, names: Sequence[str]) -> None:
    try:
        distinct(names, noun)
    except ValueError as error:
        raise AnalysisError(f"{table}: {error}") from None


def _are_row_numbers(names: Sequence[str]) -> bool:
    """Return whether labels are words, or whole numbers without a gap, as in a column `run`."""
    known = sizes(names)
    if known is None:
        return True
    numbers = sorted(map(float, known))
    return all(b - a == 1 for a, b in pairwise(numbers))


def _missing(cell: Any) -> bool:
    return cell is None or str(cell).strip().lower() in MISSING


def _number(cell: Any, decimal: str) -> float:
    """Read a cell as a number; an empty cell is NaN."""
    if _missing(cell):
        return np.nan
    try:
        if isinstance(cell, str):
            return _read_text(cell, decimal)
        return float(str(cell) if isinstance(cell, _NO_NUMBERS) else cell)
    except (TypeError, ValueError):
        raise ValueError(f"{str(cell)!r} is no number{_hint_at_number(cell, decimal)}") from None


def _read_text(text: str, decimal: str) -> float:
    """Read a number as tables write it: only the decimal mark separates its digits."""
    if "_" in text or (decimal == "," and "." in text):
        raise ValueError(text)
    return float(text.replace(decimal, "."))


def _hint_at_number(cell: Any, decimal: str) -> str:
    """Return advice on a cell that is not a number."""
    if isinstance(cell, _TIMES):
        return "; give times as numbers of one unit, such as seconds"
    text = str(cell).strip()
    hints = {
        "with --decimal ',' a number contains no point": decimal == "," and "." in text,
        "decimals follow a point, or give --decimal ','": DECIMAL_COMMA.fullmatch(text),
        "write 1 and 0": text.lower() in TRUTH_WORDS,
        "write a minus sign as '-'": "\N{MINUS SIGN}" in text,
        "write it without commas": THOUSANDS.fullmatch(text),
        "write the number alone, and its unit in the name of the column": WITH_UNIT.match(text),
        f"if it means a missing value, give --missing {text!r}": len(text) <= SHORT_WORD
        and not re.search(r"\d", text),
    }
    return next((f"; {hint}" for hint, fits in hints.items() if fits), "")


def _text(cell: Any) -> str:
    """Return a label as text, "" if it is missing.

    Text stays as it is written: 6.1 and 6.10 are two kernels, and a 64-bit seed keeps all its
    digits. A number of a typed column is written without trailing zeros.
    """
    if isinstance(cell, str):
        return cell.strip()
    if _missing(cell):
        return ""
    return level_text(cell).strip()


def _order_levels(names: set[str]) -> tuple[tuple[str, ...], str]:
    """Order levels: quantities by size, known pairs low first, other words by alphabet.

    Returns the levels and the criterion.
    """
    alphabet = sorted(names)
    for pair in LOW_AND_HIGH:
        if {name.lower() for name in names} == set(pair):
            return tuple(sorted(names, key=lambda name: pair.index(name.lower()))), "words"
    known = sizes(alphabet)
    # Two labels of one size, such as the versions 6.1 and 6.10, are names and no quantities.
    if known is None or len(set(known)) < len(known):
        return tuple(alphabet), "alphabet"
    return tuple(name for _, name in sorted(zip(known, alphabet, strict=True))), "size"
