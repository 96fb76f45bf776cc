"""A trace's events as CSV."""

from __future__ import annotations

from pathlib import Path

from headgate.errors import StoreError
from headgate.run.folder import query
from headgate.run.trace_log import EVENTS_FOLDER
from headgate.traces.stored import StoredTrace


def write_csv(trace: StoredTrace) -> list[Path]:
    """Write `events.csv` into the trace's folder; a missing value is empty. Raises StoreError."""
    import duckdb

    path = trace.folder / "events.csv"
    parts = str(trace.folder / EVENTS_FOLDER / "*.parquet").replace("'", "''")
    goal = str(path).replace("'", "''")
    try:
        query(f"COPY (FROM '{parts}') TO '{goal}' (FORMAT csv, HEADER)")
    except duckdb.Error as error:
        raise StoreError(f"{path}: cannot be written: {str(error).splitlines()[0]}") from None
    return [path]
