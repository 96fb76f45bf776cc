"""A user's text where it can do harm: on a terminal, and in a spreadsheet.

Names come from files that strangers wrote. A terminal obeys control characters and lets text run
from right to left; a spreadsheet computes a cell that begins like a formula.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from hashlib import sha256

#: Categories of characters that are obeyed and not drawn: controls, formats (the directions of text
#: among them), halves of surrogate pairs, ends of lines and paragraphs.
OBEYED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
#: Joiners, which Persian, Hindi and others are not written without.
JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"

#: A name of a file that was changed is no longer than this.
LONGEST = 80
_FILE_NAME = re.compile(r"\w(?:[\w.+ -]*[\w+-])?")
#: What OWASP names for "CSV injection": the first character of a formula, at the start of a cell.
#: Where lists are parted by semicolons, a cell starts after those and after tabs and line ends too.
#: The last four are the wide forms of the first.
_FORMULA = r"'*(?:[=+\-@\uFF1D\uFF0B\uFF0D\uFF20](?=.)|[\t\r])"
_BARE = re.compile(rf"(^|[;\t\r\n])(?={_FORMULA})", re.DOTALL)
_QUOTED = re.compile(rf"(^|[;\t\r\n])'(?={_FORMULA})", re.DOTALL)


def visible(text: str) -> str:
    r"""Return a line with what a terminal would obey written out, such as \x1b and \u202e."""
    return text if text.isprintable() else "".join(map(_escape, text))


def _escape(character: str) -> str:
    if unicodedata.category(character) in OBEYED and character not in JOINERS:
        return character.encode("unicode_escape").decode()
    return character


def say(*lines: str, error: bool = False) -> None:
    """Print lines, on standard error if asked."""
    for line in lines:
        print(visible(line), file=sys.stderr if error else sys.stdout, flush=error)


def check_name(text: str) -> str:
    """Return a name that a file or folder gets. Raises ValueError unless it names one only."""
    if len(text) > LONGEST or not _FILE_NAME.fullmatch(text):
        raise ValueError(
            f"{text[:LONGEST]!r} is not allowed; it names a file or folder, so write at most"
            f" {LONGEST} letters, digits, blanks and ._+-, and a letter or digit first"
        )
    return text


def in_path(text: str) -> str:
    """Return a text as the name of a file: a letter that has a meaning there is left out."""
    kept = re.sub(r"[^\w.+-]+", "-", text).strip("-.")[:LONGEST]
    if kept and kept == text:
        return kept
    return f"{kept}-{fingerprint(text)}"


def fingerprint(text: str) -> str:
    """Return letters and digits that no other text has."""
    return sha256(text.encode(errors="replace")).hexdigest()[:8]


def in_spreadsheet(text: str) -> str:
    """Return a cell of text that no spreadsheet computes: an apostrophe stands before a formula.

    Numbers and lone signs stay as they are. `from_spreadsheet` gives back the text.
    """
    return text if _is_number(text) else _BARE.sub(r"\1'", text)


def from_spreadsheet(cell: str) -> str:
    """Return the text that `in_spreadsheet` was given."""
    return _QUOTED.sub(r"\1", cell)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
