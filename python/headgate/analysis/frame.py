"""A table to analyse: one row a run, factors and responses as columns, whoever made it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.errors import HeadgateError

Numbers = NDArray[np.float64]

#: Pairs of words in which the first is the low level, whatever the alphabet says.
LOW_AND_HIGH = (
    ("low", "high"), ("off", "on"), ("no", "yes"), ("false", "true"), ("-", "+"),
    ("small", "large"), ("short", "long"), ("slow", "fast"), ("few", "many"),
)  # fmt: skip


class AnalysisError(HeadgateError):
    """A table that cannot be analysed as it was asked."""


@dataclass(frozen=True)
class Frame:
    """Columns of equal length by their names; `name` says where they come from."""

    name: str
    columns: Mapping[str, NDArray[Any]]

    @classmethod
    def of(cls, source: Any) -> Frame:
        """Read a CSV or Parquet file, a mapping of columns, or a table or data frame.

        Raises AnalysisError.
        """
        if isinstance(source, Frame):
            return source
        if isinstance(source, str | Path):
            return cls(str(source), _read(Path(source)))
        name = str(getattr(source, "name", "table"))
        names = list(getattr(source, "columns", source))
        columns = {str(key): np.asarray(source[key]) for key in names}
        if len({len(column) for column in columns.values()}) > 1:
            raise AnalysisError(f"{name}: its columns differ in length")
        return cls(name, columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def column(self, name: str) -> NDArray[Any]:
        """Return a column; an unknown one is told with what is there."""
        if name in self.columns:
            return self.columns[name]
        lower = {column.lower(): column for column in self.columns}
        near = difflib.get_close_matches(name.lower(), lower, 1)
        hint = f"did you mean {lower[near[0]]!r}? " if near else ""
        raise AnalysisError(
            f"{self.name}: there is no column {name!r}; {hint}columns: {', '.join(self.columns)}"
        )

    def numbers(self, name: str) -> Numbers:
        """Return a response; what is missing or infinite is NaN."""
        column = self.column(name)
        try:
            values = np.array([_number(cell) for cell in column], dtype=float)
        except ValueError as error:
            raise AnalysisError(f"{self.name}: {name} is a response, but {error}") from None
        return np.where(np.isfinite(values), values, np.nan)

    def levels(self, factor: str) -> Levels:
        """Return the levels of a factor, in order, and the level of each row.

        Raises AnalysisError where a factor has fewer than two.
        """
        texts = [_text(cell) for cell in self.column(factor)]
        names = _ordered({text for text in texts if text})
        if len(names) < 2:
            has = f"{names[0]!r} only" if names else "nothing"
            raise AnalysisError(f"{self.name}: the factor {factor} has {has}; it takes two levels")
        places = {name: place for place, name in enumerate(names)}
        return Levels(factor, names, np.array([places.get(text, -1) for text in texts]))

    def groups(self, by: Sequence[str]) -> dict[tuple[str, ...], NDArray[np.intp]]:
        """Return the rows of each combination of labels, in order of their first row."""
        labels = [[_text(cell) for cell in self.column(name)] for name in by]
        found: dict[tuple[str, ...], list[int]] = {}
        for row in range(len(self)):
            found.setdefault(tuple(column[row] for column in labels), []).append(row)
        return {key: np.array(rows) for key, rows in found.items()}


@dataclass(frozen=True)
class Levels:
    """The levels of a factor: their names, low first, and the place of each row's (-1: missing)."""

    factor: str
    names: tuple[str, ...]
    places: NDArray[np.int64]

    @property
    def coded(self) -> Numbers:
        """-1 for the first level, +1 for the last, between them in equal steps; NaN if missing."""
        step = 2.0 / (len(self.names) - 1)
        return np.where(self.places < 0, np.nan, self.places * step - 1.0)


def _read(path: Path) -> dict[str, NDArray[Any]]:
    import duckdb

    if not path.is_file():
        raise AnalysisError(f"{path}: there is no such file")
    # As text, since a guess at types would make days of ratios and truth of levels named "t".
    csv = "read_csv(?, header = true, all_varchar = true)"
    reader = "read_parquet(?)" if path.suffix == ".parquet" else csv
    try:
        with duckdb.connect() as connection:
            found = connection.execute(f"SELECT * FROM {reader}", [str(path)])
            names = [column[0] for column in found.description or ()]
            rows = found.fetchall()
    except duckdb.Error as error:
        raise AnalysisError(f"{path}: cannot be read ({str(error).splitlines()[0]})") from None
    if not rows:
        raise AnalysisError(f"{path}: has no rows")
    cells = zip(*rows, strict=True)
    return {name: np.array(column, dtype=object) for name, column in zip(names, cells, strict=True)}


def _number(cell: Any) -> float:
    """Read a cell as a number; an empty one is NaN."""
    if cell is None or (isinstance(cell, str) and cell.strip().lower() in ("", "na", "nan")):
        return np.nan
    try:
        return float(cell)
    except (TypeError, ValueError):
        raise ValueError(f"{str(cell)!r} is no number") from None


def _text(cell: Any) -> str:
    """Return a level as text, "" if it is missing; a number is one level however it is written."""
    text = "" if cell is None else str(cell).strip()
    try:
        value = float(text)
    except ValueError:
        return text
    return "" if np.isnan(value) else np.format_float_positional(value, trim="-")


def _ordered(names: set[str]) -> tuple[str, ...]:
    """Order levels: numbers by size, known pairs low first, other words by the alphabet."""
    for pair in LOW_AND_HIGH:
        if {name.lower() for name in names} == set(pair):
            return tuple(sorted(names, key=lambda name: pair.index(name.lower())))
    try:
        return tuple(sorted(names, key=float))
    except ValueError:
        return tuple(sorted(names))
