"""The cores of this machine: threads, since a native run releases the interpreter's lock."""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor

from headgate.run.plan import Job
from headgate.run.store import Store
from headgate.run.worker import Order, Outcome, Worker


class Threads:
    """Makes `workers` runs at a time; all cores unless told."""

    #: A second copy of a slow run would only slow it down: it has the same cores.
    copies = False

    def __init__(self, workers: int | None = None) -> None:
        self.slots = workers or os.cpu_count() or 1
        self._executor = ThreadPoolExecutor(self.slots, thread_name_prefix="headgate-run")
        self._worker: Worker | None = None

    def open(self, order: Order, store: Store) -> None:
        """Take the order of a campaign; runs stay in the memory of its store."""
        self._worker = Worker(order, store)

    def submit(self, job: Job, *, copy: bool = False) -> Future[Outcome]:
        """Make a run as soon as a thread is free."""
        assert self._worker is not None
        return self._executor.submit(self._worker.do, job, copy=copy)

    def close(self) -> None:
        """Begin no more runs; those in hand see that the campaign ended."""
        self._executor.shutdown(wait=False, cancel_futures=True)
