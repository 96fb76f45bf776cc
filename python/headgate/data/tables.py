"""Tables of results: NumPy columns inside, an Arrow stream outside.

Polars, pandas and DuckDB read a table directly; columns of numbers are passed without a copy. A
missing number is NaN in NumPy and null in Arrow and Parquet, in which NaN would be a value: a mean
over it is NaN, a mean over null ignores it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import HeadgateError
from headgate.base.messages import hint
from headgate.base.optional import load_library
from headgate.base.plain_text import format_table
from headgate.data.columns import EVERY_TABLE, TABLES, Column

__all__ = ["TABLES", "LazyTables", "NamedTables", "Table", "Words", "name_tables", "refuse_table"]

if TYPE_CHECKING:
    import pandas
    import polars
    import xarray


class Words:
    """A column of words, stored as codes of the distinct words."""

    def __init__(self, codes: NDArray[Any], words: Sequence[str]) -> None:
        self.codes = np.asarray(codes, dtype=np.uint32)
        self.words = tuple(words)

    @classmethod
    def of(cls, texts: Any) -> Words:
        """Read one word per row."""
        seen: dict[str, int] = {}
        codes = [seen.setdefault(text, len(seen)) for text in np.asarray(texts).tolist()]
        return cls(np.array(codes, dtype=np.uint32), list(seen))

    @classmethod
    def join(cls, parts: Sequence[Words]) -> Words:
        """Return the rows of several columns as one column."""
        seen: dict[str, int] = {}
        codes = [
            np.array([seen.setdefault(word, len(seen)) for word in part.words], np.uint32)[
                part.codes
            ]
            for part in parts
        ]
        return cls(np.concatenate(codes), list(seen))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> Words:
        return Words(self.codes[rows], self.words)

    def compact(self) -> Words:
        """Return the same rows, without the words that no row contains."""
        used = np.bincount(self.codes, minlength=len(self.words)) > 0
        words = [self.words[place] for place in np.flatnonzero(used)]
        return Words((np.cumsum(used) - 1)[self.codes], words)

    @cached_property
    def nbytes(self) -> int:
        """Bytes of memory that the column takes."""
        return self.codes.nbytes + sum(map(sys.getsizeof, self.words))

    def texts(self) -> NDArray[np.str_]:
        """Return one word per row."""
        return np.asarray(self.words or ("",), dtype=str)[self.codes]

    def translate(self, meaning: Callable[[str], Any]) -> NDArray[Any]:
        """Return the meaning of the word in each row; `meaning` is called once per word."""
        return np.array([meaning(word) for word in self.words or ("",)])[self.codes]

    def arrow_buffers(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Return offsets and UTF-8 bytes in Arrow's layout."""
        encoded = [word.encode() for word in self.words]
        length = np.array([len(word) for word in encoded] or [0], dtype=np.int64)
        start = np.concatenate([[0], np.cumsum(length)[:-1]])
        lengths = length[self.codes]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        shift = np.repeat(start[self.codes] - offsets[:-1], lengths)
        blob = np.frombuffer(b"".join(encoded) or b"\0", dtype=np.uint8)
        return offsets, blob[np.arange(offsets[-1]) + shift]


Data = Mapping[str, NDArray[Any] | Words]


