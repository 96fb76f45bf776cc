"""`headgate init`: write a file to start from, and print the next commands."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated

import typer

from headgate.base.terminal import echo
from headgate.cli import complete
from headgate.cli.options import Json


def init(
    file: Annotated[
        Path | None, typer.Argument(help="The file to write; by default KIND.toml.")
    ] = None,
    kind: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="KIND",
            autocompletion=complete.templates,
            help="dumbbell, web, abilene, own-cca (with an algorithm in Python) or experiment.",
        ),
    ] = "dumbbell",
    as_json: Json = False,
) -> None:
    """Write a scenario or an experiment with comments, ready to run and to change.

    Nothing is overwritten. It prints the files, and the commands to try next.
    """
    from headgate.experiment.templates import write

    paths = write(kind, file)
    commands = next_commands(kind, paths)
    if as_json:
        echo(json.dumps({"files": [str(path) for path in paths], "next": commands}))
        return
    echo(*map(str, paths), "Next:", *(f"  {command}" for command in commands))


def next_commands(kind: str, paths: list[Path]) -> list[str]:
    """Return the next commands for a written template."""
    file = shlex.quote(str(paths[0]))
    out = shlex.quote(str(Path("out") / paths[0].stem))
    if kind == "experiment":
        verb = "headgate experiment"
        runs = [f"{verb} check {file}", f"{verb} run {file} --dry-run", f"{verb} run {file}"]
        return [*runs, f"headgate plot {out}"]
    trust = " --trust" if kind == "own-cca" else ""
    check = f"{shlex.quote(f'{paths[1]}:Mine')}" if kind == "own-cca" else file
    return [
        f"headgate check {check}",
        f"headgate run {file} --out {out}{trust}",
        f"headgate plot {out}",
    ]
