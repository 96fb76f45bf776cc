"""`headgate schema`: JSON Schema of the forms of TOML, for editors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from headgate.cli import complete
from headgate.cli.options import Json
from headgate.visible import say


def schema(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A form, such as scenario; all are listed without.", autocompletion=complete.forms
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write NAME.schema.json there, or all.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the JSON Schema of a form of TOML, with which an editor completes and checks a file.

    Example: headgate schema scenario --out . and in the file's first line
    #:schema ./scenario.schema.json
    """
    from headgate.run.folder import write_bytes
    from headgate.schemas import FORMS, file_name, make_schema, schema_text

    if out is not None:
        for one in (*FORMS,) if name is None else (name,):
            write_bytes(out / file_name(one), schema_text(one).encode(), durable=False)
            say(str(out / file_name(one)))
    elif name is not None:
        print(json.dumps(make_schema(name), indent=1))  # noqa: T201 - as it is, for a file
    elif as_json:
        say(json.dumps({one: about for one, (about, _) in FORMS.items()}))
    else:
        say(*(f"{one:14} {about}" for one, (about, _) in FORMS.items()))
