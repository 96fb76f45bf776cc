"""`headgate design new | show | alias`: make designs, and inspect them before they run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headgate.base.errors import ScenarioError
from headgate.base.messages import count_others
from headgate.base.terminal import echo
from headgate.cli.options import Json

if TYPE_CHECKING:
    from headgate.design.generate import MadeDesign

app = typer.Typer(
    no_args_is_help=True, help="Make a design of experiments, and inspect it before it runs."
)

Source = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="A design in TOML, or a two-level design by name: '2^(6-1)'."
    ),
]
Given = Annotated[
    list[str] | None,
    typer.Option(
        "--factor",
        metavar="NAME=PATH:LOW..HIGH",
        help="A factor and its levels, such as rate='network.rate:10 Mbit/s..1 Gbit/s'; "
        "LOW..MID..HIGH for more levels, (log) at the end for a logarithmic scale; repeatable.",
    ),
]
#: The number of rows of the sheet that `show` prints without `--all`.
ROWS = 32
_LOG = re.compile(r"\s*\(log\)$")


@app.command()
def new(  # noqa: PLR0913, PLR0917 - one for each option
    file: Annotated[Path, typer.Argument(help="The file to write, in TOML.", metavar="FILE")],
    factor: Given = None,
    factors: Annotated[
        int, typer.Option(metavar="K", help="Number of placeholder factors (A, B, ...).")
    ] = 0,
    kind: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="two-level, plackett-burman, orthogonal-array, definitive-screening,"
            " central-composite, box-behnken, d-optimal, morris, saltelli, latin-hypercube, sobol"
            " or random.",
        ),
    ] = "two-level",
    design: Annotated[
        str, typer.Option(metavar="NAME", help="A two-level design by name, such as '2^(6-1)'.")
    ] = "",
    runs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Number of runs of the minimum-aberration fraction, the D-optimal design or the"
            " sample.",
        ),
    ] = None,
    generators: Annotated[
        str,
        typer.Option(
            metavar="F=ABC,G=-ABD", help="Generators: the product that each added factor equals."
        ),
    ] = "",
    array: Annotated[str, typer.Option(metavar="NAME", help="Orthogonal array, such as L18.")] = "",
    scenario: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The scenario to vary.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of run order and samples.")] = 1,
    replicates: Annotated[
        int, typer.Option(metavar="N", help="Number of replicates of each run.")
    ] = 1,
    centre_points: Annotated[
        int | None, typer.Option(metavar="N", help="Number of runs at the centre point.")
    ] = None,
    shape: Annotated[
        str | None,
        typer.Option(metavar="SHAPE", help="Central composite: inscribed, circumscribed or faced."),
    ] = None,
    alpha: Annotated[
        str | None,
        typer.Option(
            metavar="A",
            help="Distance of its star: rotatable, orthogonal, spherical or a number.",
        ),
    ] = None,
    fake_factors: Annotated[
        int | None,
        typer.Option(metavar="N", help="Definitive screening: columns that estimate the error."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="D-optimal: linear, interactions, quadratic, or terms such as 'A,B,A B,A A'.",
        ),
    ] = None,
    constraint: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="D-optimal: an inequality, such as '2 * rate + rtt <= 100'; repeatable.",
        ),
    ] = None,
    trajectories: Annotated[
        int | None, typer.Option(metavar="N", help="Number of Morris' trajectories.")
    ] = None,
    grid_levels: Annotated[
        int | None, typer.Option(metavar="N", help="Levels of Morris' grid, an even number.")
    ] = None,
    samples: Annotated[
        int | None, typer.Option(metavar="N", help="Saltelli's samples, a power of two.")
    ] = None,
    foldover: Annotated[
        bool, typer.Option("--foldover", help="Add every run with all signs reversed.")
    ] = False,
    title: Annotated[str, typer.Option(metavar="TEXT", help="Heading in reports.")] = "",
    as_json: Json = False,
) -> None:
    """Write a design as TOML, and its runs as CSV beside it.

    Example: headgate design new out/d.toml --scenario examples/first.toml
    --factor rate='network.rate:10 Mbit/s..1 Gbit/s (log)' --factor rtt='network.rtt:10 ms..100 ms'
    """
    from headgate.base.files import write_bytes
    from headgate.design.file import DesignFile
    from headgate.design.generate import make_design

    varied = _factors(factor or [], factors, design)
    if not varied:
        says = "there are no factors; give --factor NAME=PATH:LOW..HIGH, --factors K or --design"
        raise ScenarioError("design new", says)
    given: dict[str, Any] = {
        "title": title or file.stem,
        "kind": kind,
        "design": design,
        "runs": runs,
        "generators": _rules(generators),
        "array": array,
        "seed": seed,
        "replicates": replicates,
        "centre_points": centre_points,
        "foldover": foldover,
        "scenario": _relate(scenario, file),
        "factors": varied,
        **_drop_none(
            shape=shape,
            alpha=alpha if alpha is None else _value(alpha),
            fake_factors=fake_factors,
            model=model if model is None else _read_model(model),
            constraints=constraint,
            trajectories=trajectories,
            grid_levels=grid_levels,
            samples=samples,
        ),
    }
    with _report_slow_search() if design or runs else nullcontext():
        made = make_design(DesignFile.from_dict(given, "design new"), file)
    if scenario is not None:
        made.scenarios()
    made.file.save(file)
    write_bytes(file.with_suffix(".csv"), made.csv().encode())
    paths = [str(file), str(file.with_suffix(".csv"))]
    if as_json:
        echo(json.dumps(made.facts() | {"files": paths}))
        return
    _print_facts(made)
    echo(*paths)


@app.command()
def show(
    source: Source,
    every: Annotated[bool, typer.Option("--all", help="Print every run.")] = False,
    as_json: Json = False,
) -> None:
    """Print the runs of a design in the notation of the scenario, and its confounded effects."""
    made = _load(source)
    if as_json:
        echo(json.dumps(made.facts() | {"sheet": made.rows()}))
        return
    _print_facts(made)
    rows = made.rows()
    _print_table(rows if every else rows[:ROWS])
    if len(rows) > ROWS and not every:
        echo(f"... and {count_others(len(rows) - ROWS, 'run')}: --all")


@app.command()
def alias(
    source: Source,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for the picture, PNG and SVG.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print which effects are confounded; draw the correlations of their columns."""
    made = _load(source)
    chains = _chains(made)
    paths = _draw(made, out) if out is not None else []
    if as_json:
        echo(json.dumps(made.facts() | {"chains": chains, "pictures": [str(p) for p in paths]}))
        return
    _print_facts(made)
    for chain in chains:
        if len(chain) > 1:
            echo(" = ".join(chain))
    if made.design.fraction is None:
        echo("effects are partially confounded: --out DIR draws the correlations of their columns")
    echo(*map(str, paths))


