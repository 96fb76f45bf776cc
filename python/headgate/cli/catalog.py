"""`headgate catalog`: what laws, devices and fluid models do; their parameters and sources."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from headgate.base.terminal import echo
from headgate.cli import complete
from headgate.cli.options import Json

if TYPE_CHECKING:
    from headgate.base.catalog import Law, Param


def catalog(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A law (by name, alias, or the NIST study's acronym or number), a queue "
            "discipline, a scheme, an impairment of links, or a fluid model.",
            autocompletion=complete.cards,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List laws, disciplines, feedback, impairments and fluid models, or describe one in full."""
    from headgate.base import catalog as known

    chosen = known.list_everything() if name is None else known.cards(name)
    if as_json:
        dumped = [card.model_dump() for card in chosen]
        echo(json.dumps(dumped if name is None or len(dumped) > 1 else dumped[0]))
    elif name is None:
        for card in chosen:
            nist = str(card.nist or "")
            line = f"{card.name:<18} {card.kind:<10} {_driver(card):<8} {nist:<8} {card.title}"
            echo(f"{line}: {card.law}")
    else:
        echo(*"\n\n".join(_card(card) for card in chosen).split("\n"))


#: What a card is, and where a scenario names it.
_KINDS = {
    "law": "law of congestion control",
    "queue": "queue discipline, network.queue",
    "feedback": "router of a scheme, network.feedback",
    "impairment": "impairment of a link, network.impairments or network.ingress",
    "fluid": "fluid model, headgate fluid",
}


def _card(card: Law) -> str:
    facts = [
        ("is a", _KINDS[card.kind]),
        ("driven by", _driver(card)),
        ("law", card.law),
        ("response", card.response),
        ("also", ", ".join(card.aliases)),
        ("NIST", str(card.nist or "")),
        *(("source", source) for source in card.references),
    ]
    lines = [f"{card.title} ({card.name})"]
    lines += [f"  {label:<10} {fact}" for label, fact in facts if fact]
    return "\n".join([*lines, *(_param(param) for param in card.params)])


def _driver(card: Law) -> str:
    """Return what a card acts on, such as loss; an impairment acts on nothing."""
    return "" if card.family == card.kind else card.family


def _param(param: Param) -> str:
    allowed = " | ".join(param.choices) or ", ".join(filter(None, (param.bounds, param.least)))
    default = param.default if isinstance(param.default, str) else _number(param, param.default)
    return f"  {param.name} = {default}  ({allowed})\n      {param.about} [{param.source}]"


def _number(param: Param, number: float) -> str:
    """Write a number as a scenario may have it: with a unit if its name carries none."""
    from headgate.base.parameters import required_unit

    unit = required_unit(param)
    return f"'{number:g} {unit}'" if unit else f"{number:g}"
