"""The page of statements: the documents' statements, their claims, and the verdicts."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tables import code, table

from headgate.experiment.study.documents import Document, JudgedStatement, read_documents
from headgate.experiment.study.stored import read_stored
from headgate_studies.documents import DOCUMENTS, OTHER_STUDIES

RESULTS = Path(__file__).resolve().parent.parent / "studies" / "results"
#: The verdict of each claim of each study, if it was run.
Verdicts = Mapping[str, Mapping[str, str]]


def statements() -> str:
    """Return every statement of the documents with its claims, or the reason for none."""
    verdicts = _read_verdicts()
    others = table(
        ["study", "its source"], [[code(name), source] for name, source in OTHER_STUDIES.items()]
    )
    documents = read_documents()
    parts = [_document(documents[name], verdicts) for name in DOCUMENTS]
    return "\n".join([*parts, f"## Studies of other sources\n\n{others}"])


def _read_verdicts() -> Verdicts:
    return {
        stored.study: {claim.id: f"{claim.verdict}" for claim in stored.claims}
        for stored in read_stored(RESULTS)
    }


def _document(document: Document, verdicts: Verdicts) -> str:
    claims = _namer(verdicts)
    rows = [[s.at, s.says, claims(s), s.why] for s in document.statements]
    beyond = [[entry.says, claims(entry)] for entry in document.beyond]
    with_claims = sum(bool(s.claims) for s in document.statements)
    parts = [
        f"## {document.title}\n",
        f"{len(rows)} statements, figures and tables, {with_claims} of them with claims.\n",
        table(["place", "statement", "claims", "reason for none"], rows),
    ]
    if beyond:
        parts += [
            f"### Other results that the studies test beside {document.short}\n",
            table(["result", "claims"], beyond),
        ]
    return "\n".join(parts)


def _namer(verdicts: Verdicts) -> Callable[[JudgedStatement], str]:
    """List an entry's claims by study; studies with the same verdicts share one item."""

    def name(entry: JudgedStatement) -> str:
        studies: dict[str, list[str]] = {}
        for study, ids in entry.claims.items():
            studies.setdefault(_list_claims(ids, verdicts.get(study, {})), []).append(study)
        return "; ".join(f"*{', '.join(names)}*: {claims}" for claims, names in studies.items())

    return name


def _list_claims(ids: Sequence[str], verdicts: Mapping[str, str]) -> str:
    return ", ".join(f"{code(name)} {verdicts.get(name, '')}".rstrip() for name in ids)
