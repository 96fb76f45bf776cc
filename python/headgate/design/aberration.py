"""Fractions of minimum aberration: as few short defining words as there can be.

Columns are added one by one (Chen, Sun and Wu 1993), and of isomorphic fractions one is kept.
Deleting the column that lies in most of the `A` words of length `r` of a fraction of `k` columns
leaves at most `A (k - r) / k` of them: each word has `r` columns, so the mean column lies in `A r
/ k`. A fraction with no more than `A` words is therefore reached through fractions within these
bounds, and `A` of the best of a beam is a bound to begin with. Where over half of all columns are
taken, the search is for those left out instead, which then hold as many words of length 3 as
possible (Tang and Wu 1996).

Where the fractions within the bounds are too many, the best of the beam is given, its columns
exchanged for better ones as long as there are any, and it says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import HeadgateError
from headgate.design.equivalence import Columns, equivalent, independent
from headgate.design.fraction import krawtchouk, word_lengths

Points = tuple[int, ...]
Lengths = tuple[int, ...]
"""Numbers of defining words of length 3, 4, ..., in which order fractions are better or worse."""

#: Lengths of words that tell fractions apart during the search; the last comparison is of all.
FIRST, LAST = 3, 8
#: Fractions kept for each number of columns, by the beam and by the exact search: so in up to
#: `RUNS` runs. In more the beam keeps accordingly fewer, and there is no exact search, so that
#: either takes seconds.
BEAM, MOST, RUNS = 40, 400, 256
GREATEST = 10
"""A search has at most 2^10 runs."""


@dataclass(frozen=True)
class Found:
    """A fraction, and whether none with fewer short words exists or none was met."""

    points: Points
    basic: int
    exact: bool

    @property
    def word_lengths(self) -> dict[int, int]:
        """How many defining words have each length."""
        return word_lengths(self.points, self.basic)


@dataclass(frozen=True)
class _Space:
    """What is looked for: `size` points out of all, or all but `size`."""

    basic: int
    size: int
    left_out: bool

    @property
    def beam(self) -> int:
        """How many fractions the beam keeps."""
        return min(BEAM, BEAM * RUNS >> self.basic)

    @property
    def start(self) -> Points:
        """Any fraction has independent columns, which may as well be the basic ones."""
        return () if self.left_out else tuple(1 << i for i in range(self.basic))

    def fraction(self, points: Points) -> Points:
        """Return the fraction itself."""
        if not self.left_out:
            return points
        taken = set(points)
        return tuple(p for p in range(1, 1 << self.basic) if p not in taken)


@lru_cache(maxsize=64)
def minimum_aberration(factors: int, basic: int) -> Found:
    """Find a fraction of `factors` columns in 2^`basic` runs with minimum aberration."""
    if not 1 <= basic <= min(factors, GREATEST) or factors >= 1 << basic:
        raise HeadgateError(
            f"{factors} factors in 2^{basic} runs: a fraction in 2^m runs has from m to 2^m - 1 "
            f"factors, and is searched for up to m = {GREATEST}"
        )
    left = (1 << basic) - 1 - factors
    left_out = factors > 1 << (basic - 1)
    space = _Space(basic, left if left_out else factors, left_out)
    found = [*_beam(space), *_beam(space, even=True)]
    best = _best(
        space, found if left_out else [_exchange_columns(space, points) for points in found]
    )
    every = _within_bounds(space, best)
    chosen = best if every is None else _best(space, every)
    return Found(_in_basic_columns(space.fraction(chosen), basic), basic, every is not None)


def _beam(space: _Space, *, even: bool = False) -> list[Points]:
    """Keep the best few for each number of columns.

    With `even`, only products of an odd number of basic columns are added, so that every word is of
    even length: such fractions go on to half of all columns, others of resolution IV end before.
    """
    level, most = [space.start], space.beam
    for _ in range(len(space.start), space.size):
        found: dict[Points, Lengths] = {}
        for points in level:
            added, lengths = _extensions(space, points)
            if even:
                odd = np.bitwise_count(added) % 2 == 1
                added, lengths = added[odd], lengths[odd]
            worse = _worse(space, lengths)
            for row in np.lexsort(worse.T[::-1])[: 4 * most]:
                child = tuple(sorted((*points, int(added[row]))))
                found.setdefault(child, tuple(worse[row].tolist()))
        level = _distinct(space, sorted(found, key=lambda child: (found[child], child)), most)
    return level


def _exchange_columns(space: _Space, points: Points) -> Points:
    """Replace one column by a better one for as long as there is one."""
    least = _lengths_of(space, points)
    for point in points:
        rest = tuple(other for other in points if other != point)
        added, lengths = _extensions(space, rest)
        row = np.lexsort(lengths.T[::-1])[0]
        child = tuple(sorted((*rest, int(added[row]))))
        if tuple(lengths[row].tolist()) < least and len(independent(child)) == space.basic:
            return _exchange_columns(space, child)
    return points


def _lengths_of(space: _Space, points: Points) -> Lengths:
    found = word_lengths(points, space.basic)
    return tuple(found.get(j, 0) for j in range(FIRST, LAST + 1))


def _distinct(space: _Space, children: Iterable[Points], most: int) -> list[Points]:
    """Return the first `most` that differ in their patterns of letters."""
    seen: dict[tuple[tuple[int, ...], ...], Points] = {}
    for child in children:
        seen.setdefault(_key(_columns(space, child)), child)
        if len(seen) == most:
            break
    return list(seen.values())


def _within_bounds(space: _Space, best: Points) -> list[Points] | None:
    """Return every fraction that may be better than `best`, or None where they are too many."""
    if 1 << space.basic > RUNS:
        return None
    length, bounds = _bounds(space, best)
    level = [space.start]
    for size in range(len(space.start) + 1, space.size + 1):
        children = (c for points in level for c in _children(space, points, length, bounds[size]))
        found = _classes(space, children)
        if found is None:
            return None
        level = found
    return level


def _classes(space: _Space, children: Iterable[Points]) -> list[Points] | None:
    """Return one fraction of each class of isomorphic ones, or None where they are too many."""
    classes: dict[tuple[tuple[int, ...], ...], list[Columns]] = {}
    kept: list[Points] = []
    for child in children:
        columns = _columns(space, child)
        same = classes.setdefault(_key(columns), [])
        if not any(equivalent(columns, other) for other in same):
            same.append(columns)
            kept.append(child)
        if len(kept) > MOST:
            return None
    return kept


def _bounds(space: _Space, best: Points) -> tuple[int, dict[int, int]]:
    """Return the length of the words that are bounded, and the bound for each number of columns."""
    lengths = word_lengths(best, space.basic)
    length = FIRST if space.left_out else min(lengths, default=len(best))
    bounds = {space.size: lengths.get(length, 0)}
    for size in range(space.size, 0, -1):
        share = bounds[size] * max(size - length, 0)
        bounds[size - 1] = -(-share // size) if space.left_out else share // size
    return length, bounds


def _children(space: _Space, points: Points, length: int, bound: int) -> Iterator[Points]:
    added, lengths = _extensions(space, points)
    if length > LAST:
        keep = ~lengths.any(axis=1)
    elif space.left_out:
        keep = lengths[:, 0] >= bound
    else:
        keep = (lengths[:, length - FIRST] <= bound) & ~lengths[:, : length - FIRST].any(axis=1)
    for point in added[keep]:
        yield tuple(sorted((*points, int(point))))


def _extensions(space: _Space, points: Points) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return every point that can be added, and the word lengths with it.

    A point makes a word with every set of columns whose product is its own column; such sets are
    counted for all points at once, by a Walsh transform over the runs.
    """
    free = np.delete(np.arange(1, 1 << space.basic), np.array(points, dtype=np.int64) - 1)
    sums = _walsh(space.basic)[:, list(points)].sum(axis=1).astype(np.int64)
    counts = _polynomials(len(points))[(len(points) - sums) // 2]
    sets = np.rint(_transform(counts) / len(counts)).astype(np.int64)
    return free, sets[0, 1:] + sets[free, :-1]


def _transform(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `_walsh` times `values`, by the fast Walsh-Hadamard transform."""
    rows, columns = values.shape
    half = 1
    while half < rows:
        pairs = values.reshape(-1, 2, half, columns)
        first, second = pairs[:, 0], pairs[:, 1]
        values = np.stack((first + second, first - second), axis=1)
        half *= 2
    return values.reshape(rows, columns)


def _columns(space: _Space, points: Points) -> Columns:
    """Count, for every column, the words that it lies in: those lost without it."""
    columns = _walsh(space.basic)[:, list(points)]
    sums = columns.sum(axis=1)[:, None]
    letters = _words(len(points), sums) - _words(len(points) - 1, sums - columns)
    return Columns(dict(zip(points, map(tuple, letters[:, 1:].tolist()), strict=True)))


def _key(columns: Columns) -> tuple[tuple[int, ...], ...]:
    return tuple(sorted(columns.letters.values()))


def _worse(space: _Space, lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return what is to be least: of columns left out, words of odd length are to be most.

    Of the identities of Tang and Wu the first says so of words of length 3; that signs alternate
    after it guides the beam and proves nothing.
    """
    if not space.left_out:
        return lengths
    signs: NDArray[np.int64] = np.array([-1 if j % 2 else 1 for j in range(FIRST, LAST + 1)])
    return lengths * signs


def _best(space: _Space, candidates: Iterable[Points]) -> Points:
    def lengths(points: Points) -> Lengths:
        fraction = space.fraction(points)
        found = word_lengths(fraction, space.basic)
        return tuple(found.get(j, 0) for j in range(1, len(fraction) + 1))

    return min(candidates, key=lambda points: (lengths(points), points))


@lru_cache(maxsize=GREATEST)
def _walsh(basic: int) -> NDArray[np.float64]:
    """Return the columns of the full design: row u, column c holds (-1)^(u . c)."""
    runs = np.arange(1 << basic)
    odd: NDArray[np.float64] = (np.bitwise_count(runs[:, None] & runs) & 1).astype(float)
    return 1.0 - 2.0 * odd


def _words(size: int, sums: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the word lengths for each column of `sums`, the sum of `size` columns in every run."""
    low = (size - sums.astype(np.int64)) // 2
    total: NDArray[np.int64] = np.rint(_polynomials(size)[low].sum(axis=0) / len(sums))
    return total.astype(np.int64)


@lru_cache(maxsize=256)
def _polynomials(size: int) -> NDArray[np.float64]:
    """Return, for each number of low levels in a run, what it counts for lengths from 2 on.

    Their sums over 2^10 runs stay below 2^53 for up to 63 columns, so they are exact.
    """
    rows = [krawtchouk(size, low, LAST) for low in range(size + 1)]
    return np.array([row[FIRST - 1 :] for row in rows], dtype=float)


def _in_basic_columns(points: Points, basic: int) -> Points:
    """Name independent columns, the first ones, 1, 2, 4, ...; the others follow in Yates order."""
    base = independent(points)
    spanned = {0: 0}
    for place, point in enumerate(base):
        spanned |= {other ^ point: name | 1 << place for other, name in spanned.items()}
    others = sorted(spanned[point] for point in points if point not in base)
    return (*(1 << place for place in range(basic)), *others)
