"""Verdicts of claims for continuous integration: an exit code, and a file in JUnit's XML."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from xml.etree import ElementTree

import typer

from headgate.base.errors import HeadgateError
from headgate.claims.verdicts import Verdict

if TYPE_CHECKING:
    from headgate.claims.verdicts import JudgedClaim
    from headgate.experiment.recall import Answer

#: The verdicts that may fail a job, and those that always pass.
FAILING = (Verdict.DIFFERS, Verdict.UNDECIDED)
PASSING = (Verdict.HOLDS, Verdict.CORRECTED)

FailOn = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on",
        metavar="VERDICT",
        help="Exit with code 1 if a claim has this verdict: differs or undecided; repeatable.",
    ),
]
Junit = Annotated[
    Path | None,
    typer.Option(
        "--junit",
        metavar="FILE",
        help="Also write the claims as JUnit XML, which CI systems show. A claim that differs, or"
        " whose verdict --fail-on names, is a failure; other verdicts than holds are skipped.",
    ),
]


def check_options(
    fail_on: Sequence[str], junit: Path | None, *, answers: bool, claims: bool
) -> None:
    """Refuse unknown verdicts, and both options of a command that judges no claims.

    `answers` says whether the command makes all runs, `claims` whether there are claims. Raises
    HeadgateError.
    """
    for word in fail_on:
        if word not in FAILING:
            raise HeadgateError(f"--fail-on {word}: write {' or '.join(FAILING)}")
    given = "--fail-on" if fail_on else "--junit"
    if not answers and (fail_on or junit):
        raise HeadgateError(f"{given}: --dry-run and --shard judge no claim; leave them out")
    if not claims and (fail_on or junit):
        raise HeadgateError(f"{given}: no claim is judged; write [[claims]] with a tolerance each")


def report_verdicts(answer: Answer, fail_on: Sequence[str], junit: Path | None) -> None:
    """Write the claims of an answer, and exit with code 1 if a verdict fails."""
    if junit is not None:
        write_junit(answer, {Verdict.DIFFERS, *fail_on}, junit)
    if any(claim.verdict in fail_on for claim in answer.claims):
        raise typer.Exit(1)


def write_junit(answer: Answer, failing: set[str], file: Path) -> None:
    """Write one test case for each claim; their time is that of the runs, CPU seconds.

    Raises HeadgateError if the file cannot be written.
    """
    failed = [claim for claim in answer.claims if claim.verdict in failing]
    skipped = [
        claim for claim in answer.claims if claim not in failed and claim.verdict not in PASSING
    ]
    counts = {"tests": len(answer.claims), "failures": len(failed), "skipped": len(skipped)}
    facts = {"name": answer.study, **counts, "time": f"{answer.cpu_s:.3f}"}
    attributes = {key: str(value) for key, value in facts.items()}
    root = ElementTree.Element("testsuites", attributes)
    suite = ElementTree.SubElement(root, "testsuite", attributes | {"errors": "0"})
    for claim in answer.claims:
        case = ElementTree.SubElement(suite, "testcase", classname=answer.study, name=claim.id)
        if claim in failed:
            ElementTree.SubElement(case, "failure", message=_explain(claim)).text = claim.statement
        elif claim in skipped:
            ElementTree.SubElement(case, "skipped", message=_explain(claim))
    ElementTree.indent(root)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        ElementTree.ElementTree(root).write(file, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise HeadgateError(f"--junit {file}: {error.strerror}") from None


def _explain(claim: JudgedClaim) -> str:
    """Return a claim's verdict, value, interval and tolerance."""
    parts: list[str] = [claim.verdict]
    if claim.ours is not None:
        found = f"found {claim.ours:.4g}"
        if claim.ci is not None:
            found += f" (95 % interval {claim.ci[0]:.4g} to {claim.ci[1]:.4g})"
        parts.append(found)
    if claim.tolerance:
        parts.append(f"tolerance {claim.tolerance}")
    return "; ".join([*parts, *([claim.note] if claim.note else [])])
