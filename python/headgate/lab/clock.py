"""The clock of a store: that of its file system, on which all machines agree.

Clocks of machines may be hours apart. A file that is made now has the file system's time, wherever
it is made; ages are differences of such times.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

#: For so long the time is carried on by this machine's own steady clock.
RENEW_S = 1.0


class Clock:
    """Tells the time of the file system that a folder is on."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ahead_s: float | None = None
        self._read_s = 0.0

    def now_s(self) -> float:
        """Return the time; where nothing can ever be written, what this machine takes it to be."""
        steady_s = time.monotonic()
        if self._ahead_s is None or steady_s - self._read_s >= RENEW_S:
            self._renew(steady_s)
        return steady_s + (self._ahead_s or 0.0)

    def age_s(self, status: os.stat_result) -> float:
        """Tell how long ago a file was written."""
        return self.now_s() - status.st_mtime

    def _renew(self, steady_s: float) -> None:
        self._read_s = steady_s
        try:
            with tempfile.TemporaryFile(dir=self._folder) as made:
                self._ahead_s = os.fstat(made.fileno()).st_mtime - steady_s
        except OSError:  # full by now, or never to be written
            if self._ahead_s is None:
                self._ahead_s = time.time() - steady_s
