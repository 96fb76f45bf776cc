"""Records and clock of a store: small files that are whole or absent, and its file system's time.

Other processes may truncate or change a record: readers get a record of the right shape, or none.
Clocks of machines may be hours apart, but all new files carry the time of the file system; ages are
differences of such times.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from headgate.base.files import create_file, write_bytes

Record = TypeVar("Record")

_shapes: dict[object, TypeAdapter[Any]] = {}


def read_record(kind: Callable[..., Record], path: Path) -> Record | None:
    """Read a record; None if it is missing or has another shape."""
    try:
        record: Record = _shape(kind).validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
    return record


def write_record(path: Path, record: object, *, durable: bool = False) -> None:
    """Write a whole record or nothing. Raises StoreError."""
    write_bytes(path, _shape(type(record)).dump_json(record), durable=durable)


def create_record(path: Path, record: object) -> bool:
    """Create a whole record; return whether there was none. Raises StoreError."""
    return create_file(path, _shape(type(record)).dump_json(record))


def _shape(kind: Any) -> TypeAdapter[Any]:
    if kind not in _shapes:
        _shapes[kind] = TypeAdapter(kind)
    return _shapes[kind]


#: Time for which this machine's monotonic clock extends a reading.
RENEW_S = 1.0


class Clock:
    """The time of the file system of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ahead_s: float | None = None
        self._read_s = 0.0

    def now_s(self) -> float:
        """Return the time; by this machine's clock if nothing can ever be written."""
        steady_s = time.monotonic()
        if self._ahead_s is None or steady_s - self._read_s >= RENEW_S:
            self._renew(steady_s)
        return steady_s + (self._ahead_s or 0.0)

    def age_s(self, status: os.stat_result) -> float:
        """Return the age of a file."""
        return self.now_s() - status.st_mtime

    def _renew(self, steady_s: float) -> None:
        self._read_s = steady_s
        try:
            with tempfile.TemporaryFile(dir=self._folder) as made:
                self._ahead_s = os.fstat(made.fileno()).st_mtime - steady_s
        except OSError:  # full by now, or never to be written
            if self._ahead_s is None:
                self._ahead_s = time.time() - steady_s
