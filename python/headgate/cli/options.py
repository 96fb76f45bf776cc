"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from headgate.scenario import Scenario

ScenarioFile = Annotated[Path, typer.Argument(help="A scenario in TOML.", show_default=False)]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help='Change a key, such as network.rate="50 Mbit/s" or traffic.0.law=fast; repeatable.',
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(metavar="N", help="Root of every random stream, instead of the file's."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]


def load(file: Path, settings: list[str] | None, seed: int | None) -> Scenario:
    """Read a scenario and change what the options say."""
    from headgate.scenario.scenario import Scenario
    from headgate.scenario.toml import parse_setting, read_toml, set_key

    data: dict[str, Any] = read_toml(file)
    for setting in settings or ():
        set_key(data, *parse_setting(setting))
    if seed is not None:
        data["seed"] = seed
    return Scenario.from_dict(data)
