"""Titles of quantities as they are written within sentences."""

from __future__ import annotations

import re
from functools import cache

from headgate.base import catalog

#: Names that begin titles and are not those of algorithms.
_NAMES = frozenset({"internet", "linux", "nist", "web"})


def begin_small(title: str) -> str:
    """Return a title as it is written within a sentence: a name or an acronym keeps its capital."""
    word = re.split(r"[\s-]", title, maxsplit=1)[0]
    is_name = (
        word.endswith(("'s", "\N{RIGHT SINGLE QUOTATION MARK}s")) or word.lower() in _list_names()
    )
    if is_name or any(letter.isupper() or letter.isdigit() for letter in word[1:]):
        return title
    return title[:1].lower() + title[1:]


@cache
def _list_names() -> frozenset[str]:
    """Return names in small letters, those of algorithms among them."""
    return _NAMES | {name.lower() for one in catalog.ccas() for name in one.names}
