"""`headgate study` and `headgate reproduce`: designed experiments and the claims they check."""

import json
from pathlib import Path
from typing import Annotated

import typer

from headgate.cli.campaign import (
    Clustered,
    DryRun,
    Json,
    ShardOf,
    ThreadsEach,
    Workers,
    console,
    print_claims,
    show_cost,
    show_outcome,
    show_shard,
)
from headgate.visible import say

Scale = Annotated[
    str,
    typer.Option(
        help="How much to run: quick (minutes), standard (hours), full (the published size), or a"
        " fraction of the full size such as 1/20."
    ),
]


def study(  # noqa: PLR0913, PLR0917 - one for each option
    name: Annotated[str, typer.Argument(help="A study's name, or `list`.")] = "list",
    scale: Scale = "quick",
    workers: Workers = None,
    threads: ThreadsEach = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for runs, figures and report; out/NAME unless given."),
    ] = None,
    controls: Annotated[
        list[str] | None,
        typer.Option(
            "--control",
            metavar="FILE:NAME",
            help="A law of your own that is compared with the others; may be repeated.",
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
            " take the place of the study's own.",
        ),
    ] = "",
    cluster: Clustered = None,
    shard: ShardOf = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Run a study: a designed experiment, its analysis, and the claims it checks.

    Each finished run is stored at once. Stop it when you like (Ctrl-C): the same command goes on
    from there. The report is one HTML file that opens with the network off.
    """
    if name == "list":
        _list(as_json)
        return
    from headgate.campaign.workers import WorkerPool
    from headgate.experiment import runner
    from headgate.studies.ask import Overrides, ask

    asked = ask(name, scale, out, Overrides(controls or (), settings or (), design))
    pool = WorkerPool(workers, cluster, threads)
    if dry_run:
        show_cost(runner.cost(asked, workers), as_json)
        return
    if shard is not None:
        count = runner.run_shard(asked, runner.Shard.read(shard), pool)
        show_shard(shard, count, asked.folder, as_json)
        return
    outcome = runner.run_study(asked, pool)
    if as_json:
        say(json.dumps(outcome.as_json()))
    else:
        show_outcome(outcome)


def reproduce(  # noqa: PLR0913, PLR0917 - one for each option
    scale: Scale = "quick",
    workers: Workers = None,
    threads: ThreadsEach = None,
    cluster: Clustered = None,
    out: Annotated[Path, typer.Option(help="Folder that gets a folder for each study.")] = Path(
        "out"
    ),
    as_json: Json = False,
) -> None:
    """Run every study and print one table of all claims."""
    from headgate.campaign.workers import WorkerPool
    from headgate.experiment.runner import run_study
    from headgate.studies.ask import ask
    from headgate.studies.study import names

    pool = WorkerPool(workers, cluster, threads)
    outcomes = [run_study(ask(name, scale, out / name), pool) for name in names()]
    if as_json:
        say(json.dumps([outcome.as_json() for outcome in outcomes]))
        return
    printed = console()
    print_claims(printed, [(o.study, claim) for o in outcomes for claim in o.claims])
    for outcome in outcomes:
        printed.print(f"Report: {outcome.report}", soft_wrap=True)


def _list(as_json: bool) -> None:
    from headgate.studies.study import load, names

    specs = [load(name).spec for name in names()]
    if as_json:
        rows = [{"name": p.name, "title": p.title, "scales": list(p.scales)} for p in specs]
        say(json.dumps(rows))
        return
    for spec in specs:
        say(f"{spec.name}: {spec.title} (scales: {', '.join(spec.scales)})")
