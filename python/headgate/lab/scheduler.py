"""The scheduler of a campaign: it distributes runs to local processes or to a cluster.

A finished run is stored at once. Stored jobs are skipped, and jobs leased by another campaign are
left to it. A failed run is reported at the end; the others continue. Ctrl-C stops the current runs
within a fraction of a second and keeps their state.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import suppress
from dataclasses import dataclass, field
from statistics import median
from typing import Protocol

from headgate.base.errors import FailedRunsError, HeadgateError, InterruptedRunError, StoreError
from headgate.base.progress import Show, clock
from headgate.lab.campaign import (
    Campaign,
    Failure,
    clear_failure,
    failure_path,
    find_failed_runs,
    format_labels,
    record_failure,
)
from headgate.lab.jobs import Job, program
from headgate.lab.leases import Attempts, Lease, Leases
from headgate.lab.order import order_jobs, weigh_jobs
from headgate.lab.processes import Processes
from headgate.lab.store import Store
from headgate.lab.worker import CampaignSpec, JobOutcome, Keep
from headgate.plugin.user_code import require_importable


@dataclass
class CampaignProgress:
    """Progress of a set of runs.

    Work is counted in the packet-hops that the plans allow: `due_hops` of all runs to make, of
    which `made_hops` are done, including parts of unfinished runs.
    """

    total: int
    skipped: int = 0
    finished: int = 0
    failed: int = 0
    due_hops: float = 0.0
    made_hops: float = 0.0
    packet_hops: int = 0
    started_s: float = field(default_factory=time.monotonic)

    @property
    def done(self) -> int:
        """Number of runs that need no more work, including those in the store."""
        return self.skipped + self.finished

    @property
    def elapsed_s(self) -> float:
        """Wall-clock time since the start."""
        return time.monotonic() - self.started_s

    @property
    def hops_per_s(self) -> float:
        """Packet-hops of all workers per second of wall time."""
        return self.packet_hops / max(self.elapsed_s, 1e-9)

    @property
    def eta_s(self) -> float | None:
        """Seconds left if the rest proceeds at the same pace; None at the start."""
        if self.made_hops <= 0:
            return None
        return self.elapsed_s * (self.due_hops - self.made_hops) / self.made_hops

    @property
    def share(self) -> float:
        """Share of the work that is done; a run found in the store is one of `total` parts."""
        found = self.skipped / max(self.total, 1)
        return found + (1 - found) * (self.made_hops / self.due_hops if self.due_hops else 1)

    @property
    def _runs(self) -> str:
        failed = f" ({self.failed} failed)" if self.failed else ""
        return f"{self.done}/{self.total} runs{failed}"

    def __str__(self) -> str:
        said = self._runs
        if self.eta_s is None:
            return said
        return (
            f"{said}, {self.hops_per_s / 1e6:.1f} million packet-hops/s,"
            f" {clock(self.elapsed_s)} elapsed, about {clock(self.eta_s)} left"
        )

    @property
    def short(self) -> str:
        """The progress in about 40 columns, for a bar on a terminal of 80."""
        said = self._runs
        if self.eta_s is None:
            return said
        return f"{said}, {self.hops_per_s / 1e6:.1f} M hops/s, {clock(self.eta_s)} left"


log = logging.getLogger("headgate")

#: Time without work on the campaign until a warning.
WARN_S = 300.0


class IdleWatch:
    """Times since which a campaign lacks workers, and since which none works on it."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._worker_seen_s = self._work_seen_s = time.monotonic()
        self._warned = False

    def look(self, workers: int, *, at_work: bool) -> None:
        """Record the number of workers. Raises HeadgateError after too long without any."""
        now_s = time.monotonic()
        if workers:
            self._worker_seen_s = now_s
        if at_work:
            self._work_seen_s, self._warned = now_s, False
        if now_s - self._worker_seen_s > self._patience_s:
            raise HeadgateError(
                f"no worker of the cluster was there for {self._patience_s:.0f} s; the messages of"
                " Dask may say why. What is finished is stored, and the same command resumes it"
            )
        if now_s - self._work_seen_s > WARN_S and not self._warned:
            self._warned = True
            says = (
                f"the cluster has had no worker for {WARN_S:.0f} s; the campaign waits for one. A"
                " worker that lacks Headgate ends as soon as it gets a run: see its own messages"
            )
            if workers:
                says = (
                    f"none of {workers} workers has worked on the campaign for {WARN_S:.0f} s: they"
                    " may be paused, or work for others; the campaign waits for them"
                )
            log.warning("%s", says)


