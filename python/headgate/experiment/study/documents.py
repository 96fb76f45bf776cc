"""The statements of reproduced documents: the claims that judge each of them, or why none does.

A package of studies contains one file for each document, in its folder `documents`. Statements are
paraphrases, as short as distinguishes them.
"""

from __future__ import annotations

from pydantic import Field, model_validator

from headgate.base.errors import HeadgateError
from headgate.base.strict import Strict, read_toml
from headgate.experiment.study.names import find_files


class Judged(Strict):
    """A statement of our own, with the claims that judge it: their ids by study."""

    says: str
    claims: dict[str, tuple[str, ...]] = Field({})


class Statement(Judged):
    """A statement, figure or table of a document."""

    at: str
    """Its slide, section, figure, table or equation."""
    why: str = ""
    """Why no claim judges it."""

    @model_validator(mode="after")
    def _accounted_for(self) -> Statement:
        if not self.claims and not self.why:
            raise ValueError(f"{self.at!r} needs `claims`, or `why` it has none")
        return self


class Document(Strict):
    """A document, with what it states."""

    title: str
    short: str
    statements: tuple[Statement, ...]
    repeats: str = ""
    """Another document that makes the same statements, which count once."""
    beyond: tuple[Judged, ...] = ()
    """What its studies judge beside it: derivations, other sources, checks of our own."""

    @property
    def judged(self) -> tuple[Judged, ...]:
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
