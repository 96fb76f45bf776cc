"""All test cases of standards, and the report of `headgate conform`."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.table import Column, Table

from headgate import HeadgateError
from headgate.lab import SuiteReport, SuiteRequest
from headgate_studies.conform import ccas, transport
from headgate_studies.conform.bbr import cycle, model, startup
from headgate_studies.conform.case import Case, Observation, Subject

BBR = sorted((*startup.CASES, *cycle.CASES, *model.CASES), key=lambda case: case.number)
CASES: tuple[Case, ...] = (*transport.CASES, *ccas.CASES, *BBR)


@dataclass(frozen=True)
class CaseResult:
    """One case with one algorithm; without a finding it does not apply, and `reason` says why."""

    case: Case
    cca: str
    finding: Observation | None
    reason: str = ""

    @property
    def word(self) -> str:
        """Holds, fails, does not apply, or is not applicable: nothing here can show it."""
        if self.finding is None:
            left_out = self.case.left_out and self.case.concerns(self.cca)
            return "not applicable" if left_out else "does not apply"
        return "holds" if self.finding.holds else "fails"


def subjects(names: Iterable[str] | None = None) -> list[Subject]:
    """Return the algorithms of the catalogue, or those named; `./my_cca.py:MyCca` is a user's own.

    What controls nothing has nothing to hold to. Raises HeadgateError.
    """
    from headgate import catalog

    every = (cca.name for cca in catalog.ccas() if cca.family != "none")
    chosen = every if names is None else names
    return [_subject(name) for name in chosen]


def _subject(name: str) -> Subject:
    from headgate import catalog
    from headgate.plugin import load_cca

    if any(sign in name for sign in ":./"):
        load_cca(name)  # raises what is wrong with it
        return Subject(name, (("cca", name),))
    return Subject(catalog.cca(name).name, (("cca", name),))


def run_suite(chosen: Iterable[Subject], workers: int = 1) -> Iterator[CaseResult]:
    """Run every case with every algorithm, in order."""
    jobs = [(case, subject) for subject in chosen for case in CASES]
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(lambda job: judge(*job), jobs)


def judge(case: Case, subject: Subject) -> CaseResult:
    """Run one case with one algorithm, if it applies."""
    if not case.concerns(subject.name):
        reason = case.exempt.get(subject.name, f"is about {', '.join(case.only)}")
        return CaseResult(case, subject.name, None, reason)
    if case.left_out:
        return CaseResult(case, subject.name, None, case.left_out)
    try:
        return CaseResult(case, subject.name, case.check(subject))
    except HeadgateError as error:
        return CaseResult(case, subject.name, Observation(False, "a run", str(error)))


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
        "cca": result.cca,
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
            yield f"{one.cca}, {one.case.id}: {found}"


def _cells(group: Sequence[CaseResult]) -> list[str]:
    words = ("holds", "does not apply", "fails", "not applicable")
    counts = {word: [one.cca for one in group if one.word == word] for word in words}
    if counts["not applicable"]:
        return ["", "not applicable", ""]
    return [
        str(len(counts["holds"])),
        str(len(counts["does not apply"])) if counts["does not apply"] else "",
        ", ".join(counts["fails"]),
    ]
