"""Measured rows, as CSV: measuring resumes after the last row."""

import csv
from pathlib import Path
from typing import Any


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Read what was measured before; nothing if there is no file."""
    if not path.exists():
        return []
    with path.open() as file:
        return list(csv.DictReader(file))


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows with the columns of the first one."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