PAUSE_S = 0.2
#: Wall time between two reads of the leases.
LOOK_S = 1.0
#: A straggler takes this multiple of the median, or its worker is silent this long.
STRAGGLES, QUIET_S = 2.0, 10.0
#: Time that a run may be stored without an answer of its worker.
LOST_S = 60.0
#: Assigned runs per slot, so that no worker waits for the next run.
AHEAD = 2


class Executor(Protocol):
    """Makes `slots` runs at a time; `copies` is true if a second copy may be faster."""

    copies: bool
    #: Greatest time without slots until the campaign ends.
    patience_s: float

    @property
    def slots(self) -> int:
        """Number of runs at a time, now."""

    def open(self, spec: CampaignSpec) -> None:
        """Begin a campaign."""

    def submit(self, job: Job, *, copy: bool = False) -> Future[JobOutcome]:
        """Make a run as soon as a worker is free."""

    def close(self) -> None:
        """Begin no more runs."""


class Scheduler:
    """Makes the runs of jobs; by default on all cores of this machine."""

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
        """Make every run that the store lacks. Raises FailedRunsError after all others are done."""
        jobs = list({job.id: job for job in jobs}.values())
        missing = self.store.missing(jobs)
        work = weigh_jobs(missing)
        missing = order_jobs(missing, work)
        _require_importable(missing)
        progress = CampaignProgress(
            len(jobs), skipped=len(jobs) - len(missing), due_hops=sum(work.values())
        )
        show(progress)
        if not missing:
            self.executor.close()
            with suppress(StoreError):  # a store that cannot be written will do
                Campaign.begin(self.store, title, jobs, work).end("done")
            return
        campaign = Campaign.begin(self.store, title, jobs, work)
        spec = CampaignSpec(self.store.folder.resolve(), campaign.name, program(), self.keep)
        try:
            self.executor.open(spec)
            open_work = _CampaignWork(self.store, self.executor, missing, work, progress)
            failures = open_work.run_all(show)
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
        with suppress(OSError):
            self.store.sweep()  # a killed process may have been about to die as this one started
        if failures:
            raise _failed_error(failures, progress, self.store)


