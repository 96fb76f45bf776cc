"""All cases, and how they are run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from headgate import HeadgateError
from headgate_studies.conform import laws, recovery, timers, windows
from headgate_studies.conform.bbr import cycle, model, startup
from headgate_studies.conform.case import Case, Observation
from headgate_studies.conform.trial import Subject

BBR = sorted((*startup.CASES, *cycle.CASES, *model.CASES), key=lambda case: case.number)
CASES: tuple[Case, ...] = (*timers.CASES, *windows.CASES, *recovery.CASES, *laws.CASES, *BBR)


@dataclass(frozen=True)
class CaseResult:
    """One case with one law; without a finding it does not apply, and `reason` says why."""

    case: Case
    law: str
    finding: Observation | None
    reason: str = ""

    @property
    def word(self) -> str:
        """Holds, fails, does not apply, or is not applicable: nothing here can show it."""
        if self.finding is None:
            left_out = self.case.left_out and self.case.concerns(self.law)
            return "not applicable" if left_out else "does not apply"
        return "holds" if self.finding.holds else "fails"


def subjects(names: Iterable[str] | None = None) -> list[Subject]:
    """Return the laws of the catalogue, or those named; `./mylaw.py:MyLaw` is a user's own.

    What controls nothing has nothing to hold to. Raises HeadgateError.
    """
    from headgate import catalog

    every = (law.name for law in catalog.laws() if law.family != "none")
    chosen = every if names is None else names
    return [_subject(name) for name in chosen]


def _subject(name: str) -> Subject:
    from headgate import catalog
    from headgate.plugin import load_law

    if any(sign in name for sign in ":./"):
        load_law(name)  # raises what is wrong with it
        return Subject(name, (("control", name),))
    return Subject(catalog.law(name).name, (("law", name),))


def run_suite(chosen: Iterable[Subject], workers: int = 1) -> Iterator[CaseResult]:
    """Run every case with every law, in order."""
    jobs = [(case, subject) for subject in chosen for case in CASES]
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(lambda job: judge(*job), jobs)


def judge(case: Case, subject: Subject) -> CaseResult:
    """Run one case with one law, if it applies."""
    if not case.concerns(subject.name):
        reason = case.exempt.get(subject.name, f"is about {', '.join(case.only)}")
        return CaseResult(case, subject.name, None, reason)
    if case.left_out:
        return CaseResult(case, subject.name, None, case.left_out)
    try:
        return CaseResult(case, subject.name, case.check(subject))
    except HeadgateError as error:
        return CaseResult(case, subject.name, Observation(False, "a run", str(error)))
