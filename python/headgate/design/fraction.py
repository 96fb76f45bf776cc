"""The algebra of regular two-level fractions: defining words, word lengths, aliases.

The column of a factor is a signed product of basic columns, so a factor is a *point*, a bit mask
that says of which, and a sign. The product of two columns is the exclusive or of their points. A
set of factors whose points cancel is a defining word; effects at the same point are aliases (Box,
Hunter and Hunter 2005, chapter 6; Wu and Hamada 2009, chapter 5).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import HeadgateError
from headgate.stats.mixing import Effect

MINUS = "-"
#: Beyond this number of independent words their products are too many to be listed (65,535).
LISTED_WORDS = 16


@dataclass(frozen=True)
class Word:
    """A product of factors that is constant: +1 or -1 in every run."""

    effect: Effect
    sign: int

    def __len__(self) -> int:
        return len(self.effect)


@dataclass(frozen=True)
class Chain:
    """Effects that one contrast estimates together, the simplest first, each with its sign."""

    effects: tuple[tuple[Effect, int], ...]
    constant: int = 0
    """The sign with which the mean is among them; 0 where it is not."""


@dataclass(frozen=True)
class Fraction:
    """Factors as points: `points[i]` says of which of `basic` columns factor i is the product."""

    names: tuple[str, ...]
    points: tuple[int, ...]
    signs: tuple[int, ...]
    basic: int

    @cached_property
    def generating_words(self) -> tuple[Word, ...]:
        """A base of the defining words, by elimination: one for each factor that others make up."""
        return tuple(self._word(mask) for mask in _dependencies(self.points))

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """Every defining word, the shortest first."""
        base = _dependencies(self.points)
        if len(base) > LISTED_WORDS:
            raise HeadgateError(
                f"a fraction with {len(base)} generators has 2^{len(base)} - 1 words; they are "
                f"listed for at most {LISTED_WORDS}, and counted by length for any"
            )
        found = [self._word(mask) for mask in _span(base) if mask]
        return tuple(sorted(found, key=lambda word: (len(word), word.effect)))

    @cached_property
    def word_lengths(self) -> dict[int, int]:
        """How many defining words have each length."""
        return word_lengths(self.points, self.basic)

    @property
    def resolution(self) -> int | None:
        """The length of the shortest defining word; a full design has none."""
        return min(self.word_lengths, default=None)

    def point(self, effect: Iterable[int]) -> tuple[int, int]:
        """Return the point and the sign of an effect."""
        point, sign = 0, 1
        for factor in effect:
            point, sign = point ^ self.points[factor], sign * self.signs[factor]
        return point, sign

    def effects(self, order: int) -> Iterator[Effect]:
        """Every effect of at most `order` factors."""
        for size in range(1, order + 1):
            yield from combinations(range(len(self.points)), size)

    def chains(self, order: int = 2) -> list[Chain]:
        """Return effects of at most `order` factors by the contrast that estimates them."""
        members: dict[int, list[tuple[Effect, int]]] = {}
        for effect in self.effects(order):
            point, sign = self.point(effect)
            members.setdefault(point, []).append((effect, sign))
        return [_chain(found, of_mean=point == 0) for point, found in members.items()]

    def clear(self) -> list[Effect]:
        """Return the main effects and two-factor interactions that are alone in their chain."""
        chains = self.chains(2)
        return [c.effects[0][0] for c in chains if len(c.effects) == 1 and not c.constant]

    def aliases(self, effect: Effect, order: int = 2) -> list[tuple[Effect, int]]:
        """Return the effects of at most `order` factors at the point of `effect`, with signs."""
        point, sign = self.point(effect)
        places = ((other, self.point(other)) for other in self.effects(order) if other != effect)
        return [(other, sign * theirs) for other, (there, theirs) in places if there == point]

    def text(self, effect: Effect, sign: int = 1) -> str:
        """Write an effect as the product of its factors, `X1 X2` or, of letters, `AB`."""
        between = "" if all(len(name) == 1 for name in self.names) else " "
        return MINUS * (sign < 0) + between.join(self.names[factor] for factor in effect)

    def relation(self, most: int | None = None) -> str:
        """Write the defining relation, `I = ABCE = ...`, or the first `most` words of it."""
        words = self.words[:most]
        left = len(self.words) - len(words)
        parts = ["I", *(self.text(word.effect, word.sign) for word in words)]
        return " = ".join(parts + [f"... ({left} more)"] * bool(left))

    def _word(self, mask: int) -> Word:
        effect = tuple(i for i in range(len(self.points)) if mask >> i & 1)
        return Word(effect, prod(self.signs[i] for i in effect))


def _chain(found: list[tuple[Effect, int]], *, of_mean: bool) -> Chain:
    """Make the first effect positive, as it gives the contrast its name."""
    if of_mean:
        return Chain(tuple(found), 1)
    lead = found[0][1]
    return Chain(tuple((effect, sign * lead) for effect, sign in found))


def _dependencies(points: Sequence[int]) -> list[int]:
    """Return masks of factors whose points cancel, one for each that depends on those before it."""
    pivots: dict[int, tuple[int, int]] = {}
    found = []
    for place, point in enumerate(points):
        rest, mask = point, 1 << place
        while rest and rest.bit_length() in pivots:
            with_pivot, made_of = pivots[rest.bit_length()]
            rest, mask = rest ^ with_pivot, mask ^ made_of
        if rest:
            pivots[rest.bit_length()] = rest, mask
        else:
            found.append(mask)
    return found


def _span(base: Iterable[int]) -> list[int]:
    masks = [0]
    for mask in base:
        masks += [other ^ mask for other in masks]
    return masks


def word_lengths(points: Sequence[int], basic: int) -> dict[int, int]:
    """Count defining words by length without listing them, by the identity of MacWilliams.

    A run in which `w` of the `k` columns are low counts (1 - z)^w (1 + z)^(k - w); the coefficients
    of the mean over all runs are the numbers of words (MacWilliams and Sloane 1977, chapter 5).
    """
    size = len(points)
    total = [0] * (size + 1)
    for low, runs in Counter(_low_levels(points, basic).tolist()).items():
        for length, value in enumerate(krawtchouk(size, low)):
            total[length] += runs * value
    return {j: total[j] >> basic for j in range(1, size + 1) if total[j]}


def _low_levels(points: Sequence[int], basic: int) -> NDArray[np.int64]:
    runs = np.arange(1 << basic, dtype=np.int64)
    low = np.zeros(len(runs), dtype=np.int64)
    for point in points:
        low += np.bitwise_count(runs & point) & 1
    return low


@lru_cache(maxsize=4096)
def krawtchouk(size: int, low: int, last: int | None = None) -> tuple[int, ...]:
    """Return the coefficients of (1 - z)^low (1 + z)^(size - low), up to that of z^last."""
    return tuple(
        sum((-1) ** i * comb(low, i) * comb(size - low, j - i) for i in range(min(j, low) + 1))
        for j in range(1 + (size if last is None else last))
    )
