"""`headgate fluid`: a fluid model solved, in milliseconds."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headgate.base.errors import FluidWarning, ScenarioError
from headgate.base.messages import also
from headgate.base.terminal import echo
from headgate.cli.options import Json, say_result, warn

if TYPE_CHECKING:
    from headgate.engine.api import Result
    from headgate.engine.fluid.settings import Method

Params = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Set a parameter of its card; repeatable."),
]
Net = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="A network in TOML: classes, links, packet."),
]
Duration = Annotated[str, typer.Option(metavar="TIME", help="Time to solve, such as '50 s'.")]
Way = Annotated[
    str,
    typer.Option(
        help="adaptive (Dormand-Prince 5(4)), or fixed steps: euler, rk4.", metavar="NAME"
    ),
]
Tolerance = Annotated[float, typer.Option(help="Relative tolerance of the adaptive method.")]
Step = Annotated[str | None, typer.Option(metavar="TIME", help="Length of a step of euler or rk4.")]
Past = Annotated[
    str,
    typer.Option(
        help="How euler and rk4 look up the past: smooth, or rows (without interpolation).",
        metavar="NAME",
    ),
]
Every = Annotated[
    str | None, typer.Option(metavar="TIME", help="Time between two rows of the series.")
]
Stable = Annotated[
    bool,
    typer.Option(
        "--stability", help="Say whether its equilibrium is stable, and with what margins."
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Keep the result here: Parquet tables and run.json."),
]


def fluid(  # noqa: PLR0913, PLR0917 - one for each option
    model: Annotated[str, typer.Argument(help="A fluid model: `headgate catalog` lists them.")],
    params: Params = None,
    network: Net = None,
    duration: Duration = "50 s",
    method: Way = "adaptive",
    tolerance: Tolerance = 1e-6,
    step: Step = None,
    past: Past = "smooth",
    every: Every = None,
    warmup: Annotated[str, typer.Option(metavar="TIME", help="Time left out of means.")] = "0 s",
    stability: Stable = False,
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Solve a fluid model: the same tables as a packet run, so `headgate plot` draws it.

    Example: headgate fluid tcp-red --set red=queue --set min_packets=13.26 --out out/fluid
    """
    from headgate.base.files import read_toml_file

    table = None if network is None else read_toml_file(network)
    if stability:
        from headgate.cli.stability import tell

        tell(model, _read(params or ()), table, out, as_json)
        return
    from headgate.data.folder import hold_for_run, write_folder
    from headgate.engine.fluid import solve

    with warnings.catch_warnings(), hold_for_run(out) if out is not None else nullcontext():
        warnings.simplefilter("ignore", FluidWarning)
        result = solve(
            model,
            _read(params or ()),
            network=table,
            duration=duration,
            method=_method(method, tolerance, step, past),
            every=every,
            warmup=warmup,
        )
        if out is not None:
            write_folder(out, result.tables, result.meta)
    warn(result.meta["warnings"])
    if as_json:
        import json

        echo(json.dumps(_summary(result)))
    else:
        _show(result, out)


def _read(texts: list[str] | tuple[str, ...]) -> dict[str, float | str]:
    params: dict[str, float | str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not value:
            raise ScenarioError(f"--set {text}", "write NAME=VALUE, such as rtt_s=0.2")
        try:
            params[name] = float(value)
        except ValueError:
            params[name] = value
    return params


#: Ways to solve a model.
METHODS = ("adaptive", "euler", "rk4")


def _method(name: str, tolerance: float, step: str | None, past: str) -> Method:
    from headgate.engine.fluid.settings import RK4, Adaptive, Euler

    if name == "adaptive":
        if step is not None or past != "smooth":
            raise ScenarioError("--method adaptive", "--step and --past are for euler and rk4")
        return Adaptive(tolerance)
    if name not in METHODS:
        says = f"{name!r} is not one of {', '.join(METHODS)}{also(name, METHODS)}"
        raise ScenarioError("--method", says)
    if step is None:
        raise ScenarioError("--step", f"{name} takes steps of one length, such as --step '20 ms'")
    looked: Any = past  # a wrong word is refused when it is read
    return Euler(step, looked) if name == "euler" else RK4(step, looked)


def _summary(result: Result) -> dict[str, Any]:
    """Return means of flows and ports, and what the solution cost."""
    said = {key: result.meta[key] for key in ("fluid", "steps", "cpu_s", "warnings", "digest")}
    return said | {name: _drop_missing(result, name) for name in ("flows", "ports")}


def _drop_missing(result: Result, name: str) -> list[dict[str, Any]]:
    """Return the rows of a table without what a fluid does not have."""
    table = result.tables[name]
    rows = [{key: table[key][row].item() for key in table} for row in range(len(table))]
    return [
        {key: value for key, value in row.items() if value == value and value != ""}  # noqa: PLR0124
        for row in rows
    ]


_SHOWN = {
    "flows": ("mean_cwnd_packets", "min_rtt_s", "mean_rtt_s"),
    "ports": ("utilisation", "loss_rate", "mean_queue_packets", "max_queue_packets"),
}


def _show(result: Result, out: Path | None) -> None:
    for name, columns in _SHOWN.items():
        for row in _drop_missing(result, name):
            said = ", ".join(f"{column} {row[column]:.4g}" for column in columns)
            echo(f"{row.get('link', row.get('traffic'))}: {said}")
    steps, cpu_s = result.meta["steps"], result.meta["cpu_s"]
    echo(f"{steps['taken']:,} steps in {1e3 * cpu_s:.1f} ms of CPU")
    say_result(out)
