"""`headgate experiment new | check | run`: an experiment of one's own, from one file."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated, Literal

import typer

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

app = typer.Typer(no_args_is_help=True, help="Run an experiment of your own: many runs, one file.")

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


@app.command()
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it, in TOML.")],
    scenario: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The scenario that is varied; a small one if not given."),
    ] = None,
) -> None:
    """Write an experiment with comments, ready to be run and to be changed.

    Example: headgate experiment new out/exp.toml --scenario examples/first.toml
    """
    from headgate.experiment.templates.experiment import write

    write(file, scenario)
    named = shlex.quote(str(file))
    verbs = ("check", "run")
    echo(str(file), "Next:", *(f"  headgate experiment {verb} {named}" for verb in verbs))


@app.command()
def check(file: File, settings: Set = None, trust: Trust = False, as_json: Json = False) -> None:
    """Check an experiment without running it: factors, conditions, runs, responses, code.

    Every condition is planned, every response and claim is held to the tables that runs have.
    `headgate experiment run FILE --dry-run` says what its runs would cost.
    """
    from headgate.cli.check import describe_code, describe_function
    from headgate.experiment.describe import facts, lines
    from headgate.experiment.experiment import Experiment

    experiment = Experiment.load(file, settings or (), trust=trust)
    warn(experiment.check())
    if as_json:
        echo(json.dumps(facts(experiment.definition)))
        return
    echo(f"{file} is valid: {experiment.title}")
    for line in lines(experiment.definition):
        echo(f"  {line}")
    for code in experiment.definition.own_code():
        echo(f"  {describe_code(*code, where='the experiment')}")
    for source in experiment.definition.file.functions():
        echo(f"  {describe_function(source)}")


@app.command()
def run(  # noqa: PLR0913, PLR0917 - one for each option
    file: File,
    settings: Set = None,
    workers: Workers = None,
    threads: ThreadsEach = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for runs, tables, figures and report; out/NAME unless given."),
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

    Each finished run is stored at once. Stop it when you like (Ctrl-C): the same command
    resumes it. The report is one HTML file that opens with the network off.
    """
    from headgate.experiment import runner
    from headgate.experiment.experiment import Experiment
    from headgate.lab.workers import WorkerPool

    pool, part = WorkerPool(workers, cluster, threads), read_shard(shard)
    stop = _read_until(until)
    experiment = Experiment.load(file, settings or (), trust=trust)
    warn(experiment.check())
    asked = experiment.asked(out, results)
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


def _read_until(text: str | None) -> Literal["decided"] | None:
    from headgate.base.errors import HeadgateError

    if text not in (None, "decided"):
        raise HeadgateError(f"--until {text}: write --until decided")
    return "decided" if text else None
