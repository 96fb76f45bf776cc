"""What the reproduced documents state, place by place: the claims that judge it, or why none does.

One file a document. Statements are in our words, as short as tells them apart.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, model_validator

from headgate.base.strict import Strict, read_toml

FOLDER = Path(__file__).parent
#: The files, in the order of the page.
DOCUMENTS = (
    "mills-2011", "mills-2011-findings", "tcp-reloaded-5", "gong-yeh-2015", "low-2005", "xia-2005",
)  # fmt: skip
#: The document whose statements another one makes too.
AGAIN = "mills-2011-findings"
#: Studies that reproduce none of these, with what they are about.
OTHER_STUDIES = {
    "buffer-sizing": "Appenzeller, Keslassy, McKeown 2004",
    "fluid-check": "ours: packets against fluid",
    "nist-duration": "ours: what a shortened run preserves of the published duration",
    "nist-scale": "ours: what a small network preserves of a large one",
}


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
    beyond: tuple[Judged, ...] = ()
    """What its studies judge beside it: derivations, other sources, checks of our own."""

    @property
    def judged(self) -> tuple[Judged, ...]:
        """Everything that names claims."""
        return *self.statements, *self.beyond


def path(name: str) -> Path:
    """Return the file of a document."""
    return FOLDER / f"{name}.toml"


def read_documents() -> dict[str, Document]:
    """Read every document by its name. Raises HeadgateError."""
    return {name: read_toml(Document, path(name)) for name in DOCUMENTS}
