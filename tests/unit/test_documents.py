"""Statements of the reproduced documents have claims or reasons; claims have statements."""

from difflib import get_close_matches

import pytest

from headgate.base.errors import HeadgateError
from headgate.base.strict import fit_model
from headgate.experiment.packages import find_studies
from headgate.experiment.study.documents import Document, JudgedStatement, read_documents
from headgate.experiment.study.study import load
from headgate_studies.documents import OTHER_STUDIES

REPRODUCING = [name for name in find_studies() if name not in OTHER_STUDIES]


@pytest.fixture(scope="module")
def documents() -> dict[str, Document]:
    return read_documents()


@pytest.fixture(scope="module")
def claims() -> dict[str, dict[str, str]]:
    """Statements of the claims by study and id."""
    return {name: {c.id: c.statement for c in load(name).claims} for name in find_studies()}


def unknown(entry: JudgedStatement, claims: dict[str, dict[str, str]]) -> list[str]:
    """Return the names in an entry that no study defines, with similar names."""
    said = []
    for study, ids in entry.claims.items():
        known = claims.get(study, {})
        for claim in set(ids) - set(known):
            near = ", ".join(get_close_matches(claim, known, 4, 0.4)) or "nothing like it"
            said.append(f"{entry.says!r} names {study} = {claim!r}; {study} has {near}")
    return said


def test_every_claim_that_is_named_exists(
    documents: dict[str, Document], claims: dict[str, dict[str, str]]
) -> None:
    wrong = [
        f"headgate_studies/documents/{name}.toml: {said}: write its new name there, or take it out"
        for name, document in documents.items()
        for entry in document.judged
        for said in unknown(entry, claims)
    ]
    if wrong:
        pytest.fail("\n".join(wrong), pytrace=False)


@pytest.mark.parametrize("study", REPRODUCING)
def test_every_claim_of_a_study_is_named(
    study: str, documents: dict[str, Document], claims: dict[str, dict[str, str]]
) -> None:
    named = {
        claim
        for document in documents.values()
        for entry in document.judged
        for claim in entry.claims.get(study, ())
    }
    missing = [f'"{claim}" ({says})' for claim, says in claims[study].items() if claim not in named]
    message = (
        f"of {study} no file of headgate_studies/documents names\n  "
        + "\n  ".join(missing)
        + "\nput each into"
        f' `claims = {{ {study} = ["..."] }}` of the statement that it judges, or of an entry of'
        " `beyond` if the document does not state it"
    )
    if missing:
        pytest.fail(message, pytrace=False)


def test_other_studies_are_listed_separately(documents: dict[str, Document]) -> None:
    named = {study for d in documents.values() for entry in d.judged for study in entry.claims}
    assert named == set(REPRODUCING)
    assert set(OTHER_STUDIES) <= set(find_studies())


def test_a_statement_without_a_claim_says_why() -> None:
    bare = {"title": "t", "short": "s", "statements": [{"at": "slide 1", "says": "a"}]}
    with pytest.raises(HeadgateError, match="'slide 1' needs `claims`, or `why` it has none"):
        fit_model(Document, bare, "t.toml")


def test_pydantic_errors_are_reworded() -> None:
    for statements, says in (
        (3, "statements: 3 is not allowed; it must be a list"),
        ([{"at": 1, "says": "a"}], r"statements\[0\].at: 1 is not allowed"),
    ):
        with pytest.raises(HeadgateError, match=f"t.toml: {says}"):
            fit_model(Document, {"title": "t", "short": "s", "statements": statements}, "t.toml")


def test_a_wrong_name_is_reported_with_similar_ones(claims: dict[str, dict[str, str]]) -> None:
    (said,) = unknown(JudgedStatement(says="xi", claims={"vcp": ("xi-compare",)}), claims)
    assert said.startswith("'xi' names vcp = 'xi-compare'; vcp has xi-compared")


def test_no_statement_is_listed_twice(documents: dict[str, Document]) -> None:
    for document in documents.values():
        assert len({(s.at, s.says) for s in document.statements}) == len(document.statements)


def test_what_the_same_claims_judge_is_one_sentence(documents: dict[str, Document]) -> None:
    """A sentence that a document states at two places is listed once, with both places."""
    for name, document in documents.items():
        judged = [repr(sorted(s.claims.items())) for s in document.statements if s.claims]
        again = {claims for claims in judged if judged.count(claims) > 1}
        assert not again, f"{name}: {again}"


def test_a_claim_judges_a_sentence_or_something_beside_it(documents: dict[str, Document]) -> None:
    for name, document in documents.items():
        said, beyond = (
            {
                (study, claim)
                for entry in part
                for study in entry.claims
                for claim in entry.claims[study]
            }
            for part in (document.statements, document.beyond)
        )
        assert not said & beyond, name
