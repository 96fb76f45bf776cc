"""`headgate study` and `headgate reproduce`: designed experiments and the claims they check."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headgate.base.terminal import echo
from headgate.cli import complete
from headgate.cli.campaign import (
    Clustered,
    DryRun,
    Pilots,
    Results,
    ShardOf,
    StopAfter,
    ThreadsEach,
    Workers,
    console,
    print_claims,
    print_reasons,
    say_report,
)
from headgate.cli.ci import FailOn, Junit
from headgate.cli.options import Json, Trust
from headgate.cli.runs import (
    RunOptions,
    StudyOptions,
    find_experiment,
    find_study_folder,
    refuse_study_options,
    run_experiment,
    run_study,
)

if TYPE_CHECKING:
    from headgate.claims.verdicts import JudgedClaim
    from headgate.lab.workers import WorkerPool

#: The stored results of the clone.
STORED = Path("studies") / "results"
Scale = Annotated[
    str,
    typer.Option(
        help="The size of the study: quick (minutes), standard (hours), full (as published), or a"
        " fraction of the full size such as 1/20.",
        autocompletion=complete.scales,
    ),
]


def study(  # noqa: PLR0913, PLR0917 - one for each option
    name: Annotated[
        str,
        typer.Argument(
            help="A study's name, the folder of a study or of an experiment, or `list`.",
            autocompletion=complete.studies,
        ),
    ] = "list",
    scale: Scale = "quick",
    workers: Workers = None,
    threads: ThreadsEach = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for runs, figures and report; by default out/NAME."),
    ] = None,
    ccas: Annotated[
        list[str] | None,
        typer.Option(
            "--cca",
            metavar="FILE:NAME",
            help="Your algorithm, FILE.py:CLASS or FILE.c, to compare with the others; repeatable."
            " Claims are judged without it. `headgate study list` lists the studies that accept"
            " one.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a setting of its study.toml, such as base.load=0.7; repeatable. Claims are"
            " then not judged.",
        ),
    ] = None,
    design: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="A design file, such as nist-sensitivity's design.toml, whose factors and levels"
            " replace those of the study.",
        ),
    ] = "",
    cluster: Clustered = None,
    results: Results = None,
    stop_after: StopAfter = None,
    shard: ShardOf = None,
    dry_run: DryRun = False,
    pilots: Pilots = False,
    fail_on: FailOn = None,
    junit: Junit = None,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Run a study: a designed experiment, its analysis, and the claims it checks.

    Each finished run is stored at once. Ctrl-C stops the study; the same command resumes it. The
    report is one HTML file that opens offline.
    """
    if name == "list":
        _list(as_json)
        return
    options = RunOptions(
        settings or (), workers, threads, out, cluster, results, stop_after, shard,
        dry_run, pilots, trust, as_json, (), fail_on or (), junit,
    )  # fmt: skip
    own = StudyOptions(scale, ccas or (), design)
    if (file := find_experiment(Path(name))) is not None:
        refuse_study_options(own)
        run_experiment(file, options)
    else:
        run_study(str(find_study_folder(Path(name)) or name), options, own)