@app.command()
def power(
    source: Source,
    effect: Annotated[
        float, typer.Option(metavar="E", help="Size of a main effect that must be shown.")
    ],
    deviation: Annotated[
        float, typer.Option(metavar="S", help="Standard deviation of a run, in the same unit.")
    ],
    chance: Annotated[
        float, typer.Option(metavar="P", help="Chance with which the effect must be shown.")
    ] = 0.8,
    as_json: Json = False,
) -> None:
    """Compute how many replicates of a design show an effect of a size.

    The effect is the change from the low to the high level of a factor. It is shown if its 95 %
    interval excludes zero. The answer is given for each test that the runs may meet: that of
    `headgate experiment` for this kind of design, and that of `headgate analyse` for a table of the
    runs, if it tests main effects by a pooled error. No chance is given if nothing is tested.
    The sentences of a report also correct for all tests, which lowers the chance.

    Example: headgate design power '2^(6-1)' --effect 2 --deviation 5
    """
    from headgate.experiment.design_power import find_powers

    made = _load(source)
    found = find_powers(made, effect, deviation, chance)
    if as_json:
        record = {"effect": effect, "deviation": deviation, "chance": chance}
        echo(json.dumps(record | {"tests": [one.facts() for one in found]}))
        return
    for one in found:
        echo(*one.describe())


