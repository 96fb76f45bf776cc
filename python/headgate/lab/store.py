"""A study's folder: one folder a finished run, named by its identity; present means done.

A run is written among the drafts and then renamed, so that a kill at any moment leaves either a
whole run or none. No file is shared between runs, so several processes, also on several machines,
may work in one folder. What is there is known by the listing of `runs`, which no kill, copy or hand
can make wrong; whether it is as it was written is checked when it is read.

    runs/ID/         a finished run
    drafts/          runs that are being written
    snapshots/ID     the state of a run that was stopped or killed
    running/ID       who works on it (headgate.lab.leases)
    attempts/ID.json starts of it that have not come back (headgate.lab.attempts)
    failed/ID.*      why it failed, and its scenario
    campaigns/       what was asked for (headgate.lab.campaign)
"""

from __future__ import annotations

import errno
import logging
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from headgate.base.errors import StoreError, explain_os
from headgate.base.files import flush
from headgate.base.process import here, is_dead
from headgate.data.folder import LABEL_PREFIX, RUN_COLUMN, RUN_FILE, find_run, write_folder
from headgate.data.tables import Table
from headgate.engine.api import Result
from headgate.lab.clock import Clock
from headgate.lab.jobs import Job
from headgate.lab.summary import SUMMARY_FILE, Summary

log = logging.getLogger("headgate")

#: Age at which a draft of another machine, whose processes cannot be asked, is taken for dead.
DRAFT_DIES_S = 86_400.0


#: What a file system says on which nothing is to be written.
READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)


class Store:
    """The runs of a study below `folder`. One that cannot be written can still be read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = folder / "runs"
        self.drafts = folder / "drafts"
        try:
            self.runs.mkdir(parents=True, exist_ok=True)
            self.drafts.mkdir(exist_ok=True)
            self._sweep()
        except OSError as error:
            if not (error.errno in READ_ONLY and self.runs.is_dir()):
                raise StoreError(f"{folder}: cannot be made ({explain_os(error)})") from None

    def missing(self, jobs: Sequence[Job]) -> list[Job]:
        """Return the jobs that have no run here."""
        there = {path.name for path in self.runs.iterdir() if (path / RUN_FILE).is_file()}
        return [job for job in jobs if job.id not in there]

    def has(self, run_id: str) -> bool:
        """Say whether a run is here, without reading it."""
        return (self.runs / run_id / RUN_FILE).is_file()

    def count_bytes(self, job: Job) -> int:
        """Return how many bytes the files of a run take."""
        return sum(path.stat().st_size for path in (self.runs / job.id).iterdir())

    def read(self, job: Job) -> Result | None:
        """Return the result of a job; a damaged run is reported, removed, and no result.

        Every file is held to its checksum; tables are read when they are asked for. Raises
        StoreError where a damaged run cannot be removed.
        """
        folder = self.runs / job.id
        try:
            return _whole(Result(*find_run(folder)), folder)
        except StoreError as error:
            if folder.exists():
                log.warning("%s: this run is damaged and is made again (%s)", folder, error)
                self._remove(folder)
            return None

    def remove(self, job: Job) -> None:
        """Take a run away, so that it is made again."""
        self._remove(self.runs / job.id)

    def write(self, job: Job, result: Result) -> None:
        """Store a finished run: whole, or not at all."""
        draft = self.drafts / f"{job.id}@{here()}"
        result.meta["labels"] = dict(job.labels)
        try:
            draft.mkdir()
            Summary.of(result.tables, result.meta).write(draft / SUMMARY_FILE)
            write_folder(draft, _add_labels(job, result), result.meta)
            self._keep(draft, self.runs / job.id)
        except (OSError, StoreError) as error:
            shutil.rmtree(draft, ignore_errors=True)
            raise StoreError(
                f"{self.folder}: a finished run cannot be stored ({_reason(error)}); the"
                f" {len(list(self.runs.iterdir()))} stored runs are kept: make room, then start"
                " again"
            ) from None

    def snapshot(self, run_id: str) -> Path:
        """Return where the state of an unfinished run is kept."""
        return self.folder / "snapshots" / run_id

    def _keep(self, draft: Path, final: Path) -> None:
        """Put a draft in its place; of two that have made the same run, the first is kept."""
        try:
            draft.rename(final)
        except OSError:
            if not self.has(final.name):
                self._remove(final)  # what somebody's hand has left of it
                draft.rename(final)
            else:
                shutil.rmtree(draft)
        flush(self.runs)

    def _remove(self, folder: Path) -> None:
        """Remove a damaged run atomically, so that no reader finds half of it."""
        grave = self.drafts / f"{folder.name}@{here()}.grave"
        try:
            folder.rename(grave)
        except FileNotFoundError:  # another process was faster
            return
        except OSError as error:
            raise StoreError(
                f"{folder}: this run is damaged and cannot be removed ({error.strerror})"
            ) from None
        shutil.rmtree(grave, ignore_errors=True)

    def _sweep(self) -> None:
        """Remove what a killed process left half written, or did not come to remove itself."""
        clock = Clock(self.folder)
        for pattern in ("drafts/*", ".*@*", "*/.*@*", "campaigns/*/.*@*"):
            for draft in self.folder.glob(pattern):
                if not _in_hand(draft, clock):
                    _drop(draft)
        for kind in ("running", "attempts", "snapshots", "failed"):
            for path in self.folder.glob(f"{kind}/[!.]*"):
                if self.has(path.name.partition(".")[0]):
                    _drop(path)


def _whole(result: Result, folder: Path) -> Result:
    """Hold a run to what a campaign needs of it."""
    digest, hops, cpu_s = (result.meta.get(key) for key in ("digest", "packet_hops", "cpu_s"))
    if isinstance(digest, str) and isinstance(hops, int) and isinstance(cpu_s, int | float):
        return result
    raise StoreError(f"{folder / RUN_FILE}: does not say what the run gave and took")


def _add_labels(job: Job, result: Result) -> Mapping[str, Table]:
    labels = {RUN_COLUMN: job.id} | {LABEL_PREFIX + n: v for n, v in job.labels.items()}
    return {name: table.labelled(labels) for name, table in result.tables.items()}


def _in_hand(draft: Path, clock: Clock) -> bool:
    if is_dead(draft.name.partition("@")[2]):
        return False
    try:
        return clock.age_s(draft.stat()) < DRAFT_DIES_S
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