class Table:
    """Columns of equal length, each with a unit and a definition."""

    def __init__(self, name: str, data: Data) -> None:
        self.name = name
        self._data = {column: _signed(values) for column, values in data.items()}
        self._about = {column.name: column for column in EVERY_TABLE.get(name, ())}

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self._data)

    def __len__(self) -> int:
        return len(next(iter(self._data.values()), ()))

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __contains__(self, name: object) -> bool:
        return name in self._data

    def __getitem__(self, name: str) -> NDArray[Any]:
        column = self._column(name)
        return column.texts() if isinstance(column, Words) else column

    def _column(self, name: str) -> NDArray[Any] | Words:
        if name not in self._data:
            says = hint(str(name), self._data, f"columns: {', '.join(self._data)}")
            raise HeadgateError(f"{self.name}: there is no column {name!r}; {says}")
        return self._data[name]

    def translate(self, name: str, meaning: Callable[[str], Any]) -> NDArray[Any]:
        """Return the meaning of the word in each row of a column."""
        column = self._column(name)
        return (column if isinstance(column, Words) else Words.of(column)).translate(meaning)

    def about(self, name: str) -> Column:
        """Return the definition of a column."""
        self._column(name)
        return self._about.get(name, Column(name, "", ""))

    def unit(self, name: str) -> str:
        """Return the unit of a column."""
        return self.about(name).unit

    def definition(self, name: str) -> str:
        """Return the definition of a column in words."""
        return self.about(name).definition

    def labelled(self, labels: Mapping[str, str | int | float]) -> Table:
        """Return the table with the same words or numbers before every row."""
        rows = len(self)
        first: Data = {
            name: Words(np.zeros(rows, np.uint32), [value])
            if isinstance(value, str)
            else np.full(rows, value)
            for name, value in labels.items()
        }
        return self._derive(self.name, {**first, **self._data})

    def extended(self, name: str, columns: Data) -> Table:
        """Return a table of another name with additional columns."""
        return self._derive(name, {**self._data, **columns})

    def only(self, names: Sequence[str]) -> Table:
        """Return the table of these columns."""
        return self._derive(self.name, {name: self._column(name) for name in names})

    def where(self, rows: Any) -> Table:
        """Return the table of these rows: a mask or indices."""
        data = {name: column[rows] for name, column in self._data.items()}
        return self._derive(self.name, data)

    def _derive(self, name: str, data: Data) -> Table:
        return Table(name, data)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the columns take."""
        return sum(column.nbytes for column in self._data.values())

    @property
    def data(self) -> Data:
        """The columns as they are stored: words as codes."""
        return self._data

    def keys(self) -> tuple[str, ...]:
        """Names of the columns, so that `dict(table)` is NumPy arrays by their names."""
        return self.columns

    def to_pandas(self) -> pandas.DataFrame:
        """Return a pandas data frame; `attrs["units"]` holds the units by column.

        Raises MissingLibraryError.
        """
        library = load_library("pandas", "to_pandas()")
        frame: pandas.DataFrame = library.DataFrame(dict(self), copy=False)
        frame.attrs["units"] = {name: self.unit(name) for name in self if self.unit(name)}
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Return a Polars data frame. Raises MissingLibraryError."""
        frame: polars.DataFrame = load_library("polars", "to_polars()").DataFrame(self)
        return frame

    def to_xarray(self) -> xarray.Dataset:
        """Return an xarray data set along `row`: numbers are variables, words are coordinates.

        Each keeps its unit and definition as `units` and `long_name`, which its plots show. Raises
        MissingLibraryError.
        """
        library = load_library("xarray", "to_xarray()")
        columns = {name: ("row", self[name], self._attributes(name)) for name in self}
        words = {name for name in self if isinstance(self._data[name], Words)}
        made: xarray.Dataset = library.Dataset(
            {name: columns[name] for name in self if name not in words},
            {name: columns[name] for name in self if name in words},
            {"title": self.name},
        )
        return made

    def _attributes(self, name: str) -> dict[str, str]:
        about = self.about(name)
        given = {"units": about.unit, "long_name": about.definition}
        return {key: value for key, value in given.items() if value}

    def __array__(self, dtype: object = None, copy: object = None) -> NDArray[Any]:
        raise HeadgateError(
            f"{self.name}: a table is not an array, but each of its columns is; write "
            f"dict({self.name}), or {self.name}.to_pandas() for a data frame"
        )

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        import nanoarrow as na  # type: ignore[import-untyped]
        from nanoarrow.c_array_stream import CArrayStream  # type: ignore[import-untyped]

        children = [_arrow_column(column) for column in self._data.values()]
        array = na.c_array_from_buffers(
            self._schema(), len(self), [None], children=children, validation_level="none"
        )
        stream = CArrayStream.from_c_arrays([array], array.schema, validate=False)
        return stream.__arrow_c_stream__(requested_schema)

    def arrow_column(self, name: str) -> tuple[str, list[Any]]:
        """Return the kind and the Arrow buffers of a column: a `_WIDE` kind, or words."""
        return _arrow_buffers(self._column(name))

    def __arrow_c_schema__(self) -> object:
        return self._schema().__arrow_c_schema__()

    def _schema(self) -> Any:
        kinds = (
            (name, _WORDS if isinstance(column, Words) else column.dtype.kind)
            for name, column in self._data.items()
        )
        return _arrow_schema(self.name, tuple(kinds))

    def metadata(self, name: str) -> dict[str, str]:
        """Return the metadata of a column in Arrow and Parquet files."""
        return _describe(self.about(name))

    def __repr__(self) -> str:
        rows, columns = len(self), len(self._data)
        title = f"{self.name}: {rows} {'row' if rows == 1 else 'rows'}, {columns} columns"
        if self.name in EVERY_TABLE:
            title += f" (headgate describe {self.name})"
        return format_table(title, dict(self), rows)

    def _repr_html_(self) -> str:
        about = {name: escape(self.definition(name)) for name in self}
        head = "".join(f'<th title="{about[name]}">{escape(name)}</th>' for name in self)
        rows = [[self[name][row] for name in self] for row in range(min(len(self), 10))]
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_short(cell))}</td>" for cell in row) + "</tr>"
            for row in rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _signed(column: NDArray[Any] | Words) -> NDArray[Any] | Words:
    """Return unsigned numbers as signed ones, unless one is too large, such as a seed of 64 bits.

    A difference of counts may be negative; unsigned numbers of NumPy would wrap around.
    """
    if isinstance(column, Words):
        return column
    column = np.asarray(column)  # of a list too
    if column.dtype.kind != "u":
        return column
    is_small = column.dtype.itemsize < 8 or not (column > np.iinfo(np.int64).max).any()
    return column.astype(np.int64) if is_small else column


