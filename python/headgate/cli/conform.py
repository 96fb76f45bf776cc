"""`headgate conform`: what RFCs and the BBR draft state, law by law."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from headgate.base.terminal import echo
from headgate.cli.options import Json


def conform(  # noqa: PLR0913, PLR0917 - one for each option
    name: Annotated[
        list[str] | None,
        typer.Argument(
            help="Laws, by name, or ./mylaw.py:MyLaw; all of the catalogue unless given."
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Cases at once.")] = 2,
    kernel: Annotated[
        str | None,
        typer.Option(
            metavar="host|uml",
            help="Run Linux's TCP through `emulate`, of this machine's kernel or of a user-mode"
            " Linux, and compare it with simulation on the same paths.",
        ),
    ] = None,
    case: Annotated[
        list[str] | None,
        typer.Option(
            metavar="GLOB",
            help="With --kernel: only cases of this name or pattern, such as 'alone-*'; "
            "repeatable.",
        ),
    ] = None,
    repeats: Annotated[
        int,
        typer.Option(min=1, help="With --kernel: runs of each case, with different start times."),
    ] = 1,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="With --kernel: where figures and pictures go."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Run the test cases of standards for every law that they apply to.

    RFC 5681, 6298, 6582, 6675 for all; 9438 and 9406 for cubic, 8257 for dctcp; the test cases of
    draft-ietf-ccwg-bbr for bbr3 and bbr. Ends with 1 if a case fails.

    With --kernel: flows alone, pairs, random loss, completion times, marks and disciplines under
    the TCP of a kernel, in real time, beside the same cases in simulation. Real-time runs are
    random, so it ends with 0 whatever differs.
    """
    from headgate.experiment.suites import SuiteRequest, load_suite

    request = SuiteRequest(name, workers, _say_progress, _known(kernel), case or (), repeats, out)
    report = load_suite("kernel" if request.kernel else "standards")(request)
    if as_json:
        echo(json.dumps(report.record))
    else:
        _print(report.parts)
    if report.failed:
        raise typer.Exit(1)


def _say_progress(line: str) -> None:
    echo(line, error=True)


def _print(parts: Sequence[object]) -> None:
    from headgate.base.console import PlainConsole

    console = PlainConsole()
    for part in parts:
        if isinstance(part, str):
            echo(part)
        else:
            console.print(part)


def _known(kernel: str | None) -> str:
    from headgate.base.errors import HeadgateError
    from headgate.engine.live.hosts import KERNELS

    if kernel is None:
        return ""
    if kernel not in KERNELS:
        raise HeadgateError(
            f"--kernel: {kernel!r} is not allowed; it must be {' or '.join(KERNELS)}"
        )
    return kernel
