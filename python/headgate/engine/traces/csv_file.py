"""A trace's events as CSV."""

from __future__ import annotations

from pathlib import Path

from headgate.base.errors import StoreError, explain_library
from headgate.data.parquet import query, quote
from headgate.engine.traces.stored import StoredTrace


def write_csv(trace: StoredTrace) -> list[Path]:
    """Write `events.csv` into the trace's folder; a missing value is empty. Raises StoreError."""
    import duckdb

    path = trace.folder / "events.csv"
    try:
        query(f"COPY (FROM {trace.events_sql}) TO {quote(str(path))} (FORMAT csv, HEADER)")
    except duckdb.Error as error:
        raise StoreError(f"{path}: cannot be written: {explain_library(error)}") from None
    return [path]
