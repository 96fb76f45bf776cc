"""Works through the runs of a campaign: with processes here, or with workers of a cluster.

A finished run is stored at once; a job that the store has already is skipped, one that another
campaign has in hand is left to it. A failed run is reported at the end; the others go on. Ctrl-C
stops the runs in hand within a fraction of a second, and keeps how far they are.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import suppress
from statistics import median
from typing import Protocol

from headgate.base.errors import FailedRunsError, HeadgateError, InterruptedRunError, StoreError
from headgate.base.progress import Show
from headgate.base.units import PS_PER_S
from headgate.lab.attempts import Attempts
from headgate.lab.campaign import (
    Campaign,
    Failure,
    clear_failure,
    fail,
    failed_file,
    failed_runs,
    format_labels,
)
from headgate.lab.idle import IdleWatch
from headgate.lab.jobs import Job, program
from headgate.lab.leases import Lease, Leases
from headgate.lab.processes import Processes
from headgate.lab.progress import CampaignProgress
from headgate.lab.store import Store
from headgate.lab.worker import CampaignSpec, JobOutcome, Keep

PAUSE_S = 0.2
#: Wall time between two looks at what others have in hand.
LOOK_S = 1.0
#: A run is a straggler if it takes this many times the median, or if its worker is silent so long.
STRAGGLES, QUIET_S = 2.0, 10.0
#: How long a run may be stored without an answer of its worker.
LOST_S = 60.0
#: Runs handed out for each that can be worked on at a time, so that no worker waits for the next.
AHEAD = 2


class Executor(Protocol):
    """Who makes runs: `slots` at a time; `copies` says whether a second copy may be faster."""

    copies: bool
    #: How long it may have no slot until the campaign ends.
    patience_s: float

    @property
    def slots(self) -> int:
        """How many runs are made at a time, now."""

    def open(self, spec: CampaignSpec) -> None:
        """Begin a campaign."""

    def submit(self, job: Job, *, copy: bool = False) -> Future[JobOutcome]:
        """Make a run as soon as a worker is free."""

    def close(self) -> None:
        """Begin no more runs."""


class Scheduler:
    """Works through jobs; with all cores of this machine by default."""

    def __init__(
        self,
        store: Store,
        workers: int | None = None,
        keep: Keep | None = None,
        executor: Executor | None = None,
    ) -> None:
        self.store = store
        self.keep = keep
        self.executor = executor or Processes(workers)

    def run(self, jobs: Sequence[Job], show: Show, title: str = "") -> None:
        """Run every job that the store lacks. Raises FailedRunsError when all others are done."""
        jobs = list({job.id: job for job in jobs}.values())
        missing = self.store.missing(jobs)
        missing.sort(key=_simulated_s, reverse=True)  # a long run at the end would leave cores idle
        progress = CampaignProgress(
            len(jobs), skipped=len(jobs) - len(missing), due_s=sum(map(_simulated_s, missing))
        )
        show(progress)
        if not missing:
            self.executor.close()
            with suppress(StoreError):  # a store that cannot be written will do
                Campaign.begin(self.store, title, jobs, missing).end("done")
            return
        campaign = Campaign.begin(self.store, title, jobs, missing)
        spec = CampaignSpec(self.store.folder.resolve(), campaign.name, program(), self.keep)
        try:
            self.executor.open(spec)
            failures = _Work(self.store, self.executor, missing, progress).through(show)
        except KeyboardInterrupt:
            campaign.end("stopped")
            raise InterruptedRunError(
                f"stopped with {progress.done} of {progress.total} runs in"
                f" {self.store.folder}; the same command resumes it"
            ) from None
        except BaseException:
            with suppress(StoreError):  # the disk may be full, which is why we are here
                campaign.end("failed")
            raise
        finally:
            self.executor.close()
        campaign.end("failed" if failures else "done")
        if failures:
            raise _failed_error(failures, progress, self.store)


class _Work:
    """What is still to do, what is handed out, and what came of it."""

    def __init__(
        self, store: Store, executor: Executor, jobs: Sequence[Job], progress: CampaignProgress
    ) -> None:
        self.store, self.executor, self.progress = store, executor, progress
        self.jobs = {job.id: job for job in jobs}
        self.queue = deque(self.jobs)
        self.handed: dict[Future[JobOutcome], str] = {}
        self.copied: set[str] = set()
        self.failures: list[Failure] = []
        self.walls_s: list[float] = []
        self._leases: list[Lease] = []
        self._hops = 0
        self._made_s = 0.0
        self._later_s: dict[str, float] = {}
        self._look_s = 0.0
        self._check_s = time.monotonic() + LOST_S
        self._unanswered: set[str] = set()
        self._idle = IdleWatch(executor.patience_s)

    def through(self, show: Show) -> list[Failure]:
        """Work until every run is there or has failed; return those that failed."""
        self._clear_failures()
        while self.jobs:
            self._hand_out()
            done, _ = wait(self.handed, timeout=PAUSE_S, return_when=FIRST_COMPLETED)
            if not self.handed:
                time.sleep(PAUSE_S)
            for future in done:
                self._take(self.handed.pop(future), future)
            self._look()
            self._stand()
            show(self.progress)
        return self.failures

    def _clear_failures(self) -> None:
        """Try once more what failed; what did not come back the last time is tried last."""
        attempts = Attempts(self.store.folder)
        for run_id in failed_runs(self.store.folder) & self.jobs.keys():
            clear_failure(self.store.folder, run_id)
            attempts.end(run_id)
        lost = attempts.find_unfinished()
        for run_id in lost & self.jobs.keys():
            attempts.forget_deaths(run_id)
        self.queue = deque(sorted(self.queue, key=lost.__contains__))

    def _hand_out(self) -> None:
        now_s = time.monotonic()
        for run_id in [run for run, at_s in self._later_s.items() if at_s <= now_s]:
            del self._later_s[run_id]
            self.queue.append(run_id)
        while self.queue and len(self.handed) < AHEAD * max(self.executor.slots, 1):
            run_id = self.queue.popleft()
            self.handed[self.executor.submit(self.jobs[run_id])] = run_id

    def _take(self, run_id: str, future: Future[JobOutcome]) -> None:
        if run_id not in self.jobs:  # the other copy was faster
            return
        outcome = self._outcome(run_id, future)
        if outcome.there:
            self._finish(outcome)
        elif run_id in self.handed.values():  # the other copy may do better
            return
        elif outcome.failure is not None:
            self._fail(run_id, outcome.failure)
        else:  # another campaign has it in hand
            self._later_s[run_id] = time.monotonic() + LOOK_S

    def _outcome(self, run_id: str, future: Future[JobOutcome]) -> JobOutcome:
        try:
            return future.result()
        except HeadgateError:
            raise
        except CancelledError:
            raise HeadgateError(
                "the cluster ended the campaign; the same command resumes it"
            ) from None
        except Exception as error:  # a worker died with it, again and again
            if self.store.has(run_id):
                return JobOutcome(run_id, there=True)
            return JobOutcome(run_id, failure=fail(self.store.folder, self.jobs[run_id], error))

    def _finish(self, outcome: JobOutcome) -> None:
        self._made_s += _simulated_s(self.jobs.pop(outcome.run_id))
        self._hops += outcome.packet_hops
        if outcome.wall_s:
            self.walls_s.append(outcome.wall_s)
        self.progress.finished += 1

    def _fail(self, run_id: str, failure: Failure) -> None:
        self._made_s += _simulated_s(self.jobs.pop(run_id))
        self.failures.append(failure)
        self.progress.failed += 1

    def _look(self) -> None:
        """See how far the runs in hand are, each second."""
        if time.monotonic() < self._look_s:
            return
        self._look_s = time.monotonic() + LOOK_S
        self._leases = list(Leases(self.store.folder).all())
        self._take_stored()
        slots = self.executor.slots
        ours = {*self.handed.values(), *self._later_s}
        at_work = any(lease.run_id in ours for lease in self._leases)
        self._idle.look(slots, at_work=at_work or not ours)
        if self.executor.copies and not self.queue:
            self._copy_stragglers(slots - len(self.handed))

    def _take_stored(self) -> None:
        """Take a run that is stored if a worker's answer is lost, which is checked each minute."""
        if time.monotonic() < self._check_s:
            return
        self._check_s = time.monotonic() + LOST_S
        stored = {run for run in self.handed.values() if run in self.jobs and self.store.has(run)}
        for run_id in stored & self._unanswered:  # stored for a minute at least
            self._finish(JobOutcome(run_id, there=True))
        self._unanswered = stored

    def _stand(self) -> None:
        """Add up what is made, and of what is in hand the part that is done."""
        in_hand = [lease for lease in self._leases if lease.run_id in self.jobs]
        self.progress.made_s = self._made_s + sum(
            lease.share * _simulated_s(self.jobs[lease.run_id]) for lease in in_hand
        )
        self.progress.packet_hops = self._hops + sum(lease.packet_hops for lease in in_hand)

    def _copy_stragglers(self, free: int) -> None:
        """Start the slowest of the last runs again on free workers: the first to finish wins."""
        ours = set(self.handed.values()) - self.copied
        slow = [c for c in self._leases if c.run_id in ours and self._straggles(c)]
        for lease in sorted(slow, key=lambda lease: lease.since_s)[: max(free, 0)]:
            self.copied.add(lease.run_id)
            future = self.executor.submit(self.jobs[lease.run_id], copy=True)
            self.handed[future] = lease.run_id

    def _straggles(self, lease: Lease) -> bool:
        usual_s = median(self.walls_s) if self.walls_s else float("inf")
        return lease.for_s > STRAGGLES * usual_s or lease.silent_s > QUIET_S


def _simulated_s(job: Job) -> float:
    return job.scenario.duration / PS_PER_S


def _failed_error(
    failures: Sequence[Failure], progress: CampaignProgress, store: Store
) -> FailedRunsError:
    lines = [
        f"{format_labels(failure.labels)}: {failure.error}"
        f" (headgate run {failed_file(store.folder, failure.run_id).with_suffix('.toml')})"
        for failure in failures
    ]
    head = f"{len(failures)} of {progress.total} runs failed, the others are in {store.folder}"
    return FailedRunsError(f"{head}; the same command tries them again:", *lines)
