"""Files of a campaign: the requested runs, the end, and the failures.

A worker on any machine reads here whether its campaign still needs it, and `headgate watch` reads
the pending runs. Only one process writes each file.
"""

from __future__ import annotations

import shutil
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import FiniteFloat

from headgate.base.errors import HeadgateError
from headgate.base.process import here, is_dead
from headgate.lab.jobs import Job
from headgate.lab.records import Clock, read_record, write_record
from headgate.lab.store import Store

End = Literal["done", "stopped", "failed"]


@dataclass(frozen=True)
class CampaignRecord:
    """A campaign at its start: its runs, and those of them that were stored already.

    `due_hops` is the work of the others, in packet-hops (headgate.lab.order). Times follow the
    store's clock (headgate.lab.records).
    """

    name: str
    title: str
    begun_s: FiniteFloat
    owner: str
    found: tuple[str, ...]
    runs: tuple[str, ...]
    due_hops: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class CampaignEnd:
    """The end of a campaign."""

    how: End
    at_s: FiniteFloat


@dataclass(frozen=True)
class Failure:
    """A failed run: its labels and its error."""

    run_id: str
    labels: dict[str, str | int | float]
    error: str
    trace: str = ""

    def __str__(self) -> str:
        return f"{format_labels(self.labels)}: {self.error}"


def format_labels(labels: dict[str, str | int | float]) -> str:
    """Write labels in a line."""
    return " ".join(f"{name}={value}" for name, value in labels.items())


class Campaign:
    """The files of one campaign in a store."""

    def __init__(self, store: Path, name: str) -> None:
        self.store, self.name = store, name
        self.folder = store / "campaigns" / name

    @classmethod
    def begin(
        cls, store: Store, title: str, jobs: Sequence[Job], due_hops: Mapping[str, float]
    ) -> Campaign:
        """Record the request; earlier campaigns that have ended are removed.

        `due_hops` is the work of each run that the store lacks.
        """
        for old in list_campaigns(store.folder):
            asked = old.asked
            if not old.wanted or (asked is not None and is_dead(asked.owner)):
                shutil.rmtree(old.folder, ignore_errors=True)
        stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
        campaign = cls(store.folder, f"{stamp}-{here().replace(':', '-')}-{time.time_ns() % 10**9}")
        runs, due = tuple(job.id for job in jobs), dict(due_hops)
        found = tuple(run for run in runs if run not in due)
        now_s = Clock(store.folder).now_s()
        record = CampaignRecord(campaign.name, title, now_s, here(), found, runs, due)
        write_record(campaign.folder / "asked.json", record)
        return campaign

    def end(self, how: End) -> None:
        """Record the end of the campaign; its workers stop soon."""
        write_record(self.folder / "end.json", CampaignEnd(how, Clock(self.store).now_s()))

    @property
    def asked(self) -> CampaignRecord | None:
        """The request, if this machine can read it."""
        return read_record(CampaignRecord, self.folder / "asked.json")

    @property
    def ended(self) -> CampaignEnd | None:
        """The end of the campaign, if it has ended."""
        return read_record(CampaignEnd, self.folder / "end.json")

    @property
    def wanted(self) -> bool:
        """Whether its runs are still needed; cheap enough to check each second."""
        return self.folder.is_dir() and not (self.folder / "end.json").exists()


def list_campaigns(store: Path) -> list[Campaign]:
    """Return the campaigns of a store."""
    return [Campaign(store, path.name) for path in sorted((store / "campaigns").glob("*"))]


def record_failure(store: Path, job: Job, error: BaseException) -> Failure:
    """Record the error of a run, and its scenario for `headgate run`."""
    name, first = type(error).__name__, (str(error).splitlines() or [""])[0]
    sentence = f"{name}: {first}" if first else name
    if isinstance(error, HeadgateError):
        sentence = str(error)
    trace = "".join(traceback.format_exception(error))
    failure = Failure(job.id, dict(job.labels), sentence, trace)
    write_record(failure_path(store, job.id), failure)
    with suppress(MemoryError, ImportError):  # too little memory to import tomlkit
        job.scenario.save(failure_path(store, job.id).with_suffix(".toml"))
    return failure


def failure_path(store: Path, run_id: str) -> Path:
    """Return the file with the error of a run."""
    return store / "failed" / f"{run_id}.json"


def clear_failure(store: Path, run_id: str) -> None:
    """Remove the record of a failed run before another try."""
    for suffix in (".json", ".toml"):
        failure_path(store, run_id).with_suffix(suffix).unlink(missing_ok=True)


def find_failed_runs(store: Path) -> set[str]:
    """Return the failed runs, also those with unreadable records."""
    return {path.stem for path in (store / "failed").glob("[!.]*")}


def read_failures(store: Path) -> dict[str, Failure]:
    """Return the failed runs that were not repeated, by identity."""
    paths = sorted((store / "failed").glob("[!.]*.json"))
    found = (read_record(Failure, path) for path in paths)
    return {failure.run_id: failure for failure in found if failure}
