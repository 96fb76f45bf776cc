"""Whether two fractions are the same but for the names of their factors.

A fraction is a set of points over GF(2); two are isomorphic if a linear map carries one set onto
the other (Chen, Sun and Wu 1993). Columns that lie in unequal numbers of words cannot correspond,
which leaves few maps to try.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Letters = tuple[int, ...]
"""How many words of each length a column lies in."""


@dataclass(frozen=True)
class Columns:
    """The points of a fraction, and of each the words it lies in."""

    letters: Mapping[int, Letters]

    def by_rarity(self) -> list[int]:
        """Return the points, those of the rarest pattern of letters first."""
        often = Counter(self.letters.values())
        return sorted(self.letters, key=lambda p: (often[self.letters[p]], self.letters[p]))

    def alike(self, letters: Letters) -> list[int]:
        """Return the points with a pattern of letters."""
        return [point for point, found in self.letters.items() if found == letters]


def equivalent(one: Columns, other: Columns) -> bool:
    """Whether a linear map carries the points of `one` onto those of `other`."""
    return _can_extend(one, other, independent(one.by_rarity()), {0: 0})


def independent(points: Sequence[int]) -> list[int]:
    """Return the points that do not depend on those before them."""
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
    """Whether `image`, a map of the points spanned so far, can be extended over `base`."""
    if not base:
        return True
    point, *rest = base
    taken = set(image.values())
    for target in other.alike(one.letters[point]):
        if target in taken:
            continue
        wider = {span ^ point: there ^ target for span, there in image.items()}
        if _agree(one, other, wider) and _can_extend(one, other, rest, image | wider):
            return True
    return False


def _agree(one: Columns, other: Columns, image: Mapping[int, int]) -> bool:
    return all(one.letters.get(here) == other.letters.get(to) for here, to in image.items())
