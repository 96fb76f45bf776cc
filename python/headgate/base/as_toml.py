"""A value in a sentence: written as in the file that it is from, and not as Python has it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, time

#: A longer value is cut: the place says where all of it stands.
LONGEST = 100
#: Digits of a number that files have.
_DIGITS = 15


def as_toml(value: object) -> str:
    """Write a value as TOML does, `true` and `{name = 'reno'}`, on one line and not without end."""
    text = _write(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 4]} ..."


def _write(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case float():
            return f"{value:.{_DIGITS}g}"
        case date() | time():
            return value.isoformat()
        case Mapping():
            return f"{{{', '.join(f'{key} = {_write(one)}' for key, one in value.items())}}}"
        case list() | tuple():
            return f"[{', '.join(map(_write, value))}]"
    return repr(value)
