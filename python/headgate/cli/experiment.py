"""`headgate experiment new | check | run`: user-defined experiments."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated, Literal

import typer

from headgate.base.errors import HeadgateError
from headgate.base.terminal import echo
from headgate.cli.campaign import (
    Clustered,
    DryRun,
    Results,
    ShardOf,
    StopAfter,
    ThreadsEach,
    Workers,
    console,
    print_means,
    read_shard,
    run_shard,
    show_cost,
    show_outcome,
    stopping_after,
)
from headgate.cli.options import Json, Trust, warn

app = typer.Typer(no_args_is_help=True, help="Run your experiment: many runs from one file.")

File = Annotated[Path, typer.Argument(metavar="FILE", help="An experiment in TOML.")]
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
) -> None:
    """Write an experiment with comments, ready to run and to change.

    Example: headgate experiment new out/exp.toml --scenario examples/first.toml
    """
    from headgate.experiment.templates import write_experiment

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

    experiment = Experiment.load(file, settings or (), unset or (), trust=trust)
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
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Run an experiment: every condition with every replicate, means with intervals, effects.

    Each finished run is stored at once. Ctrl-C stops the experiment; the same command resumes it.
    The report is one HTML file that opens offline.
    """
    from headgate.experiment import runner
    from headgate.experiment.experiment import Experiment
    from headgate.lab.workers import WorkerPool

    pool, part = WorkerPool(workers, cluster, threads), read_shard(shard)
    if until not in (None, "decided"):
        raise HeadgateError(f"--until {until}: write --until decided")
    stop: Literal["decided"] | None = "decided" if until else None
    experiment = Experiment.load(file, settings or (), unset or (), trust=trust)
    warn(experiment.check())
    asked = experiment.plan_runs(out, results)
    if dry_run:
        show_cost(runner.cost(asked, workers), as_json)
        return
    with stopping_after(stop_after):
        if part is not None:
            run_shard(asked, part, pool, as_json)
            return
        result = experiment.run(out, workers, threads, cluster, results, until=stop)
    if as_json:
        echo(json.dumps(result.as_json()))
        return
    print_means(console(), result.table)
    show_outcome(result.outcome)
