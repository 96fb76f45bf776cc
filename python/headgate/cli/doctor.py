"""`headgate doctor`: what works on this machine, and what to do about what does not."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from headgate.base.terminal import echo
from headgate.cli.options import Json

if TYPE_CHECKING:
    from headgate.cli.machine_checks import Found


def doctor(as_json: Json = False) -> None:
    """Check what works on this machine, and say how to fix what does not.

    Compilers, libraries and kernels are for those who use them; the engine, pictures and Python
    are for everything. It ends with 2 if one of these does not work, and else with 0.
    """
    from headgate.cli.machine_checks import examine

    found = []
    for one in examine(Path()):
        found.append(one)
        if not as_json:
            _show(one)
    if as_json:
        echo(json.dumps([asdict(one) for one in found]))
    if any(one.needed and not one.works for one in found):
        raise typer.Exit(2)


def _show(one: Found) -> None:
    word = "works" if one.works else "BROKEN" if one.needed else "missing"
    echo(f"{one.name:16} {word:8} {one.detail}")
    if not one.works and one.remedy:
        echo(f"{'':25} {one.remedy}")
