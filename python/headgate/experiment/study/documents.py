"""The statements of reproduced documents, and their outcomes by the claims that judge them.

A package of studies contains one file for each document, in its folder `documents`. Statements are
paraphrases, as short as possible. Claims of several studies may judge a statement, which counts
once. Its outcome follows from the claims of the largest stored scale. Claims about derivations and
statements of other papers are counted separately.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pydantic import Field, model_validator

from headgate.base.errors import HeadgateError
from headgate.base.strict import Strict, read_toml
from headgate.claims.verdicts import Verdict
from headgate.experiment.packages import find_files
from headgate.experiment.study.stored import StoredStudy, rank

DECIDED = {Verdict.HOLDS: True, Verdict.DIFFERS: False, Verdict.CORRECTED: False}


class JudgedStatement(Strict):
    """A statement that is not of the document, with the claims that judge it: ids by study."""

    says: str
    claims: dict[str, tuple[str, ...]] = Field({})


class Statement(JudgedStatement):
    """A statement, figure or table of a document."""

    at: str
    """The slide, section, figure, table or equation."""
    why: str = ""
    """Why no claim judges it."""

    @model_validator(mode="after")
    def _accounted_for(self) -> Statement:
        if not self.claims and not self.why:
            raise ValueError(f"{self.at!r} needs `claims`, or `why` it has none")
        return self


class Document(Strict):
    """A document, with its statements."""

    title: str
    short: str
    statements: tuple[Statement, ...]
    repeats: str = ""
    """Another document that makes the same statements, which count once."""
    beyond: tuple[JudgedStatement, ...] = ()
    """Other statements that the studies judge: derivations, other sources, checks."""

    @property
    def judged(self) -> tuple[JudgedStatement, ...]:
        """Everything that names claims."""
        return *self.statements, *self.beyond


def read_documents() -> dict[str, Document]:
    """Read the documents of all packages by name. Raises HeadgateError."""
    found: dict[str, Document] = {}
    for package, path in find_files("documents/*.toml"):
        if path.stem in found:
            raise HeadgateError(f"two packages contain a document {path.stem!r}; one is {package}")
        found[path.stem] = read_toml(Document, path)
    return found


class Outcome(StrEnum):
    """The outcome of a statement."""

    HOLDS = "holds"
    IN_PART = "holds in part"
    DIFFERS = "differs"
    UNDECIDED = "undecided"
    NOT_JUDGED = "not judged"


_MANY = {
    Outcome.HOLDS: "hold",
    Outcome.IN_PART: "hold in part",
    Outcome.DIFFERS: "differ",
    Outcome.UNDECIDED: "are undecided",
    Outcome.NOT_JUDGED: "are not judged",
}


@dataclass(frozen=True)
class StatementCount:
    """The numbers of statements by outcome, and of claims."""

    outcomes: Mapping[Outcome, int]
    documents: int
    claims: int
    apart: int
    """Claims that judge no statement of a document."""

    def describe(self) -> str:
        """Describe the counts in two sentences."""
        counts = ", ".join(
            f"{self.outcomes[one]} {_MANY[one]}" for one in Outcome if self.outcomes[one]
        )
        return (
            f"{sum(self.outcomes.values())} sentences, figures and tables of {self.documents}"
            f" documents have claims: {counts}. {self.claims} claims judge them; {self.apart} more"
            " are about derivations and other sources"
        )


def count_statements(stored: Sequence[StoredStudy]) -> StatementCount:
    """Count the outcomes of the statements of all documents, by stored results."""
    documents = [one for one in read_documents().values() if not one.repeats]
    known = {one.study: one for one in stored}
    statements = [one for document in documents for one in document.statements if one.claims]
    outcomes = Counter(judge_statement(one, known) for one in statements)
    named = {(s, claim) for one in statements for s, ids in one.claims.items() for claim in ids}
    every = {(one.study, claim.id) for one in stored for claim in one.claims}
    return StatementCount(outcomes, len(documents), len(named & every), len(every - named))


def judge_statement(statement: Statement, stored: Mapping[str, StoredStudy]) -> Outcome:
    """Return the outcome of a statement, by its claims at the largest scale that decided any.

    A statement holds if all of its claims do.
    """
    by_rank: dict[int, list[Verdict]] = {}
    for study in statement.claims.keys() & stored.keys():
        ids, one = statement.claims[study], stored[study]
        verdicts = [claim.verdict for claim in one.claims if claim.id in ids]
        by_rank.setdefault(rank(one.scale), []).extend(
            verdict for verdict in verdicts if verdict in {*DECIDED, Verdict.UNDECIDED}
        )
    judged = [by_rank[place] for place in sorted(by_rank, reverse=True) if by_rank[place]]
    if not judged:
        return Outcome.NOT_JUDGED
    decided = {DECIDED[verdict] for verdict in judged[0] if verdict in DECIDED}
    if False in decided:
        return Outcome.IN_PART if True in decided else Outcome.DIFFERS
    return Outcome.UNDECIDED if Verdict.UNDECIDED in judged[0] else Outcome.HOLDS
