"""Arrivals on the disk: a log during the run, and the table that is made of it at the end.

The log's form is in `crates/headgate-emulate/src/arrival_log.rs`. A killed run leaves it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from headgate.data.columns.live import ARRIVALS
from headgate.data.measures.formula import form
from headgate.data.tables import Table

LOG_FILE = "arrivals.log"
#: Rows that are in memory at a time.
PART_ROWS = 1_000_000

_MAGIC = b"HGARRIV1"
_ROW = np.dtype(
    [
        ("time_ps", "<u8"),
        ("from", "<u4"),
        ("to", "<u4"),
        ("flow", "<u4"),
        ("size_bytes", "<u2"),
        ("capable", "u1"),
        ("marked", "u1"),
    ]
)

Facts = dict[str, NDArray[np.uint64]]


def is_log(file: BinaryIO) -> bool:
    """Say whether an open file is a log of arrivals. Raises OSError."""
    file.seek(0)
    return file.read(len(_MAGIC)) == _MAGIC


def read_log(file: BinaryIO, at: int = 0, count: int = -1) -> Facts:
    """Read a number of whole rows of a log from a row on, or all: by column. Raises OSError."""
    file.seek(len(_MAGIC) + at * _ROW.itemsize)
    rows = np.fromfile(file, _ROW, count)
    return {name: rows[name].astype(np.uint64) for name in _ROW.names or ()}


def make_arrivals(facts: Facts, ended_ps: int) -> Table:
    """Make the table, of a run that ended then."""
    ended = np.full(len(facts["time_ps"]), ended_ps, np.uint64)
    columns: dict[str, Any] = form(ARRIVALS, {**facts, "ended_ps": ended})
    return Table("arrivals", columns)


def make_parts(log: BinaryIO, ended_ps: int) -> Iterator[Table]:
    """Make the table part by part, one at least. Raises OSError."""
    at = 0
    while len(part := make_arrivals(read_log(log, at, PART_ROWS), ended_ps)) or not at:
        yield part
        at += PART_ROWS
