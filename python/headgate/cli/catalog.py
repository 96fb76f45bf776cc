"""`headgate catalog` and `headgate describe`: algorithms, devices, models; columns of results."""

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
    from headgate.base.catalog import Cca, Param
    from headgate.data.columns import Column


def catalog(
    name: Annotated[
        str | None,
        typer.Argument(
            help="An algorithm (by name, alias, or the NIST study's acronym or number), a queue "
            "discipline, a scheme, an impairment of links, a slow start, or a fluid model.",
            autocompletion=complete.cards,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List algorithms, slow starts, disciplines, feedback, impairments and fluid models."""
    from headgate.base import catalog as known

    chosen = known.list_everything() if name is None else known.cards(name)
    if as_json:
        dumped = [card.model_dump() for card in chosen]
        echo(json.dumps(dumped if name is None or len(dumped) > 1 else dumped[0]))
    elif name is None:
        echo(_line("name", "kind", "driven by", "NIST", "title and rule"))
        for card in chosen:
            nist, said = str(card.nist or ""), f"{card.title}: {card.rule}"
            echo(_line(card.name, card.kind, _driver(card), nist, said))
        echo("", NIST_SAID)
    else:
        echo(*"\n\n".join(_card(card) for card in chosen).split("\n"))


NIST_SAID = (
    "NIST: number and name in the study of TCP replacements (Mills et al., NIST SP 500-294, 2011)."
)


def _line(name: str, kind: str, driver: str, nist: str, said: str) -> str:
    return f"{name:<18} {kind:<10} {driver:<9} {nist:<8} {said}"


#: The kinds of cards, with their keys in a scenario.
_KINDS = {
    "cca": "congestion control algorithm",
    "queue": "queue discipline, network.queue",
    "feedback": "router of a scheme, network.feedback",
    "impairment": "impairment of a link, network.impairments or network.ingress",
    "slow-start": "slow start of an algorithm driven by loss, cca.slow_start",
    "media": "rate controller of media, traffic.rate_controller",
    "fluid": "fluid model, headgate fluid",
}


def _card(card: Cca) -> str:
    facts = [
        ("is a", _KINDS[card.kind]),
        ("driven by", _driver(card)),
        ("rule", card.rule),
        ("response", card.response),
        ("also", ", ".join(card.aliases)),
        ("NIST", str(card.nist or "")),
        *(("source", source) for source in card.references),
    ]
    lines = [f"{card.title} ({card.name})"]
    lines += [f"  {label:<10} {fact}" for label, fact in facts if fact]
    return "\n".join([*lines, *(_param(param) for param in card.params)])


def _driver(card: Cca) -> str:
    """Return the signal that a card reacts to, such as loss; for an impairment, nothing."""
    return "" if card.family == card.kind else card.family


def _param(param: Param) -> str:
    allowed = " | ".join(param.choices) or param.bounds
    allowed = ", ".join(filter(None, (allowed, param.limits)))
    default = param.default if isinstance(param.default, str) else _number(param, param.default)
    default = "..., required" if param.is_required else default
    return f"  {param.name} = {default}  ({allowed})\n      {param.about} [{param.source}]"


def _number(param: Param, number: float) -> str:
    """Write a number in the notation of a scenario: with a unit if its name includes none."""
    from headgate.base.parameters import required_unit

    unit = required_unit(param)
    return f"'{number:g} {unit}'" if unit else f"{number:g}"


#: The order of the rows of a table.
_ORDERS = {"flows": ": one row per flow, in the order of start (select rows by cca or traffic)"}


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
    """Explain the columns of the results: unit, definition, formula."""
    chosen = select(what)
    if as_json:
        echo(json.dumps({name: [asdict(c) for c in cs] for name, cs in chosen.items()}))
        return
    for name, columns in chosen.items():
        echo(name + _ORDERS.get(name, ""))
        for column in columns:
            echo(*_lines(column))


def select(what: str | None) -> dict[str, tuple[Column, ...]]:
    """Return the chosen columns, by table. Raises HeadgateError."""
    from headgate.data.columns import EVERY_TABLE

    if what is None:
        return EVERY_TABLE
    table, _, wanted = what.partition(".")
    if table not in EVERY_TABLE:
        known = f"; tables: {', '.join(EVERY_TABLE)}"
        named = [
            f"{t}.{table}" for t, cs in EVERY_TABLE.items() if any(c.name == table for c in cs)
        ]
        columns = f"; it is a column: {', '.join(named)}" if named and not wanted else ""
        says = also(table, EVERY_TABLE) + columns or known
        raise HeadgateError(f"'{table}' is not a table of results{says}")
    found = tuple(c for c in EVERY_TABLE[table] if not wanted or c.name == wanted)
    if not found:
        names = [c.name for c in EVERY_TABLE[table]]
        says = hint(wanted, names, f"columns: {', '.join(names)}")
        raise HeadgateError(f"'{wanted}' is not a column of {table}; {says}")
    return {table: found}


def _lines(column: Column) -> list[str]:
    unit = f" [{column.unit}]" if column.unit not in ("", "1") else ""
    formula = [f"      = {column.formula}"] if column.formula else []
    return [f"  {column.name}{unit}  {column.definition}", *formula]
