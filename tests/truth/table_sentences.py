"""Reads the sentences of an answer on factors; a sentence that is none of those known fails.

Labels of planted tables contain no full stop followed by a space, so that this ends a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

MINUS = "\N{MINUS SIGN}"
_NUMBER = rf"[+{MINUS}]?[\d.]+(?:e[+-]?\d+)?"
_SIZE = rf"(?P<value>{_NUMBER})(?: \((?P<low>{_NUMBER}) to (?P<high>{_NUMBER})\))?"
_P = r"p (?:= \S+|< 0\.001)"
_AVERAGE = r"(?:, on average over the levels of (?P<over>.+?))?"
_LEVELS = rf"(?:[^;]+? \({_NUMBER}\)(?:, | or )?|\d+ more)+"


@dataclass(frozen=True)
class Change:
    """A change between two levels of a factor, at a level of another or "" for all."""

    first: str
    last: str
    value: float
    interval: tuple[float, float] | None
    at: str = ""


@dataclass(frozen=True)
class Extreme:
    """The levels that may be highest (1) or lowest (-1), at a level of another or "" for all."""

    way: int
    levels: tuple[str, ...]
    at: str = ""
    more: bool = False
    """Whether more levels than those listed may be the extreme one."""
    unknown: tuple[str, ...] = ()
    """Levels whose mean the runs do not give."""


@dataclass(frozen=True)
class Statement:
    """One sentence of a kind, such as `effect`, `joint`, `dependence`, `aliased`, `none shown`."""

    kind: str
    factors: tuple[str, ...]
    changes: tuple[Change, ...] = ()
    extremes: tuple[Extreme, ...] = ()


def read(answer: str) -> list[Statement]:
    """Return what an answer states, sentence by sentence."""
    return [_read(sentence) for sentence in answer.removesuffix(".").split(". ")]


def _read(sentence: str) -> Statement:
    found = [
        statement
        for pattern, make in _READERS
        if (match := re.fullmatch(pattern, sentence))
        for statement in [make(match)]
    ]
    assert len(found) == 1, f"read as {found}: {sentence}"
    return found[0]


def _rise(match: re.Match[str]) -> Statement:
    sign = 1 if match["verb"] == "rises" else -1
    change = _change(match, match["first"], match["last"], sign)
    return Statement("effect", (match["factor"],), (change,))


def _higher(match: re.Match[str]) -> Statement:
    change = _change(match, match["last"], match["first"])
    return Statement("effect", (match["factor"],), (change,))


def _depends(match: re.Match[str]) -> Statement:
    extremes = _extremes(match)
    changes = list(_compared(match["before"], match["beside"])) if match["before"] else []
    return Statement("effect", (match["factor"],), tuple(changes), tuple(extremes))


def _extremes(match: re.Match[str], at: str = "") -> list[Extreme]:
    unknown = match.groupdict().get("unknown") or ""
    more, without = " more" in unknown, tuple(re.split(", | and ", unknown)) if unknown else ()
    return [
        Extreme(way, tuple(_labels(match[name])), at, more or "more" in match[name], without)
        for name, way in (("highest", 1), ("lowest", -1))
        if match[name]
    ]


def _compared(before: str, text: str) -> Iterator[Change]:
    for part in re.split(r", (?!\d+ more)", text):
        if match := re.fullmatch(rf"(?P<level>.+?) {_SIZE}", part):
            yield _change(match, before, match["level"])


def _dependence(match: re.Match[str]) -> Statement:
    factor, other = match["factor"], match["other"]
    changes: list[Change] = []
    extremes: list[Extreme] = []
    for clause in (match["clauses"] or "").split("; "):
        if not clause or clause.startswith("and so on for"):
            continue
        two = re.fullmatch(
            rf"with {other} (?P<at>.+?), {_SIZE} from (?P<first>.+) to (?P<last>.+)", clause
        )
        more = re.fullmatch(
            rf"with {other} (?P<at>.+?)(?: \(the mean with (?P<unknown>.+) is unknown\))?,"
            rf" highest with (?P<highest>(?:(?! and lowest with ).)+)"
            rf"(?: and lowest with (?P<lowest>{_LEVELS}))?",
            clause,
        )
        assert bool(two) != bool(more), clause
        if two:
            changes.append(_change(two, two["first"], two["last"], at=two["at"]))
        if more:
            extremes.extend(_extremes(more, more["at"]))
    return Statement("dependence", (factor, other), tuple(changes), tuple(extremes))


def _none(match: re.Match[str]) -> Statement:
    return Statement("none shown", tuple(re.split(", | or ", match["names"])))


def _change(match: re.Match[str], first: str, last: str, sign: int = 1, *, at: str = "") -> Change:
    low, high = match["low"], match["high"]
    ends = None if low is None else (sign * number(low), sign * number(high))
    interval = None if ends is None else (min(ends), max(ends))
    return Change(first, last, sign * number(match["value"]), interval, at)


def number(text: str) -> float:
    """Return a number that is written with a minus sign."""
    return float(text.replace(MINUS, "-"))


def _labels(text: str) -> list[str]:
    """Return the levels that are written with their means."""
    return re.findall(rf"(.+?) \({_NUMBER}\)(?:, | or |$)", text)


_READERS = (
    (
        rf"y (?P<verb>rises|falls) with (?P<factor>\w+), by {_SIZE} from (?P<first>.+) to"
        rf" (?P<last>.+?)(?: along a straight line)?{_AVERAGE}",
        _rise,
    ),
    (
        rf"y is {_SIZE} higher with (?P<factor>\w+) (?P<first>.+) than with (?P=factor)"
        rf" (?P<last>.+?){_AVERAGE}",
        _higher,
    ),
    (
        rf"y depends on (?P<factor>\w+): (?:highest with (?P<highest>{_LEVELS}) and lowest with"
        rf" (?P<lowest>{_LEVELS})|its mean runs from {_NUMBER} to {_NUMBER}|the means at its levels"
        r" are unknown in this table)(?: \(the mean with (?P<unknown>.+) is unknown\))?"
        rf"{_AVERAGE}"
        r"(?:; compared with (?P<before>\S+)(?: \(95 % each\))?: (?P<beside>.+))?",
        _depends,
    ),
    (
        r"y depends on (?P<names>\w+(?: or \w+)+), which always change together in this table, so"
        r" their effects cannot be separated",
        lambda match: Statement("joint", tuple(match["names"].split(" or "))),
    ),
    (
        r"The effect of (?P<factor>\w+)(?: or \w+)* on y depends on (?P<other>\w+)(?: or \w+)*"
        r"(?:: (?P<clauses>.+))?",
        _dependence,
    ),
    (
        r"No effect on y is shown of (?P<names>[\w, ]+?)(?: along a straight line(?:, but the means"
        rf" at its levels differ \({_P}\)(?:, which the tests of other factors count as error)?)?"
        r"|, which always change together in this table)?",
        _none,
    ),
    (
        r"The effect of (?P<names>[\w, ]+?)(?:, which always change together,)? on y cannot be"
        r" separated from that of (?P<others>.+) in this table",
        lambda match: Statement("confounded", tuple(re.split(", | or ", match["names"]))),
    ),
    (
        r"The effect of (?P<factor>\w+) is unknown: it has one level in the rows with y",
        lambda match: Statement("unknown", (match["factor"],)),
    ),
    (
        r"One run is an outlier: y is .+; tests and intervals include this run",
        lambda _: Statement("outlier", ()),
    ),
    (
        r"y depends on the interaction (?P<terms>.+), which this table cannot separate",
        lambda match: Statement("aliased", tuple(re.split(" x | or |, ", match["terms"]))),
    ),
    (
        r"(?:\w+ .+ was not run with \w+ .+|\d+ of \d+ combinations of .+ were not run|Some"
        r" combinations of levels of these factors were not run: .+), so (?:whether their effects"
        r" depend on each other is tested only in part|no test shows whether their effects depend"
        r" on each other; the means presume that they do not, and get no intervals)",
        lambda _: Statement("incomplete", ()),
    ),
    (
        rf"Combinations of levels differ from the model of y \({_P}\), as if .+: test each level"
        r" of one factor separately, with --by",
        lambda _: Statement("lack of fit", ()),
    ),
    (
        r"Runs with .+ vary(?: \S+ times as much as those with .+|, and those with .+ do not): the"
        r" tests and intervals of y use the variation of each level's runs",
        lambda _: Statement("spread", ()),
    ),
    (r"y is \S+ in all \d+ runs", lambda _: Statement("constant", ())),
    (
        r"The \d+ runs are too few .+ no intervals",
        lambda _: Statement("no interval", ()),
    ),
)  # fmt: skip
