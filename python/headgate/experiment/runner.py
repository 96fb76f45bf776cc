"""Runs a study or an experiment, from its jobs to its report, and judges its claims."""

import json
import logging
import math
import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, groupby
from pathlib import Path

from headgate.base.errors import FluidWarning, HeadgateError, NotStoredError, StoreError
from headgate.base.files import write_bytes
from headgate.base.optional import find_missing
from headgate.base.progress import count_slow_steps, show_progress
from headgate.claims.verdicts import Estimate, JudgedClaim, judge, tally
from headgate.data.parquet import write_table
from headgate.engine.api import Result
from headgate.experiment import report_key
from headgate.experiment.runs import Analysis, Key, Runnable, Runs, Setup, scale_name
from headgate.experiment.stored import (
    Basis,
    ReadRuns,
    StoredResults,
    hash_code,
    hash_runs,
    serves_reports,
    store_runs,
)
from headgate.figures.report.about import CLAIMS
from headgate.lab.cost import CostEstimate, estimate
from headgate.lab.jobs import Job
from headgate.lab.scheduler import Scheduler
from headgate.lab.shard import Shard
from headgate.lab.store import Store
from headgate.lab.workers import ALL_CORES, WorkerPool

log = logging.getLogger("headgate")

#: The largest number of attempts to make and read runs; later attempts replace damaged runs.
TRIES = 3
#: The size of the compressed files that are packed together for other machines.
AT_ONCE_BYTES = 50 << 20
OTHER = Estimate(ours=math.nan, note="the settings are not those that the claims are about")


@dataclass(frozen=True)
class StudyRun:
    """The planned runs of a study: its setup, scale and folder.

    With user-defined settings no claim is judged, because claims are about the study's settings.
    """

    study: Runnable
    setup: Setup
    folder: Path
    scale: str = ""
    settings: Sequence[str] = ()
    results: Path | None = None
    """The folder for finished runs and findings that others read."""

    def __post_init__(self) -> None:
        """Raise HeadgateError if `results` is a file, before hours of runs."""
        if self.results is not None and not self.results.is_dir() and self.results.exists():
            raise HeadgateError(f"--results {self.results}: this is a file; give a folder")

    @cached_property
    def stored(self) -> StoredResults | None:
        """The stored results of this study and scale."""
        name = self.scale.replace("/", "-") or "all"
        return StoredResults(self.results / self.study.name / name) if self.results else None

    @cached_property
    def jobs(self) -> Mapping[Key, Job]:
        """Every run, by key."""
        return self.study.jobs(self.setup)


@dataclass(frozen=True)
class StudyOutcome:
    """The outcome of a study: the judged claims, the findings, and their cost."""

    study: str
    scale: str
    claims: tuple[JudgedClaim, ...]
    sentences: tuple[str, ...]
    cpu_s: float
    packet_hops: int
    wall_s: float
    folder: Path
    """The folder of tables and pictures."""
    report: Path | None
    """The page; None if libraries for it are missing."""
    analysis: Analysis

    def as_json(self) -> dict[str, object]:
        """Return the object that `--json` prints."""
        return {
            "study": self.study,
            "claims": [claim.model_dump(mode="json") for claim in self.claims],
            "cpu_s": self.cpu_s,
            "packet_hops": self.packet_hops,
        }


def run_study(
    asked: StudyRun,
    pool: WorkerPool = ALL_CORES,
    show: Callable[[StudyOutcome], None] = lambda _: None,
) -> StudyOutcome:
    """Make the missing runs, analyse, judge, draw, and write the report.

    `show` is called with the outcome before anything is drawn, which takes long.
    """
    started_s = time.monotonic()
    study, folder = asked.study, choose_folder(asked)
    _keep_files(study, folder)
    found = _make_and_analyse(asked, pool)
    total, analysis = found.total, found.analysis
    judged = tuple(
        judge(c, analysis.findings, scale_name(asked.scale), total[0]) for c in study.claims
    )
    sentences = (*analysis.sentences, *([f"{tally(judged)}."] if judged else []))
    outcome = StudyOutcome(
        study.name, asked.scale, judged, sentences, *total, time.monotonic() - started_s,
        folder, None, analysis,
    )  # fmt: skip
    write_bytes(folder / CLAIMS, json.dumps(outcome.as_json(), indent=1).encode())
    show(outcome)
    found = _draw_and_store(asked, found, pool)
    if asked.stored is not None:
        asked.stored.write(analysis.findings, basis_of(asked, total[0]))
    report = _report(asked, found.read.runs, found.analysis, folder, total, pool)
    return replace(outcome, report=report, analysis=found.analysis)


