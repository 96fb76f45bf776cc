"""The cores of this machine: a process for each run at a time, which a run may take down.

A thread waits for each process, and starts another one in place of one that died.
"""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor

from headgate.campaign.child import Children
from headgate.campaign.jobs import Job
from headgate.campaign.worker import CampaignSpec, JobOutcome, run_isolated


class Processes:
    """Makes `workers` runs at a time; as many as there are cores by default."""

    #: A second copy of a slow run would only slow it down: it has the same cores.
    copies = False

    def __init__(self, workers: int | None = None) -> None:
        self.slots = workers or os.cpu_count() or 1
        self._executor = ThreadPoolExecutor(self.slots, thread_name_prefix="headgate-run")
        self._children = Children()
        self._order: CampaignSpec | None = None

    def open(self, order: CampaignSpec) -> None:
        """Take the order of a campaign."""
        self._order = order

    def submit(self, job: Job, *, copy: bool = False) -> Future[JobOutcome]:
        """Make a run as soon as a process is free."""
        assert self._order is not None
        return self._executor.submit(run_isolated, self._children, self._order, job, copy)

    def close(self) -> None:
        """Begin no more runs; those in hand see that the campaign ended."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._children.close()
