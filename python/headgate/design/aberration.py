"""Fractions of minimum aberration: the fewest possible short defining words.

The search adds columns one by one and keeps one of several isomorphic fractions (Chen, Sun and Wu
1993). Let a fraction of `k` columns contain `A` words of length `r`. Each word contains `r`
columns, so the mean column lies in `A r / k` words, and deleting the column in the most words
leaves at most `A (k - r) / k`. Therefore every fraction with at most `A` words is reached through
fractions within these bounds. The first bound is the `A` of the best fraction of a beam search. If
a fraction needs more than half of all columns, the search is for the omitted columns, which then
contain as many words of length 3 as possible (Tang and Wu 1996).

If too many fractions lie within the bounds, the result is the best fraction of the beam, after
exchanging its columns for better ones, and is marked as not exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import HeadgateError
from headgate.design.fraction import (
    Columns,
    are_isomorphic,
    compute_krawtchouk,
    count_word_lengths,
    find_independent,
)

Points = tuple[int, ...]
Lengths = tuple[int, ...]
"""Numbers of defining words of length 3, 4, ...; fractions are compared in this order."""

#: The word lengths that the search compares; the last comparison uses all.
FIRST, LAST = 3, 8
#: The number of fractions of each size that the beam and the exact search keep, for up to `RUNS`
#: runs. For more runs the beam keeps fewer and there is no exact search, so a search takes seconds.
BEAM, MOST, RUNS = 40, 400, 256
GREATEST = 10
"""The binary logarithm of the largest number of runs."""


@dataclass(frozen=True)
class SearchResult:
    """A fraction; `exact` if none with fewer short words exists, else none was found."""

    points: Points
    basic: int
    exact: bool

    @property
    def word_lengths(self) -> dict[int, int]:
        """The number of defining words of each length."""
        return count_word_lengths(self.points, self.basic)


@dataclass(frozen=True)
class _Space:
    """The sets of `size` points, which are the fraction or, if `left_out`, its complement."""

    basic: int
    size: int
    left_out: bool

    @property
    def beam(self) -> int:
        """The number of fractions that the beam keeps."""
        return min(BEAM, BEAM * RUNS >> self.basic)

    @property
    def start(self) -> Points:
        """The first columns: every fraction contains independent columns, here the basic ones."""
        return () if self.left_out else tuple(1 << i for i in range(self.basic))

    def fraction(self, points: Points) -> Points:
        """Return the fraction itself."""
        if not self.left_out:
            return points
        taken = set(points)
        return tuple(p for p in range(1, 1 << self.basic) if p not in taken)


@lru_cache(maxsize=64)
def find_minimum_aberration(factors: int, basic: int) -> SearchResult:
    """Find a fraction of `factors` columns in 2^`basic` runs with minimum aberration."""
    if not 1 <= basic <= min(factors, GREATEST) or factors >= 1 << basic:
        raise HeadgateError(
            f"{factors} factors in 2^{basic} runs: a fraction in 2^m runs has m to 2^m - 1 "
            f"factors, and the search is limited to m = {GREATEST}"
        )
    left = (1 << basic) - 1 - factors
    left_out = factors > 1 << (basic - 1)
    space = _Space(basic, left if left_out else factors, left_out)
    found = [*_search_beam(space), *_search_beam(space, even=True)]
    best = _choose_best(
        space, found if left_out else [_exchange_columns(space, points) for points in found]
    )
    every = _search_within_bounds(space, best)
    chosen = best if every is None else _choose_best(space, every)
    return SearchResult(_renumber(space.fraction(chosen), basic), basic, every is not None)


def _search_beam(space: _Space, *, even: bool = False) -> list[Points]:
    """Keep the best few fractions of each size.

    With `even`, the beam adds only products of an odd number of basic columns, so every word has an
    even length. Such fractions of resolution IV can grow to half of all columns, others cannot.
    """
    level, most = [space.start], space.beam
    for _ in range(len(space.start), space.size):
        found: dict[Points, Lengths] = {}
        for points in level:
            added, lengths = _count_new_words(space, points)
            if even:
                odd = np.bitwise_count(added) % 2 == 1
                added, lengths = added[odd], lengths[odd]
            ranks = _rank(space, lengths)
            for row in np.lexsort(ranks.T[::-1])[: 4 * most]:
                child = tuple(sorted((*points, int(added[row]))))
                found.setdefault(child, tuple(ranks[row].tolist()))
        level = _keep_distinct(space, sorted(found, key=lambda child: (found[child], child)), most)
    return level


def _exchange_columns(space: _Space, points: Points) -> Points:
    """Replace columns by better ones until there are none."""
    least = _count_lengths(space, points)
    for point in points:
        rest = tuple(other for other in points if other != point)
        added, lengths = _count_new_words(space, rest)
        row = np.lexsort(lengths.T[::-1])[0]
        child = tuple(sorted((*rest, int(added[row]))))
        if tuple(lengths[row].tolist()) < least and len(find_independent(child)) == space.basic:
            return _exchange_columns(space, child)
    return points


def _count_lengths(space: _Space, points: Points) -> Lengths:
    found = count_word_lengths(points, space.basic)
    return tuple(found.get(j, 0) for j in range(FIRST, LAST + 1))


def _keep_distinct(space: _Space, children: Iterable[Points], most: int) -> list[Points]:
    """Return the first `most` fractions with different numbers of words per column."""
    seen: dict[tuple[tuple[int, ...], ...], Points] = {}
    for child in children:
        seen.setdefault(_make_key(_make_columns(space, child)), child)
        if len(seen) == most:
            break
    return list(seen.values())


def _search_within_bounds(space: _Space, best: Points) -> list[Points] | None:
    """Return every fraction that may be better than `best`, or None if there are too many."""
    if 1 << space.basic > RUNS:
        return None
    length, bounds = _compute_bounds(space, best)
    level = [space.start]
    for size in range(len(space.start) + 1, space.size + 1):
        children = (c for points in level for c in _extend(space, points, length, bounds[size]))
        found = _keep_one_per_class(space, children)
        if found is None:
            return None
        level = found
    return level


def _keep_one_per_class(space: _Space, children: Iterable[Points]) -> list[Points] | None:
    """Return one fraction of each class of isomorphic ones, or None if there are too many."""
    classes: dict[tuple[tuple[int, ...], ...], list[Columns]] = {}
    kept: list[Points] = []
    for child in children:
        columns = _make_columns(space, child)
        same = classes.setdefault(_make_key(columns), [])
        if not any(are_isomorphic(columns, other) for other in same):
            same.append(columns)
            kept.append(child)
        if len(kept) > MOST:
            return None
    return kept


def _compute_bounds(space: _Space, best: Points) -> tuple[int, dict[int, int]]:
    """Return the word length that is bounded, and the bound for each number of columns."""
    lengths = count_word_lengths(best, space.basic)
    length = FIRST if space.left_out else min(lengths, default=len(best))
    bounds = {space.size: lengths.get(length, 0)}
    for size in range(space.size, 0, -1):
        share = bounds[size] * max(size - length, 0)
        bounds[size - 1] = -(-share // size) if space.left_out else share // size
    return length, bounds


def _extend(space: _Space, points: Points, length: int, bound: int) -> Iterator[Points]:
    added, lengths = _count_new_words(space, points)
    if length > LAST:
        keep = ~lengths.any(axis=1)
    elif space.left_out:
        keep = lengths[:, 0] >= bound
    else:
        keep = (lengths[:, length - FIRST] <= bound) & ~lengths[:, : length - FIRST].any(axis=1)
    for point in added[keep]:
        yield tuple(sorted((*points, int(point))))


def _count_new_words(space: _Space, points: Points) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the points that can be added, and the number of new words of each length.

    A point forms a word with every set of columns whose product is the column of the point. A Walsh
    transform over the runs counts these sets for all points at once.
    """
    free = np.delete(np.arange(1, 1 << space.basic), np.array(points, dtype=np.int64) - 1)
    sums = _make_walsh(space.basic)[:, list(points)].sum(axis=1).astype(np.int64)
    counts = _list_polynomials(len(points))[(len(points) - sums) // 2]
    sets = np.rint(_transform_walsh(counts) / len(counts)).astype(np.int64)
    return free, sets[0, 1:] + sets[free, :-1]


def _transform_walsh(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `_make_walsh` times `values`, by the fast Walsh-Hadamard transform."""
    rows, columns = values.shape
    half = 1
    while half < rows:
        pairs = values.reshape(-1, 2, half, columns)
        first, second = pairs[:, 0], pairs[:, 1]
        values = np.stack((first + second, first - second), axis=1)
        half *= 2
    return values.reshape(rows, columns)


def _make_columns(space: _Space, points: Points) -> Columns:
    """Count the words that contain each column: those lost without it."""
    columns = _make_walsh(space.basic)[:, list(points)]
    sums = columns.sum(axis=1)[:, None]
    letters = _count_words(len(points), sums) - _count_words(len(points) - 1, sums - columns)
    return Columns(dict(zip(points, map(tuple, letters[:, 1:].tolist()), strict=True)))


def _make_key(columns: Columns) -> tuple[tuple[int, ...], ...]:
    return tuple(sorted(columns.letters.values()))


def _rank(space: _Space, lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers to minimize; omitted columns should contain many words of odd length.

    For length 3 this is the first identity of Tang and Wu. The alternating signs of longer words
    are a heuristic for the beam.
    """
    if not space.left_out:
        return lengths
    signs: NDArray[np.int64] = np.array([-1 if j % 2 else 1 for j in range(FIRST, LAST + 1)])
    return lengths * signs


def _choose_best(space: _Space, candidates: Iterable[Points]) -> Points:
    def lengths(points: Points) -> Lengths:
        fraction = space.fraction(points)
        found = count_word_lengths(fraction, space.basic)
        return tuple(found.get(j, 0) for j in range(1, len(fraction) + 1))

    return min(candidates, key=lambda points: (lengths(points), points))


@lru_cache(maxsize=GREATEST)
def _make_walsh(basic: int) -> NDArray[np.float64]:
    """Return the columns of the full design: row u, column c is (-1)^(u . c)."""
    runs = np.arange(1 << basic)
    odd: NDArray[np.float64] = (np.bitwise_count(runs[:, None] & runs) & 1).astype(float)
    return 1.0 - 2.0 * odd


def _count_words(size: int, sums: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the word lengths for each column of `sums`, the sum of `size` columns in every run."""
    low = (size - sums.astype(np.int64)) // 2
    total: NDArray[np.int64] = np.rint(_list_polynomials(size)[low].sum(axis=0) / len(sums))
    return total.astype(np.int64)


@lru_cache(maxsize=256)
def _list_polynomials(size: int) -> NDArray[np.float64]:
    """Return the contribution of a run to lengths from 2 on, by its number of low levels.

    The sums over 2^10 runs are below 2^53 for up to 63 columns, so they are exact.
    """
    rows = [compute_krawtchouk(size, low, LAST) for low in range(size + 1)]
    return np.array([row[FIRST - 1 :] for row in rows], dtype=float)


def _renumber(points: Points, basic: int) -> Points:
    """Renumber the first independent columns as 1, 2, 4, ...; the rest follow in Yates order."""
    base = find_independent(points)
    spanned = {0: 0}
    for place, point in enumerate(base):
        spanned |= {other ^ point: name | 1 << place for other, name in spanned.items()}
    others = sorted(spanned[point] for point in points if point not in base)
    return (*(1 << place for place in range(basic)), *others)