@dataclass(frozen=True)
class _Found:
    """Finished runs with the data that is read of them, their cost, and their analysis."""

    read: ReadRuns
    total: tuple[float, int]
    analysis: Analysis


def _make_and_analyse(asked: StudyRun, pool: WorkerPool) -> _Found:
    """Make runs and analyse them; make all again if the stored runs lack data."""
    try:
        return _try_analysis(asked, pool)
    except NotStoredError as lacking:
        return _make_again(asked, pool, lacking)


def _make_again(asked: StudyRun, pool: WorkerPool, lacking: NotStoredError) -> _Found:
    if asked.stored is None:
        raise lacking
    log.warning("%s; the report reads it, so the runs are made again", lacking)
    return _try_analysis(replace(asked, results=None), pool)


def _try_analysis(asked: StudyRun, pool: WorkerPool) -> _Found:
    runs, total = make_runs(asked, pool)
    read = ReadRuns(runs, {key: asked.jobs[key].identity for key in runs.results})
    analysis = _analyse(asked.study, read.watched)
    if asked.settings:
        others = dict.fromkeys((claim.id for claim in asked.study.claims), OTHER)
        analysis = replace(analysis, findings=others)
    return _Found(read, total, analysis)


def _draw_and_store(asked: StudyRun, found: _Found, pool: WorkerPool) -> _Found:
    """Store the data that the analysis and its pictures read, which are drawn for that."""
    find = asked.study.find
    if asked.stored is None or find is None:
        return found
    try:
        len(found.analysis.pictures)
    except NotStoredError as lacking:
        found = _make_again(asked, pool, lacking)
        len(found.analysis.pictures)
    store_runs(asked.stored.runs, found.read, find)
    return found


def _report(  # noqa: PLR0913, PLR0917 - the inputs of the report
    asked: StudyRun,
    runs: Runs,
    analysis: Analysis,
    folder: Path,
    total: tuple[float, int],
    pool: WorkerPool,
) -> Path | None:
    """Write tables and page unless they are current; return the page, if its libraries exist."""
    scale = " ".join((asked.scale, *(f"--set {text}" for text in asked.settings)))
    judged = (folder / CLAIMS).read_bytes()
    made_of = report_key.hash_basis(asked.study, runs, analysis, scale, judged)
    tables = [*analysis.files, *(f"{data.name}.parquet" for data in analysis.data)]
    if report_key.is_current(folder, made_of, tables):
        return folder / report_key.PAGE
    for name, text in analysis.files.items():
        write_bytes(folder / name, text.encode())
    for data in analysis.data:
        write_table(folder / f"{data.name}.parquet", data)
    if find_missing("report"):
        return None
    from headgate.experiment.reporting import write_about
    from headgate.figures.report.make import make

    write_about(asked.study, runs, analysis, folder, scale, total)
    page = make(folder, pool.workers)
    report_key.write_key(folder, made_of, tables)
    return page


def choose_folder(asked: StudyRun) -> Path:
    """Return the folder of the report: that of the runs, or another if that is read-only."""
    if not asked.folder.is_dir() or os.access(asked.folder, os.W_OK):
        return asked.folder
    apart = Path("out") / f"{asked.folder.resolve().name}-report"
    log.warning("%s: cannot be written; the report is in %s", asked.folder, apart)
    return apart


def run_shard(asked: StudyRun, shard: Shard, pool: WorkerPool = ALL_CORES) -> int:
    """Make the runs of one shard, analyse nothing, and return the number of runs."""
    mine = shard.of(_missing(asked))
    _keep_files(asked.study, asked.folder)
    store = Store(asked.folder)
    _make(asked, mine, store, pool)
    _keep_for_others(asked, mine, store)
    return len(mine)


def cost(asked: StudyRun, workers: int | None = None, *, pilots: bool = False) -> CostEstimate:
    """Estimate the cost of the runs that the store lacks; with `pilots`, from short pilot runs."""
    return estimate(_missing(asked), Store(asked.folder), workers, pilots=pilots)


def _missing(asked: StudyRun) -> list[Job]:
    """Return the jobs whose runs nobody has stored."""
    kept = _read_kept(asked)
    return [job for key, job in asked.jobs.items() if key not in kept]


def _keep_files(study: Runnable, folder: Path) -> None:
    for name, text in study.files.items():
        write_bytes(folder / name, text)


def _make(asked: StudyRun, jobs: Sequence[Job], store: Store, pool: WorkerPool) -> None:
    """Make the missing runs; if stopped, store the finished ones for other machines."""
    study = asked.study
    try:
        with show_progress(study.name) as show:
            scheduler = Scheduler(store, keep=study.keep, executor=pool.executor())
            scheduler.run(jobs, show, study.name)
    except BaseException:
        _keep_for_others(asked, jobs, store)
        raise


