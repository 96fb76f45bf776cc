"""`headgate trace`: the events of a trace, and captures made from it."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headgate.base.errors import HeadgateError
from headgate.base.terminal import echo
from headgate.cli.options import Json, say_paths

if TYPE_CHECKING:
    from headgate.engine.traces.stored import StoredTrace


PAGE = "time-sequence.html"


def trace(  # noqa: PLR0913, PLR0917 - one for each option
    folder: Annotated[Path, typer.Argument(help="Folder of a run with --trace.", metavar="DIR")],
    pcapng: Annotated[
        bool, typer.Option("--pcapng", help="Captures for Wireshark, tshark, tcptrace.")
    ] = False,
    qlog: Annotated[
        bool, typer.Option("--qlog", help="qlog 0.3 of each connection's sender, for qvis.")
    ] = False,
    csv: Annotated[bool, typer.Option("--csv", help="The events as one table of text.")] = False,
    plot: Annotated[
        bool,
        typer.Option(
            "--plot", help="Time-sequences of the flows and a page of them, in DIR/figures."
        ),
    ] = False,
    between: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="FROM TO", help="Seconds of the run that the pictures show."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make captures and pictures of a run's trace, in DIR/trace; or count its events."""
    from headgate.base.progress import count_slow_steps
    from headgate.engine.traces.pcapng import write_pcapng
    from headgate.engine.traces.qlog import write_qlog
    from headgate.engine.traces.stored import StoredTrace, write_csv

    stored = StoredTrace(folder)
    makers = (
        (pcapng, write_pcapng),
        (qlog, write_qlog),
        (csv, write_csv),
        (plot or between is not None, partial(_draw, within_s=between)),
    )
    wanted = [make for asked, make in makers if asked]
    if not wanted:
        return _print_counts(stored, as_json)
    paths: list[Path] = []
    with count_slow_steps("trace", len(wanted), "kinds of files written") as step:
        for make in wanted:
            paths += make(stored)
            step()
    say_paths(paths, as_json)
    if stored.meta["ended_s"] is not None:
        echo(f"note: {stored.meta['says']}", error=True)
    return None


def _draw(stored: StoredTrace, within_s: tuple[float, float] | None) -> list[Path]:
    import matplotlib as mpl

    mpl.use("agg")
    from headgate.data.folder import read_meta
    from headgate.engine.traces.stored import read_connections
    from headgate.figures.plots import draw
    from headgate.figures.plots.style import FORMATS, save_figure
    from headgate.figures.report.pictures import write_pictures
    from headgate.figures.spec.packets import draw_time_sequence
    from headgate.figures.spec.run import Run

    if within_s is not None:
        first_s, last_s = within_s
        wrong = "" if first_s < stored.ends_s else f"the trace ends at {stored.ends_s:g} s"
        wrong = wrong if first_s < last_s else "FROM must be before TO"
        if wrong:
            raise HeadgateError(f"--between: {first_s:g} to {last_s:g} s is not allowed; {wrong}")
    folder = stored.folder.parent / "figures"
    down = Run(folder.name, {}, read_meta(stored.folder.parent) or {}).list_outages()
    drawings = {
        name: draw_time_sequence(traced, within_s, down)
        for name, traced in read_connections(stored)
    }
    paths = [
        p for name, made in drawings.items() for p in save_figure(draw(made), folder, name, FORMATS)
    ]
    return [*paths, write_pictures(folder / PAGE, str(stored.folder.parent.name), drawings)]


def _print_counts(stored: StoredTrace, as_json: bool) -> None:
    names = ("flow", "link", "event", "count")
    rows = [dict(zip(names, (*key, n), strict=True)) for key, n in stored.count().items()]
    if as_json:
        return echo(json.dumps({"says": stored.meta["says"], "events": rows}))
    echo(stored.meta["says"])
    for row in rows:
        echo(f"{row['count']:>10,}  {row['event']:<16} {row['flow']}  {row['link']}".rstrip())
    return None
