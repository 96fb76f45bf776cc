"""`headgate experiment new | check | run`: user-defined experiments."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated

import typer

from headgate.base.errors import HeadgateError
from headgate.base.terminal import echo
from headgate.cli.campaign import (
    Clustered,
    DryRun,
    Pilots,
    Results,
    ShardOf,
    StopAfter,
    ThreadsEach,
    Workers,
)
from headgate.cli.ci import FailOn, Junit
from headgate.cli.options import Json, Trust, warn
from headgate.cli.runs import (
    RunOptions,
    StudyOptions,
    find_experiment,
    find_study_folder,
    run_experiment,
    run_study,
)

app = typer.Typer(no_args_is_help=True, help="Run your experiment: many runs from one file.")

File = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="An experiment in TOML, or a folder with experiment.toml."),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help='Change a key, such as replicates=3 or scenario.duration="5 s" of its base;'
        " repeatable.",
    ),
]
Unset = Annotated[
    list[str] | None,
    typer.Option(
        "--unset",
        metavar="KEY",
        help="Remove a key, such as derived or scenario.network.queue of its base, before --set"
        " changes others; repeatable.",
    ),
]


@app.command()
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write, in TOML.")],
    scenario: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The scenario to vary; by default, a small one."),
    ] = None,
    like: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="A template of an installed package: nist compares algorithms by a fractional"
            " design, three periods and five questions.",
        ),
    ] = "",
    base: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="With --like: the network to vary, such as isp, abilene, dumbbell or mesonet.",
        ),
    ] = "",
) -> None:
    """Write an experiment with comments, ready to run and to change.

    Example: headgate experiment new out/exp.toml --scenario examples/first.toml
    Example: headgate experiment new --like nist out/mine.toml
    """
    from headgate.experiment.templates import write_experiment, write_like

    if like:
        write_like(like, file, base, scenario)
    elif base:
        raise HeadgateError(f"--base {base}: belongs to a template; give --like nist too")
    else:
        write_experiment(file, scenario)
    named = shlex.quote(str(file))
    verbs = ("check", "run")
    echo(str(file), "Next:", *(f"  headgate experiment {verb} {named}" for verb in verbs))


@app.command()
def check(
    file: File,
    settings: Set = None,
    unset: Unset = None,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Check an experiment without running it: factors, conditions, runs, responses, code.

    Every condition is planned; every response and claim is checked against the tables of runs.
    `headgate experiment run FILE --dry-run` estimates the cost.
    """
    from headgate.cli.check import describe_code, describe_function
    from headgate.experiment.experiment import Experiment

    if (folder := find_study_folder(file)) is not None:
        raise HeadgateError(f"{folder}: is a study; `headgate study {folder} --dry-run` checks it")
    path = find_experiment(file) or file
    experiment = Experiment.load(path, settings or (), unset or (), trust=trust)
    warn(experiment.check())
    if as_json:
        echo(json.dumps(experiment.definition.facts()))
        return
    echo(f"{file} is valid: {experiment.title}")
    for line in experiment.definition.describe():
        echo(f"  {line}")
    for code in experiment.definition.own_code():
        echo(f"  {describe_code(*code, namer='the experiment')}")
    for source in experiment.definition.file.functions():
        echo(f"  {describe_function(source)}")


@app.command()
def run(  # noqa: PLR0913, PLR0917 - one for each option
    file: File,
    settings: Set = None,
    unset: Unset = None,
    workers: Workers = None,
    threads: ThreadsEach = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for runs, tables, figures and report; by default out/NAME."),
    ] = None,
    cluster: Clustered = None,
    results: Results = None,
    stop_after: StopAfter = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="decided",
            help="Add replicates until every claim is decided, by the file's table `until`.",
        ),
    ] = None,
    shard: ShardOf = None,
    dry_run: DryRun = False,
    pilots: Pilots = False,
    fail_on: FailOn = None,
    junit: Junit = None,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Run an experiment: every condition with every replicate, means with intervals, effects.

    Each finished run is stored at once. Ctrl-C stops the experiment; the same command resumes it.
    The report is one HTML file that opens offline.
    """
    options = RunOptions(
        settings or (), workers, threads, out, cluster, results, stop_after, shard,
        dry_run, pilots, trust, as_json, unset or (), fail_on or (), junit,
    )  # fmt: skip
    if (folder := find_study_folder(file)) is None:
        run_experiment(find_experiment(file) or file, options, until)
    elif until:
        raise HeadgateError(f"--until {until}: {folder} is a study, whose replicates are fixed")
    elif unset:
        raise HeadgateError(f"--unset {unset[0]}: {folder} is a study, which needs all its keys")
    else:
        run_study(str(folder), options, StudyOptions())
