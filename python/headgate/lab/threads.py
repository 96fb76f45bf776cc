"""How many threads a run of a campaign may have: the cores that no run uses are shared."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

#: Wall time between two looks of a run at what it may have.
POLL_S = 1.0


class ThreadShares:
    """Says in a file how many threads a run may have: runs are other processes.

    With `fixed` threads each it says nothing else. Otherwise `cores` are shared evenly among the
    runs in hand, so that the last runs of a campaign are not left with one core each.
    """

    def __init__(self, cores: int, fixed: int | None = None) -> None:
        self.cores, self.fixed = cores, fixed
        self._runs, self._lock = 0, Lock()
        self._folder = tempfile.TemporaryDirectory(prefix="headgate-", ignore_cleanup_errors=True)
        self.file = Path(self._folder.name, "threads")
        self._write()

    @contextmanager
    def run(self) -> Iterator[None]:
        """Count a run while it is in hand."""
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    def close(self) -> None:
        """Remove the file; running runs keep their threads."""
        self._folder.cleanup()

    def _count(self, more: int) -> None:
        with self._lock:
            self._runs += more
            self._write()

    def _write(self) -> None:
        share = self.fixed or max(1, self.cores // max(1, self._runs))
        draft = self.file.with_suffix(".draft")
        with suppress(OSError):  # a run with too few threads is slow, and right
            draft.write_text(str(share), encoding="utf-8")
            os.replace(draft, self.file)


def reader(file: Path) -> Callable[[], int]:
    """Return a function that returns how many threads a run may have now."""
    threads, looked_s = 1, 0.0

    def look() -> int:
        nonlocal threads, looked_s
        if time.monotonic() - looked_s >= POLL_S:
            looked_s = time.monotonic()
            with suppress(OSError, ValueError):
                threads = max(1, int(file.read_text(encoding="utf-8")))
        return threads

    return look