def _keep_for_others(asked: StudyRun, jobs: Sequence[Job], store: Store) -> None:
    if asked.stored is None:
        return
    packed, has_all = asked.stored.runs, asked.study.has_all
    missing = [job for job in jobs if packed.read(job.identity, has_all) is None]
    for some in _split_by_size([job for job in missing if store.has(job.id)], store):
        read = {job.identity: store.read(job) for job in some}
        packed.add({run: result for run, result in read.items() if result is not None}, has_all)


def _split_by_size(jobs: Sequence[Job], store: Store) -> Iterator[list[Job]]:
    """Split finished runs, because the tables of a part are in memory together."""
    totals = accumulate(store.count_bytes(job) for job in jobs)
    parts = groupby(zip(jobs, totals, strict=True), lambda one: one[1] // AT_ONCE_BYTES)
    return ([job for job, _ in part] for _, part in parts)


def make_runs(asked: StudyRun, pool: WorkerPool) -> tuple[Runs, tuple[float, int]]:
    """Make the missing runs; return all, and the CPU seconds and packet-hops of distinct runs."""
    results = _make_results(asked, Store(asked.folder), pool)
    metas = {asked.jobs[key].identity: result.meta for key, result in results.items()}.values()
    total = sum(meta["cpu_s"] for meta in metas), sum(meta["packet_hops"] for meta in metas)
    return Runs(asked.setup, results), total


def _make_results(asked: StudyRun, store: Store, pool: WorkerPool) -> Mapping[Key, Result]:
    """Make the missing runs and read all; make damaged runs again."""
    kept = _read_kept(asked)
    missing = {key: job for key, job in asked.jobs.items() if key not in kept}
    for _ in range(TRIES):
        if missing:
            _make(asked, list(missing.values()), store, pool)
        if asked.study.find is None:  # all runs are stored, for later questions
            _keep_for_others(asked, list(missing.values()), store)
        read = {key: _read(asked, store, job) for key, job in missing.items()}
        results = kept | {key: result for key, result in read.items() if result is not None}
        if len(results) == len(asked.jobs):
            return {key: results[key] for key in asked.jobs}
    raise StoreError(f"{store.runs}: newly written files are damaged; check the disk")


def _read(asked: StudyRun, store: Store, job: Job) -> Result | None:
    """Read a run; remove it, to be made again, if it lacks data of the analysis."""
    result = store.read(job)
    if result is None:
        return None
    if asked.study.has_all(result):
        return asked.study.trim(result)
    store.remove(job)
    return None


def _read_kept(asked: StudyRun) -> dict[Key, Result]:
    """Read the stored runs of other machines that contain all data of the analysis."""
    if asked.stored is None:
        return {}
    packed, study = asked.stored.runs, asked.study

    def is_whole(result: Result) -> bool:
        return serves_reports(result) and study.has_all(result)

    kept: dict[Key, Result] = {}
    with count_slow_steps("looking for stored runs", len(asked.jobs), "runs") as step:
        for key, job in asked.jobs.items():
            if (result := packed.read(job.identity, is_whole)) is not None:
                kept[key] = result
            step()
    return kept


def read_finished(asked: StudyRun) -> Runs | None:
    """Read all stored runs; None if one of them is missing.

    They may be results of an engine with other rules; `Basis.stale` checks that.
    """
    if asked.stored is None:
        return None
    packed, results = asked.stored.runs, {}
    for key, job in asked.jobs.items():
        result = packed.read(job.identity) or packed.read_labelled(key)
        if result is None or not asked.study.has_all(result):
            return None
        results[key] = result
    return Runs(asked.setup, results)


def basis_of(asked: StudyRun, cpu_s: float = 0.0, runs: int | None = None) -> Basis:
    """Return the basis of findings made now.

    `runs` is the number of distinct runs if it is known: to count them, all are planned.
    """
    jobs, study = asked.jobs.values(), asked.study
    code = hash_code(study.code, (claim.basis() for claim in study.claims))
    count = len({job.identity for job in jobs}) if runs is None else runs
    return Basis(hash_runs(jobs), code, count, cpu_s)


def _analyse(study: Runnable, runs: Runs) -> Analysis:
    """Analyse without warnings of fluid runs, which the study reports itself.

    Findings are about the study's own algorithms: a user-defined algorithm appears in tables and
    pictures only, and changes no verdict.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FluidWarning)
        whole = study.analyse(runs)
        if not runs.setup.own:
            return whole
        from headgate.experiment.findings import compare_own

        sentences, tables = compare_own(whole, runs.setup.own)
        return replace(
            whole,
            findings=study.analyse(runs.without_own()).findings,
            sentences=(*whole.sentences, *sentences),
            tables=(*tables, *whole.tables),
        )
