"""Tables of a user's, CSV or Parquet, read by DuckDB into columns of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.errors import ScenarioError


def open_table(path: str, place: str) -> Any:
    """Open a file as a relation of DuckDB. Raises ScenarioError."""
    if not Path(path).is_file():
        raise ScenarioError(place, f"there is no file {path!r}")
    import duckdb

    try:
        if path.endswith((".parquet", ".pq")):
            return duckdb.connect().read_parquet(path)
        return duckdb.connect().read_csv(path)
    except duckdb.Error as error:
        raise ScenarioError(place, f"{path!r} cannot be read: {_first_line(error)}") from None


def fetch(relation: Any, columns: Sequence[str], path: str, place: str) -> Any:
    """Return columns of a relation, by name. Raises ScenarioError."""
    import duckdb

    try:
        return relation.project(", ".join(columns)).fetchnumpy()
    except duckdb.Error as error:
        raise ScenarioError(place, f"{path!r} cannot be read: {_first_line(error)}") from None


def to_numbers(column: Any) -> NDArray[np.float64]:
    """Turn a column into floats; what is missing or a word becomes NaN, for others to refuse."""
    filled = np.ma.filled(np.ma.asarray(column), np.nan) if np.ma.isMA(column) else column
    try:
        return np.asarray(filled, dtype=np.float64)
    except (TypeError, ValueError):
        return np.full(len(filled), np.nan)


def read_numbers(path: str, names: Sequence[str], place: str) -> dict[str, NDArray[np.float64]]:
    """Read those of the named columns that a table has, shape (rows,) each; at least one row."""
    relation = open_table(path, place)
    kept = [name for name in names if name in relation.columns]
    if not kept:
        says = f"has the columns {', '.join(relation.columns)}; it needs {', '.join(names)}"
        raise ScenarioError(place, f"{path!r} {says}")
    rows = fetch(relation, kept, path, place)
    columns = {name: to_numbers(rows[name]) for name in kept}
    if not len(columns[kept[0]]):
        raise ScenarioError(place, f"{path!r} has no row")
    return columns


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".")
