"""Values in messages in the syntax of their file, and suggestions for unknown names."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from datetime import date, time
from difflib import SequenceMatcher
from functools import lru_cache, wraps
from inspect import signature
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

#: A longer value is cut; the message states its place.
LONGEST = 100
#: Significant digits of a number.
_DIGITS = 15


def as_toml(value: object) -> str:
    """Write a value as TOML on one line: `true`, `{name = 'reno'}`. Long values are cut."""
    text = _write(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 4]} ..."


def name_run(levels: Mapping[str, object]) -> str:
    """Name a run by its levels: `the run with rtt = '5 ms', loss = 0.01`."""
    return f"the run with {', '.join(f'{name} = {as_toml(one)}' for name, one in levels.items())}"


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


#: Least similarity of a suggestion (the default of difflib).
NEAR = 0.6
#: Largest difference in similarity to the best suggestion.
MARGIN = 0.15
#: No more names than this are suggested.
MOST = 4
#: Former names of keys, columns and templates, and what they may be now.
FORMER: Mapping[str, tuple[str, ...]] = {
    "law": ("cca",),
    "laws": ("cca", "ccas"),
    "control": ("cca",),
    "no_own_law": ("no_own_cca",),
    "own-law": ("own-cca",),
}


def count_others(number: int, noun: str, of: str = "") -> str:
    """Return `3 more links`, and `1 more link`; `of` follows the noun."""
    return f"{number:,} more {noun}{'s' * (number != 1)}{of}"


def suggest(word: str, known: Iterable[str], aliases: Mapping[str, str] | None = None) -> list[str]:
    """Return names that a word may mean, the likeliest first; case and separators are ignored.

    The name with the same letters comes first, then those that begin with it (`bbr`, `bbr3`). If
    there is none, similar names are returned. `aliases` maps names to the names to suggest.
    """
    letters = _strip(word)
    spelt: dict[str, list[str]] = {}
    for name in known:
        spelt.setdefault(_strip(name), []).append(name)
    same = sorted((s for s in spelt if s.startswith(letters)), key=letters.__ne__)
    near = same if letters in spelt else _look_like(letters, spelt)
    names = (name for letters in near for name in spelt[letters])
    return list(dict.fromkeys((aliases or {}).get(name, name) for name in names))[:MOST]


def same_name(word: str, known: Iterable[str]) -> str | None:
    """Return the first known name with the same letters: `fq-codel` for `FQ_CoDel`.

    Case, separators and a `v` before a version are ignored: `BBRv3` is `bbr3`.
    """
    letters = _strip_version(word)
    return next((name for name in known if _strip_version(name) == letters), None)


def new_name(word: str, known: Container[str]) -> str:
    """Return the known name that replaces a former one; empty if there is none."""
    return next((new for new in FORMER.get(word, ()) if new in known), "")


def refuse_former_keywords(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function name the keyword that replaces a former one; Python would only refuse it."""
    known = signature(function).parameters

    @wraps(function)
    def call(*args: P.args, **keywords: P.kwargs) -> R:
        for name in keywords:
            if name not in known and (now := new_name(name, known)):
                raise TypeError(f"{function.__name__}(): the keyword {name!r} is now {now!r}")
        return function(*args, **keywords)

    return call


def hint(
    word: str, known: Collection[str], otherwise: str, aliases: Mapping[str, str] | None = None
) -> str:
    """Ask whether a similar name was meant; return `otherwise` if there is none.

    For a former name, say the one that replaces it.
    """
    if now := new_name(word, known):
        return f"it is now {now!r}"
    near = suggest(word, known, aliases)
    return f"did you mean {_join(near)}?" if near else otherwise


def also(word: str, known: Iterable[str], aliases: Mapping[str, str] | None = None) -> str:
    """Return the end of a sentence that lists the known names: similar ones, if any."""
    near = suggest(word, known, aliases)
    return f"; did you mean {_join(near)}?" if near else ""


def _strip(name: str) -> str:
    return re.sub(r"[\s_./-]+", "", name).casefold()


@lru_cache(maxsize=4096)
def _strip_version(name: str) -> str:
    return re.sub(r"(?<=[a-z])v(?=\d)", "", _strip(name))


def _look_like(letters: str, spelt: Iterable[str]) -> list[str]:
    """Return names about as similar as the most similar one, in order of similarity."""
    shares = {name: SequenceMatcher(None, name, letters).ratio() for name in spelt}
    least = max(NEAR, max(shares.values(), default=0.0) - MARGIN)
    return sorted((name for name in shares if shares[name] >= least), key=lambda n: -shares[n])


def _join(names: Sequence[str]) -> str:
    *first, last = [f"'{name}'" for name in names]
    return f"{', '.join(first)} or {last}" if first else last
