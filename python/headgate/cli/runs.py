"""Runs of experiments and studies: both commands accept the files of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from headgate.base.errors import HeadgateError
from headgate.cli.campaign import (
    answer_campaign,
    read_shard,
    run_shard,
    show_cost,
    stopping_after,
)
from headgate.cli.ci import check_options, report_verdicts
from headgate.cli.options import warn

if TYPE_CHECKING:
    from headgate.experiment.runner import StudyRun
    from headgate.lab.workers import WorkerPool

#: The files that a folder may contain.
EXPERIMENT, STUDY = "experiment.toml", "study.toml"
SMALLEST = "quick"


@dataclass(frozen=True)
class RunOptions:
    """The options that `experiment run` and `study` share."""

    settings: Sequence[str] = ()
    workers: int | None = None
    threads: int | None = None
    out: Path | None = None
    cluster: str | None = None
    results: Path | None = None
    stop_after: str | None = None
    shard: str | None = None
    dry_run: bool = False
    pilots: bool = False
    trust: bool = False
    as_json: bool = False
    unset: Sequence[str] = ()
    fail_on: Sequence[str] = ()
    junit: Path | None = None

    @property
    def answers(self) -> bool:
        """Whether the command makes all runs and judges claims."""
        return not self.dry_run and self.shard is None


@dataclass(frozen=True)
class StudyOptions:
    """The options of `study` alone."""

    scale: str = SMALLEST
    ccas: Sequence[str] = field(default=())
    design: str = ""


def find_experiment(path: Path) -> Path | None:
    """Return the experiment's file that a path means: the file, or that of a folder."""
    if path.is_dir():
        return None if (path / STUDY).is_file() else _only_file(path / EXPERIMENT)
    return _only_file(path) if path.suffix == ".toml" and path.name != STUDY else None


def find_study_folder(path: Path) -> Path | None:
    """Return the folder of the study that a path means: a folder, or its study.toml."""
    folder = path.parent if path.name == STUDY else path
    return folder if (folder / STUDY).is_file() else None


def _only_file(path: Path) -> Path | None:
    return path if path.is_file() else None


def run_experiment(file: Path, options: RunOptions, until: str | None = None) -> None:
    """Run an experiment, and print its means and findings. Raises HeadgateError."""
    from headgate.experiment.experiment import Experiment
    from headgate.lab.workers import WorkerPool

    pool = WorkerPool(options.workers, options.cluster, options.threads)
    if until not in (None, "decided"):
        raise HeadgateError(f"--until {until}: write --until decided")
    experiment = Experiment.load(file, options.settings, options.unset, trust=options.trust)
    claims = bool(experiment.definition.file.claims)
    check_options(options.fail_on, options.junit, answers=options.answers, claims=claims)
    warn(experiment.check())
    places = (options.out, options.results)
    asked = experiment.plan_runs(*places)
    if _runs_partly(asked, pool, options):
        return
    with stopping_after(options.stop_after):
        if until:
            asked = experiment.replicated(*places, pool).plan_runs(*places)
        # the means of a comparison are too many for a terminal
        means = not experiment.definition.file.is_comparison
        answer = answer_campaign(asked, pool, options.as_json, means=means)
    report_verdicts(answer, options.fail_on, options.junit)


def run_study(name: str, options: RunOptions, own: StudyOptions) -> None:
    """Run a study, and print its claims and findings. Raises HeadgateError."""
    from headgate.base.optional import require
    from headgate.experiment.study.study import Overrides, plan_study
    from headgate.lab.workers import WorkerPool

    require("report", "a study")
    claims = not (options.settings or own.design)  # claims are about the design of the study
    check_options(options.fail_on, options.junit, answers=options.answers, claims=claims)
    pool = WorkerPool(options.workers, options.cluster, options.threads)
    changes = Overrides(own.ccas, options.settings, own.design)
    asked = plan_study(name, own.scale, options.out, changes, options.results, trust=options.trust)
    if _runs_partly(asked, pool, options):
        return
    with stopping_after(options.stop_after):
        answer = answer_campaign(asked, pool, options.as_json)
    report_verdicts(answer, options.fail_on, options.junit)


def _runs_partly(asked: StudyRun, pool: WorkerPool, options: RunOptions) -> bool:
    """Estimate the cost, or make the runs of a shard, if the options ask for it."""
    part = read_shard(options.shard)
    if options.dry_run:
        show_cost(asked, options.workers, pilots=options.pilots, as_json=options.as_json)
        return True
    if part is None:
        return False
    with stopping_after(options.stop_after):
        run_shard(asked, part, pool, options.as_json)
    return True


def refuse_study_options(own: StudyOptions) -> None:
    """Refuse options of studies for an experiment. Raises HeadgateError."""
    says = {
        "--scale": (
            own.scale != SMALLEST,
            "scales belong to studies; --set changes keys of an experiment",
        ),
        "--cca": (bool(own.ccas), "write the algorithm into crossed.cca of the experiment"),
        "--design": (bool(own.design), "write the design into the experiment"),
    }
    for option, (given, sentence) in says.items():
        if given:
            raise HeadgateError(f"{option}: {sentence}")
