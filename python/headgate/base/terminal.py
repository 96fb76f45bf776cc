"""Escapes text from files for terminals, file names and spreadsheets.

Names come from files that other people wrote. A terminal obeys control characters and can show text
from right to left. A spreadsheet computes a cell that begins like a formula.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from hashlib import sha256

#: Categories of characters that a terminal obeys: controls, formats (such as text direction),
#: halves of surrogate pairs, ends of lines and paragraphs.
OBEYED = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
#: Joiners, which Persian, Hindi and other scripts need.
JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"

#: Largest length of a file name.
LONGEST = 80
_FILE_NAME = re.compile(r"\w(?:[\w.+ -]*[\w+-])?")
#: The first character of a formula at the start of a cell (OWASP, "CSV injection"), also its wide
#: form. A cell may also start after a semicolon, a tab or a line end.
_FORMULA = r"'*(?:[=+\-@\uFF1D\uFF0B\uFF0D\uFF20](?=.)|[\t\r])"
_BARE = re.compile(rf"(^|[;\t\r\n])(?={_FORMULA})", re.DOTALL)
_QUOTED = re.compile(rf"(^|[;\t\r\n])'(?={_FORMULA})", re.DOTALL)


def escape_controls(text: str) -> str:
    r"""Return a line with control characters escaped, such as \x1b and \u202e."""
    return text if text.isprintable() else "".join(map(_escape, text))


def _escape(character: str) -> str:
    if unicodedata.category(character) in OBEYED and character not in JOINERS:
        return character.encode("unicode_escape").decode()
    return character


def echo(*lines: str, error: bool = False) -> None:
    """Print lines, on standard error if `error`."""
    for line in lines:
        print(escape_controls(line), file=sys.stderr if error else sys.stdout, flush=error)


def check_name(text: str) -> str:
    """Return the name of a file or folder. Raises ValueError if it is not a plain name."""
    if len(text) > LONGEST or not _FILE_NAME.fullmatch(text):
        raise ValueError(
            f"{text[:LONGEST]!r} is not allowed; it names a file or folder, so write at most"
            f" {LONGEST} letters, digits, blanks and ._+-, and a letter or digit first"
        )
    return text


def safe_file_name(text: str) -> str:
    """Return a text as a file name, without characters that are special there."""
    kept = re.sub(r"[^\w.+-]+", "-", text).strip("-.")[:LONGEST]
    if kept and kept == text:
        return kept
    return f"{kept}-{fingerprint(text)}"


def fingerprint(text: str) -> str:
    """Return eight hexadecimal digits of the hash of a text."""
    return sha256(text.encode(errors="replace")).hexdigest()[:8]


def escape_formula(text: str) -> str:
    """Return a cell of text that no spreadsheet computes: an apostrophe precedes a formula.

    Numbers and lone signs do not change. `unescape_formula` restores the text.
    """
    return text if _is_number(text) else _BARE.sub(r"\1'", text)


def unescape_formula(cell: str) -> str:
    """Return the original text of `escape_formula`."""
    return _QUOTED.sub(r"\1", cell)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
