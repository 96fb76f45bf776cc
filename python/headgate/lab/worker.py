"""One run of a campaign in a worker process: lease, attempt, snapshot, result."""

from __future__ import annotations

import gc
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from headgate.base.errors import (
    CcaError,
    CrashedRunError,
    HeadgateError,
    InterruptedRunError,
    StoreError,
)
from headgate.base.process import here, shorten_name
from headgate.engine.api import Result, simulate
from headgate.engine.run.options import RunOptions, Threads
from headgate.engine.run.progress import Progress, StopRunError
from headgate.engine.run.simulate import SnapshotError
from headgate.lab.campaign import (
    Campaign,
    Failure,
    clear_failure,
    format_labels,
    record_failure,
)
from headgate.lab.child import Children, DiedError
from headgate.lab.jobs import Job, program
from headgate.lab.leases import Attempts, Leases
from headgate.lab.store import Store
from headgate.plugin import code_files

log = logging.getLogger("headgate")

#: Wall time between two checks whether a run is still needed.
POLL_S = 0.2
#: Wall time between two reads of the number of threads.
THREADS_POLL_S = 1.0

#: Thresholds of Python's collector of garbage: a run makes little, and a collection takes long.
GARBAGE = 20_000, 20, 50

Keep = Callable[[Result], Result]
"""Reduces a finished run to the data that a study keeps."""


@dataclass(frozen=True)
class CampaignSpec:
    """Data of a campaign that every worker needs."""

    folder: Path
    campaign: str
    program: str
    keep: Keep | None = None
    named: code_files.CodeNotes = field(default_factory=code_files.export_notes)


@dataclass(frozen=True)
class JobOutcome:
    """Outcome of a run: it is stored, it failed, or another process holds its lease."""

    run_id: str
    there: bool = False
    packet_hops: int = 0
    wall_s: float = 0.0
    failure: Failure | None = None