def _load(source: str) -> MadeDesign:
    from headgate.design.generate import load_design

    with _report_slow_search():
        return load_design(source)


@contextmanager
def _report_slow_search() -> Iterator[None]:
    from headgate.base.progress import count_slow_steps

    with count_slow_steps("design", 1, "designs found"):
        yield


def _drop_none(**keys: Any) -> dict[str, Any]:
    return {key: value for key, value in keys.items() if value is not None}


def _read_model(text: str) -> str | list[str]:
    """Return the order of a model, or its terms."""
    terms = [part.strip() for part in text.split(",") if part.strip()]
    return text if text in ("linear", "interactions", "quadratic") else terms


def _rules(text: str) -> dict[str, str] | str:
    if text.strip() == "minimum aberration":
        return "minimum aberration"
    rules = {}
    for part in (part for part in text.split(",") if part.strip()):
        name, sign, product = part.partition("=")
        if not sign:
            raise ScenarioError(f"--generators {part.strip()}", "write NAME=PRODUCT, such as F=ABC")
        rules[name.strip()] = product.strip()
    return rules


def _factors(texts: list[str], count: int, design: str) -> dict[str, dict[str, Any]]:
    from headgate.design.factor import letter_factors
    from headgate.design.named import parse_size

    if texts and count:
        raise ScenarioError("--factors", "give --factor for each, or only their number")
    size = parse_size(design)[0] if design and not texts and not count else count
    return dict(map(_factor, texts)) or {
        name: {"low": -1, "high": 1} for name in letter_factors(size)
    }


def _factor(text: str) -> tuple[str, dict[str, Any]]:
    name, _, rest = text.partition("=")
    path, _, values = rest.partition(":")
    levels = [_value(part) for part in _LOG.sub("", values).split("..")]
    if not name.strip() or not path.strip() or len(levels) < 2:
        raise ScenarioError(
            f"--factor {text}",
            "write NAME=PATH:LOW..HIGH, such as rtt='network.rtt:10 ms..90 ms', or LOW..MID..HIGH"
            " for more levels",
        )
    ends = {"low": levels[0], "high": levels[1]} if len(levels) == 2 else {"levels": levels}
    scale = {"scale": "log"} if _LOG.search(values) else {}
    return name.strip(), {"setting": path.strip(), **ends, **scale}


def _value(text: str) -> Any:
    from headgate.scenario.keys import parse_setting

    return parse_setting(f"x={text.strip()}")[1]


def _relate(scenario: Path | None, file: Path) -> str:
    import os

    if scenario is None:
        return ""
    return Path(os.path.relpath(scenario.absolute(), file.absolute().parent)).as_posix()


def _print_facts(made: MadeDesign) -> None:
    from headgate.design.generate import describe_design

    echo(*describe_design(made))


def _print_table(rows: list[dict[str, Any]]) -> None:
    cells = [list(rows[0]), *([str(value) for value in row.values()] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    for row in cells:
        padded = (f"{c:>{w}}" for c, w in zip(row, widths, strict=True))
        echo("  ".join(padded).rstrip())


def _chains(made: MadeDesign) -> list[list[str]]:
    fraction = made.design.fraction
    if fraction is None:
        return []
    return [
        ["I"] * bool(chain.constant) + [fraction.text(e, s) for e, s in chain.effects]
        for chain in fraction.chains()
    ]


def _draw(made: MadeDesign, out: Path) -> list[Path]:
    import matplotlib as mpl

    mpl.use("agg")
    from headgate.figures.plots.designs import aliases
    from headgate.figures.plots.style import save_figure

    title = made.file.title or made.source
    return save_figure(aliases(made.design.correlate_effects(), title), out, "aliases")
