"""`headgate bench`: the speed of the engine on this machine."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from headgate.base.errors import HeadgateError
from headgate.base.terminal import echo
from headgate.cli.options import Json, make_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from headgate.engine.bench import Timing

COLUMNS = (
    "network", "threads", "packet-hops", "CPU s", "wall s", "speed-up", "set-up s",
    "million hops / CPU s", "peak MiB", "B / flow", "sim s / wall s",
)  # fmt: skip


def bench(
    name: Annotated[
        str | None,
        typer.Argument(help="One network; by default all but abilene-2780000, in turn."),
    ] = None,
    threads: Annotated[
        str,
        typer.Option(
            metavar="N,...",
            help="Numbers of threads, such as 1,2,4: each network runs on each of them.",
        ),
    ] = "1",
    as_json: Json = False,
) -> None:
    """Time the engine: packet-hops per CPU second on two dumbbells and three Abilene networks.

    A packet-hop is one packet, data or ACK, over one link. Leave the machine idle meanwhile: each
    network runs in a separate process, on one core or as many as there are threads. The digest of
    a network is the same for every number of threads; if it is not, the command fails. The speed-up
    is the wall time on the first number of threads over that on each.
    """
    from headgate.engine.bench import check_digests, measure, names

    counts = _read_counts(threads)
    chosen = [name] if name else names()
    timings = [measure(one, count) for one in chosen for count in counts]
    if as_json:
        rows = [asdict(timing) for timing in timings]
        echo(json.dumps(rows[0] if name and len(counts) == 1 else rows))
    else:
        _show(timings)
    check_digests(timings)


def _read_counts(text: str) -> list[int]:
    """Read `1,2,4`. Raises HeadgateError."""
    counts = [int(part) if part.strip().isdecimal() else 0 for part in text.split(",")]
    if not all(counts):
        raise HeadgateError(
            f"--threads {text}: write numbers of threads from 1 on, separated by commas, such as"
            " 1,2,4"
        )
    return counts


def _show(timings: list[Timing]) -> None:
    from headgate.base.console import PlainConsole

    PlainConsole().print(make_table(None, COLUMNS, _rows(timings)))
    for timing in timings:
        many = "threads" if timing.threads > 1 else "thread"
        echo(f"Digest of {timing.name} on {timing.threads} {many}: {timing.digest}")


def _rows(timings: Iterable[Timing]) -> Iterable[tuple[str, ...]]:
    first: dict[str, float] = {}
    for timing in timings:
        speed_up = first.setdefault(timing.name, timing.wall_s) / timing.wall_s
        yield (
            timing.name,
            str(timing.threads),
            f"{timing.packet_hops:,}",
            f"{timing.cpu_s:.2f}",
            f"{timing.wall_s:.2f}",
            f"{speed_up:.2f}",
            f"{timing.setup_cpu_s:.2f}",
            f"{timing.packet_hops_per_cpu_s / 1e6:.1f}",
            f"{timing.peak_memory_bytes / 2**20:.0f}",
            f"{timing.bytes_per_flow:.0f}",
            f"{timing.sim_s_per_wall_s:.2f}",
        )
