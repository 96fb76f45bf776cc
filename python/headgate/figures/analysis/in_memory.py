"""Columns of tables in memory: mappings, data frames, relations of DuckDB, Headgate's tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import AnalysisError
from headgate.figures.analysis.read import distinct


def name_of(source: Any) -> str:
    """Return the name of a table; `table` if it is unnamed."""
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "table"


def read_memory(source: Any) -> dict[str, Any]:
    """Return the columns of a table in memory as they are, by name.

    Raises AnalysisError for an object that is no table, and if two columns share a name.
    """
    if hasattr(source, "fetchnumpy"):  # a relation of DuckDB
        source = source.fetchnumpy()
    named = list(source) if isinstance(source, Mapping) else getattr(source, "columns", None)
    if named is None or isinstance(named, str) or callable(named):
        got = "None" if source is None else f"a {type(source).__name__}"
        raise AnalysisError(
            "a table is a CSV or Parquet file, a data frame, or a mapping of names to columns;"
            f" got {got}"
        )
    try:
        names = distinct(map(str, named), "two columns are named")
    except ValueError as error:
        raise AnalysisError(f"{name_of(source)}: {error}") from None
    return {name: source[key] for name, key in zip(names, named, strict=True)}


def make_array(column: Any) -> NDArray[Any]:
    """Return a column as an array, in which a masked cell is None."""
    hidden = np.ma.getmaskarray(column) if isinstance(column, np.ma.MaskedArray) else None
    cells = np.asarray(column)
    if hidden is None or not hidden.any():
        return cells
    found = np.empty(cells.shape, dtype=object)
    found[~hidden] = list(cells[~hidden])
    return found


def find_scale(column: Any) -> tuple[Any, ...]:
    """Return the categories of an ordered categorical column of pandas; () for other columns."""
    dtype: Any = getattr(column, "dtype", None)
    return tuple(dtype.categories) if getattr(dtype, "ordered", None) is True else ()
