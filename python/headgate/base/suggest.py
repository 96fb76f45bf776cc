"""Suggestions for a name that does not exist: `CUBIC`, `fq_codel`, `utilization`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher

#: Names that share less than this with what was written are not near (difflib's own bound).
NEAR = 0.6
#: Names that are this much farther than the nearest one are not meant.
MARGIN = 0.15
#: No more names than this are suggested.
MOST = 4


def suggest(word: str, known: Iterable[str], aliases: Mapping[str, str] | None = None) -> list[str]:
    """Return the names that a word may mean, the likeliest first; case and separators say nothing.

    The name of the same letters comes first, then those that begin with it (`bbr`, `bbr3`). Where
    there is none, they are those that look like the word. `aliases` gives the name behind a name.
    """
    letters = _strip(word)
    spelt: dict[str, list[str]] = {}
    for name in known:
        spelt.setdefault(_strip(name), []).append(name)
    same = [*filter(letters.__eq__, spelt), *(s for s in spelt if _begins(s, letters))]
    near = same if letters in spelt else _look_like(letters, spelt)
    names = (name for letters in near for name in spelt[letters])
    return list(dict.fromkeys((aliases or {}).get(name, name) for name in names))[:MOST]


def same_name(word: str, known: Iterable[str]) -> str | None:
    """Return the first known name of the same letters, such as `fq-codel` for `FQ_CoDel`.

    Case and separators do not matter, nor does a `v` before a version: `BBRv3` is `bbr3`.
    """
    letters = _strip_version(word)
    return next((name for name in known if _strip_version(name) == letters), None)


def hint(
    word: str, known: Iterable[str], otherwise: str, aliases: Mapping[str, str] | None = None
) -> str:
    """Ask whether one of the near names was meant; where none is near, say `otherwise`."""
    near = suggest(word, known, aliases)
    return f"did you mean {_join(near)}?" if near else otherwise


def also(word: str, known: Iterable[str], aliases: Mapping[str, str] | None = None) -> str:
    """Return what is to follow a sentence that lists what is known: the near names, if any."""
    near = suggest(word, known, aliases)
    return f"; did you mean {_join(near)}?" if near else ""


def _strip(name: str) -> str:
    return re.sub(r"[\s_./-]+", "", name).casefold()


def _strip_version(name: str) -> str:
    return re.sub(r"(?<=[a-z])v(?=\d)", "", _strip(name))


def _begins(name: str, letters: str) -> bool:
    return name != letters and name.startswith(letters)


def _look_like(letters: str, spelt: Iterable[str]) -> list[str]:
    """Return what is about as near as the nearest, the nearest first."""
    shares = {name: SequenceMatcher(None, name, letters).ratio() for name in spelt}
    least = max(NEAR, max(shares.values(), default=0.0) - MARGIN)
    return sorted((name for name in shares if shares[name] >= least), key=lambda n: -shares[n])


def _join(names: Sequence[str]) -> str:
    *first, last = [f"'{name}'" for name in names]
    return f"{', '.join(first)} or {last}" if first else last
