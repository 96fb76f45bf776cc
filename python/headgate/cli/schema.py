"""`headgate schema`: JSON Schema of the forms of TOML, for editors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
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
    from headgate.cli.forms import every_form, schema_text

    if out is not None:
        say_paths(_write(every_form() if name is None else [name], out), as_json)
    elif name is not None:
        echo(*schema_text(name).splitlines())
    elif as_json:
        echo(json.dumps({one: about for one, (about, _) in every_form().items()}))
    else:
        echo(*(f"{one:14} {about}" for one, (about, _) in every_form().items()))


def _write(names: Iterable[str], folder: Path) -> Iterator[Path]:
    """Write the schemas of these forms; give the paths."""
    from headgate.base.files import write_bytes
    from headgate.cli.forms import file_name, schema_text

    for name in names:
        path = folder / file_name(name)
        write_bytes(path, schema_text(name).encode(), durable=False)
        yield path
