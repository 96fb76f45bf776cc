"""Reads the sentences of an experiment; a sentence that is none of those known fails."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

_NUMBER = r"[+\-]?[\d.]+(?:e[+-]?\d+)?"
#: The factor of figures, by their unit.
UNITS = {
    "bit/s": 1.0, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9, "s": 1.0, "ms": 1e-3,
    "\N{MICRO SIGN}s": 1e-6, "ns": 1e-9, "packets": 1.0, "": 1.0,
}  # fmt: skip


@dataclass(frozen=True)
class End:
    """The best condition, or the worst: its mean, and the number of others that may equal it."""

    condition: str
    value: float
    interval: tuple[float, float] | None
    alike: int
    shared: tuple[str, ...]


@dataclass(frozen=True)
class Ends:
    """The condition in which a response is lowest or highest, and that of the opposite."""

    response: str
    word: str
    first: End
    last: End


@dataclass(frozen=True)
class Moved:
    """The factor of the largest shown effect on a response; "" if no main effect is shown.

    `most` states whether it is called the largest of all. `ways` are the words on both ways of an
    effect without a single sign.
    """

    response: str
    factor: str
    aliases: str = ""
    first: str = ""
    last: str = ""
    value: float = 0.0
    interval: tuple[float, float] | None = None
    ways: str = ""
    single: bool = False
    most: bool = True
    shown: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Steps:
    """The changes of a response from each algorithm to the next, beside a larger effect."""

    response: str
    changes: tuple[Moved, ...]
    """Each with `shown` (1, 0) if a change is shown, and (0, 0) if none is."""


@dataclass(frozen=True)
class Drifts:
    """In how many conditions the busiest link drifts, and the words on some of them."""

    count: int
    among: int
    named: str


Statement = Ends | Moved | Steps | Drifts


def read(sentences: Iterable[str], responses: Mapping[str, str]) -> Iterator[Statement]:
    """Yield what sentences state; `responses` are names by what sentences call them."""
    for sentence in sentences:
        if not re.fullmatch(f"{_SAME}|{_MISSING}|{_NOT_COMPUTED}|{_UNFINISHED}", sentence):
            yield _read(sentence, responses)


def _read(sentence: str, responses: Mapping[str, str]) -> Statement:
    names = "|".join(map(re.escape, responses))
    if match := re.fullmatch(_DRIFTS, sentence):
        return Drifts(int(match["count"]), int(match["among"]), match["named"])
    if match := re.fullmatch(_ends(names), sentence):
        ends = (_end(match, "1"), _end(match, "2"))
        return Ends(responses[match["response"]], match["word"], *ends)
    if match := re.fullmatch(_none_shown(names), sentence, re.IGNORECASE):
        called = {name.lower(): own for name, own in responses.items()}
        return Moved(called[match["response"].lower()], "", shown=_counts(match["rest"]))
    if match := re.fullmatch(rf"(?P<response>{names}) by algorithm: (?P<rest>.+)\.", sentence):
        response = responses[match["response"]]
        return Steps(response, tuple(_step(one, response) for one in match["rest"].split("; ")))
    match = re.fullmatch(_moved_most(names), sentence)
    assert match, sentence
    return _moved(match, responses[match["response"]])


_SAME = r"The \d+ replicates of every condition are one and the same run: .+"
_MISSING = r".+ lacks a value in \d+ of \d+ runs \(.+\); its means and effects are those of the .+"
_UNFINISHED = r"Under \d+ of \d+ conditions more than 5 % of the files are unfinished .+"
_NOT_COMPUTED = r"No main effect on .+ can be computed: too few runs give a value\."
_OVER = r"(?:, over \d+ of \d+ (?:pairs of conditions|replicates)(?: and \d+ of \d+ replicates)?)?"
_DRIFTS = (
    r"Under (?P<count>\d+) of (?P<among>\d+) conditions the busiest link still drifts .+ lengthen"
    r" the duration or the warm-up: (?P<named>.+)\."
)


_STEP = (
    r"(?:from (?P<first>.+?) to (?P<last>.+?) it changes by|no change from (?P<first_not>.+?) to"
    rf" (?P<last_not>.+?) is shown(?: after the correction for all tests)?:)"
    rf" (?:(?P<value>{_NUMBER}) ?(?P<unit>[^\s(;]*)"
    rf" \((?P<low>{_NUMBER}) to (?P<high>{_NUMBER})\){_OVER}|(?P<ways>.+))"
)


def _ends(names: str) -> str:
    return (
        rf"(?P<response>{names}) is (?P<word>lowest|highest) with (?P<condition1>.+?):"
        rf" {_mean('1')}; at the other end, with (?P<condition2>.+?), it is {_mean('2')}\."
    )


def _mean(which: str) -> str:
    """Match a mean with its interval, and what is said of the conditions that are alike."""
    return (
        rf"(?P<value{which}>{_NUMBER}) ?(?P<unit{which}>[^\s(,;]*)"
        rf"(?: \(95 % interval (?P<low{which}>{_NUMBER}) to (?P<high{which}>{_NUMBER})\))?"
        rf"(?:, of one run each|, which cannot be told apart from (?P<count{which}>any|\d+) of the"
        rf" (?P<others{which}>\d+) others(?: \(all with (?P<shared{which}>[^)]+)\))?)?"
    )


def _none_shown(names: str) -> str:
    return rf"No main effect on (?P<response>{names}) is shown(?P<rest>; shown after .+)?\."


def _moved_most(names: str) -> str:
    return (
        rf"(?P<response>{names}) is moved (?P<most>most )?by (?P<factor>[\w.]+)"
        r"(?P<aliases> \(or by .+?, which this design cannot distinguish: no interval\))?"
        r"(?:, and not one way: from (?P<first_way>.+?) to (?P<last_way>.+?) it changes by"
        r" (?P<ways>.+?)"
        rf"|: from (?P<first>.+?) to (?P<last>.+?) it changes by (?P<value>{_NUMBER}) ?"
        rf"(?P<unit>[^\s(;,]*)(?: \((?P<low>{_NUMBER}) to (?P<high>{_NUMBER})\))?{_OVER})"
        r"(?P<rest>; (?:shown after|with one run|too few runs|every replicate|the next"
        r"|a larger change) .+)?\."
    )


def _end(match: re.Match[str], which: str) -> End:
    scale = UNITS[match[f"unit{which}"]]
    low, high = match[f"low{which}"], match[f"high{which}"]
    count, others = match[f"count{which}"], match[f"others{which}"]
    return End(
        match[f"condition{which}"],
        float(match[f"value{which}"]) * scale,
        None if low is None else (float(low) * scale, float(high) * scale),
        int(others) if count == "any" else int(count or 0),
        tuple(filter(None, (match[f"shared{which}"] or "").split(", "))),
    )


def _moved(match: re.Match[str], response: str) -> Moved:
    value, interval, ways = 0.0, None, match["ways"] or ""
    if not ways:
        scale = UNITS[match["unit"] or ""]
        value = float(match["value"]) * scale
        if match["low"] is not None:
            interval = (float(match["low"]) * scale, float(match["high"]) * scale)
    rest = match["rest"] or ""
    first, last = (match[name] or match[f"{name}_way"] for name in ("first", "last"))
    return Moved(
        response, match["factor"], match["aliases"] or "", first, last, value, interval, ways,
        single="no interval can be given" in rest, most=bool(match["most"]), shown=_counts(rest),
    )  # fmt: skip


def _step(text: str, response: str) -> Moved:
    match = re.fullmatch(_STEP, text)
    assert match, text
    first, last = match["first"] or match["first_not"], match["last"] or match["last_not"]
    shown = (int(match["first"] is not None), 0)
    if match["value"] is None:
        return Moved(response, "cca", "", first, last, ways=match["ways"], shown=shown)
    scale = UNITS[match["unit"] or ""]
    value, low, high = (float(match[end]) * scale for end in ("value", "low", "high"))
    return Moved(response, "cca", "", first, last, value, (low, high), shown=shown)


def _counts(rest: str | None) -> tuple[int, int]:
    """Return how many main effects and interactions are shown."""
    untested = r"(?: \(\d+ cannot be tested\))?"
    found = re.search(
        rf"(\d+) of \d+ main effects{untested}(?: and (\d+) of \d+ interactions)?", rest or ""
    )
    return (int(found[1]), int(found[2] or 0)) if found else (0, 0)