class _CampaignWork:
    def __init__(
        self,
        store: Store,
        executor: Executor,
        jobs: Sequence[Job],
        work: Mapping[str, float],
        progress: CampaignProgress,
    ) -> None:
        self.store, self.executor, self.progress = store, executor, progress
        self.jobs, self.work = {job.id: job for job in jobs}, work
        self.queue = deque(self.jobs)
        self.handed: dict[Future[JobOutcome], str] = {}
        self.copied: set[str] = set()
        self.failures: list[Failure] = []
        self.walls_s: list[float] = []
        self._leases: list[Lease] = []
        self._hops = 0
        self._made_hops = 0.0
        self._later_s: dict[str, float] = {}
        self._look_s = 0.0
        self._check_s = time.monotonic() + LOST_S
        self._unanswered: set[str] = set()
        self._idle = IdleWatch(executor.patience_s)

    def run_all(self, show: Show) -> list[Failure]:
        self._clear_failures()
        while self.jobs:
            self._hand_out()
            done, _ = wait(self.handed, timeout=PAUSE_S, return_when=FIRST_COMPLETED)
            if not self.handed:
                time.sleep(PAUSE_S)
            for future in done:
                self._accept(self.handed.pop(future), future)
            self._poll_leases()
            self._update_progress()
            show(self.progress)
        return self.failures

    def _clear_failures(self) -> None:
        """Retry failed runs; those that did not return the last time come last."""
        attempts = Attempts(self.store.folder)
        for run_id in find_failed_runs(self.store.folder) & self.jobs.keys():
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

    def _accept(self, run_id: str, future: Future[JobOutcome]) -> None:
        if run_id not in self.jobs:  # the other copy was faster
            return
        outcome = self._outcome(run_id, future)
        if outcome.there:
            self._finish(outcome)
        elif run_id in self.handed.values():  # the other copy may do better
            return
        elif outcome.failure is not None:
            self.jobs.pop(run_id)
            self._made_hops += self.work[run_id]
            self.failures.append(outcome.failure)
            self.progress.failed += 1
        else:  # another campaign works on it
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
            return JobOutcome(
                run_id, failure=record_failure(self.store.folder, self.jobs[run_id], error)
            )

    def _finish(self, outcome: JobOutcome) -> None:
        self.jobs.pop(outcome.run_id)
        self._made_hops += self.work[outcome.run_id]
        self._hops += outcome.packet_hops
        if outcome.wall_s:
            self.walls_s.append(outcome.wall_s)
        self.progress.finished += 1

    def _poll_leases(self) -> None:
        """Read the progress of the current runs, each second."""
        if time.monotonic() < self._look_s:
            return
        self._look_s = time.monotonic() + LOOK_S
        self._leases = list(Leases(self.store.folder).all())
        self._accept_stored()
        slots = self.executor.slots
        ours = {*self.handed.values(), *self._later_s}
        at_work = any(lease.run_id in ours for lease in self._leases)
        self._idle.look(slots, at_work=at_work or not ours)
        if self.executor.copies and not self.queue:
            self._copy_stragglers(slots - len(self.handed))

    def _accept_stored(self) -> None:
        """Accept stored runs whose worker's answer is lost, once a minute."""
        if time.monotonic() < self._check_s:
            return
        self._check_s = time.monotonic() + LOST_S
        stored = {run for run in self.handed.values() if run in self.jobs and self.store.has(run)}
        for run_id in stored & self._unanswered:  # stored for a minute at least
            self._finish(JobOutcome(run_id, there=True))
        self._unanswered = stored

    def _update_progress(self) -> None:
        """Add the finished work and the finished parts of current runs."""
        in_hand = [lease for lease in self._leases if lease.run_id in self.jobs]
        self.progress.made_hops = self._made_hops + sum(
            lease.share * self.work[lease.run_id] for lease in in_hand
        )
        self.progress.packet_hops = self._hops + sum(lease.packet_hops for lease in in_hand)

    def _copy_stragglers(self, free: int) -> None:
        """Start the slowest of the last runs again on free workers: the first to finish wins."""
        ours = set(self.handed.values()) - self.copied
        usual_s = median(self.walls_s) if self.walls_s else float("inf")
        slow = [
            lease
            for lease in sorted(self._leases, key=lambda lease: lease.since_s)
            if lease.run_id in ours
            and (lease.for_s > STRAGGLES * usual_s or lease.silent_s > QUIET_S)
        ]
        for lease in slow[: max(free, 0)]:
            self.copied.add(lease.run_id)
            future = self.executor.submit(self.jobs[lease.run_id], copy=True)
            self.handed[future] = lease.run_id


def _require_importable(jobs: Sequence[Job]) -> None:
    """Raise CcaError if workers cannot import a class that Python code passed."""
    for source in {source for job in jobs for source, _ in job.scenario.own_code()}:
        require_importable(source)


def _failed_error(
    failures: Sequence[Failure], progress: CampaignProgress, store: Store
) -> FailedRunsError:
    lines = [
        f"{format_labels(failure.labels)}: {failure.error}"
        f" (headgate run {failure_path(store.folder, failure.run_id).with_suffix('.toml')})"
        for failure in failures
    ]
    head = f"{len(failures)} of {progress.total} runs failed, the others are in {store.folder}"
    return FailedRunsError(f"{head}; the same command tries them again:", *lines)
