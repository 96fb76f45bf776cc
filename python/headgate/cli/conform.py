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
    role: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="NAME",
            help="Test the named algorithms by the cases of this one of the catalogue, such as"
            " cubic; with --kernel, beside the kernel's own.",
            show_default=False,
        ),
    ] = "",
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
            help="Only cases of this name or pattern, such as 'cubic-*', or 'alone-*' with"
            " --kernel; repeatable.",
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

    RFC 5681, 6298, 6582, 6675 for all; 5681 in more detail for reno, 9438 and 9406 for cubic, 8257
    for dctcp; the test cases of draft-ietf-ccwg-bbr for bbr3 and bbr; for bbr3 the tests of
    quiche's BBRv2, as quiche-*, and for cubic, reno, prague and bbr3 those of picoquic, as
    picoquic-*, with an exception for each case that is rightly met otherwise.
    The exit code is 1 if a case fails. A user-defined algorithm is tested by the cases of an
    algorithm of the catalogue with --as: ./my_cca.py:MyCubic --as cubic.

    With --kernel: flows alone, pairs, random loss, completion times, marks and disciplines under
    the TCP of a kernel, in real time, compared with the same cases in simulation. Real-time runs
    are random, so a difference leaves the exit code 0; it is 1 if a case could not be run.
    """
    from headgate.base.console import PlainConsole
    from headgate.base.errors import HeadgateError
    from headgate.engine.live.hosts import KERNELS
    from headgate.experiment.packages import SuiteRequest, load_suite

    if kernel not in (None, *KERNELS):
        raise HeadgateError(
            f"--kernel: {kernel!r} is not allowed; it must be {' or '.join(KERNELS)}"
        )
    if kernel is None and (out is not None or repeats > 1):
        option = "--repeats" if out is None else "--out"
        raise HeadgateError(f"{option}: is an option of --kernel; add --kernel host or uml")
    report_progress = partial(echo, error=True)
    request = SuiteRequest(
        name,
        workers,
        report_progress,
        kernel or "",
        case or (),
        repeats,
        out,
        _read_role(role, name),
    )
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


def _read_role(role: str, names: list[str] | None) -> str:
    """Return the algorithm of the catalogue that --as names. Raises HeadgateError."""
    from headgate.base import catalog
    from headgate.base.errors import HeadgateError

    if not role:
        return ""
    if not names:
        raise HeadgateError(f"--as {role}: name the algorithm to test, such as ./my_cca.py:MyCca")
    try:
        return catalog.cca(role).name
    except HeadgateError as error:
        raise HeadgateError(f"--as: {error}") from None
