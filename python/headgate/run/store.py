"""A study's folder: one folder a finished run, named by its identity; present means done.

A run is written among the drafts and then renamed, so that a kill at any moment leaves either a
whole run or none. No file is shared between runs, so several processes, also on several machines,
may work in one folder.

    runs/ID/         a finished run
    drafts/          runs that are being written
    snapshots/ID     the state of a run that was stopped or killed
    running/ID       who works on it (headgate.run.claims)
    failed/ID.*      why it failed, and its scenario
    campaigns/       what was asked for (headgate.run.campaign)
"""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from headgate.errors import StoreError
from headgate.result import Result
from headgate.run.folder import LABEL_PREFIX, RUN_COLUMN
from headgate.run.plan import Job
from headgate.run.process import dead, here

log = logging.getLogger("headgate")

#: Age at which a draft of another machine, whose processes cannot be asked, is taken for dead.
DRAFT_DIES_S = 86_400.0


class Store:
    """The runs of a study below `folder`; what is read or written stays in memory, unless told."""

    def __init__(self, folder: Path, *, remember: bool = True) -> None:
        self.remember = remember
        self.folder = folder
        self.runs = folder / "runs"
        self.drafts = folder / "drafts"
        self._results: dict[str, Result] = {}
        try:
            self.runs.mkdir(parents=True, exist_ok=True)
            self.drafts.mkdir(exist_ok=True)
        except OSError as error:
            raise StoreError(f"{folder}: cannot be made ({error.strerror})") from None
        self._sweep()

    def missing(self, jobs: Sequence[Job]) -> list[Job]:
        """Return the jobs that have no whole run here; a damaged run is reported and removed."""
        return [job for job in jobs if not self._load(job.id)]

    def has(self, run_id: str) -> bool:
        """Say whether a run is here, without reading it."""
        return run_id in self._results or (self.runs / run_id).is_dir()

    def read(self, job: Job) -> Result:
        """Return the result of a job that is here."""
        if not self._load(job.id):
            raise StoreError(f"{self.runs / job.id}: this run is not there; start again")
        return self._results[job.id]

    def write(self, job: Job, result: Result) -> None:
        """Store a finished run: whole, or not at all."""
        draft = self.drafts / f"{job.id}@{here()}"
        labels = {RUN_COLUMN: job.id} | {LABEL_PREFIX + n: v for n, v in job.labels.items()}
        tables = {name: table.labelled(labels) for name, table in result.tables.items()}
        result.meta["labels"] = dict(job.labels)
        try:
            Result(tables, result.meta).write(draft)
            self._keep(draft, self.runs / job.id)
        except (OSError, StoreError) as error:
            shutil.rmtree(draft, ignore_errors=True)
            raise StoreError(
                f"{self.folder}: a finished run cannot be stored ({_reason(error)}); the"
                f" {len(list(self.runs.iterdir()))} stored runs are kept: make room, then start"
                " again"
            ) from None
        if self.remember:
            self._results[job.id] = result

    def snapshot(self, run_id: str) -> Path:
        """Return where the state of an unfinished run is kept."""
        return self.folder / "snapshots" / run_id

    def _keep(self, draft: Path, final: Path) -> None:
        try:
            draft.rename(final)
        except OSError:
            if not final.is_dir():
                raise
            shutil.rmtree(draft)  # another process was faster with the same run

    def _load(self, run_id: str) -> bool:
        folder = self.runs / run_id
        if run_id not in self._results and folder.is_dir():
            try:
                self._results[run_id] = Result.read(folder)
            except StoreError as error:
                log.warning("%s: this run is damaged and is made again (%s)", folder, error)
                self._remove(folder)
        return run_id in self._results

    def _remove(self, folder: Path) -> None:
        """Take a damaged run away at once, so that nobody finds half of it."""
        grave = self.drafts / f"{folder.name}@{here()}"
        try:
            folder.rename(grave)
        except FileNotFoundError:  # another process was faster
            return
        shutil.rmtree(grave, ignore_errors=True)

    def _sweep(self) -> None:
        """Remove what a killed process left half written."""
        for draft in (*self.drafts.iterdir(), *self.folder.glob("snapshots/.*")):
            if not _in_hand(draft):
                _drop(draft)


def _in_hand(draft: Path) -> bool:
    if dead(draft.name.partition("@")[2]):
        return False
    try:
        return time.time() - draft.stat().st_mtime < DRAFT_DIES_S
    except FileNotFoundError:
        return True


def _drop(draft: Path) -> None:
    if draft.is_dir():
        shutil.rmtree(draft, ignore_errors=True)
    else:
        draft.unlink(missing_ok=True)


def _reason(error: OSError | StoreError) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error).rpartition("cannot be written: ")[2]
