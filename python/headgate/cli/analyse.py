"""`headgate analyse`: main effects of any table of runs."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headgate.cli.options import Json
from headgate.errors import StoreError, explain_os
from headgate.visible import say

if TYPE_CHECKING:
    from headgate.analysis import MainEffects
    from headgate.analysis.roles import Roles


def analyse(  # noqa: PLR0913, PLR0917 - each is an option of its own
    file: Annotated[
        Path, typer.Argument(help="CSV (or other text) or Parquet, a row per run.", metavar="FILE")
    ],
    factors: Annotated[str, typer.Option(metavar="X1,X2,...", help="Columns of factors.")],
    responses: Annotated[str, typer.Option(metavar="Y1,Y2,...", help="Columns of responses.")],
    by: Annotated[
        str, typer.Option(metavar="A,B,...", help="Label columns; each combination on its own.")
    ] = "",
    law: Annotated[
        str | None, typer.Option(help="Column of laws that the report compares.", metavar="COLUMN")
    ] = None,
    condition: Annotated[
        str,
        typer.Option(
            metavar="A,B,...", help="Columns that name a condition; the factors unless given."
        ),
    ] = "",
    replicate: Annotated[
        str | None,
        typer.Option(
            help="Column of seeds: runs with the same one met the same traffic.", metavar="COLUMN"
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the report: page, pictures, tables.", metavar="DIR"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Find which factors affect which responses, in any table of runs.

    One-way analysis of variance for each factor and response, as NIST's Dataplot does it; a model
    with interactions and a correction for the number of tests beside it. A factor has two levels
    or more, numbers or words. An empty cell is missing, and in a response NA or an infinite number
    too; rows that are left out are counted. Commas, semicolons, tabs, vertical bars or spaces
    separate the cells of a text file.
    """
    from headgate.analysis import main_effects
    from headgate.analysis.frame import Frame
    from headgate.analysis.notes import notes
    from headgate.analysis.roles import Roles

    frame = Frame.of(file)
    frame.require(*filter(None, (law, replicate)), *_names(condition))
    found = main_effects(frame, _names(factors), _names(responses), _names(by))
    for said in notes(frame, found.factors, found.responses, [*found.by, *filter(None, (law,))]):
        say(f"Note: {said}", error=as_json)
    if as_json:
        say(*json.dumps([_plain(row) for row in found.rows()], indent=1).split("\n"))
    else:
        _show(found)
    if out:
        roles = Roles(
            responses=found.responses,
            factors=found.factors,
            condition=tuple(_names(condition)),
            law=law,
            replicate=replicate,
            period=_period(found.by),
        )
        say(f"Report: {_report(file, roles, out)}", error=as_json)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Replace what JSON cannot say by null."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in row.items()
    }


def _show(found: MainEffects) -> None:
    """Print levels, then for each group factors against responses: sign, stars, and Psi below."""
    say(*found.levels())
    for group in found.table.groups:
        for name, value in zip(found.by, group, strict=True):
            say(f"{name} {value}")
        say(_line("", found.factors, found))
        for response in found.responses:
            effects = found.of_response(response, group)
            say(_line(response, [e.sign + e.stars if e.stars else "." for e in effects], found))
        psi = found.psi(group).values()
        say(_line("Psi x 100", [f"{100 * share:.0f}" for share in psi], found))
    say("sign: the level that raises the response, + the high one; ** p < 0.01, * p < 0.05")


def _line(title: str, cells: Iterable[str], found: MainEffects) -> str:
    wide = max(len(name) for name in (*found.responses, "Psi x 100"))
    each = max(3, *(len(name) for name in found.factors))
    return " ".join([f"{title:<{wide}}", *(f"{cell:>{each}}" for cell in cells)])


def _period(by: tuple[str, ...]) -> str | None:
    """Return the label that distinguishes the parts of a report, which takes one."""
    from headgate.analysis import AnalysisError

    if len(by) > 1:
        raise AnalysisError(f"--by: a report (--out) takes one label; got {', '.join(by)}")
    return by[0] if by else None


def _report(file: Path, roles: Roles, out: Path) -> Path:
    """Copy the table into the folder, say what it is, and make the report."""
    from headgate.report.about import About, write
    from headgate.report.make import make

    try:
        out.mkdir(parents=True, exist_ok=True)
        if file.resolve() != (out / file.name).resolve():
            shutil.copyfile(file, out / file.name)
    except OSError as error:
        raise StoreError(f"{out}: cannot be written ({explain_os(error)})") from None
    write(About(title=file.name, table=file.name, roles=roles), out)
    return make(out)
