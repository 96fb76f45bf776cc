"""All test cases of standards, and the report of `headgate conform`."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

from rich import box
from rich.table import Column, Table

from headgate import HeadgateError
from headgate.lab import SuiteReport, SuiteRequest
from headgate_studies.conform import ccas, cubic, reno, transport
from headgate_studies.conform.bbr import cycle, model, startup
from headgate_studies.conform.case import Case, Observation, Subject
from headgate_studies.conform.exception_files import ExceptionFile, shipped
from headgate_studies.conform.picoquic import compete, l4s
from headgate_studies.conform.picoquic import unseen as picoquic_unseen
from headgate_studies.conform.quiche import changes, limited, several, transfers, unseen
from headgate_studies.conform.quiche import startup as quiche_startup

BBR = sorted((*startup.CASES, *cycle.CASES, *model.CASES), key=lambda case: case.number)
CASES: tuple[Case, ...] = (*transport.CASES, *reno.CASES, *cubic.CASES, *ccas.CASES, *BBR)
#: The expectations of quiche's tests, which are no standard.
QUICHE: tuple[Case, ...] = (
    *transfers.CASES,
    *quiche_startup.CASES,
    *changes.CASES,
    *limited.CASES,
    *several.CASES,
    *unseen.CASES,
)
#: The expectations of picoquic's tests, which are no standard.
PICOQUIC: tuple[Case, ...] = (
    *compete.CASES,
    *l4s.CASES,
    *picoquic_unseen.CASES,
    *picoquic_unseen.OF_L4S,
)
EVERY = (*CASES, *QUICHE, *PICOQUIC)
#: Errors of arithmetic on a run that lacks the event of a case.
UNMEASURABLE = (ArithmeticError, LookupError, ValueError)


@dataclass(frozen=True)
class CaseResult:
    """One case with one algorithm; without a finding it was not run, and `reason` says why."""

    case: Case
    subject: Subject
    finding: Observation | None
    reason: str = ""
    variant: str = ""
    exception: ExceptionFile | None = None
    """The exception file whose values are those of the run."""

    @property
    def cca(self) -> str:
        """The name of the algorithm."""
        return self.subject.name

    @property
    def label(self) -> str:
        """The name of the algorithm, and the variant that was tried."""
        return f"{self.cca} {self.variant}".strip()

    @property
    def word(self) -> str:
        """Holds, fails, is an exception, does not apply, or is not applicable.

        It is not applicable if nothing here can show it.
        """
        if self.finding is None:
            return "not applicable" if self.case.concerns(self.subject) else "does not apply"
        if self.finding.holds:
            return "holds"
        return "exception" if self.exception and self.exception.status == "exception" else "fails"


def subjects(names: Iterable[str] | None = None, role: str = "") -> list[Subject]:
    """Return the algorithms of the catalogue, or those named; `./my_cca.py:MyCca` is a user's own.

    `role` is the algorithm of the catalogue whose cases apply to all of them; by default each one
    of the catalogue is tested by its own. Algorithms that control nothing are omitted. Raises
    HeadgateError.
    """
    from headgate import catalog

    every = (cca.name for cca in catalog.ccas() if cca.family != "none")
    chosen = every if names is None else names
    named = catalog.cca(role).name if role else ""
    return [_subject(name, named) for name in chosen]


def _subject(name: str, role: str) -> Subject:
    from headgate import catalog
    from headgate.plugin import load_cca

    if any(sign in name for sign in ":./"):
        load_cca(name)  # raises what is wrong with it
        return Subject(name, (("cca", name),), role, is_user_defined=True)
    known = catalog.cca(name).name
    return Subject(known, (("cca", name),), role or known)


def choose_cases(globs: Sequence[str]) -> list[Case]:
    """Return the cases whose names match a pattern; all without patterns. Raises HeadgateError."""
    for glob in globs:
        if not any(fnmatch(case.id, glob) for case in EVERY):
            names = ", ".join(case.id for case in EVERY)
            raise HeadgateError(f"--case {glob}: no case has such a name; there are {names}")
    return [case for case in EVERY if not globs or any(fnmatch(case.id, g) for g in globs)]


def run_suite(
    chosen: Iterable[Subject], workers: int = 1, cases: Sequence[Case] = CASES
) -> Iterator[CaseResult]:
    """Run every case with every algorithm, in order."""
    jobs = [
        (case, subject, variant)
        for subject in chosen
        for case in cases
        for variant in list_variants(case, subject)
    ]
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(lambda job: judge(*job), jobs)


def list_variants(case: Case, subject: Subject) -> tuple[str, ...]:
    """Return the variants of an algorithm that a case tries; an empty one is that as it is."""
    return case.variants if case.variants and subject.name in case.only else ("",)


def judge(case: Case, subject: Subject, variant: str = "") -> CaseResult:
    """Run one case with one algorithm, or a variant of it, if it applies."""
    if not case.concerns(subject):
        reason = case.exempt.get(subject.role, f"is about {', '.join(case.only)}")
        return CaseResult(case, subject, None, reason)
    if obstacle := case.find_obstacle(subject):
        return CaseResult(case, subject, None, obstacle)
    finding = _observe(case, subject.following(variant) if variant else subject)
    known = shipped().get((case.id, subject.name))
    if known and known.covers(variant, finding.expected, finding.observed) and not finding.holds:
        return CaseResult(case, subject, finding, known.reason, variant, known)
    return CaseResult(case, subject, finding, variant=variant)


def _observe(case: Case, subject: Subject) -> Observation:
    try:
        return case.check(subject)
    except HeadgateError as error:
        says = str(error)
    except UNMEASURABLE:
        says = "a run without the event that the case measures"
    return Observation(False, "a run that can be measured", says)


def run_standards(request: SuiteRequest) -> SuiteReport:
    """Run the test cases of standards for the algorithms requested. Raises HeadgateError."""
    chosen = subjects(request.names, request.role)
    results = list(run_suite(chosen, request.workers, choose_cases(request.cases)))
    return SuiteReport(
        [_record(one) for one in results],
        [*_parts(results), *_advise(chosen), _count(chosen, results)],
        any(one.word == "fails" for one in results),
    )


def _record(result: CaseResult) -> dict[str, Any]:
    finding = result.finding
    return {
        "case": result.case.id,
        "source": result.case.source,
        "statement": result.case.statement,
        "cca": result.cca,
        "variant": result.variant,
        "role": result.subject.role,
        "verdict": result.word,
        "expected": finding.expected if finding else "",
        "observed": finding.observed if finding else "",
        "reason": result.reason,
    }


def _parts(results: Sequence[CaseResult]) -> Iterator[Table | str]:
    """Yield a table of the cases that apply to any algorithm, and a sentence per failure."""
    by_case: dict[str, list[CaseResult]] = {}
    for one in results:
        if one.word != "does not apply":
            by_case.setdefault(one.case.id, []).append(one)
    case = Column("case", no_wrap=True)
    table = Table(case, "source", "holds", "fails", box=box.SIMPLE_HEAD)
    for name, group in by_case.items():
        table.add_row(name, group[0].case.source, *_cells(group))
    yield table
    yield from _explain_omissions(results)
    yield from _explain_exceptions(results)
    for one in results:
        if one.finding is not None and one.word == "fails":
            found = f"expected {one.finding.expected}; got {one.finding.observed}"
            mark = f" (open: {one.reason})" if one.exception else ""
            yield (
                f"{one.label}, {one.case.id}{mark}: {found}."
                f" {one.case.source}: {one.case.statement}"
            )


def _cells(group: Sequence[CaseResult]) -> list[str]:
    words = ("holds", "fails", "exception", "not applicable")
    holds, fails, excepted, omitted = (
        [one.label for one in group if one.word == word] for word in words
    )
    if len(omitted) == len(group):
        return ["not applicable", ""]
    said = [", ".join(fails)] * bool(fails)
    said += [f"exception: {', '.join(excepted)}"] * bool(excepted)
    return [str(len(holds)) if len(group) > 1 else "yes" * len(holds), "; ".join(said)]


def _explain_exceptions(results: Sequence[CaseResult]) -> Iterator[str]:
    """Yield a sentence per reason, with the cases that are met otherwise for it."""
    by_reason: dict[str, list[CaseResult]] = {}
    for one in results:
        if one.word == "exception":
            by_reason.setdefault(one.reason, []).append(one)
    for why, group in by_reason.items():
        cases = ", ".join(f"{one.case.id} ({one.label})" for one in group)
        yield f"Exception in {cases}: {why}"


def _explain_omissions(results: Sequence[CaseResult]) -> Iterator[str]:
    """Yield a sentence per reason, with the cases that could not be run for it."""
    by_reason: dict[str, dict[str, None]] = {}
    for one in results:
        if one.word == "not applicable":
            by_reason.setdefault(one.reason, {})[one.case.id] = None
    for why, names in by_reason.items():
        verb = "is" if len(names) == 1 else "are"
        yield f"{', '.join(names)} {verb} not applicable: {why}"


def _advise(chosen: Sequence[Subject]) -> Iterator[str]:
    """Propose a role for a user-defined algorithm without one."""
    roles = sorted({cca for case in CASES for cca in case.only})
    for one in chosen:
        if one.is_user_defined and not one.role:
            meant = next((r for r in roles if r in one.name.rpartition(":")[2].lower()), roles[0])
            yield (
                f"{one.name}: only the cases for all algorithms were run. --as {meant} adds the"
                f" cases of {meant}; there are cases of {', '.join(roles)}"
            )


def _count(chosen: Sequence[Subject], results: Sequence[CaseResult]) -> str:
    words = [one.word for one in results]
    who = chosen[0].name if len(chosen) == 1 else f"{len(chosen)} algorithms"
    roles = {one.role for one in chosen if one.role != one.name}
    role = f" as {roles.pop()}" if len(roles) == 1 and "" not in roles else ""
    excepted = words.count("exception")
    more = f", {excepted} exceptions" if excepted else ""
    return (
        f"{who}{role}: {words.count('holds')} hold, {words.count('fails')} fail{more},"
        f" {words.count('not applicable')} not applicable"
    )
