"""`headgate catalog`: the laws, their parameters, their sources."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from headgate.cli.options import Json

if TYPE_CHECKING:
    from headgate.catalog import Law, Param


def catalog(
    name: Annotated[
        str | None,
        typer.Argument(help="A law, by name, alias, or the NIST study's acronym or number."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the laws of congestion control, or tell all about one."""
    from headgate import catalog as known

    chosen = list(known.laws()) if name is None else [known.law(name)]
    if as_json:
        dumped = [law.model_dump() for law in chosen]
        typer.echo(json.dumps(dumped if name is None else dumped[0]))
    elif name is None:
        for law in chosen:
            nist = str(law.nist or "")
            typer.echo(f"{law.name:<10} {law.family:<7} {nist:<8} {law.title}: {law.law}")
    else:
        typer.echo(_card(chosen[0]))


def _card(law: Law) -> str:
    lines = [f"{law.title} ({law.name})", f"  driven by  {law.family}", f"  law        {law.law}"]
    lines.append(f"  response   {law.response}")
    if law.aliases:
        lines.append(f"  also       {', '.join(law.aliases)}")
    if law.nist:
        lines.append(f"  NIST       {law.nist}")
    lines += [f"  source     {source}" for source in law.references]
    lines += [_param(param) for param in law.params]
    return "\n".join(lines)


def _param(param: Param) -> str:
    if param.choices:
        allowed = " | ".join(param.choices)
    else:
        allowed = f"{param.low:g} to {param.high:g} {param.unit}".rstrip()
    default = param.default if isinstance(param.default, str) else f"{param.default:g}"
    return f"  {param.name} = {default}  ({allowed})\n      {param.about} [{param.source}]"
