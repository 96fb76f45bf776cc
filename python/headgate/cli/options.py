"""Options and output that several commands share."""

from __future__ import annotations

import csv
import json
import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headgate.base.errors import ScenarioError, join_lines
from headgate.base.messages import also
from headgate.base.terminal import echo
from headgate.plugin.code_files import name_by_hand

if TYPE_CHECKING:
    from rich.table import Table

    from headgate.engine.api import Scenario


def split_names(text: str) -> tuple[str, ...]:
    """Return the names between commas. Quotes enclose a name with a comma, as in CSV."""
    cells = next(csv.reader([text], skipinitialspace=True), [])
    return tuple(name.strip() for name in cells if name.strip())


ScenarioFile = Annotated[Path, typer.Argument(help="A scenario in TOML.", show_default=False)]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help='Change a key, such as network.rate="50 Mbit/s", traffic.0.cca=fast, or cca or'
        " share.bbr3 of all traffic; repeatable.",
    ),
]
Unset = Annotated[
    list[str] | None,
    typer.Option(
        "--unset",
        metavar="KEY",
        help="Remove a key, such as network.queue, before --set changes others; repeatable.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(metavar="N", help="Seed of every random stream, instead of the file's."),
]
Ccas = Annotated[
    list[str] | None,
    typer.Option(
        "--cca",
        metavar="[TRAFFIC=]NAME|FILE[:NAME]",
        help="Use this algorithm, of the catalogue or user-defined, for all traffic, or for one"
        " kind by place (0, 1, ...) or name; repeatable.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Keep the result here: Parquet tables and run.json."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for machines.")]
Threads = Annotated[
    int,
    typer.Option(
        min=1,
        metavar="N",
        help="Threads for the run; they pay off in networks of many routers. Results are the same.",
    ),
]

Trust = Annotated[
    bool,
    typer.Option(
        "--trust",
        help="Allow the algorithms, queue disciplines and functions that the file names to run, now"
        " and later: they are code. Code that you name by --cca or --set needs no permission.",
    ),
]


def warn(warnings: Iterable[object]) -> None:
    """Print warnings on standard error."""
    for one in warnings:
        echo(f"warning: {join_lines(str(one))}", error=True)


def command_line() -> str:
    """Return the command line as the user wrote it."""
    return shlex.join(["headgate", *sys.argv[1:]])


def say_result(out: Path | None) -> None:
    """Print the folder of a stored result, with the next command."""
    if out is not None:
        echo(f"Result: {out} (headgate plot {shlex.quote(str(out))} draws it)")


def make_table(
    title: str | None, heads: Sequence[str], rows: Iterable[Sequence[str]] = ()
) -> Table:
    """Make a table for the terminal; all columns but the first contain numbers."""
    from rich import box
    from rich.table import Table

    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    for place, head in enumerate(heads):
        table.add_column(head, justify="right" if place else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table


def say_paths(paths: Iterable[str | Path], as_json: bool) -> None:
    """Print paths, one per line or as one JSON list."""
    texts = list(map(str, paths))
    echo(*([json.dumps(texts)] if as_json else texts))


def load(  # noqa: PLR0913 - one for each option
    file: Path,
    settings: list[str] | None,
    seed: int | None,
    ccas: list[str] | None = None,
    *,
    unset: list[str] | None = None,
    trust: bool = False,
) -> Scenario:
    """Read a scenario, changed by the options. Raises HeadgateError."""
    from headgate.engine.api import Scenario
    from headgate.scenario.keys import change_keys, code_in, parse_setting, unset_keys
    from headgate.scenario.toml import read_toml

    data: dict[str, Any] = read_toml(file)
    unset_keys(data, unset or ())
    changes = [parse_setting(setting) for setting in settings or ()]
    change_keys(data, changes)
    name_by_hand([*map(code_in, dict(changes)), *dict(changes).values()])
    for given in ccas or ():
        _replace_cca(data, given)
    if seed is not None:
        data["seed"] = seed
    read = Scenario.from_file(data, str(file))
    if trust:
        read.allow_own_code()
    return read


def _replace_cca(data: dict[str, Any], given: str) -> None:
    """Replace the algorithm of traffic by one of the catalogue or a user-defined one."""
    from headgate.plugin.user_code import is_source
    from headgate.scenario.keys import takes_cca

    which, sign, cca = given.partition("=")
    if not sign:
        which, cca = "", given
    traffic = [item for item in data.get("traffic", ()) if isinstance(item, dict)]
    chosen = [
        item
        for place, item in enumerate(traffic)
        if (which in (str(place), item.get("name", "")) if which else takes_cca(item))
    ]
    if not chosen:
        names = [item.get("name", str(place)) for place, item in enumerate(traffic)]
        known = f"the scenario has {', '.join(names)}{also(which, names)}"
        raise ScenarioError(f"--cca {given}", f"there is no traffic {which!r}; {known}")
    if is_source(cca) or Path(cca).suffix:
        name_by_hand(cca)
        cca = str(Path(cca).absolute())
    for item in chosen:
        item["cca"] = cca
