"""`headgate analyse`: main effects of any table of runs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headgate.cli.options import Json

if TYPE_CHECKING:
    from headgate.analysis import MainEffects


def analyse(  # noqa: PLR0913, PLR0917 - each is an option of its own
    file: Annotated[
        Path, typer.Argument(help="CSV (or other text) or Parquet, one row a run.", metavar="FILE")
    ],
    factors: Annotated[str, typer.Option(metavar="X1,X2,...", help="Columns of factors.")],
    responses: Annotated[str, typer.Option(metavar="Y1,Y2,...", help="Columns of responses.")],
    by: Annotated[
        str, typer.Option(metavar="A,B,...", help="Labels; each combination by itself.")
    ] = "",
    out: Annotated[
        Path | None, typer.Option(help="Folder for pictures and tables.", metavar="DIR")
    ] = None,
    as_json: Json = False,
) -> None:
    """Find which factors move which responses, in a table that anyone made.

    One-way analysis of variance for each factor and response, as NIST's Dataplot does it; a model
    with interactions and a correction for the number of tests beside it. A factor has two levels
    or more, numbers or words; a missing value is an empty cell or NA, and infinite ones count as
    missing. Cells of text stand between commas, semicolons, tabs, bars or blanks.
    """
    from headgate.analysis import main_effects

    found = main_effects(file, _names(factors), _names(responses), _names(by))
    paths = _write(found, out) if out else []
    if as_json:
        typer.echo(json.dumps([_plain(row) for row in found.rows()], indent=1))
    else:
        _show(found)
        for path in paths:
            typer.echo(path)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Replace what JSON cannot say by null."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in row.items()
    }


def _show(found: MainEffects) -> None:
    """Print, for each group, factors against responses: sign and stars, and Psi below."""
    for group in found.table.groups:
        for name, value in zip(found.by, group, strict=True):
            typer.echo(f"{name} {value}")
        typer.echo(_line("", found.factors, found))
        for response in found.responses:
            effects = found.of_response(response, group)
            typer.echo(
                _line(response, [e.sign + e.stars if e.stars else "." for e in effects], found)
            )
        psi = found.psi(group).values()
        typer.echo(_line("Psi x 100", [f"{100 * share:.0f}" for share in psi], found))
    typer.echo("sign: the level that raises the response; ** p < 0.01, * p < 0.05")


def _line(title: str, cells: Iterable[str], found: MainEffects) -> str:
    wide = max(len(name) for name in (*found.responses, "Psi x 100"))
    each = max(3, *(len(name) for name in found.factors))
    return " ".join([f"{title:<{wide}}", *(f"{cell:>{each}}" for cell in cells)])


def _write(found: MainEffects, out: Path) -> list[Path]:
    import matplotlib as mpl

    mpl.use("agg")
    from headgate.plots.style import save

    return [path for name, figure in found.figures().items() for path in save(figure, out, name)]
