"""The sentences of the reproduced documents: each counts once, however many claims judge it.

A sentence may have claims in several studies, and a study several claims for one sentence. It is
judged by those of the largest scale that is stored; claims that judge no sentence of a document,
such as derivations of ours and statements of other papers, are counted apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from headgate.claims.verdicts import Verdict
from headgate.experiment.study.documents import Document, Statement, read_documents
from headgate.experiment.study.stored import StoredStudy, rank

DECIDED = {Verdict.HOLDS: True, Verdict.DIFFERS: False, Verdict.CORRECTED: False}


class Outcome(StrEnum):
    """What became of a sentence."""

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
class SentenceCount:
    """How many sentences of the documents came to what, and how many claims are about others."""

    outcomes: Mapping[Outcome, int]
    documents: int
    claims: int
    apart: int
    """Claims that judge no sentence of a document."""

    def describe(self) -> str:
        """Say it in a sentence or two."""
        told = ", ".join(
            f"{self.outcomes[one]} {_MANY[one]}" for one in Outcome if self.outcomes[one]
        )
        return (
            f"Of {sum(self.outcomes.values())} sentences, figures and tables of"
            f" {self.documents} documents that have claims {told}. {self.claims} claims judge them;"
            f" {self.apart} more are of derivations and other sources"
        )


def count_sentences(stored: Sequence[StoredStudy]) -> SentenceCount:
    """Count what the sentences of the documents came to by stored results."""
    documents = [one for one in read_documents().values() if not one.repeats]
    known = {one.study: one for one in stored}
    judged = [s for document in documents for s in document.statements if s.claims]
    outcomes = Counter(judge_sentence(sentence, known) for sentence in judged)
    named = set(_named(documents))
    every = {(one.study, claim.id) for one in stored for claim in one.claims}
    return SentenceCount(outcomes, len(documents), len(named & every), len(every - named))


def _named(documents: Sequence[Document]) -> Iterator[tuple[str, str]]:
    for document in documents:
        for sentence in document.statements:
            for study, ids in sentence.claims.items():
                yield from ((study, claim) for claim in ids)


def judge_sentence(sentence: Statement, stored: Mapping[str, StoredStudy]) -> Outcome:
    """Say what a sentence came to, by its claims at the largest scale that decided any."""
    by_rank: dict[int, list[Verdict]] = {}
    for study, ids in sentence.claims.items():
        if study in stored:
            one = stored[study]
            verdicts = [claim.verdict for claim in one.claims if claim.id in ids]
            by_rank.setdefault(rank(one.scale), []).extend(
                verdict for verdict in verdicts if verdict in {*DECIDED, Verdict.UNDECIDED}
            )
    judged = [by_rank[place] for place in sorted(by_rank, reverse=True) if by_rank[place]]
    return _combine(judged[0]) if judged else Outcome.NOT_JUDGED


def _combine(verdicts: Sequence[Verdict]) -> Outcome:
    """Combine the verdicts of all claims of a sentence: it has to be true in all of its parts."""
    decided = {DECIDED[verdict] for verdict in verdicts if verdict in DECIDED}
    if False in decided:
        return Outcome.IN_PART if True in decided else Outcome.DIFFERS
    return Outcome.UNDECIDED if Verdict.UNDECIDED in verdicts else Outcome.HOLDS
