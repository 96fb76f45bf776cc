"""`headgate conform`: what RFCs and the BBR draft state, law by law."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headgate.base.visible import say
from headgate.cli.options import Json

if TYPE_CHECKING:
    from headgate.conform.suite import CaseResult


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
    if kernel is not None:
        from headgate.cli.conform_kernel import Runs, conform_kernel

        runs = Runs(repeats, workers, out, as_json)
        conform_kernel(name, _known(kernel), case or [], runs)
        return
    from headgate.conform.suite import run_suite, subjects

    verdicts = list(run_suite(subjects(name), workers))
    if as_json:
        say(json.dumps([_record(verdict) for verdict in verdicts]))
    else:
        _show(verdicts)
    if any(verdict.word == "fails" for verdict in verdicts):
        raise typer.Exit(1)


def _known(kernel: str) -> str:
    from headgate.base.errors import HeadgateError
    from headgate.engine.live.uml.choice import KERNELS

    if kernel not in KERNELS:
        raise HeadgateError(
            f"--kernel: {kernel!r} is not allowed; it must be {' or '.join(KERNELS)}"
        )
    return kernel


def _record(verdict: CaseResult) -> dict[str, Any]:
    finding = verdict.finding
    return {
        "case": verdict.case.id,
        "source": verdict.case.source,
        "statement": verdict.case.statement,
        "law": verdict.law,
        "verdict": verdict.word,
        "expected": finding.expected if finding else "",
        "observed": finding.observed if finding else "",
        "reason": verdict.reason,
    }


def _show(verdicts: list[CaseResult]) -> None:
    from rich import box
    from rich.table import Column, Table

    from headgate.base.console import PlainConsole

    by_case: dict[str, list[CaseResult]] = {}
    for verdict in verdicts:
        by_case.setdefault(verdict.case.id, []).append(verdict)
    table = Table(
        Column("case", no_wrap=True),
        "source",
        "holds",
        "does not apply",
        "fails",
        box=box.SIMPLE_HEAD,
    )
    for case, group in by_case.items():
        table.add_row(case, group[0].case.source, *_cells(group))
    console = PlainConsole()
    console.print(table)
    for case, group in by_case.items():
        if any(verdict.word == "not applicable" for verdict in group):
            console.print(f"{case} is not applicable: {group[0].case.left_out}")
    for verdict in verdicts:
        if verdict.finding is not None and not verdict.finding.holds:
            found = verdict.finding
            console.print(
                f"{verdict.law}, {verdict.case.id}: expected {found.expected}; got {found.observed}"
            )


def _cells(group: list[CaseResult]) -> list[str]:
    words = ("holds", "does not apply", "fails", "not applicable")
    counts = {word: [v.law for v in group if v.word == word] for word in words}
    if counts["not applicable"]:
        return ["", "not applicable", ""]
    return [
        str(len(counts["holds"])),
        str(len(counts["does not apply"])) if counts["does not apply"] else "",
        ", ".join(counts["fails"]),
    ]
