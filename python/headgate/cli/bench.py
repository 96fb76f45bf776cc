"""`headgate bench`: the speed of the engine on this machine."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from headgate.base.terminal import echo
from headgate.cli.options import Json, Threads, make_table

if TYPE_CHECKING:
    from headgate.engine.bench import Timing

COLUMNS = (
    "network", "threads", "packet-hops", "CPU s", "wall s", "set-up s", "million hops / CPU s",
    "peak MiB", "B / flow", "sim s / wall s",
)  # fmt: skip


def bench(
    name: Annotated[
        str | None, typer.Argument(help="One network; by default all four, one after the other.")
    ] = None,
    threads: Threads = 1,
    as_json: Json = False,
) -> None:
    """Time the engine: packet-hops per CPU second on two dumbbells and two Abilene networks.

    A packet-hop is one packet, data or ACK, over one link. Leave the machine idle meanwhile: each
    network runs in a separate process, on one core or as many as there are threads.
    """
    from headgate.engine.bench import measure, names

    timings = [measure(chosen, threads) for chosen in ([name] if name else names())]
    if as_json:
        rows = [asdict(timing) for timing in timings]
        echo(json.dumps(rows[0] if name else rows))
    else:
        _show(timings)


def _show(timings: list[Timing]) -> None:
    from headgate.base.console import PlainConsole

    PlainConsole().print(make_table(None, COLUMNS, map(_row, timings)))


def _row(timing: Timing) -> tuple[str, ...]:
    return (
        timing.name,
        str(timing.threads),
        f"{timing.packet_hops:,}",
        f"{timing.cpu_s:.2f}",
        f"{timing.wall_s:.2f}",
        f"{timing.setup_cpu_s:.2f}",
        f"{timing.packet_hops_per_cpu_s / 1e6:.1f}",
        f"{timing.peak_memory_bytes / 2**20:.0f}",
        f"{timing.bytes_per_flow:.0f}",
        f"{timing.sim_s_per_wall_s:.2f}",
    )
