"""A study's folder: one folder a finished run, named by its identity; present means done.

A run is written under a temporary name and then renamed, so that a kill at any moment leaves either
a whole run or none. No file is shared between runs.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from headgate.errors import StoreError
from headgate.result import Result
from headgate.run.plan import Job

log = logging.getLogger("headgate")


class Store:
    """The runs of a study below `folder`. Finished ones are kept in memory as they are read."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = folder / "runs"
        self._results: dict[str, Result] = {}
        try:
            self.runs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{folder}: cannot be made ({error.strerror})") from None
        self._sweep()

    def missing(self, jobs: Sequence[Job]) -> list[Job]:
        """Return the jobs that have no whole run here; a damaged run is reported and removed."""
        return [job for job in jobs if not self._load(job.id)]

    def read(self, job: Job) -> Result:
        """Return the result of a job that is here."""
        return self._results[job.id]

    def write(self, job: Job, result: Result) -> None:
        """Store a finished run: whole, or not at all."""
        draft = self.runs / f".{job.id}.{os.getpid()}"
        result.meta["labels"] = dict(job.labels)
        try:
            result.write(draft)
            self._keep(draft, self.runs / job.id)
        except (OSError, StoreError) as error:
            shutil.rmtree(draft, ignore_errors=True)
            raise StoreError(
                f"{self.folder}: a finished run cannot be stored ({_reason(error)}); the"
                f" {len(self._results)} stored runs are kept: make room, then start again"
            ) from None
        self._results[job.id] = result

    def _keep(self, draft: Path, final: Path) -> None:
        if final.exists():  # another process was faster with the same run
            shutil.rmtree(draft)
        else:
            draft.replace(final)

    def _load(self, run_id: str) -> bool:
        folder = self.runs / run_id
        if run_id not in self._results and folder.is_dir():
            try:
                self._results[run_id] = Result.read(folder)
            except StoreError as error:
                log.warning("%s: this run is damaged and is made again (%s)", folder, error)
                shutil.rmtree(folder)
        return run_id in self._results

    def _sweep(self) -> None:
        """Remove what a killed process left half written."""
        for draft in self.runs.glob(".*.[0-9]*"):
            if not _alive(int(draft.name.rpartition(".")[2])):
                shutil.rmtree(draft, ignore_errors=True)


def _alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except OSError:
        return False
    return True


def _reason(error: OSError | StoreError) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error).rpartition("cannot be written: ")[2]
