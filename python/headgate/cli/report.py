"""`headgate report`: pictures, tables and the page of a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headgate.base.optional import require
from headgate.base.terminal import echo
from headgate.cli.plot import plot


def report(
    folder: Annotated[
        Path,
        typer.Argument(help="A study's folder, one with a report.toml, or a run's.", metavar="DIR"),
    ],
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that draw; all cores unless given.")
    ] = None,
) -> None:
    """Make the report of a folder: one HTML page that opens from disk, pictures and tables beside.

    The folder holds report.toml: title, question, the table (CSV or Parquet, whoever made it) and
    the roles of its columns. A study writes one, and so does `headgate analyse --out`. Of a run's
    folder it is the page of its pictures, as `headgate plot` makes it.
    """
    require("report", "a report")
    from headgate.data.folder import RUN_FILE
    from headgate.figures.report import about

    if (folder / RUN_FILE).is_file() and not (folder / about.FILE).exists():
        plot([folder], formats="html")
        return
    about.read(folder)  # refuse before what draws is imported
    from headgate.figures.report.make import make

    echo(f"Report: {make(folder, workers)}")
