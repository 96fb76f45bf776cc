"""The words of an answer: what is said of a law, from counts of what moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from headgate.stats.changes import MATTERS_SHARE
from headgate.stats.rearranged import BEYOND

#: From this part of the cells on it is so "often" or "mostly".
OFTEN = 0.5
#: Some cells move, and as many would by chance.
BY_CHANCE = "within chance"
#: The numbers cannot tell: there are none, or intervals hold 10 % and more.
NOT_KNOWN = "not known"
#: None moves where the numbers can tell, which is not in all cells.
NO_CHANGE_SHOWN, NONE_SHOWN_WORSE = "no change shown", "none shown worse"
#: Words that are good for a law (1) and bad (-1); the others are neither.
TONES: Mapping[str, int] = {
    "mostly better": 1, "sometimes better": 1, "fairer than most": 1, "often useful": 1,
    "sometimes useful": 1, "nothing worse": 1, "mostly worse": -1, "sometimes worse": -1,
    "often worse": -1, "less fair than most": -1, "not useful": -1,
}  # fmt: skip
#: What is meant by words on changes.
MEANINGS: Mapping[tuple[str, ...], str] = {
    ("mostly better", "mostly worse"): "mostly: in half of the cases or more",
    ("sometimes better", "sometimes worse"): "sometimes: in fewer, yet in more than by chance",
    ("better in most", "worse in most"): "in most: in half of the cases or more",
    ("better in some", "worse in some"): "in some: in fewer",
    ("better in most", "worse in most", "better in some", "worse in some"): (
        "with so few runs nothing tells most or some from chance"
    ),
    (BY_CHANCE,): f"{BY_CHANCE}: in no more than by chance",
    ("as before",): "as before: in none",
    (
        NO_CHANGE_SHOWN,
        NONE_SHOWN_WORSE,
    ): "shown: in some cases, or with one run of each in all, it cannot be told",
    (NOT_KNOWN,): f"{NOT_KNOWN}: it cannot be told in half of the cases or more, or of their mean",
}


@dataclass(frozen=True)
class Tally:
    """In how many cells a law is better and worse than the one before.

    In `unknown` neither a change of 10 % nor its absence is shown; in `risky` it may be worse.
    """

    better: int
    worse: int
    cells: int
    unknown: int = 0
    risky: int = 0
    chances: tuple[float, float] | None = None
    """How likely as many are better, and worse, by chance; None where runs are too few to tell."""
    replicated: bool = True

    def __str__(self) -> str:
        unknown = f", {NOT_KNOWN} in {self.unknown}" if self.unknown else ""
        return f"better in {self.better}, worse in {self.worse}{unknown} of {self.cells}"


def name_tone(found: Tally) -> str:
    """Say whether a law is better or worse than the one before it."""
    if not found.better and not found.worse:
        return _deny("as before", NO_CHANGE_SHOWN, found.unknown, found)
    chances = found.chances or (0.0, 0.0)
    counts = (found.better, found.worse)
    better, worse = (n > 0 and p < BEYOND for n, p in zip(counts, chances, strict=True))
    if not better and not worse:
        return BY_CHANCE
    if better and worse:
        return "mixed"
    often, side = max(counts) >= OFTEN * found.cells, "better" if better else "worse"
    if found.chances is None:
        return f"{side} in {'most' if often else 'some'}"
    return f"{'mostly' if often else 'sometimes'} {side}"


def fair(low: float, high: float) -> str:
    """Say what TCP gets beside a law over what it gets beside the others, from its interval."""
    told = {"more": "fairer than most", "less": "less fair than most", "alike": "as most"}
    return told.get(alike(low, high), NOT_KNOWN)


def alike(low: float, high: float) -> str:
    """Say from its interval whether a ratio is `more` or `less` than 1, or `alike` within 10 %."""
    if low > 1:
        return "more"
    if high < 1:
        return "less"
    return "alike" if low > 1 / (1 + MATTERS_SHARE) and high < 1 + MATTERS_SHARE else NOT_KNOWN


def useful(more: int, count: int) -> str:
    """Say how often a law's flows get more than those beside them."""
    if not count:
        return NOT_KNOWN
    if not more:
        return "not useful"
    return "often useful" if more >= OFTEN * count else "sometimes useful"


def safe(found: Tally) -> str:
    """Say whether a law makes anything worse."""
    if not found.worse:
        return _deny("nothing worse", NONE_SHOWN_WORSE, found.risky, found)
    often = found.worse >= OFTEN * found.cells
    if found.chances is None:
        return "worse in most" if often else "worse in some"
    if not found.chances[1] < BEYOND:
        return BY_CHANCE
    return "often worse" if often else "sometimes worse"


def _deny(word: str, shown: str, unknown: int, found: Tally) -> str:
    """Return the word for none where every cell can be told, and a weaker one for most of them."""
    if not found.cells or unknown >= OFTEN * found.cells:
        return NOT_KNOWN
    return shown if unknown or not found.replicated else word
