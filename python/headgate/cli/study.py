"""`headgate study` and `headgate reproduce`: designed experiments and the claims they check."""

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from headgate.studies.claims import Judged
    from headgate.studies.runner import Outcome

Scale = Annotated[
    str,
    typer.Option(
        help="How much to run: quick (minutes), standard (hours), full (the published size), or a"
        " fraction of the full size such as 0.1."
    ),
]
Workers = Annotated[
    int | None, typer.Option(min=1, help="Runs at a time; all cores unless given.", metavar="N")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object in place of the table.")]

PLAIN_WIDTH = 110  # of output that goes to a file or a pipe
SHADES = {"holds": "green", "differs": "red", "corrected": "blue"}


def study(  # noqa: PLR0913, PLR0917 - one for each option
    name: Annotated[str, typer.Argument(help="A study's name, or `list`.")] = "list",
    scale: Scale = "quick",
    workers: Workers = None,
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
    as_json: Json = False,
) -> None:
    """Run a study: a designed experiment, its analysis, and the claims it checks.

    Each finished run is stored at once. Stop it when you like (Ctrl-C): the same command goes on
    from there. The report is one HTML file that opens with the network off.
    """
    if name == "list":
        _list(as_json)
        return
    from headgate.studies.runner import Own, run_study

    outcome = run_study(name, scale, workers, out, Own(controls or (), settings or ()))
    if as_json:
        typer.echo(json.dumps(outcome.as_json()))
    else:
        _show(outcome)


def reproduce(
    scale: Scale = "quick",
    workers: Workers = None,
    out: Annotated[Path, typer.Option(help="Folder that gets a folder for each study.")] = Path(
        "out"
    ),
    as_json: Json = False,
) -> None:
    """Run every study and print one table of all claims."""
    from headgate.studies.runner import run_study
    from headgate.studies.study import names

    outcomes = [run_study(name, scale, workers, out / name) for name in names()]
    if as_json:
        typer.echo(json.dumps([outcome.as_json() for outcome in outcomes]))
        return
    console = _console()
    _print_claims(console, [(o.study, claim) for o in outcomes for claim in o.claims])
    for outcome in outcomes:
        console.print(f"Report: {outcome.report}", soft_wrap=True)


def _list(as_json: bool) -> None:
    from headgate.studies.study import load, names

    plans = [load(name).plan for name in names()]
    if as_json:
        rows = [{"name": p.name, "title": p.title, "scales": list(p.scales)} for p in plans]
        typer.echo(json.dumps(rows))
        return
    for plan in plans:
        typer.echo(f"{plan.name}: {plan.title} (scales: {', '.join(plan.scales)})")


def _show(outcome: "Outcome") -> None:
    console = _console()
    console.print("\n[bold]Findings[/bold]")
    console.print(_bullets(outcome.sentences), highlight=False)
    console.print()
    _print_claims(console, [(outcome.study, claim) for claim in outcome.claims])
    rate = outcome.packet_hops / outcome.cpu_s / 1e6 if outcome.cpu_s else math.nan
    console.print(
        f"\n{outcome.packet_hops:,} packet-hops in {outcome.cpu_s:.0f} CPU seconds"
        f" ({rate:.1f} million a second)",
        highlight=False,
    )
    console.print(f"Report: {outcome.report}", soft_wrap=True, highlight=False)


def _bullets(sentences: Sequence[str]) -> "Table":
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 1))
    for sentence in sentences:
        grid.add_row(" \N{BULLET}", Text(sentence))
    return grid


def _print_claims(console: "Console", claims: Sequence[tuple[str, "Judged"]]) -> None:
    from rich import box
    from rich.table import Table

    several = len({name for name, _ in claims}) > 1
    table = Table(box=box.SIMPLE_HEAD, title_justify="left")
    for column in (*(("study",) if several else ()), "claim", "tolerance", "ours", "95 % CI"):
        table.add_column(column, overflow="fold", no_wrap=column == "tolerance")
    table.add_column("verdict", no_wrap=True)
    for name, claim in claims:
        shade = SHADES.get(claim.verdict, "dim")
        cells = (claim.id, claim.tolerance or "", _ours(claim), _interval(claim))
        table.add_row(*((name,) if several else ()), *cells, f"[{shade}]{claim.verdict}[/{shade}]")
    console.print(table)


def _ours(claim: "Judged") -> str:
    return "" if claim.ours is None else f"{claim.ours:.3g}"


def _interval(claim: "Judged") -> str:
    return "" if claim.ci is None else f"{claim.ci[0]:.3g} to {claim.ci[1]:.3g}"


def _console() -> "Console":
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH)
