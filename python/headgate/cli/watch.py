"""`headgate watch`: the progress of a campaign, from the files of its folder."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headgate.base.terminal import echo
from headgate.cli.options import Json, make_table

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

    from headgate.lab.view import View

EVERY_S = 1.0
MOST_ROWS = 12


def watch(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of a study or an experiment.")
    ],
    once: Annotated[bool, typer.Option("--once", help="Show it once and end.")] = False,
    as_json: Json = False,
) -> None:
    """Watch a campaign: runs done, running and failed, rate, time left, and the figures so far.

    Everything is read from files in DIR, so any machine with access to them can watch. Ctrl-C stops
    the watching, never the campaign.
    """
    from headgate.lab.view import Watcher

    watcher = Watcher(folder)
    if as_json:
        import json

        echo(json.dumps(watcher.look().as_json()))
    elif once:
        from headgate.base.console import PlainConsole

        PlainConsole().print(_page(watcher.look()))
    else:
        _live(watcher)


def _live(watcher: Any) -> None:
    from rich.live import Live

    from headgate.base.console import PlainConsole

    view = watcher.look()
    with Live(_page(view), console=PlainConsole(), auto_refresh=False) as live:
        try:
            while view.state == "running":
                time.sleep(EVERY_S)
                view = watcher.look()
                live.update(_page(view), refresh=True)
        except KeyboardInterrupt:
            return


def _page(view: View) -> Group:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    done = view.done + sum(lease.share for lease in view.running)
    bar = Table.grid()
    bar.add_row(ProgressBar(view.total, done, width=60))
    parts: list[Any] = [
        Text(f"{view.title}: {view.state}", style="bold"),
        bar,
        Text(_counts(view)),
        Text(_pace(view)),
    ]
    if view.running:
        parts += ["", _running(view)]
    if view.failed:
        parts += ["", Text("Failed", style="bold red")]
        parts += [Text(f"  {failure}") for failure in view.failed[:MOST_ROWS]]
    if view.figures:
        parts += ["", _figures(view)]
    return Group(*parts)


def _counts(view: View) -> str:
    found = f"; {view.found} were stored before" if view.found else ""
    return (
        f"{view.done} of {view.total} runs done, {len(view.running)} running,"
        f" {len(view.failed)} failed{found}"
    )


def _pace(view: View) -> str:
    from headgate.base.progress import clock

    left = f", about {clock(view.eta_s)} left" if view.eta_s is not None else ""
    return (
        f"{view.packet_hops:,} packet-hops, {view.hops_per_s / 1e6:.1f} million per second,"
        f" {clock(view.elapsed_s)} elapsed{left}"
    )


def _running(view: View) -> Table:
    from headgate.base.process import shorten_name
    from headgate.base.progress import clock
    from headgate.lab.campaign import format_labels

    table = make_table(None, ("running", "done", "for", "by"))
    for lease in view.running[:MOST_ROWS]:
        by = shorten_name(lease.owner)
        age = clock(max(lease.for_s, 0))
        table.add_row(format_labels(lease.labels) or lease.run_id, f"{lease.share:.0%}", age, by)
    if len(view.running) > MOST_ROWS:
        table.add_row(f"and {len(view.running) - MOST_ROWS} more", "", "", "")
    return table


def _figures(view: View) -> Table:
    names = list(view.figures[0])
    rows = ([_cell(row[name]) for name in names] for row in view.figures[:MOST_ROWS])
    return make_table(None, names, rows)


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
