"""Responses that rise under some conditions and fall under others, and the factor that decides.

Both directions must be shown. Each condition is tested one-sidedly for a rise and for a fall,
and the tests of each direction are corrected for the number of conditions (Benjamini and Hochberg
1995): if no condition truly rises, a rise is shown in at most 5 % of cases; the same holds for a
fall. If each condition was run once, the conditions with the same level of a factor are the sample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from headgate.base.level_order import LevelOrder
from headgate.stats.effects import WEAK_P
from headgate.stats.intervals import compute_mean_p, correct_by_false_discovery

Levels = Sequence[Mapping[str, str]]
"""The level of each factor, for each condition."""


def find_shown_signs(p: Sequence[float], rises: Sequence[bool]) -> list[int]:
    """Return 1 for conditions with a shown rise, -1 for a shown fall, 0 for the others.

    `p` are two-sided, NaN without a test; `rises` states whether each estimate is a rise.
    """
    signs = [0] * len(p)
    for sign in (1, -1):
        one_sided = {
            place: own / 2 if up == (sign > 0) else 1 - own / 2
            for place, (own, up) in enumerate(zip(p, rises, strict=True))
        }
        for place, corrected in correct_by_false_discovery(one_sided).items():
            if corrected < WEAK_P:
                signs[place] = sign
    return signs


def is_reversed_by_a_factor(changes: Sequence[float], levels: Levels) -> bool:
    """Return whether single runs show a rise at one level of a factor and a fall at another."""
    samples = [of for of in _group_by_level(changes, levels) if len(of) > 1]
    rises = [float(np.mean(of)) > 0 for of in samples]
    return {1, -1} <= set(find_shown_signs([compute_mean_p(of) for of in samples], rises))


def _group_by_level(changes: Sequence[float], levels: Levels) -> Iterator[Sequence[float]]:
    for factor in levels[0] if levels else ():
        for level in dict.fromkeys(one[factor] for one in levels):
            own = zip(changes, levels, strict=True)
            yield [change for change, of in own if of[factor] == level and np.isfinite(change)]


@dataclass(frozen=True)
class Direction:
    """The conditions under which a response changes in one direction.

    `count` is their number among the `among` conditions with one of `levels`, and `others` their
    number at other levels. `levels` is empty if no factor separates the two directions.
    """

    levels: tuple[str, ...]
    count: int
    among: int
    others: int = 0


def find_separating_factor(
    levels: Levels, signs: Sequence[int], order: LevelOrder
) -> tuple[str, list[Direction]]:
    """Return the factor that separates rises (1) from falls (-1) best, and both directions.

    Its levels predict the direction of the most conditions. The name is empty if no factor predicts
    more of them than the more frequent direction does.
    """
    counts = {
        factor: {sign: _count_levels(factor, levels, signs, sign) for sign in (1, -1)}
        for factor in levels[0]
    }
    right = {factor: (of[1] | of[-1]).total() for factor, of in counts.items()}
    best = max(right, key=right.__getitem__, default="")
    total = {sign: signs.count(sign) for sign in (1, -1)}
    if not best or right[best] <= max(total.values()):
        return "", [Direction((), total[sign], len(signs)) for sign in (1, -1)]
    ordered = order.sort(best, [one[best] for one in levels])
    directions = []
    for own, other in ((counts[best][1], counts[best][-1]), (counts[best][-1], counts[best][1])):
        named = tuple(level for level in ordered if own[level] > other[level])
        count, among = sum(own[one] for one in named), sum(one[best] in named for one in levels)
        directions.append(Direction(named, count, among, own.total() - count))
    return best, directions


def _count_levels(factor: str, levels: Levels, signs: Sequence[int], sign: int) -> Counter[str]:
    pairs = zip(levels, signs, strict=True)
    return Counter(one[factor] for one, own in pairs if own == sign)