class LazyTables(Mapping[str, Table]):
    """Tables that are made or read on demand.

    To ask whether there is one neither makes nor reads it.
    """

    def __contains__(self, name: object) -> bool:
        return any(name == known for known in self)

    def get(self, name: str, default: Any = None, /) -> Any:
        """Return a table, or the default if there is none."""
        return super().get(name, default) if name in self else default


class NamedTables(dict[str, Table]):
    """Tables by name. An unknown name is a HeadgateError that lists the known ones."""

    def __missing__(self, name: str) -> Table:
        raise refuse_table(name, self)


def name_tables(tables: Mapping[str, Table]) -> Mapping[str, Table]:
    """Return tables that refuse an unknown name; those made on demand do so themselves."""
    return tables if isinstance(tables, LazyTables) else NamedTables(tables)


def refuse_table(name: str, known: Iterable[str], start: str = "the run has") -> HeadgateError:
    """Return the error for a table that is not there; `start` begins the sentence."""
    names = list(known)
    says = hint(str(name), names, f"tables: {', '.join(names) or 'none'}")
    return HeadgateError(f"{start} no table {name!r}; {says}")


def _short(cell: Any) -> str:
    return f"{cell:.6g}" if isinstance(cell, np.floating) else str(cell)


def _describe(column: Column) -> dict[str, str]:
    return {"unit": column.unit, "definition": column.definition, "formula": column.formula}


#: Kinds of numbers in NumPy, and their Arrow types.
_WIDE: dict[str, Any] = {"f": np.float64, "u": np.uint64, "i": np.int64}
_WORDS = "words"


# The thousand runs of a campaign share a few schemas.
@lru_cache(maxsize=256)
def _arrow_schema(table: str, columns: tuple[tuple[str, str], ...]) -> Any:
    import nanoarrow as na

    known = {column.name: column for column in EVERY_TABLE.get(table, ())}
    described = [
        na.c_schema(_arrow_type(kind)).modify(
            name=name, metadata=_describe(known.get(name, Column(name, "", ""))), nullable=True
        )
        for name, kind in columns
    ]
    plain = na.c_schema(na.struct({name: _arrow_type(kind) for name, kind in columns}))
    return plain.modify(children=described, nullable=False)


@cache
def _arrow_type(kind: str) -> Any:
    import nanoarrow as na

    kinds = {_WORDS: na.large_string, "f": na.float64, "u": na.uint64, "i": na.int64}
    return na.c_schema(kinds[kind]())


def _arrow_column(column: NDArray[Any] | Words) -> Any:
    import nanoarrow as na

    kind, buffers = _arrow_buffers(column)
    return na.c_array_from_buffers(_arrow_type(kind), len(column), buffers, validation_level="none")


def _arrow_buffers(column: NDArray[Any] | Words) -> tuple[str, list[Any]]:
    if isinstance(column, Words):
        offsets, data = column.arrow_buffers()
        return _WORDS, [None, offsets, data]
    values = np.ascontiguousarray(column)
    values = values.astype(_WIDE[values.dtype.kind], copy=False)
    return values.dtype.kind, [_validity(values), values]


def _validity(values: NDArray[Any]) -> NDArray[np.uint8] | None:
    """Return Arrow's validity bits; None if no value is missing."""
    missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(0, dtype=bool)
    return np.packbits(~missing, bitorder="little") if missing.any() else None
