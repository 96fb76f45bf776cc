"""The page of statements: what the documents say, the claims that judge it, and their verdicts."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tables import code, table

from headgate.studies.documents import OTHER_STUDIES, Document, Judged, read_documents
from headgate.studies.stored import read_stored

RESULTS = Path(__file__).resolve().parent.parent / "results"
#: What each claim of each study came to, where it was run.
Verdicts = Mapping[str, Mapping[str, str]]


def statements() -> str:
    """Return every statement of the reproduced documents with its claims, or why it has none."""
    verdicts = _read_verdicts()
    others = table(
        ["study", "its source"], [[code(name), source] for name, source in OTHER_STUDIES.items()]
    )
    parts = [_document(document, verdicts) for document in read_documents().values()]
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
        f"{len(rows)} statements, figures and tables; {with_claims} have claims.\n",
        table(["place", "what it says", "claims", "why none"], rows),
    ]
    if beyond:
        parts += [
            f"### What the studies judge beside {document.short}\n",
            table(["what", "claims"], beyond),
        ]
    return "\n".join(parts)


def _namer(verdicts: Verdicts) -> Callable[[Judged], str]:
    """Name an entry's claims by study; studies where they came to the same stand together."""

    def name(entry: Judged) -> str:
        studies: dict[str, list[str]] = {}
        for study, ids in entry.claims.items():
            studies.setdefault(_tell(ids, verdicts.get(study, {})), []).append(study)
        return "; ".join(f"*{', '.join(names)}*: {told}" for told, names in studies.items())

    return name


def _tell(ids: Sequence[str], verdicts: Mapping[str, str]) -> str:
    return ", ".join(f"{code(name)} {verdicts.get(name, '')}".rstrip() for name in ids)
