"""`headgate fluid`: solve a fluid model in milliseconds, or analyse its stability."""

from __future__ import annotations

import json
import math
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
    from headgate.engine.fluid import Stability
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
    typer.Option("--stability", help="Print whether the equilibrium is stable, and its margins."),
]
Out = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Keep the result here: Parquet tables and run.json."),
]


def fluid(  # noqa: PLR0913, PLR0917 - one for each option
    model: Annotated[str, typer.Argument(help="A fluid model, as `headgate catalog` lists them.")],
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
        _print_stability(model, _read(params or ()), table, out, as_json)
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


#: Methods that solve a model.
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
    looked: Any = past  # the constructor refuses wrong words
    return Euler(step, looked) if name == "euler" else RK4(step, looked)


def _summary(result: Result) -> dict[str, Any]:
    """Return means of flows and ports, and the cost of the solution."""
    facts = {key: result.meta[key] for key in ("fluid", "steps", "cpu_s", "warnings", "digest")}
    return facts | {name: _drop_missing(result, name) for name in ("flows", "ports")}


def _drop_missing(result: Result, name: str) -> list[dict[str, Any]]:
    """Return the rows of a table without values that a fluid model does not define."""
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
            means = ", ".join(f"{column} {row[column]:.4g}" for column in columns)
            echo(f"{row.get('link', row.get('traffic'))}: {means}")
    steps, cpu_s = result.meta["steps"], result.meta["cpu_s"]
    echo(f"{steps['taken']:,} steps in {1e3 * cpu_s:.1f} ms of CPU")
    say_result(out)


#: The number of printed roots.
ROOTS = 3
#: The name of the picture in the folder of `--out`.
PICTURE = "stability"


def _print_stability(
    model: str,
    params: dict[str, float | str],
    network: dict[str, Any] | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Print the linear stability of a model's equilibrium, and draw it."""
    from headgate.engine.fluid import analyse_stability

    found = analyse_stability(model, params, network=network)
    facts = _summarise_stability(found)
    if as_json:
        echo(json.dumps(facts))
    else:
        _show_stability(found, facts)
    if out is not None:
        _draw_stability(found, out)


def _summarise_stability(found: Stability) -> dict[str, Any]:
    margins = found.margins
    return {
        "model": found.model,
        "stable": found.stable,
        "growth_per_s": found.growth_per_s,
        "roots": [[root.real, root.imag] for root in found.roots[:ROOTS].tolist()],
        "unstable_roots": found.unstable_roots,
        "phase_margin_deg": None if margins is None else _finite(margins.phase_deg),
        "gain_margin": None if margins is None else _finite(margins.gain),
        "at_an_edge": bool(found.edges),
        "rest": {name: values.tolist() for name, values in found.rest.items()},
    }


def _finite(value: float) -> float | None:
    """Return a margin for JSON; None if it is infinite."""
    return value if math.isfinite(value) else None


def _show_stability(found: Stability, facts: dict[str, Any]) -> None:
    verdict = "stable" if found.stable else "unstable"
    grows = "decay" if found.stable else "grow"
    rate = f"{abs(found.growth_per_s):.4g}/s"
    echo(f"{found.model}, equilibrium: {verdict}; perturbations {grows} at {rate}")
    for name, values in facts["rest"].items():
        echo(f"  {name}: {', '.join(f'{value:.4g}' for value in values)}")
    roots = ", ".join(f"{real:.4g} {imag:+.4g}i" for real, imag in facts["roots"])
    echo(f"rightmost roots (1/s): {roots}")
    if found.margins is not None and found.stable:
        phase_deg, gain = found.margins.phase_deg, found.margins.gain
        echo(f"margins: {phase_deg:.1f} degrees of phase, gain times {gain:.3g}")
    if found.edges:
        echo("The equilibrium lies on a switching boundary; the result is valid on one side only.")


def _draw_stability(found: Stability, out: Path) -> None:
    from headgate.figures.plots.stability import draw_stability
    from headgate.figures.plots.style import save_figure

    title = f"{found.model}, equilibrium: {'stable' if found.stable else 'unstable'}"
    phase_deg = None if found.margins is None else found.margins.phase_deg
    paths = save_figure(draw_stability(title, found.roots, found.loop, phase_deg), out, PICTURE)
    echo(f"Picture: {', '.join(str(path) for path in paths)}")
