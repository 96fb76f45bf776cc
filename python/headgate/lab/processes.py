"""Runs on this machine: one process for each, within its cores and its memory."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Condition, Lock

from headgate.engine.run.memory import estimate_bytes, free_bytes
from headgate.lab.child import Children
from headgate.lab.jobs import Job
from headgate.lab.worker import CampaignSpec, JobOutcome, run_isolated

#: Width of a number of threads in its file.
DIGITS = 8


class ThreadShares:
    """A file with the number of threads that a run may use, because runs are other processes.

    The number is `fixed`, or an even share of `cores` among the current runs, so that the last runs
    of a campaign use all cores.
    """

    def __init__(self, cores: int, fixed: int | None = None) -> None:
        self.cores, self.fixed = cores, fixed
        self._runs, self._lock = 0, Lock()
        self._folder = tempfile.TemporaryDirectory(prefix="headgate-", ignore_cleanup_errors=True)
        self.file = Path(self._folder.name, "threads")
        self._open = self.file.open("wb", buffering=0)
        self._write()

    @contextmanager
    def run(self) -> Iterator[None]:
        """Count a run during the block."""
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    def close(self) -> None:
        """Remove the file; running runs keep their threads."""
        self._open.close()
        self._folder.cleanup()

    def _count(self, more: int) -> None:
        with self._lock:
            self._runs += more
            self._write()

    def _write(self) -> None:
        share = self.fixed or max(1, self.cores // max(1, self._runs))
        with suppress(OSError, ValueError):  # a run with too few threads is slow, and right
            self._open.seek(0)
            self._open.write(f"{share:<{DIGITS}}".encode())  # in one call, so readers see all of it


#: Memory of a process before a run: the interpreter and its modules.
PROCESS_BYTES = 200_000_000
#: Factor for a run's active flows and packets, which its plan does not show.
GROWTH = 2


def bytes_of_run(job: Job) -> int:
    """Estimate the memory of a run's process from its plan."""
    return PROCESS_BYTES + GROWTH * estimate_bytes(*job.scenario.plan())


class MemoryLimiter:
    """Lets runs begin while memory suffices; one may always begin.

    Their memory is estimated from their plans until one has ended, and from the greatest peak
    afterwards.
    """

    def __init__(self, free: Callable[[], int | None] = free_bytes) -> None:
        self._free = free
        self._changed = Condition()
        self._in_hand: list[int] = []
        self._when_idle: float = 0.0
        self._most = 0
        self._closed = False

    @contextmanager
    def admit(self, guess: Callable[[], int]) -> Iterator[None]:
        """Wait until memory suffices, and reserve it during the block."""
        needs = self._most or guess()
        with self._changed:
            self._changed.wait_for(
                lambda: (
                    self._closed
                    or not (taken := sum(self._in_hand))
                    or taken + needs <= self._when_idle
                )
            )
            if not self._in_hand:
                self._when_idle = self._free() or float("inf")
            self._in_hand.append(needs)
        try:
            yield
        finally:
            with self._changed:
                self._in_hand.remove(needs)
                self._changed.notify_all()

    def note_peak(self, peak_bytes: int) -> None:
        """Record the memory peak of a run's process."""
        with self._changed:
            self._most = max(self._most, peak_bytes)

    def close(self) -> None:
        """Release all waiting runs."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


class Processes:
    """Makes `workers` runs at a time with `threads` each; by default as many as there are cores.

    If there are fewer runs than cores, or memory limits the number of runs, and no number of
    threads was given, the runs share the cores.
    """

    #: A second copy of a slow run would use the same cores.
    copies = False
    patience_s = math.inf

    def __init__(self, workers: int | None = None, threads: int | None = None) -> None:
        cores = workers or os.cpu_count() or 1
        self.slots = workers or max(1, cores // (threads or 1))
        self._shares = ThreadShares(cores, threads)
        self._memory = MemoryLimiter()
        self._executor = ThreadPoolExecutor(self.slots, thread_name_prefix="headgate-run")
        self._children = Children()
        self._spec: CampaignSpec | None = None

    def open(self, spec: CampaignSpec) -> None:
        """Begin a campaign."""
        self._spec = spec

    def submit(self, job: Job, *, copy: bool = False) -> Future[JobOutcome]:
        """Make a run as soon as a process is free."""
        assert self._spec is not None
        return self._executor.submit(self._make, self._spec, job, copy)

    def _make(self, spec: CampaignSpec, job: Job, copy: bool) -> JobOutcome:
        with self._memory.admit(partial(bytes_of_run, job)), self._shares.run():
            outcome = run_isolated(self._children, spec, job, copy, self._shares.file)
        self._memory.note_peak(self._children.peak_bytes)
        return outcome

    def close(self) -> None:
        """Begin no more runs; current ones notice the end of the campaign."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._memory.close()
        self._children.close()
        self._shares.close()
