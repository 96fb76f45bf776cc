"""`headgate export`: the tables of a run or a study, for other programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from headgate.base.errors import HeadgateError
from headgate.base.terminal import echo
from headgate.cli import complete
from headgate.cli.options import Json


def export(  # noqa: PLR0913, PLR0917 - one for each option
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder of a run, a study or an experiment.")
    ],
    csv: Annotated[bool, typer.Option("--csv", help="Write CSV.")] = False,
    parquet: Annotated[bool, typer.Option("--parquet", help="Write Parquet.")] = False,
    tables: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            metavar="NAME",
            help="This table only; repeatable.",
            autocompletion=complete.tables_of_runs,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Target folder; by default DIR/export.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write the tables of a run, or of all runs of a study, as CSV or Parquet.

    A table of several runs contains the rows of all, after the identity and labels of their run.
    `headgate describe` explains the columns.

    Example: headgate export out/first --csv --table flows
    """
    from headgate.data.export import export as write

    formats = [name for name, wanted in (("csv", csv), ("parquet", parquet)) if wanted]
    if not formats:
        raise HeadgateError("export: give --csv, --parquet, or both")
    paths = []
    for path in write(folder, out or folder / "export", formats, tables or ()):
        paths.append(str(path))
        if not as_json:
            echo(str(path))
    if as_json:
        echo(json.dumps(paths))
