"""One run of a campaign from claim to store: what a process anywhere does."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from headgate.api import Result, simulate
from headgate.campaign.attempts import Attempts
from headgate.campaign.campaign import Campaign, Failure, fail, forgive
from headgate.campaign.child import Children, DiedError
from headgate.campaign.jobs import Job, program
from headgate.campaign.leases import Claims
from headgate.campaign.store import Store
from headgate.errors import CrashedRunError, HeadgateError, InterruptedRunError, StoreError
from headgate.own import trust
from headgate.run.process import here
from headgate.run.progress import Progress, StopRunError
from headgate.run.simulate import SnapshotError

log = logging.getLogger("headgate")

#: Wall time between two looks at whether a run is still wanted.
LOOK_S = 0.2

Keep = Callable[[Result], Result]
"""What a study keeps of a finished run; all of it unless it says otherwise."""


@dataclass(frozen=True)
class Order:
    """What a worker has to know of a campaign, wherever it runs."""

    folder: Path
    campaign: str
    program: str
    keep: Keep | None = None
    named: trust.Named = field(default_factory=trust.named)


@dataclass(frozen=True)
class Outcome:
    """What came of a run: it is there, it failed, or neither, since another has it in hand."""

    run_id: str
    there: bool = False
    packet_hops: int = 0
    wall_s: float = 0.0
    failure: Failure | None = None


class Worker:
    """Makes runs of a campaign; several threads may share one."""

    def __init__(self, order: Order, store: Store) -> None:
        self.order, self.store = order, store
        self.claims, self.attempts = Claims(store.folder), Attempts(store.folder)
        self.campaign = Campaign(store.folder, order.campaign)

    def do(self, job: Job, *, copy: bool = False) -> Outcome:
        """Make a run that is not there; a second copy does not mind that another has it."""
        if self.store.has(job.id):
            return Outcome(job.id, there=True)
        if not copy and not self.claims.take(job):
            return Outcome(job.id)
        try:
            return self._make(job)
        finally:
            self.claims.drop(job.id)

    def _make(self, job: Job) -> Outcome:
        if self.store.has(job.id):  # finished between the look and the claim
            return Outcome(job.id, there=True)
        try:
            self.attempts.begin(job.id)
        except CrashedRunError as error:
            return Outcome(job.id, failure=fail(self.store.folder, job, error))
        try:
            return self._attempted(job)
        finally:
            self.attempts.end(job.id)

    def _attempted(self, job: Job) -> Outcome:
        begun_s = time.perf_counter()
        try:
            result = self._simulated(job)
            kept = self.order.keep(result) if self.order.keep else result
        except InterruptedRunError:
            return self._stopped(job.id)
        except (StoreError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # also a panic of the engine: the other runs go on
            return Outcome(job.id, failure=fail(self.store.folder, job, error))
        self.store.write(job, kept)
        self.store.snapshot(job.id).unlink(missing_ok=True)
        forgive(self.store.folder, job.id)
        hops = int(result.meta.get("packet_hops", 0))
        return Outcome(job.id, True, packet_hops=hops, wall_s=time.perf_counter() - begun_s)

    def _stopped(self, run_id: str) -> Outcome:
        """Tell whether another was faster; then nobody goes on from here."""
        there = self.store.has(run_id)
        if there:
            self.store.snapshot(run_id).unlink(missing_ok=True)
        return Outcome(run_id, there)

    def _simulated(self, job: Job) -> Result:
        report, snapshot = self._report(job.id), self.store.snapshot(job.id)
        try:
            return simulate(job.scenario, progress=report, snapshot=snapshot)
        except SnapshotError as error:
            log.warning("%s; the run begins again", error)
            snapshot.unlink(missing_ok=True)
            return simulate(job.scenario, progress=report, snapshot=snapshot)

    def _report(self, run_id: str) -> Callable[[Progress], None]:
        looked_s = time.perf_counter()

        def report(now: Progress) -> None:
            nonlocal looked_s
            self.claims.note(run_id, now)
            if time.perf_counter() - looked_s < LOOK_S:
                return
            looked_s = time.perf_counter()
            if not self.campaign.wanted or self.store.has(run_id):
                raise StopRunError

        return report


def isolated(children: Children, order: Order, job: Job, copy: bool = False) -> Outcome:
    """Make a run in a child, which it may take down; after too often it is set aside."""
    try:
        return children.call(do, order, job, copy)
    except DiedError as died:
        attempts = Attempts(order.folder)
        attempts.died(job.id, died.child, died.cause)
        Claims(order.folder).bury(job.id, died.child)
        try:
            attempts.judge(job.id)
        except CrashedRunError as error:
            return Outcome(job.id, failure=fail(order.folder, job, error))
        return Outcome(job.id)


def do(order: Order, job: Job, copy: bool = False) -> Outcome:
    """Make a run in a process that knows nothing yet but the order. Raises HeadgateError."""
    return _worker(order).do(job, copy=copy)


@cache
def _worker(order: Order) -> Worker:
    if order.program != program():
        raise HeadgateError(
            f"worker {here()}: has headgate {program()}, the campaign has {order.program}; give"
            " both the same version"
        )
    if Campaign(order.folder, order.campaign).asked is None:
        raise StoreError(
            f"worker {here()}: does not see {order.folder}; the workers of a cluster need the"
            " folder of the study on a file system that they share (without one, use --shard)"
        )
    trust.take(order.named)
    return Worker(order, Store(order.folder))