class Worker:
    """Makes runs of a campaign; several threads may share it."""

    def __init__(self, spec: CampaignSpec, store: Store, threads: Threads = 1) -> None:
        self.spec, self.store, self.threads = spec, store, threads
        self.leases, self.attempts = Leases(store.folder), Attempts(store.folder)
        self.campaign = Campaign(store.folder, spec.campaign)

    def run_job(self, job: Job, *, copy: bool = False) -> JobOutcome:
        """Make a run that is not stored; a second copy ignores the lease of another process."""
        if self.store.has(job.id):
            return JobOutcome(job.id, there=True)
        _require_code(job)
        if not copy and not self.leases.take(job):
            return JobOutcome(job.id)
        try:
            return self._make(job)
        finally:
            self.leases.drop(job.id)

    def _make(self, job: Job) -> JobOutcome:
        if self.store.has(job.id):  # finished between the look and the lease
            return JobOutcome(job.id, there=True)
        try:
            self.attempts.begin(job.id)
        except CrashedRunError as error:
            return JobOutcome(job.id, failure=record_failure(self.store.folder, job, error))
        try:
            return self._attempt(job)
        finally:
            self.attempts.end(job.id)

    def _attempt(self, job: Job) -> JobOutcome:
        begun_s = time.perf_counter()
        try:
            result = self._simulate(job)
            with self.leases.renewing(job.id):
                kept = self.spec.keep(result) if self.spec.keep else result
        except InterruptedRunError:  # another worker may have finished the run first
            there = self.store.has(job.id)
            if there:
                self.store.snapshot(job.id).unlink(missing_ok=True)
            return JobOutcome(job.id, there)
        except (StoreError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # also a panic of the engine: the other runs go on
            return JobOutcome(job.id, failure=record_failure(self.store.folder, job, error))
        if result.meta["identity"] != job.identity:
            raise HeadgateError(
                f"{_worker_name()}: has made another run than the campaign asks for"
                f" ({format_labels(dict(job.labels))}): a file that the scenario names is another"
                " version there, or has changed since; all workers need the same files"
            )
        self.store.write(job, kept)
        self.store.snapshot(job.id).unlink(missing_ok=True)
        clear_failure(self.store.folder, job.id)
        hops = int(result.meta.get("packet_hops", 0))
        return JobOutcome(job.id, True, packet_hops=hops, wall_s=time.perf_counter() - begun_s)

    def _simulate(self, job: Job) -> Result:
        report, snapshot = self._make_report(job.id), self.store.snapshot(job.id)
        options = RunOptions(
            threads=self.threads, snapshot=snapshot, planned=job.planned, resolved=job.resolved
        )
        try:
            return simulate(job.scenario, progress=report, options=options)
        except SnapshotError as error:
            log.warning("%s; the run begins again", error)
            snapshot.unlink(missing_ok=True)
            return simulate(job.scenario, progress=report, options=options)

    def _make_report(self, run_id: str) -> Callable[[Progress], None]:
        looked_s = time.perf_counter()

        def report(now: Progress) -> None:
            nonlocal looked_s
            self.leases.note(run_id, now)
            if time.perf_counter() - looked_s < POLL_S:
                return
            looked_s = time.perf_counter()
            if not self.campaign.wanted or self.store.has(run_id):
                raise StopRunError

        return report


def run_isolated(
    children: Children,
    spec: CampaignSpec,
    job: Job,
    copy: bool = False,
    threads: Path | None = None,
) -> JobOutcome:
    """Make a run in a child process; it is set aside after too many crashes.

    The file `threads` contains the number of threads (`ThreadShares`).
    """
    try:
        is_stuck = Leases(spec.folder).watch(job.id)
        return children.call(run_job, spec, job, copy, threads, is_stuck=is_stuck)
    except DiedError as died:
        attempts = Attempts(spec.folder)
        attempts.note_death(job.id, died.child, died.cause)
        Leases(spec.folder).remove_dead(job.id, died.child)
        try:
            attempts.judge(job.id)
        except CrashedRunError as error:
            return JobOutcome(job.id, failure=record_failure(spec.folder, job, error))
        return JobOutcome(job.id)


def run_job(
    spec: CampaignSpec, job: Job, copy: bool = False, threads: Path | None = None
) -> JobOutcome:
    """Make a run in a new process. Raises HeadgateError."""
    return _worker(spec, threads).run_job(job, copy=copy)


def read_threads(file: Path) -> Callable[[], int]:
    """Return a function that returns the current number of threads of a run."""
    threads, looked_s = 1, 0.0

    def look() -> int:
        nonlocal threads, looked_s
        if time.monotonic() - looked_s >= THREADS_POLL_S:
            looked_s = time.monotonic()
            with suppress(OSError, ValueError):
                threads = max(1, int(file.read_text(encoding="utf-8")))
        return threads

    return look


def _worker_name() -> str:
    return f"worker {shorten_name(here())}"


def _require_code(job: Job) -> None:
    """Raise HeadgateError if the run's user-defined code is not the campaign's."""
    try:
        for source, _ in job.scenario.own_code():
            code_files.require_version(code_files.split(source)[0])
    except CcaError as error:
        raise HeadgateError(
            f"{_worker_name()}: {error}; all workers need the same file at the same path"
        ) from None


@cache
def _worker(spec: CampaignSpec, threads: Path | None) -> Worker:
    if spec.program != program():
        raise HeadgateError(
            f"{_worker_name()}: has headgate {program()}, the campaign has {spec.program}; give"
            " both the same version"
        )
    if Campaign(spec.folder, spec.campaign).asked is None:
        raise StoreError(
            f"{_worker_name()}: does not see {spec.folder}; the workers of a cluster need the"
            " folder of the study on a file system that they share (without one, use --shard)"
        )
    code_files.import_notes(spec.named)
    gc.freeze()  # modules stay, so no run needs to look for garbage among them
    gc.set_threshold(*GARBAGE)
    return Worker(spec, Store(spec.folder), read_threads(threads) if threads else 1)
