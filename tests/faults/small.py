"""The small campaign that faults are put into, in a fork of a process that imported everything."""

from __future__ import annotations

import math
import os
import sys
import traceback
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from headgate import dumbbell
from headgate.base.errors import HeadgateError
from headgate.data.folder import find_run
from headgate.engine.run import simulate
from headgate.lab import worker
from headgate.lab.jobs import Job
from headgate.lab.processes import Processes
from headgate.lab.scheduler import Executor, Scheduler
from headgate.lab.store import Store
from headgate.lab.worker import CampaignSpec, JobOutcome, Worker

TRACEBACK = 70


class Here:
    """Makes one run after the other in this very process."""

    copies, slots, patience_s = False, 1, math.inf

    def open(self, spec: CampaignSpec) -> None:
        """Begin a campaign."""
        self._worker = Worker(spec, Store(spec.folder))

    def submit(self, job: Job, *, copy: bool = False) -> Future[JobOutcome]:
        """Make a run now."""
        made: Future[JobOutcome] = Future()
        try:
            made.set_result(self._worker.run_job(job, copy=copy))
        except BaseException as error:
            made.set_exception(error)
        return made

    def close(self) -> None:
        """Nothing is left to do."""


def apart() -> Executor:
    """Make runs in a separate process."""
    return Processes(1)


def jobs(runs: int = 2) -> list[Job]:
    """Return runs of a hundredth of a CPU second each, with snapshots in between."""
    simulate.SLICE_S, simulate.CHECKPOINT_S, simulate.SNAPSHOT_SHARE = 0.002, 0.01, 1.0
    made = dumbbell(rate="10 Mbit/s", rtt="20 ms", buffer="1 BDP", flows=["reno"], loss=0.001)
    scenario = made.replaced({"duration": "10 s", "measure": {"series": "none"}})
    seeded = [scenario.model_copy(update={"seed": seed}) for seed in range(runs)]
    return [Job(one, {"cca": "reno", "seed": one.seed}) for one in seeded]


def campaign(folder: Path, asked: list[Job], executor: Callable[[], Executor] = Here) -> int:
    """Make what is missing and read all, as a study does; return the exit code."""
    try:
        store = Store(folder)
        for _ in range(3):
            Scheduler(store, executor=executor()).run(asked, lambda _: None)
            found = [store.read(job) for job in asked]
            if all(found):
                return 0
    except HeadgateError as error:
        print(f"headgate: {error}", file=sys.stderr)
        return error.exit_code
    except BaseException:
        traceback.print_exc()
        return TRACEBACK
    return TRACEBACK


@dataclass(frozen=True)
class Ended:
    """How a fork ended: its exit code, negative if by a signal, and what it said."""

    code: int
    said: str


def forked(work: Callable[[], int], log: Path, begun: Callable[[int], None] = int) -> Ended:
    """Do something in a fork, which leads a new process group."""
    process = os.fork()
    if not process:
        try:
            os.setpgid(0, 0)
            handle = os.open(log, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
            os.dup2(handle, 1)
            os.dup2(handle, 2)
            code = work()
        except BaseException:
            traceback.print_exc()
            code = TRACEBACK
        os._exit(code)
    begun(process)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return Ended(code, log.read_text(errors="replace"))


def digests(folder: Path) -> dict[str, str]:
    """Return the digest of every run that is there, each held to its checksums."""
    return {run.name: find_run(run)[1]["digest"] for run in (folder / "runs").iterdir()}


def stamps(folder: Path) -> dict[str, int]:
    """Tell for every run that is there which making of it it is."""
    runs = folder / "runs"
    return {run.name: (run / "run.json").stat().st_ino for run in runs.glob("*")}


def made_here() -> list[str]:
    """Count the runs that this process makes from now on."""
    made: list[str] = []
    plain = worker.Worker._attempt

    def counted(self: Worker, job: Job) -> JobOutcome:
        outcome = plain(self, job)
        made.extend([job.id] if outcome.wall_s else [])
        return outcome

    worker.Worker._attempt = counted  # type: ignore[method-assign]
    return made
