"""`headgate conform`: test cases of RFCs and of the BBR draft, for each algorithm."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from headgate.base.terminal import echo
from headgate.cli.options import Json


def conform(  # noqa: PLR0913, PLR0917 - one for each option
    name: Annotated[
        list[str] | None,
        typer.Argument(
            help="Algorithms by name, or ./my_cca.py:MyCca; by default, all of the catalogue."
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
        typer.Option(metavar="DIR", help="With --kernel: folder for figures and pictures."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Run the test cases of standards for every algorithm to which they apply.

    RFC 5681, 6298, 6582, 6675 for all; 9438 and 9406 for cubic, 8257 for dctcp; the test cases of
    draft-ietf-ccwg-bbr for bbr3 and bbr. The exit code is 1 if a case fails.

    With --kernel: flows alone, pairs, random loss, completion times, marks and disciplines under
    the TCP of a kernel, in real time, compared with the same cases in simulation. Real-time runs
    are random, so the exit code is 0 for any difference.
    """
    from headgate.base.console import PlainConsole
    from headgate.base.errors import HeadgateError
    from headgate.engine.live.hosts import KERNELS
    from headgate.experiment.packages import SuiteRequest, load_suite

    if kernel not in (None, *KERNELS):
        raise HeadgateError(
            f"--kernel: {kernel!r} is not allowed; it must be {' or '.join(KERNELS)}"
        )
    report_progress = partial(echo, error=True)
    request = SuiteRequest(name, workers, report_progress, kernel or "", case or (), repeats, out)
    report = load_suite("kernel" if request.kernel else "standards")(request)
    if as_json:
        echo(json.dumps(report.record))
    else:
        console = PlainConsole()
        for part in report.parts:
            if isinstance(part, str):
                echo(part)
            else:
                console.print(part)
    if report.failed:
        raise typer.Exit(1)
