"""The cores of this machine: a process for each run at a time, which a run may take down.

A thread waits for each process, and starts another one in place of one that died.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from headgate.lab.child import Children
from headgate.lab.jobs import Job
from headgate.lab.memory_limiter import MemoryLimiter, bytes_of_run
from headgate.lab.threads import ThreadShares
from headgate.lab.worker import CampaignSpec, JobOutcome, run_isolated


class Processes:
    """Makes `workers` runs at a time, of `threads` each; by default as many as there are cores.

    Where there are fewer runs than cores, or memory has no room for more at a time, and no number
    of threads was given, they share the cores.
    """

    #: A second copy of a slow run would only slow it down: it has the same cores.
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
        """Begin no more runs; those in hand see that the campaign ended."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._memory.close()
        self._children.close()
        self._shares.close()
