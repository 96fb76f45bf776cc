"""The words of an answer: what is said of a law, from counts of what moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from headgate.stats.changes import MATTERS_SHARE
from headgate.stats.effects import STRONG_P

#: From this part of the cells on it is so "often" or "mostly".
OFTEN = 0.5
#: Part of the cells that a 95 % interval lets move one way by chance.
ONE_SIDED = 0.025
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
    (BY_CHANCE,): f"{BY_CHANCE}: in no more than by chance",
    ("as before",): "as before: in none",
    (NO_CHANGE_SHOWN, NONE_SHOWN_WORSE): "shown: there are cases in which it cannot be told",
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

    def __str__(self) -> str:
        unknown = f", {NOT_KNOWN} in {self.unknown}" if self.unknown else ""
        return f"better in {self.better}, worse in {self.worse}{unknown} of {self.cells}"


def name_tone(found: Tally) -> str:
    """Say whether a law is better or worse than the one before it."""
    better, worse = (_beyond_chance(n, found.cells) for n in (found.better, found.worse))
    if not better and not worse:
        moved = found.better or found.worse
        return BY_CHANCE if moved else _deny("as before", NO_CHANGE_SHOWN, found.unknown, found)
    if better and worse:
        return "mixed"
    often = max(found.better, found.worse) >= OFTEN * found.cells
    return ("mostly " if often else "sometimes ") + ("better" if better else "worse")


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
    if not _beyond_chance(found.worse, found.cells):
        return BY_CHANCE
    return "often worse" if found.worse >= OFTEN * found.cells else "sometimes worse"


def _deny(word: str, shown: str, unknown: int, found: Tally) -> str:
    """Return the word for none where every cell can be told, and a weaker one for most of them."""
    if not found.cells or unknown >= OFTEN * found.cells:
        return NOT_KNOWN
    return shown if unknown else word


def _beyond_chance(count: int, cells: int) -> bool:
    """Say whether more cells move one way than 95 % intervals let move by chance (p < 0.01)."""
    from scipy import stats

    return count > 0 and float(stats.binom.sf(count - 1, cells, ONE_SIDED)) < STRONG_P