def reproduce(  # noqa: PLR0913, PLR0917 - one for each option
    scale: Annotated[
        str | None,
        typer.Option(
            help="quick, standard, full or a fraction; by default the largest stored one, or quick"
            " with --run.",
            autocompletion=complete.scales,
        ),
    ] = None,
    results: Results = None,
    run: Annotated[
        bool, typer.Option("--run", help="Run every study, reusing the runs in --results.")
    ] = False,
    update: Annotated[
        bool,
        typer.Option("--update", help="Replace the stored values by the computed ones."),
    ] = False,
    workers: Workers = None,
    threads: ThreadsEach = None,
    cluster: Clustered = None,
    out: Annotated[
        Path, typer.Option(help="With --run: folder for the folders of studies.")
    ] = Path("out"),
    as_json: Json = False,
) -> None:
    """Print one table of all claims, from stored results or, with --run, from runs made now.

    Every value is computed from the stored runs of its study. A study without stored runs is judged
    by the stored values.

    Below the table, each claim that differs is listed with its reason and its origin (the source, a
    model, or Headgate), and each open claim with the data that would decide it. At the end, each
    statement of the reproduced documents counts once. Results are read from `studies/results`, or
    from --results. A study without results at --scale is judged at its largest scale. Stale results
    are marked: the study would now make different runs, or analyse them differently.
    """
    if run:
        from headgate.lab.workers import WorkerPool

        _run_all(scale or "quick", WorkerPool(workers, cluster, threads), out, results, as_json)
        return
    from headgate.experiment.packages import find_studies
    from headgate.experiment.study.documents import count_statements
    from headgate.experiment.study.stored import compute_stored

    stored = []
    for one in compute_stored(results or STORED, scale, update):
        echo(f"{one.study}: {one.describe_values()}", error=True)
        stored.append(one)
    if as_json:
        echo(json.dumps([one.as_json() for one in stored]))
        return
    printed = console()
    claims = [(one.study, claim) for one in stored for claim in one.claims]
    print_claims(printed, claims)
    print_reasons(printed, claims)
    for one in stored:
        stale = f"; STALE: {one.stale}" if one.stale else ""
        printed.print(
            f"{one.study}: scale {one.scale}, {one.basis.runs} runs,"
            f" {one.basis.cpu_s / 3600:.3g} CPU hours, {one.basis.date};"
            f" {one.describe_values()}{stale}",
            soft_wrap=True,
        )
    if lacking := [name for name in find_studies() if name not in {one.study for one in stored}]:
        printed.print(f"Not stored, and not counted: {', '.join(lacking)}.", soft_wrap=True)
    hours = sum(one.basis.cpu_s for one in stored) / 3600
    printed.print(f"{count_statements(stored).describe()}.", soft_wrap=True)
    printed.print(f"{_sum_up(claims)} {hours:.3g} CPU hours.", soft_wrap=True)


def _sum_up(claims: "Sequence[tuple[str, JudgedClaim]]") -> str:
    """Count the claims by verdict, and the differences by origin."""
    from headgate.claims.verdicts import count_differences, tally

    judged = [claim for _, claim in claims]
    return f"{tally(judged)}. {count_differences(judged)}."


def _run_all(
    scale: str, pool: "WorkerPool", out: Path, results: Path | None, as_json: bool
) -> None:
    from headgate.base.optional import require
    from headgate.experiment.packages import find_studies
    from headgate.experiment.recall import Answer
    from headgate.experiment.runner import run_study
    from headgate.experiment.study.study import plan_study

    require("report", "a study")
    asked = [plan_study(name, scale, out / name, results=results) for name in find_studies()]
    outcomes = [run_study(one, pool) for one in asked]
    if as_json:
        echo(json.dumps([outcome.as_json() for outcome in outcomes]))
        return
    printed, claims = console(), [(o.study, claim) for o in outcomes for claim in o.claims]
    print_claims(printed, claims)
    print_reasons(printed, claims)
    for outcome in outcomes:
        printed.print(say_report(Answer.of(outcome)), soft_wrap=True)
    printed.print(_sum_up(claims), soft_wrap=True)


def _list(as_json: bool) -> None:
    from headgate.base.optional import advise
    from headgate.experiment.packages import find_studies
    from headgate.experiment.study.study import load

    specs = [load(name).spec for name in find_studies()]
    if as_json:
        keys = ("name", "title", "scales", "own_cca")
        values = [(p.name, p.title, list(p.scales), not p.no_own_cca) for p in specs]
        echo(json.dumps([dict(zip(keys, row, strict=True)) for row in values]))
        return
    if not specs:
        echo(f"no package with studies is installed; {advise('studies')}")
    for spec in specs:
        scales = f"scales: {', '.join(spec.scales)}"
        own = f"no --cca: {spec.no_own_cca}" if spec.no_own_cca else "takes --cca"
        echo(f"{spec.name}: {spec.title} ({scales}; {own})")
