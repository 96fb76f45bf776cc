"""Which factor separates the conditions that change one way from those that change the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headgate.base.level_order import LevelOrder

Levels = Sequence[Mapping[str, str]]
"""Of each condition the level of each factor."""


@dataclass(frozen=True)
class Way:
    """Where something changes one way: in `count` of `among` conditions that have one of `levels`.

    `others` are those without these levels. No levels are named where no factor separates the ways.
    """

    levels: tuple[str, ...]
    count: int
    among: int
    others: int = 0


def separate(levels: Levels, signs: Sequence[int], order: LevelOrder) -> tuple[str, list[Way]]:
    """Return the factor that separates rises (1) from falls (-1) best, and where each of them is.

    It is the one by whose levels most conditions can be sorted right; "" if none sorts more of them
    than to call all alike.
    """
    counts = {
        factor: {sign: _count(factor, levels, signs, sign) for sign in (1, -1)}
        for factor in levels[0]
    }
    right = {factor: _count_right(of) for factor, of in counts.items()}
    best = max(right, key=right.__getitem__, default="")
    total = {sign: signs.count(sign) for sign in (1, -1)}
    if not best or right[best] <= max(total.values()):
        return "", [Way((), total[sign], len(signs)) for sign in (1, -1)]
    ordered = order.sort(best, [one[best] for one in levels])
    return best, [_find_way(best, ordered, levels, counts[best], sign) for sign in (1, -1)]


def _count(factor: str, levels: Levels, signs: Sequence[int], sign: int) -> Counter[str]:
    pairs = zip(levels, signs, strict=True)
    return Counter(one[factor] for one, own in pairs if own == sign)


def _count_right(counts: Mapping[int, Counter[str]]) -> int:
    return sum(max(counts[1][level], counts[-1][level]) for level in {*counts[1], *counts[-1]})


def _find_way(
    factor: str,
    ordered: Sequence[str],
    levels: Levels,
    counts: Mapping[int, Counter[str]],
    sign: int,
) -> Way:
    named = tuple(one for one in ordered if counts[sign][one] > counts[-sign][one])
    count = sum(counts[sign][level] for level in named)
    among = sum(one[factor] in named for one in levels)
    return Way(named, count, among, counts[sign].total() - count)
