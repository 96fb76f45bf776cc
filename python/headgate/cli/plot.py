"""`headgate plot` and `headgate report`: pictures of runs, and the page of a folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headgate.base.errors import HeadgateError
from headgate.base.messages import also
from headgate.base.optional import find_missing, require
from headgate.base.terminal import echo
from headgate.cli import complete
from headgate.cli.options import Json, say_paths
from headgate.cli.plot_options import (
    MEANS,
    PAPER_DEFAULT,
    PAPER_FORMATS,
    Asked,
    AxisFactor,
    FacetColumns,
    FacetRows,
    Font,
    FontSize,
    Height,
    IntervalForm,
    LineFactor,
    Minus,
    Overlay,
    PaperColumns,
    PaperName,
    ResponseNames,
    draw_asked,
    is_run_folder,
    lacks_flows,
    read_size,
)

if TYPE_CHECKING:
    from headgate.figures.paper.size import PaperSize
    from headgate.figures.spec.drawing import Drawing
    from headgate.figures.spec.kinds import Kind
    from headgate.figures.spec.run import Run

FORMATS = ("png", "svg", "html")
PAGE = "pictures.html"
#: Folders of pictures, and of figures for papers.
OWN_FOLDERS = ("figures", "paper")
NO_FLOWS = 'its runs keep no flows; add tables = ["flows"] to the experiment, and run it again'


def plot(  # noqa: PLR0913, PLR0917 - one for each option
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Folders that `headgate run` wrote: one, or replicates and algorithms to compare;"
            " or an experiment's.",
            metavar="DIR...",
            show_default=False,
        ),
    ] = None,
    only: Annotated[
        str,
        typer.Option(
            metavar="NAME,...",
            help="Draw only these pictures.",
            show_default=False,
            autocompletion=complete.pictures,
        ),
    ] = "",
    formats: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT,...",
            help="One or more of png, svg, html; by default all (html if the extra 'report' is "
            "installed).",
            show_default=False,
            autocompletion=complete.formats,
        ),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Target folder; by default `figures` in DIR, or in the common parent of several.",
            show_default=False,
        ),
    ] = None,
    listed: Annotated[
        bool,
        typer.Option("--list", help="List the pictures, and what DIR lacks for them."),
    ] = False,
    overlay: Overlay = False,
    minus: Minus = None,
    facet_rows: FacetRows = None,
    facet_columns: FacetColumns = None,
    response: ResponseNames = "",
    x: AxisFactor = None,
    lines: LineFactor = None,
    intervals: IntervalForm = "bars",
    paper: PaperName = None,
    columns: PaperColumns = None,
    font_size: FontSize = None,
    height: Height = None,
    font: Font = None,
    as_json: Json = False,
) -> None:
    """Draw a run over time, its completion times and network; or compare several runs.

    Each picture is written as PNG and SVG. The page pictures.html contains all pictures, and shows
    values under the pointer. `headgate plot --list` lists the pictures.

    With --paper, each figure is written as PDF and SVG at the width of a paper's column, with its
    caption (.txt) and the plotted data (.csv).
    """
    from headgate.base.files import make_folder
    from headgate.figures.spec.kinds import KINDS

    size = read_size(paper, columns, font_size, height, font)
    wanted = _read_formats(formats, size)
    asked = Asked(only, overlay, minus, facet_rows, facet_columns, response, x, lines, intervals)
    asked.check(folders or [], for_paper=size is not None)
    kinds = _choose(KINDS, asked.names)
    runs = [] if asked.names == [MEANS] else _read(folders or [], asked, size)
    if listed:
        _list(kinds, runs, as_json=as_json)
        return
    if not folders:
        raise HeadgateError(
            "plot: name the folder of a run, as `headgate run --out` wrote it; --list lists the"
            " pictures"
        )
    others = [] if minus is None else _read_folder(minus, _name_other(minus, runs))
    drawings = draw_asked(asked, kinds, runs, folders, others, for_paper=size is not None)
    target = out or _find_common(folders) / OWN_FOLDERS[size is not None]
    make_folder(target)
    say_paths(_write(drawings, target, wanted, runs, size), as_json)


def _choose(kinds: Sequence[Kind], names: Sequence[str]) -> list[Kind]:
    """Return the kinds of these names, or all."""
    known = {kind.name: kind for kind in kinds}
    for name in names:
        if name not in (*known, MEANS):
            raise HeadgateError(
                f"--only: there is no picture {name!r}; pictures: "
                f"{', '.join((*known, MEANS))}{also(name, (*known, MEANS))}"
            )
    return [known[name] for name in names or known if name != MEANS]


def _read_formats(formats: str, size: PaperSize | None) -> list[str]:
    known = FORMATS if size is None else PAPER_FORMATS
    if not formats:
        missing = [] if not find_missing("report") else ["html"]
        return list(PAPER_DEFAULT) if size else [name for name in known if name not in missing]
    wanted = [name.strip() for name in formats.split(",")]
    for name in wanted:
        if name not in known:
            also_paper = name in PAPER_FORMATS and size is None
            hint = "; figures for papers take it: add --paper" if also_paper else also(name, known)
            raise HeadgateError(f"--format: {name!r} is not one of {', '.join(known)}{hint}")
    return wanted


def _read(folders: Sequence[Path], asked: Asked, size: PaperSize | None) -> list[Run]:
    """Read runs; the name of each is that of its folder.

    Runs without flows are left out if the means of their experiment are drawn.
    """
    if not folders:
        return []
    if not asked.names and not asked.overlay and size is not None:
        folders = [folder for folder in folders if not lacks_flows(folder)]
    if len(folders) > 1:  # a pattern such as out/* also finds the folders that plot writes
        folders = [one for one in folders if one.name not in OWN_FOLDERS or is_run_folder(one)]
    names = {folder: folder.name or str(folder) for folder in folders}
    alike = len(set(names.values())) < len(names)
    named = ((folder, str(folder) if alike else names[folder]) for folder in folders)
    return [run for folder, name in named for run in _read_folder(folder, name)]


def _name_other(folder: Path, runs: Sequence[Run]) -> str:
    """Return the name of the folder to subtract; its path if a run is called alike."""
    name = folder.resolve().name
    return str(folder) if name in {run.name for run in runs} else name


def _read_folder(folder: Path, own: str) -> list[Run]:
    """Read the run in a folder, or the runs of an experiment in the order of its conditions."""
    from headgate.data.folder import find_run, find_runs
    from headgate.engine.traces.stored import read_first
    from headgate.experiment.form import read_order
    from headgate.figures.spec.run import Run

    runs = []
    for place in (found := find_runs(folder) or [folder]):
        tables, meta = find_run(place)
        if "flows" not in tuple(tables) and len(found) > 1:
            raise HeadgateError(f"{folder}: {NO_FLOWS}")
        name = own
        if len(found) > 1:
            name = ", ".join([own, *(f"{n} {value}" for n, value in meta["labels"].items())])
        runs.append(Run(name, tables, meta, place, partial(read_first, place)))
    if len(runs) == 1:
        above = folder.absolute().parent
        # A run of an experiment uses the colours of all algorithms of the experiment.
        return [replace(runs[0], order=read_order(above.parent))] if above.name == "runs" else runs
    order = read_order(folder)
    keys = order.places([run.meta["labels"] for run in runs])
    return [replace(runs[at], order=order) for at in sorted(range(len(runs)), key=keys.__getitem__)]


def _find_common(folders: Sequence[Path]) -> Path:
    """Return the deepest common folder; it is absolute if one of the folders is."""
    if any(folder.is_absolute() for folder in folders):
        folders = [folder.absolute() for folder in folders]
    return Path(os.path.commonpath(folders))


def _list(kinds: Sequence[Kind], runs: Sequence[Run], *, as_json: bool) -> None:
    """Print a line for each picture; for runs, also the missing data."""
    lacking = _find_lacking(kinds, runs) if runs else {}
    if as_json:
        rows = [
            {"name": kind.name, "about": kind.about, "compares": kind.compares, "needs": kind.needs}
            | ({"lacks": lacking[kind.name]} if runs else {})
            for kind in kinds
        ]
        echo(json.dumps(rows))
        return
    width = max(len(kind.name) for kind in kinds)
    for kind in kinds:
        several = "; takes several runs" * kind.compares
        echo(f"{kind.name:{width}}  {kind.about}{several}")
        if lack := lacking.get(kind.name):
            echo(f"{'':{width}}  - {lack}")


def _find_lacking(kinds: Sequence[Kind], runs: Sequence[Run]) -> dict[str, str]:
    """Return the reason why each picture cannot be drawn; "" if it can."""
    from headgate.figures.spec.results import draw_kind, find_lack

    return {kind.name: "" if draw_kind(kind, runs) else find_lack(kind, runs) for kind in kinds}


def _title(runs: Sequence[Run]) -> str:
    from headgate.data.measures.shown import is_live

    if len(runs) > 1:
        return f"{len(runs)} runs"
    title = runs[0].meta.get("scenario", {}).get("title", "") or runs[0].name
    return f"{title} (live)" if is_live(runs[0].meta) else str(title)


def _lead(runs: Sequence[Run]) -> str:
    """Return the text above the pictures of a run in real time."""
    from headgate.data.measures.shown import is_live
    from headgate.figures.report.pictures import write_lead

    one = len(runs) == 1 and is_live(runs[0].meta)
    return write_lead(runs[0].tables, runs[0].meta) if one else ""


def _write(
    drawings: dict[str, Drawing], folder: Path, formats: Sequence[str], runs: Sequence[Run],
    size: PaperSize | None,
) -> list[Path]:  # fmt: skip
    """Write the pictures in the formats; the page contains all of them."""
    from headgate.base.progress import count_slow_steps

    if size is not None:
        import matplotlib as mpl

        mpl.use("agg")
        from headgate.figures.paper.save import save_paper_figures

        return save_paper_figures(drawings, folder, size, formats)
    images = [kind for kind in formats if kind != "html"]
    steps = len(drawings) * bool(images) + ("html" in formats)
    with count_slow_steps("plot", steps, "pictures and pages written") as step:
        paths = _write_images(drawings, folder, images, step) if images else []
        if "html" in formats:
            from headgate.figures.report.pictures import write_pictures

            paths.append(write_pictures(folder / PAGE, _title(runs), drawings, _lead(runs)))
            step()
    return paths


def _write_images(
    drawings: dict[str, Drawing], folder: Path, formats: Sequence[str], step: Callable[[], None]
) -> list[Path]:
    """Write the pictures as images, one step each."""
    import matplotlib as mpl

    mpl.use("agg")
    from headgate.figures.plots import draw
    from headgate.figures.plots.style import save_figure

    paths: list[Path] = []
    for name, drawing in drawings.items():
        paths += save_figure(draw(drawing), folder, name, formats)
        step()
    return paths


def report(
    folder: Annotated[
        Path,
        typer.Argument(help="A study's folder, one with a report.toml, or a run's.", metavar="DIR"),
    ],
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that draw; all cores unless given.")
    ] = None,
) -> None:
    """Make the report of a folder: an HTML page that opens from disk, with pictures and tables.

    The folder contains report.toml: title, question, the table (CSV or Parquet of any origin) and
    the roles of its columns. Studies and `headgate analyse --out` write one. For the folder of a
    run, the report is the page of its pictures, as `headgate plot` makes it.
    """
    require("report", "a report")
    from headgate.data.folder import RUN_FILE
    from headgate.figures.report import about

    if (folder / RUN_FILE).is_file() and not (folder / about.FILE).exists():
        plot([folder], formats="html")
        return
    about.read(folder)  # refuse before the import of drawing libraries
    from headgate.figures.report.make import make

    echo(f"Report: {make(folder, workers)}")
