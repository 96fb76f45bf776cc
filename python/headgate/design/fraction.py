"""The algebra of regular two-level fractions: defining words, word lengths, aliases, isomorphism.

The column of a factor is a signed product of basic columns. Therefore a factor is a sign and a
*point*, a bit mask of these basic columns. The product of two columns is the exclusive or of their
points. A set of factors whose points cancel is a defining word; effects at the same point are
aliases (Box, Hunter and Hunter 2005, chapter 6; Wu and Hamada 2009, chapter 5). Two fractions are
isomorphic if a linear map over GF(2) carries the points of one onto those of the other (Chen, Sun
and Wu 1993): they differ only in the names of their factors.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb, prod

import numpy as np

from headgate.base.errors import HeadgateError
from headgate.stats.two_level import Effect

MINUS = "-"
#: Words are listed for at most this number of independent ones, which have 65,535 products.
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
    """Effects that one contrast estimates together, the simplest first, with their signs."""

    effects: tuple[tuple[Effect, int], ...]
    constant: int = 0
    """The sign of the mean in the contrast; 0 if the contrast does not contain the mean."""


@dataclass(frozen=True)
class Fraction:
    """Factors as points: `points[i]` is the mask of the basic columns whose product is factor i."""

    names: tuple[str, ...]
    points: tuple[int, ...]
    signs: tuple[int, ...]
    basic: int

    @cached_property
    def generating_words(self) -> tuple[Word, ...]:
        """Independent defining words, one for each factor that is a product of earlier ones."""
        return tuple(self._word(mask) for mask in _find_dependencies(self.points))

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """Every defining word, the shortest first."""
        base = _find_dependencies(self.points)
        if len(base) > LISTED_WORDS:
            raise HeadgateError(
                f"a fraction with {len(base)} generators has 2^{len(base)} - 1 words, too many to "
                f"list; the limit is {LISTED_WORDS} generators"
            )
        masks = [0]
        for mask in base:
            masks += [other ^ mask for other in masks]
        found = [self._word(mask) for mask in masks[1:]]
        return tuple(sorted(found, key=lambda word: (len(word), word.effect)))

    @cached_property
    def word_lengths(self) -> dict[int, int]:
        """The number of defining words of each length."""
        return count_word_lengths(self.points, self.basic)

    @property
    def resolution(self) -> int | None:
        """The length of the shortest defining word; None for a full design."""
        return min(self.word_lengths, default=None)

    def point(self, effect: Iterable[int]) -> tuple[int, int]:
        """Return the point and the sign of an effect."""
        point, sign = 0, 1
        for factor in effect:
            point, sign = point ^ self.points[factor], sign * self.signs[factor]
        return point, sign

    def effects(self, order: int) -> Iterator[Effect]:
        """Yield the effects of at most `order` factors."""
        for size in range(1, order + 1):
            yield from combinations(range(len(self.points)), size)

    def chains(self, order: int = 2) -> list[Chain]:
        """Return the effects of at most `order` factors, grouped by their contrasts.

        The first effect of a chain, which names the contrast, is positive.
        """
        members: dict[int, list[tuple[Effect, int]]] = {}
        for effect in self.effects(order):
            point, sign = self.point(effect)
            members.setdefault(point, []).append((effect, sign))
        return [
            Chain(
                tuple((e, sign if not point else sign * found[0][1]) for e, sign in found),
                int(not point),
            )
            for point, found in members.items()
        ]

    def clear(self) -> list[Effect]:
        """Return the main effects and two-factor interactions without an alias among these."""
        chains = self.chains(2)
        return [c.effects[0][0] for c in chains if len(c.effects) == 1 and not c.constant]

    def aliases(self, effect: Effect, order: int = 2) -> list[tuple[Effect, int]]:
        """Return the effects of at most `order` factors at the point of `effect`, with signs."""
        point, sign = self.point(effect)
        places = ((other, self.point(other)) for other in self.effects(order) if other != effect)
        return [(other, sign * theirs) for other, (there, theirs) in places if there == point]

    def text(self, effect: Effect, sign: int = 1) -> str:
        """Write an effect as the product of its factors: `X1 X2`, or `AB` for letters."""
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


def _find_dependencies(points: Sequence[int]) -> list[int]:
    """Return a mask of factors whose points cancel for each factor that depends on earlier ones."""
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


def count_word_lengths(points: Sequence[int], basic: int) -> dict[int, int]:
    """Count defining words by length without listing them, by the identity of MacWilliams.

    A run with `w` of `k` columns at the low level contributes (1 - z)^w (1 + z)^(k - w). The
    coefficients of the mean over all runs are the numbers of words (MacWilliams and Sloane 1977,
    chapter 5).
    """
    size = len(points)
    runs = np.arange(1 << basic, dtype=np.int64)
    low_columns = np.zeros(len(runs), dtype=np.int64)
    for point in points:
        low_columns += np.bitwise_count(runs & point) & 1
    total = [0] * (size + 1)
    for low, count in Counter(low_columns.tolist()).items():
        for length, value in enumerate(compute_krawtchouk(size, low)):
            total[length] += count * value
    return {j: total[j] >> basic for j in range(1, size + 1) if total[j]}


@lru_cache(maxsize=4096)
def compute_krawtchouk(size: int, low: int, last: int | None = None) -> tuple[int, ...]:
    """Return the coefficients of (1 - z)^low (1 + z)^(size - low), up to that of z^last."""
    return tuple(
        sum((-1) ** i * comb(low, i) * comb(size - low, j - i) for i in range(min(j, low) + 1))
        for j in range(1 + (size if last is None else last))
    )


Letters = tuple[int, ...]
"""The number of words of each length that contain a column."""


@dataclass(frozen=True)
class Columns:
    """The points of a fraction, each with the numbers of words that contain it."""

    letters: Mapping[int, Letters]

    def sort_by_rarity(self) -> list[int]:
        """Return the points, those with the rarest letters first."""
        often = Counter(self.letters.values())
        return sorted(self.letters, key=lambda p: (often[self.letters[p]], self.letters[p]))

    def find_points(self, letters: Letters) -> list[int]:
        """Return the points with these letters."""
        return [point for point, found in self.letters.items() if found == letters]


def are_isomorphic(one: Columns, other: Columns) -> bool:
    """Return whether a linear map carries the points of `one` onto those of `other`.

    Columns in unequal numbers of words cannot correspond, so few maps are possible.
    """
    return _can_extend(one, other, find_independent(one.sort_by_rarity()), {0: 0})


def find_independent(points: Sequence[int]) -> list[int]:
    """Return the points that are independent of earlier ones."""
    base, reduced = [], list[int]()
    for point in points:
        rest = point
        for pivot in reduced:
            rest = min(rest, rest ^ pivot)
        if rest:
            base.append(point)
            reduced.append(rest)
    return base


def _can_extend(one: Columns, other: Columns, base: list[int], image: dict[int, int]) -> bool:
    """Return whether `image`, a map of the points spanned so far, can be extended over `base`."""
    if not base:
        return True
    point, *rest = base
    taken = set(image.values())
    for target in other.find_points(one.letters[point]):
        if target in taken:
            continue
        wider = {span ^ point: there ^ target for span, there in image.items()}
        agree = all(one.letters.get(here) == other.letters.get(to) for here, to in wider.items())
        if agree and _can_extend(one, other, rest, image | wider):
            return True
    return False
