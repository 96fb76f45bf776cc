"""What a case is, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from headgate_studies.conform.trial import Subject


@dataclass(frozen=True)
class Observation:
    """One case with one law."""

    holds: bool
    expected: str
    observed: str


@dataclass(frozen=True)
class Case:
    """A statement of a standard, and how it is checked."""

    id: str
    source: str
    statement: str
    check: Callable[[Subject], Observation]
    only: tuple[str, ...] = ()
    """Laws that the statement is about; empty = every law."""
    exempt: Mapping[str, str] = field(default_factory=dict)
    """Laws whose own specification says otherwise, and where."""
    left_out: str = ""
    """Why nothing here can show it, if nothing can; it is listed without being run."""

    @property
    def number(self) -> int:
        """The last number of its section."""
        return int(self.source.rpartition(".")[2])

    def concerns(self, law: str) -> bool:
        """Whether the statement is about the law."""
        return law not in self.exempt and (not self.only or law in self.only)

    def applies(self, law: str) -> bool:
        """Whether the law has to hold to it, and can be tried."""
        return self.concerns(law) and not self.left_out


def cannot_run(_: Subject) -> Observation:
    """Stand in for the check of a case that is left out."""
    return Observation(False, "", "")


def near(observed: float, expected: float, relative: float, unit: str) -> Observation:
    """Hold if the figure is within so much of what is expected."""
    holds = abs(observed - expected) <= relative * abs(expected)
    return Observation(
        holds, f"{expected:.4g} {unit} (to {relative:.0%})", f"{observed:.4g} {unit}"
    )


def within(observed: float, low: float, high: float, what: str) -> Observation:
    """Hold if the figure lies between two others."""
    return Observation(
        low <= observed <= high, f"{low:.4g} to {high:.4g} {what}", f"{observed:.4g}"
    )


def together(*findings: Observation) -> Observation:
    """Hold if all of them do."""
    return Observation(
        all(finding.holds for finding in findings),
        "; ".join(finding.expected for finding in findings),
        "; ".join(finding.observed for finding in findings),
    )


def equal(observed: Mapping[str, float], expected: Mapping[str, float]) -> Observation:
    """Hold if every named count is as expected."""
    return Observation(dict(observed) == dict(expected), _counts(expected), _counts(observed))


def _counts(counts: Mapping[str, float]) -> str:
    return ", ".join(f"{value:g} {name}" for name, value in counts.items())
