"""`headgate describe`: unit, definition and formula of every column of every table."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from headgate.cli import complete
from headgate.cli.options import Json
from headgate.errors import HeadgateError
from headgate.suggest import hint
from headgate.visible import say

if TYPE_CHECKING:
    from headgate.columns import Column


def describe(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[TABLE[.COLUMN]]",
            help="A table, or one column of it.",
            autocompletion=complete.tables,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what the columns of the results mean: unit, definition, formula."""
    chosen = select(what)
    if as_json:
        say(json.dumps({name: [asdict(c) for c in cs] for name, cs in chosen.items()}))
        return
    for name, columns in chosen.items():
        say(name)
        for column in columns:
            say(_line(column))


def select(what: str | None) -> dict[str, tuple[Column, ...]]:
    """Return the columns asked for, by table."""
    from headgate.columns import EVERY_TABLE

    if what is None:
        return EVERY_TABLE
    table, _, wanted = what.partition(".")
    if table not in EVERY_TABLE:
        says = hint(table, EVERY_TABLE, f"tables: {', '.join(EVERY_TABLE)}")
        raise HeadgateError(f"'{table}' is not a table of results; {says}")
    found = tuple(c for c in EVERY_TABLE[table] if not wanted or c.name == wanted)
    if not found:
        names = [c.name for c in EVERY_TABLE[table]]
        says = hint(wanted, names, f"columns: {', '.join(names)}")
        raise HeadgateError(f"'{wanted}' is not a column of {table}; {says}")
    return {table: found}


def _line(column: Column) -> str:
    unit = f" [{column.unit}]" if column.unit not in ("", "1") else ""
    formula = f"\n      = {column.formula}" if column.formula else ""
    return f"  {column.name}{unit}  {column.definition}{formula}"
