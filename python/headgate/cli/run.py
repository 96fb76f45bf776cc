"""`headgate run`: run one scenario, with progress; a stopped run can be resumed."""

from __future__ import annotations

import json
import math
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headgate.base.errors import HeadgateError
from headgate.base.terminal import echo
from headgate.cli.options import (
    Ccas,
    Json,
    Out,
    ScenarioFile,
    Seed,
    Settings,
    Threads,
    Trust,
    Unset,
    command_line,
    load,
    make_table,
    say_result,
    warn,
)

if TYPE_CHECKING:
    from headgate.data.measures.shown import Heading
    from headgate.engine.api import Result
    from headgate.engine.run.trace import Trace

Traced = Annotated[
    list[str] | None,
    typer.Option(
        "--trace",
        metavar="flows=NAMES|ports=NAMES",
        help="Write every event of these flows or ports into DIR/trace: names, patterns, numbers"
        " from 0, or all, with commas; repeatable. headgate trace makes captures from it.",
    ),
]
TraceLimit = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Events after which the trace ends, by default 5 million; the run continues.",
    ),
]
Arrivals = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Replay the real packets of a run of headgate emulate, DIR/arrivals.parquet;"
        " the simulated part gives the same result.",
    ),
]


def run(  # noqa: PLR0913, PLR0917 - one for each option
    scenario: ScenarioFile,
    settings: Settings = None,
    unset: Unset = None,
    seed: Seed = None,
    ccas: Ccas = None,
    out: Out = None,
    traced: Traced = None,
    trace_limit: TraceLimit = None,
    threads: Threads = 1,
    arrivals: Arrivals = None,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Run a scenario.

    Ctrl-C stops it; with --out the same command resumes it, with the same result. If the folder
    contains the finished run, it is read and not run again.
    """
    from headgate.engine.api import UnstoredError, simulate
    from headgate.engine.run.options import RunOptions
    from headgate.engine.run.progress import show_progress
    from headgate.plugin.guard import run_watched

    if arrivals is not None:
        chosen = load(scenario, settings, seed, ccas, unset=unset, trust=trust)
        from headgate.engine.live.arrivals import replay

        result = replay(chosen, arrivals, command_line())
        if out is not None:
            result.write(out)
        print_result(result, out, as_json)
        return
    trace = _read_trace(traced, trace_limit)
    chosen = load(scenario, settings, seed, ccas, unset=unset, trust=trust)
    with run_watched(chosen.own_code()), show_progress(scenario.stem) as progress:
        options = RunOptions(threads=threads, trace=trace, command=command_line())
        unstored = None
        try:
            result = simulate(chosen, out, progress, options)
        except UnstoredError as error:
            result, unstored = error.result, error
    print_result(result, out if unstored is None else None, as_json)
    if unstored is not None:
        raise unstored


def _read_trace(traced: list[str] | None, limit: int | None) -> Trace | None:
    from headgate.engine.run.trace import Trace

    if traced:
        return Trace.parse(traced, limit)
    if limit is not None:
        raise HeadgateError(
            "--trace-limit: nothing is traced; add --trace, such as --trace flows=0"
        )
    return None


def print_result(result: Result, out: Path | None, as_json: bool) -> None:
    """Print the tables and the cost of a run, and its folder."""
    warn(result.meta.get("warnings", ()))
    if as_json:
        echo(json.dumps(summary(result)))
    else:
        _show(result, out)


def summary(result: Result) -> dict[str, Any]:
    """Return the cost of a run, its responses, and sums over its flows, streams and ports."""
    from headgate.data.measures.shown import MOST_PORTS, busiest, by_cca, by_stream

    table = result.tables["responses"]
    responses = [{key: table[key][row].item() for key in table} for row in range(len(table))]
    meta = {key: result.meta[key] for key in ("seed", "cpu_s", "packet_hops", "digest")}
    return meta | {
        name: [
            {key: None if isinstance(v, float) and math.isnan(v) else v for key, v in row.items()}
            for row in rows
        ]
        for name, rows in (
            ("ccas", by_cca(result.tables)),
            ("streams", by_stream(result.tables)),
            ("ports", busiest(result.tables, MOST_PORTS)),
            ("responses", responses),
        )
        if rows or name != "streams"
    }


#: Headings that are too long for a column of small numbers.
_FOLDED = {"retransmissions": "retrans-\nmissions", "time-outs": "time-\nouts"}


def _show(result: Result, out: Path | None) -> None:
    from headgate.base.console import PlainConsole
    from headgate.base.plain_text import say_cost
    from headgate.data.measures.shown import show_run

    console = PlainConsole()
    for shown in show_run(result.tables, result.meta):
        console.print(make_table(shown.title, list(map(_fold, shown.heads)), shown.rows))
    hops, cpu_s = result.meta["packet_hops"], result.meta["cpu_s"]
    console.print(
        f"{say_cost(hops, cpu_s)} ({hops / max(cpu_s, 1e-9) / 1e6:.1f} million per CPU second)",
    )
    if out is not None and "trace" in result.meta:
        following = f"headgate trace {shlex.quote(str(out))}"
        console.print(
            f"Trace: {out}/trace: {result.meta['trace']} ({following} makes captures)",
            soft_wrap=True,
        )
    say_result(out)
    echo(f"Digest: {result.digest}")


def _fold(head: Heading) -> str:
    """Return a heading on two lines."""
    return _FOLDED.get(head.name) or "\n".join(filter(None, (head.name, head.unit)))
