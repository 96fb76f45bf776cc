"""`headgate schema`: JSON Schema of the forms of TOML, for editors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from headgate.base.terminal import echo
from headgate.cli import complete
from headgate.cli.options import Json, say_paths


def schema(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A form, such as scenario; all are listed by default.",
            autocompletion=complete.forms,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for NAME.schema.json, or for all."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the JSON Schema of a form of TOML, by which an editor completes and checks a file.

    Example: headgate schema scenario --out . and in the file's first line
    #:schema ./scenario.schema.json
    """
    from headgate.base.files import write_bytes
    from headgate.experiment.schemas.studies import every_form, file_name, schema_text

    if out is not None:
        paths = {one: out / file_name(one) for one in (every_form() if name is None else [name])}
        for one, path in paths.items():
            write_bytes(path, schema_text(one).encode(), durable=False)
        say_paths(paths.values(), as_json)
    elif name is not None:
        echo(*schema_text(name).splitlines())
    elif as_json:
        echo(json.dumps({one: about for one, (about, _) in every_form().items()}))
    else:
        echo(*(f"{one:14} {about}" for one, (about, _) in every_form().items()))
