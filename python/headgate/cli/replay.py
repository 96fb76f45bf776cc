"""`headgate replay`: a capture's TCP connections as a list of flows that a scenario runs."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headgate.base.errors import HeadgateError
from headgate.base.terminal import echo
from headgate.cli.options import Json, Settings, Unset, warn

if TYPE_CHECKING:
    from headgate.engine.captures.write import Choice

#: Wall time between two progress messages while a large file is read.
REPORT_S = 10.0


def replay(  # noqa: PLR0913, PLR0917 - one for each option
    capture: Annotated[
        Path, typer.Argument(help="A pcap or pcapng file.", metavar="CAPTURE", show_default=False)
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for flows, picture and scenario; by default, only a summary is printed.",
            show_default=False,
        ),
    ] = None,
    network: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Put the flows into this network (GraphML or node-link JSON), not a dumbbell.",
            show_default=False,
        ),
    ] = None,
    between: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="SERVERS CLIENTS",
            help="Routers of the network at which servers and clients are.",
            show_default=False,
        ),
    ] = None,
    settings: Settings = None,
    unset: Unset = None,
    as_json: Json = False,
) -> None:
    """Make a list of flows from the TCP connections of a capture, and a scenario that replays them.

    Each direction with data is a flow: its start, its size, and its round trip by the handshake.
    Other packets are counted only.

    Example: headgate replay capture.pcap --out out/replayed
    """
    from headgate.engine.captures.read import read_capture
    from headgate.engine.captures.write import summarise, write_replay

    choice = _choose(network, between, settings, unset)
    read = read_capture(capture, _report_every(REPORT_S))
    summary = summarise(read)
    paths = [] if out is None else write_replay(read, out, choice)
    following = _next(capture, out)
    if as_json:
        files = [str(path) for path in paths]
        echo(json.dumps(summary | {"files": files, "next": shlex.join(following)}))
        return
    _show(summary, paths)
    echo(f"Next: {shlex.join(following)}")


def _report_every(wall_s: float) -> Callable[[int], None]:
    """Return a function that reports the progress of reading at this interval."""
    reported_s = time.monotonic()

    def report(consumed: int) -> None:
        nonlocal reported_s
        if time.monotonic() - reported_s >= wall_s:
            reported_s = time.monotonic()
            echo(f"{consumed / 1e9:.1f} GB read", error=True)

    return report


def _choose(
    network: Path | None,
    between: tuple[str, str] | None,
    settings: list[str] | None,
    unset: list[str] | None,
) -> Choice:
    from headgate.engine.captures.read import SIDES, Ends
    from headgate.engine.captures.write import Choice
    from headgate.scenario.keys import parse_setting

    if (network is None) != (between is None):
        raise HeadgateError(
            "--network and --between belong together: a file, and the routers at which servers and "
            "clients are"
        )
    chosen = [parse_setting(setting) for setting in settings or ()]
    return Choice(network, Ends(*between) if between else SIDES, chosen, unset or ())


def _next(capture: Path, out: Path | None) -> list[str]:
    """Return the next command."""
    from headgate.engine.captures.write import SCENARIO

    if out is None:
        return ["headgate", "replay", str(capture), "--out", "replayed"]
    return ["headgate", "run", str(out / SCENARIO), "--out", str(out / "run")]


def _show(summary: dict[str, Any], paths: list[Path]) -> None:
    warn(summary["warnings"])
    sentence = str(summary["says"])
    echo(f"{sentence[:1].upper()}{sentence[1:]}.")
    echo(*(str(path) for path in paths))
