"""The folder of a study: one folder per finished run, named by its identity.

A run is written as a draft and then renamed, so a kill at any moment leaves a whole run or none.
Runs share no file, so several processes on several machines may work in one folder. The listing of
`runs` shows which runs exist, and their checksums are verified when they are read.

    runs/ID/         a finished run
    drafts/          runs that are being written
    snapshots/ID     the state of a stopped or killed run
    running/ID       its lease (headgate.lab.leases)
    attempts/ID.json its unfinished attempts (headgate.lab.leases)
    failed/ID.*      its error and its scenario
    campaigns/       requests (headgate.lab.campaign)
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import FiniteFloat, NonNegativeInt, TypeAdapter, ValidationError

from headgate.base.errors import StoreError, explain_os
from headgate.base.files import flush
from headgate.base.process import here, is_dead
from headgate.data.folder import (
    LABEL_PREFIX,
    RUN_COLUMN,
    RUN_FILE,
    fill_folder,
    find_run,
    read_meta,
    read_table,
)
from headgate.data.tables import Table
from headgate.engine.api import Result
from headgate.lab.jobs import Job
from headgate.lab.records import Clock

SUMMARY_FILE = "summary.json"
#: Labels of the responses that `headgate watch` shows as means over runs and periods.
FIGURES = {
    "y1": "sources sending",
    "y6": "flows per interval",
    "y5": "loss rate",
    "y10": "sent again",
    "y15": "round trip, s",
}


@dataclass(frozen=True)
class Summary:
    """Cost and labels of a run, and each figure's sum over periods with their number.

    `headgate watch` reads it from a small file next to the tables, ten thousand runs per second. If
    the file is missing or damaged, the tables are read instead.
    """

    packet_hops: NonNegativeInt
    cpu_s: FiniteFloat
    labels: dict[str, str | int | float]
    figures: dict[str, tuple[FiniteFloat, NonNegativeInt]]

    @classmethod
    def of(cls, tables: Mapping[str, Table], meta: Mapping[str, Any]) -> Summary:
        """Summarise a run."""
        responses: Mapping[str, Any] | Table = tables.get("responses", {})
        known = {name: _drop_missing(responses[name]) for name in FIGURES if name in responses}
        own = {name: np.array([value], float) for name, value in meta.get("figures", {}).items()}
        known = {name: _drop_missing(values) for name, values in own.items()} or known
        return cls(
            meta.get("packet_hops", 0),
            meta.get("cpu_s", 0.0),
            dict(meta.get("labels", {})),
            {name: (float(values.sum()), len(values)) for name, values in known.items()},
        )

    def write(self, path: Path) -> None:
        """Write the summary with its checksum."""
        text = json.dumps(vars(self))
        path.write_text(f"{_checksum(text)}\n{text}\n", encoding="utf-8")
        flush(path)


NOTHING = Summary(0, 0.0, {}, {})
_SHAPE = TypeAdapter(Summary)


def summary(run: Path) -> Summary:
    """Read the summary of a run's folder, or make it from the tables."""
    try:
        checksum, _, text = (run / SUMMARY_FILE).read_text(encoding="utf-8").strip().partition("\n")
        if checksum == _checksum(text):
            return _SHAPE.validate_json(text)
    except (OSError, ValueError):
        pass
    try:
        meta = read_meta(run) or {}
        return _SHAPE.validate_python(Summary.of({"responses": read_table(run, "responses")}, meta))
    except (StoreError, ValidationError):  # damaged: the next reader makes it again
        return NOTHING


def _drop_missing(values: Any) -> Any:
    return values[np.isfinite(values)]


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


log = logging.getLogger("headgate")

#: Age at which a draft of another machine, whose processes cannot be checked, counts as dead.
DRAFT_DIES_S = 86_400.0


#: Errors of a read-only file system.
READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)


class Store:
    """The runs of a study in `folder`, which may be read-only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = folder / "runs"
        self.drafts = folder / "drafts"
        try:
            self.runs.mkdir(parents=True, exist_ok=True)
            self.drafts.mkdir(exist_ok=True)
            self.sweep()
        except OSError as error:
            if not (error.errno in READ_ONLY and self.runs.is_dir()):
                raise StoreError(f"{folder}: cannot be made ({explain_os(error)})") from None

    def missing(self, jobs: Sequence[Job]) -> list[Job]:
        """Return the jobs without a stored run."""
        there = {path.name for path in self.runs.iterdir() if (path / RUN_FILE).is_file()}
        return [job for job in jobs if job.id not in there]

    def has(self, run_id: str) -> bool:
        """Return whether a run is stored, without reading it."""
        return (self.runs / run_id / RUN_FILE).is_file()

    def count_bytes(self, job: Job) -> int:
        """Return the size of a run's files in bytes."""
        return sum(path.stat().st_size for path in (self.runs / job.id).iterdir())

    def read(self, job: Job) -> Result | None:
        """Return the result of a job; a damaged run is reported and removed, and gives None.

        The checksum of every file is verified; tables are read on demand. Raises StoreError if a
        damaged run cannot be removed.
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
        """Remove a run, so that it is made again."""
        self._remove(self.runs / job.id)

    def write(self, job: Job, result: Result) -> None:
        """Store a whole run or nothing. Raises StoreError."""
        draft = self.drafts / f"{job.id}@{here()}"
        result.meta["labels"] = dict(job.labels)
        try:
            draft.mkdir()
            Summary.of(result.tables, result.meta).write(draft / SUMMARY_FILE)
            labels = {RUN_COLUMN: job.id} | {LABEL_PREFIX + n: v for n, v in job.labels.items()}
            tables = {name: table.labelled(labels) for name, table in result.tables.items()}
            fill_folder(draft, tables, result.meta)
            self._keep(draft, self.runs / job.id)
        except (OSError, StoreError) as error:
            shutil.rmtree(draft, ignore_errors=True)
            raise StoreError(
                f"{self.folder}: a finished run cannot be stored ({_reason(error)}); the"
                f" {len(list(self.runs.iterdir()))} stored runs are kept: make room, then start"
                " again"
            ) from None

    def snapshot(self, run_id: str) -> Path:
        """Return the path of the state of an unfinished run."""
        return self.folder / "snapshots" / run_id

    def _keep(self, draft: Path, final: Path) -> None:
        """Move a draft to its place; the first of two equal runs is kept."""
        try:
            draft.rename(final)
        except OSError:
            if not self.has(final.name):
                self._remove(final)  # an incomplete run, left by hand
                draft.rename(final)
            else:
                shutil.rmtree(draft)
        flush(self.runs)

    def _remove(self, folder: Path) -> None:
        """Remove a damaged run atomically, so that no process reads half of it."""
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

    def sweep(self) -> None:
        """Remove drafts of killed processes, and leftovers of finished runs."""
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
    digest, hops, cpu_s = (result.meta.get(key) for key in ("digest", "packet_hops", "cpu_s"))
    if isinstance(digest, str) and isinstance(hops, int) and isinstance(cpu_s, int | float):
        return result
    raise StoreError(f"{folder / RUN_FILE}: does not say what the run gave and took")


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
