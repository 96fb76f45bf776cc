"""The table of deviations of the engine from its sources, read from the comments of its code.

A deviation is one paragraph of a comment, `NOTE(source): text`, beside the code that deviates.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tables import code, table

ROOT = Path(__file__).resolve().parent.parent

#: The file of the presets, whose values may deviate too.
PRESETS = "python/headgate/scenario/presets.py"

_COMMENT = re.compile(r"\s*(//[/!]?|#)(?: (.*))?$")
_NOTE = re.compile(r"NOTE\((?P<source>[^()]+)\): (?P<text>.+)")
_LINK = re.compile(r"\[(`[^`]+`)\](?:\([^)]*\))?")

#: Titles of the sections, with what begins the sources of each; any other source is a paper.
_KINDS = {
    "RFCs": "RFC ",
    "Internet-Drafts": "draft-",
    "Programs": "Linux |ns-2|google/|.* ns-2 code",
}
_PAPERS = "Papers"


class Deviation(NamedTuple):
    """One deviation: its source, its description, and the file that contains it."""

    source: str
    text: str
    file: str

    @property
    def kind(self) -> str:
        """Name the section of the page that lists it."""
        return next(
            (kind for kind, begin in _KINDS.items() if re.match(begin, self.source)), _PAPERS
        )

    @property
    def key(self) -> tuple[list[tuple[int, str]], str]:
        """Sort by source, numbers by their value."""
        parts = re.split(r"(\d+)", self.source.lower())
        return [(int(part), "") if part.isdigit() else (-1, part) for part in parts], self.file


def read_deviations(root: Path = ROOT) -> list[Deviation]:
    """Read the deviations that the sources of all crates and the presets state."""
    found = []
    for file in [*sorted((root / "crates").glob("*/src/**/*.rs")), root / PRESETS]:
        name = file.relative_to(root).as_posix()
        for note in map(_NOTE.fullmatch, _paragraphs(file.read_text())):
            if note:
                found.append(Deviation(note["source"], _LINK.sub(r"\1", note["text"]), name))
    return found


def _paragraphs(text: str) -> Iterator[str]:
    """Give the paragraphs of all comments; a heading or another kind of comment ends one."""
    before, lines = "", list[str]()
    for line in [*text.splitlines(), ""]:
        found = _COMMENT.fullmatch(line)
        mark, words = (found[1], (found[2] or "").strip()) if found else ("", "")
        if lines and (mark != before or not words or words.startswith(("# ", "NOTE("))):
            yield " ".join(lines)
            lines.clear()
        if words:
            lines.append(words)
        before = mark


def deviations() -> str:
    """Give a table for each kind of source."""
    every = sorted(read_deviations(), key=lambda one: one.key)
    sections = []
    for kind in [*_KINDS, _PAPERS]:
        rows = [[one.source, one.text, code(one.file)] for one in every if one.kind == kind]
        if rows:
            sections.append(f"## {kind}\n\n" + table(["source", "deviation", "file"], rows))
    return "\n".join(sections)
