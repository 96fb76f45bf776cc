"""`headgate study` and `headgate reproduce`: designed experiments and the claims they check."""

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headgate.visible import say

if TYPE_CHECKING:
    from rich.table import Table

    from headgate.campaign.cost import CostEstimate
    from headgate.claims import Judged
    from headgate.console import PlainConsole
    from headgate.experiment.runner import StudyOutcome

Scale = Annotated[
    str,
    typer.Option(
        help="How much to run: quick (minutes), standard (hours), full (the published size), or a"
        " fraction of the full size such as 1/20."
    ),
]
Workers = Annotated[
    int | None, typer.Option(min=1, help="Runs at a time; all cores unless given.", metavar="N")
]
ThreadsEach = Annotated[
    int | None,
    typer.Option(
        "--threads",
        min=1,
        metavar="N",
        help="Threads of each run; unless given, runs share the cores that are free.",
    ),
]
Clustered = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="WHERE",
        help="Workers of Dask.distributed instead of this machine's cores: a scheduler's address,"
        " its file, or a profile in TOML. They need the folder on a file system that they share.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object in place of the table.")]

PLAIN_WIDTH = 110  # of output that goes to a file or a pipe
SHADES = {"holds": "green", "differs": "red", "corrected": "blue"}


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
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N", help="Run only the I-th of N parts, and analyse nothing; such as 1/4."
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Estimate time and memory from short pilot runs; run nothing else.",
        ),
    ] = False,
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
        _show_cost(runner.cost(asked, workers), as_json)
        return
    if shard is not None:
        count = runner.run_shard(asked, runner.Shard.read(shard), pool)
        _show_shard(shard, count, asked.folder, as_json)
        return
    outcome = runner.run_study(asked, pool)
    if as_json:
        say(json.dumps(outcome.as_json()))
    else:
        _show(outcome)


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
    console = _console()
    _print_claims(console, [(o.study, claim) for o in outcomes for claim in o.claims])
    for outcome in outcomes:
        console.print(f"Report: {outcome.report}", soft_wrap=True)


def _list(as_json: bool) -> None:
    from headgate.studies.study import load, names

    specs = [load(name).spec for name in names()]
    if as_json:
        rows = [{"name": p.name, "title": p.title, "scales": list(p.scales)} for p in specs]
        say(json.dumps(rows))
        return
    for spec in specs:
        say(f"{spec.name}: {spec.title} (scales: {', '.join(spec.scales)})")


def _show_cost(cost: "CostEstimate", as_json: bool) -> None:
    from headgate.campaign.progress import clock

    if as_json:
        say(json.dumps(cost.as_json()))
        return
    there = f", {cost.found} more are there already" if cost.found else ""
    say(f"runs:         {cost.runs}{there}")
    say(f"packet-hops:  {cost.packet_hops:.4g}")
    say(f"CPU time:     {clock(cost.cpu_s)} ({cost.cpu_s / 3600:.4g} hours)")
    say(f"wall time:    {clock(cost.wall_s)} with {cost.workers} runs at a time")
    say(f"memory:       {cost.memory_bytes / 1e9:.2f} GB with {cost.workers} runs at a time")
    say(f"From the beginnings of {cost.pilots} runs on this machine; {_trust(cost)}")


def _trust(cost: "CostEstimate") -> str:
    if not cost.pilots:
        return "nothing is left to run."
    if not cost.whole_pilots:
        return "none could be followed to its end, so that what comes late in a run is not seen."
    return f"{cost.whole_pilots} of them to the end; expect 25 % either way."


def _show_shard(shard: str, count: int, folder: Path, as_json: bool) -> None:
    if as_json:
        say(json.dumps({"shard": shard, "runs": count, "folder": str(folder)}))
        return
    say(
        f"Shard {shard}: its {count} runs are in {folder / 'runs'}. When all shards are there, the"
        " same command without --shard analyses them."
    )


def _show(outcome: "StudyOutcome") -> None:
    console = _console()
    console.print("\nFindings", style="bold")
    console.print(_bullets(outcome.sentences))
    console.print()
    _print_claims(console, [(outcome.study, claim) for claim in outcome.claims])
    rate = outcome.packet_hops / outcome.cpu_s / 1e6 if outcome.cpu_s else math.nan
    console.print(
        f"\n{outcome.packet_hops:,} packet-hops in {outcome.cpu_s:.0f} CPU seconds"
        f" ({rate:.1f} million a second)",
    )
    console.print(f"Report: {outcome.report}", soft_wrap=True)


def _bullets(sentences: Sequence[str]) -> "Table":
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 1))
    for sentence in sentences:
        grid.add_row(" \N{BULLET}", Text(sentence))
    return grid


def _print_claims(console: "PlainConsole", claims: Sequence[tuple[str, "Judged"]]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    several = len({name for name, _ in claims}) > 1
    table = Table(box=box.SIMPLE_HEAD, title_justify="left")
    for column in (*(("study",) if several else ()), "claim", "tolerance", "ours", "95 % CI"):
        table.add_column(column, overflow="fold", no_wrap=column == "tolerance")
    table.add_column("verdict", no_wrap=True)
    for name, claim in claims:
        verdict = Text(claim.verdict, style=SHADES.get(claim.verdict, "dim"))
        cells = (claim.id, claim.tolerance or "", _ours(claim), _interval(claim))
        table.add_row(*((name,) if several else ()), *cells, verdict)
    console.print(table)


def _ours(claim: "Judged") -> str:
    return "" if claim.ours is None else f"{claim.ours:.3g}"


def _interval(claim: "Judged") -> str:
    return "" if claim.ci is None else f"{claim.ci[0]:.3g} to {claim.ci[1]:.3g}"


def _console() -> "PlainConsole":
    from headgate.console import PlainConsole

    return PlainConsole(width=None if sys.stdout.isatty() else PLAIN_WIDTH)
