"""The process that answers SQL, as seen by the process that asks: started once, kept, ended."""

from __future__ import annotations

import atexit
import json
import os
import select
import struct
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from headgate.base.errors import HeadgateError
from headgate.base.process import python_command
from headgate.data.tables import Table

#: A message begins with its length.
_LENGTH = struct.Struct("<Q")
#: The process needs longer than its time for an answer that says so.
_GRACE_S = 2.0
#: Starting it on a busy machine, and sending the tables.
_START_S = 120.0

Message = dict[str, Any]


class SqlError(HeadgateError):
    """A question that cannot be asked or answered, in one sentence."""


class _EndedError(Exception):
    """The process ended, or was ended at the deadline, before it answered."""

    def __init__(self, *, late: bool) -> None:
        self.late = late


class SqlProcess:
    """A process that answers questions; it begins with the first one and after it died."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._start_s = _START_S
        atexit.register(self.close)

    def ask(self, order: Mapping[str, Any], tables: Sequence[Table]) -> Message:
        """Return the answer to a question about tables. Raises SqlError if there is none.

        The order has the SQL, and what time and memory it may take.
        """
        with self._lock:
            try:
                answer = self._ask(order, tables)
            except _EndedError as ended:
                self.close()
                raise SqlError(_why(order, late=ended.late)) from None
            except BaseException:  # such as Ctrl-C: an answer to come would be taken for the next
                self.close()
                raise
            if answer.get("is_last"):
                self.close()
            return answer

    def _ask(self, order: Mapping[str, Any], tables: Sequence[Table]) -> Message:
        process = self._running()
        columns = {table.name: [table.arrow_column(name) for name in table] for table in tables}
        about = [
            {
                "name": table.name,
                "rows": len(table),
                "columns": [
                    {"name": name, "kind": kind, "sizes": [_size(part) for part in parts]}
                    for name, (kind, parts) in zip(table, columns[table.name], strict=True)
                ],
            }
            for table in tables
        ]
        text = json.dumps({**order, "tables": about}).encode()
        buffers = [part for each in columns.values() for _, parts in each for part in parts]
        assert process.stdin is not None
        try:
            for part in (_LENGTH.pack(len(text)), text, *buffers):
                if part is not None:
                    process.stdin.write(part)
            process.stdin.flush()
        except OSError:
            raise _EndedError(late=False) from None
        return self._read_answer(process, order["time_s"])

    def _read_answer(self, process: subprocess.Popen[bytes], time_s: float) -> Message:
        head = self._read(process, _LENGTH.size, time_s + _GRACE_S + self._start_s)
        self._start_s = 0.0
        (length,) = _LENGTH.unpack(head)
        answer: Message = json.loads(self._read(process, length, _START_S))
        return answer

    def _read(self, process: subprocess.Popen[bytes], size: int, patience_s: float) -> bytes:
        assert process.stdout is not None
        pipe, until_s = process.stdout.fileno(), time.monotonic() + patience_s
        parts, missing = [], size
        while missing:
            left_s = until_s - time.monotonic()
            if left_s <= 0 or not select.select([pipe], [], [], left_s)[0]:
                raise _EndedError(late=True)
            part = os.read(pipe, min(missing, 1 << 20))
            if not part:
                raise _EndedError(late=False)
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def _running(self) -> subprocess.Popen[bytes]:
        """Return the process, started if there is none; a fork of this program starts its own."""
        if self._process is None or self._owner != os.getpid():
            self._process = subprocess.Popen(
                python_command("-m", "headgate.experiment.sql_server"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            self._owner, self._start_s = os.getpid(), _START_S
        return self._process

    def close(self) -> None:
        """End the process, whatever it does."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):  # what it did not read
                pipe.close()  # type: ignore[union-attr]


def _size(part: Any) -> int | None:
    return None if part is None else memoryview(part).nbytes


def _why(order: Mapping[str, Any], *, late: bool) -> str:
    if late:
        return f"takes longer than {order['time_s']:g} s, the time that it may take"
    return (
        f"takes more than the {order['memory_bytes'] / 1e9:g} GB of memory or the"
        f" {order['time_s']:g} s that it may take"
    )
