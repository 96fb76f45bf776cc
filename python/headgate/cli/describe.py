"""`headgate describe`: unit, definition and formula of every column of every table."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from headgate.base.errors import HeadgateError
from headgate.base.messages import also, hint
from headgate.base.terminal import echo
from headgate.cli import complete
from headgate.cli.options import Json

if TYPE_CHECKING:
    from headgate.data.columns import Column


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
        echo(json.dumps({name: [asdict(c) for c in cs] for name, cs in chosen.items()}))
        return
    for name, columns in chosen.items():
        echo(name)
        for column in columns:
            echo(*_lines(column))


def select(what: str | None) -> dict[str, tuple[Column, ...]]:
    """Return the columns asked for, by table."""
    from headgate.data.columns import EVERY_TABLE

    if what is None:
        return EVERY_TABLE
    table, _, wanted = what.partition(".")
    if table not in EVERY_TABLE:
        known = f"; tables: {', '.join(EVERY_TABLE)}"
        columns = "" if wanted else _say_columns(table)
        says = also(table, EVERY_TABLE) + columns or known
        raise HeadgateError(f"'{table}' is not a table of results{says}")
    found = tuple(c for c in EVERY_TABLE[table] if not wanted or c.name == wanted)
    if not found:
        names = [c.name for c in EVERY_TABLE[table]]
        says = hint(wanted, names, f"columns: {', '.join(names)}")
        raise HeadgateError(f"'{wanted}' is not a column of {table}; {says}")
    return {table: found}


def _say_columns(name: str) -> str:
    """Say which tables have a column of the name that was given for a table."""
    from headgate.data.columns import EVERY_TABLE

    found = [f"{t}.{name}" for t, cs in EVERY_TABLE.items() if any(c.name == name for c in cs)]
    return f"; it is a column: {', '.join(found)}" if found else ""


def _lines(column: Column) -> list[str]:
    unit = f" [{column.unit}]" if column.unit not in ("", "1") else ""
    formula = [f"      = {column.formula}"] if column.formula else []
    return [f"  {column.name}{unit}  {column.definition}", *formula]
