"""The report of `headgate conform`: cases with the algorithms that hold to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich import box
from rich.table import Column, Table

from headgate.lab import SuiteReport, SuiteRequest
from headgate_studies.conform.suite import CaseResult, run_suite, subjects


def run_standards(request: SuiteRequest) -> SuiteReport:
    """Run the test cases of standards for the algorithms requested. Raises HeadgateError."""
    results = list(run_suite(subjects(request.names), request.workers))
    return SuiteReport(
        [_record(one) for one in results],
        [*_parts(results)],
        any(one.word == "fails" for one in results),
    )


def _record(result: CaseResult) -> dict[str, Any]:
    finding = result.finding
    return {
        "case": result.case.id,
        "source": result.case.source,
        "statement": result.case.statement,
        "law": result.law,
        "verdict": result.word,
        "expected": finding.expected if finding else "",
        "observed": finding.observed if finding else "",
        "reason": result.reason,
    }


def _parts(results: Sequence[CaseResult]) -> Iterator[Table | str]:
    by_case: dict[str, list[CaseResult]] = {}
    for one in results:
        by_case.setdefault(one.case.id, []).append(one)
    case = Column("case", no_wrap=True)
    table = Table(case, "source", "holds", "does not apply", "fails", box=box.SIMPLE_HEAD)
    for name, group in by_case.items():
        table.add_row(name, group[0].case.source, *_cells(group))
    yield table
    for name, group in by_case.items():
        if any(one.word == "not applicable" for one in group):
            yield f"{name} is not applicable: {group[0].case.left_out}"
    for one in results:
        if one.finding is not None and not one.finding.holds:
            found = f"expected {one.finding.expected}; got {one.finding.observed}"
            yield f"{one.law}, {one.case.id}: {found}"


def _cells(group: Sequence[CaseResult]) -> list[str]:
    words = ("holds", "does not apply", "fails", "not applicable")
    counts = {word: [one.law for one in group if one.word == word] for word in words}
    if counts["not applicable"]:
        return ["", "not applicable", ""]
    return [
        str(len(counts["holds"])),
        str(len(counts["does not apply"])) if counts["does not apply"] else "",
        ", ".join(counts["fails"]),
    ]
