"""Runs many jobs on all cores: threads, since a native run releases the interpreter's lock.

A finished run is stored at once; a job that the store has already is skipped. Ctrl-C stops the runs
in hand at their next pause (a fraction of a second) and keeps every finished one.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait

from headgate.errors import InterruptedRunError
from headgate.result import Result
from headgate.run.plan import Job
from headgate.run.progress import Progress
from headgate.run.simulate import simulate
from headgate.run.standing import Show, Standing
from headgate.run.store import Store

PAUSE_S = 0.2

Keep = Callable[[Result], Result]
"""What a study keeps of a finished run; all of it unless it says otherwise."""


class _StoppedError(Exception):
    """Raised inside a run whose result nobody waits for any more."""


class Pool:
    """Works through jobs with `workers` threads; all cores unless told."""

    def __init__(self, store: Store, workers: int | None = None, keep: Keep | None = None) -> None:
        self.store = store
        self.keep = keep
        self.workers = workers or os.cpu_count() or 1
        self._stop = threading.Event()
        self._shares: dict[str, float] = {}
        self._hops: dict[str, int] = {}

    def run(self, jobs: Sequence[Job], show: Show) -> None:
        """Run every job that the store lacks."""
        missing = self.store.missing(jobs)
        standing = Standing(total=len(jobs), skipped=len(jobs) - len(missing))
        show(standing)
        with ThreadPoolExecutor(self.workers, thread_name_prefix="headgate-run") as executor:
            try:
                self._watch([executor.submit(self._one, job) for job in missing], standing, show)
            except KeyboardInterrupt:
                self._abandon(executor)
                raise InterruptedRunError(
                    f"stopped with {standing.done} of {standing.total} runs in"
                    f" {self.store.folder}; the same command goes on from there"
                ) from None
            except BaseException:
                self._abandon(executor)
                raise

    def _one(self, job: Job) -> None:
        result = simulate(job.scenario, progress=lambda now: self._note(job.id, now))
        self.store.write(job, self.keep(result) if self.keep else result)
        self._shares.pop(job.id, None)

    def _note(self, job_id: str, now: Progress) -> None:
        self._shares[job_id], self._hops[job_id] = now.share, now.packet_hops
        if self._stop.is_set():
            raise _StoppedError

    def _watch(self, futures: Sequence[Future[None]], standing: Standing, show: Show) -> None:
        pending = set(futures)
        while pending:
            done, pending = wait(pending, timeout=PAUSE_S, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()
            standing.finished = len(futures) - len(pending)
            standing.running_share = sum(list(self._shares.values()))
            standing.packet_hops = sum(list(self._hops.values()))
            show(standing)

    def _abandon(self, executor: ThreadPoolExecutor) -> None:
        self._stop.set()
        executor.shutdown(wait=False, cancel_futures=True)
