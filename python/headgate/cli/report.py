"""`headgate report`: pictures, tables and the page of a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headgate.visible import say


def report(
    folder: Annotated[
        Path, typer.Argument(help="A study's folder, or one with a report.toml.", metavar="DIR")
    ],
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that draw; all cores unless given.")
    ] = None,
) -> None:
    """Make the report of a folder: one HTML page that opens from disk, pictures and tables beside.

    The folder holds report.toml: title, question, the table (CSV or Parquet, whoever made it) and
    the roles of its columns. A study writes one, and so does `headgate analyse --out`.
    """
    from headgate.report.make import make

    say(f"Report: {make(folder, workers)}")
