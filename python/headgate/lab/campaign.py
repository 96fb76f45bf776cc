"""What was asked for, in files: the runs of a campaign, whether it ended, and what failed.

A worker on any machine reads here whether it is still wanted, and `headgate watch` what there is to
come. One file is written by one process only.
"""

from __future__ import annotations

import shutil
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import FiniteFloat

from headgate.base.errors import HeadgateError
from headgate.base.process import here, is_dead
from headgate.lab.clock import Clock
from headgate.lab.jobs import Job
from headgate.lab.records import read_record, write_record
from headgate.lab.store import Store

End = Literal["done", "stopped", "failed"]


@dataclass(frozen=True)
class CampaignRecord:
    """A campaign as it began: its runs, and those of them that were there already.

    Times are of the store's clock (headgate.lab.clock).
    """

    name: str
    title: str
    begun_s: FiniteFloat
    owner: str
    found: tuple[str, ...]
    runs: tuple[str, ...]


@dataclass(frozen=True)
class Ended:
    """How and when a campaign ended."""

    how: End
    at_s: FiniteFloat


@dataclass(frozen=True)
class Failure:
    """A run that failed: its labels, and what it said."""

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
        cls, store: Store, title: str, jobs: Sequence[Job], missing: Sequence[Job]
    ) -> Campaign:
        """Write down what is asked for; campaigns that are over are forgotten."""
        _forget_over(store.folder)
        stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
        campaign = cls(store.folder, f"{stamp}-{here().replace(':', '-')}-{time.time_ns() % 10**9}")
        runs, new = tuple(job.id for job in jobs), {job.id for job in missing}
        found = tuple(run for run in runs if run not in new)
        asked = CampaignRecord(
            campaign.name, title, Clock(store.folder).now_s(), here(), found, runs
        )
        write_record(campaign.folder / "asked.json", asked)
        return campaign

    def end(self, how: End) -> None:
        """Say that the campaign ended; its workers stop soon."""
        write_record(self.folder / "end.json", Ended(how, Clock(self.store).now_s()))

    @property
    def asked(self) -> CampaignRecord | None:
        """What was asked for, if this machine sees it."""
        return read_record(CampaignRecord, self.folder / "asked.json")

    @property
    def ended(self) -> Ended | None:
        """How and when the campaign ended, if it did."""
        return read_record(Ended, self.folder / "end.json")

    @property
    def wanted(self) -> bool:
        """Whether its runs are still wanted; quick enough to ask each second."""
        return self.folder.is_dir() and not (self.folder / "end.json").exists()


def campaigns(store: Path) -> list[Campaign]:
    """Return every campaign that a store knows."""
    return [Campaign(store, path.name) for path in sorted((store / "campaigns").glob("*"))]


def fail(store: Path, job: Job, error: BaseException) -> Failure:
    """Write down why a run failed, and its scenario, which `headgate run` takes."""
    sentence = str(error) if isinstance(error, HeadgateError) else _name_error(error)
    trace = "".join(traceback.format_exception(error))
    failure = Failure(job.id, dict(job.labels), sentence, trace)
    write_record(failed_file(store, job.id), failure)
    with suppress(MemoryError, ImportError):  # too little memory to import tomlkit
        job.scenario.save(failed_file(store, job.id).with_suffix(".toml"))
    return failure


def failed_file(store: Path, run_id: str) -> Path:
    """Return the file that says why a run failed."""
    return store / "failed" / f"{run_id}.json"


def clear_failure(store: Path, run_id: str) -> None:
    """Forget that a run failed, since it is tried again."""
    for suffix in (".json", ".toml"):
        failed_file(store, run_id).with_suffix(suffix).unlink(missing_ok=True)


def failed_runs(store: Path) -> set[str]:
    """Name the runs that failed, also where what was written of them cannot be read."""
    return {path.stem for path in (store / "failed").glob("[!.]*")}


def failures(store: Path) -> dict[str, Failure]:
    """Return every run that failed and was not made since, by its identity."""
    paths = sorted((store / "failed").glob("[!.]*.json"))
    found = (read_record(Failure, path) for path in paths)
    return {failure.run_id: failure for failure in found if failure}


def _name_error(error: BaseException) -> str:
    first = (str(error).splitlines() or [""])[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


def _forget_over(store: Path) -> None:
    for campaign in campaigns(store):
        asked = campaign.asked
        if not campaign.wanted or (asked is not None and is_dead(asked.owner)):
            shutil.rmtree(campaign.folder, ignore_errors=True)
