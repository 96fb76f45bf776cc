"""Plackett-Burman designs and orthogonal arrays, from pydoe.

Their columns are checked here, as some arrays of pydoe 1.6.0 are not what they are called: of
L64(2^31) 59 pairs of columns are not balanced, and L27 and L36 have other numbers of levels than
their names say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import HeadgateError
from headgate.base.messages import also
from headgate.base.optional import require
from headgate.design.factor import Factor
from headgate.design.factorial import Design

Numbers = NDArray[np.int64]

#: Sizes of Plackett-Burman designs that pydoe makes are these times a power of two.
SEEDS_OF_SIZE = (4, 12, 20)
MOST_RUNS = 640


def plackett_burman(factors: Sequence[Factor]) -> Design:
    """Make the smallest Plackett-Burman design that has a column for every factor.

    Main effects are orthogonal; each is partly aliased with every interaction of two others, unless
    the runs are a power of two (Plackett and Burman 1946).
    """
    require("analysis", "a Plackett-Burman design")
    from pydoe import pbdesign

    sizes = sorted(s << i for s in SEEDS_OF_SIZE for i in range(8) if s << i <= MOST_RUNS)
    runs = next((size for size in sizes if size > len(factors)), None)
    if runs is None or not factors:
        raise HeadgateError(
            f"a Plackett-Burman design is made for 1 to {MOST_RUNS - 1} factors, not {len(factors)}"
        )
    matrix = np.asarray(pbdesign(runs - 1), dtype=np.int8)[:, : len(factors)]
    if not is_balanced(matrix.astype(np.int64)):
        raise HeadgateError(f"pydoe's Plackett-Burman design of {runs} runs is not orthogonal")
    return Design(tuple(factors), matrix)


def orthogonal_array(factors: Sequence[Factor], name: str = "") -> tuple[Design, str]:
    """Lay factors of two or more levels over an orthogonal array, the smallest or the one named.

    Every pair of columns has every combination of levels equally often. `name` is as Taguchi's,
    `L18`.
    """
    wanted = Counter(levels_of(factor) for factor in factors)
    arrays = dict(_arrays())
    if name and name.upper() not in {short(title) for title in arrays}:
        shorts = dict.fromkeys(short(title) for title in arrays)
        known, near = ", ".join(shorts), also(name, shorts)
        raise HeadgateError(f"array {name!r} is not known; it must be one of {known}{near}")
    for title, array in arrays.items():
        has = Counter((array.max(axis=0) + 1).tolist())
        if short(title) in (name.upper() or short(title)) and wanted <= has:
            return Design(tuple(factors), _assign_columns(factors, array)), title
    asked = ", ".join(f"{n} of {levels} levels" for levels, n in sorted(wanted.items()))
    raise HeadgateError(
        f"no orthogonal array {name or 'here'} has columns for {asked}; those known are "
        f"{', '.join(arrays)}"
    )


def levels_of(factor: Factor) -> int:
    """Return how many levels a factor has: two unless they are listed."""
    return len(factor.levels) or 2


def short(title: str) -> str:
    """Return `L18` of `L18(3^6 6^1)`."""
    return title.partition("(")[0]


def is_balanced(array: Numbers) -> bool:
    """Whether every pair of columns has every combination of levels equally often."""
    return all(_pair(array[:, i], array[:, j]) for i, j in combinations(range(array.shape[1]), 2))


def _pair(one: Numbers, other: Numbers) -> bool:
    _, a = np.unique(one, return_inverse=True)
    _, b = np.unique(other, return_inverse=True)
    counts = np.bincount(a * (b.max() + 1) + b, minlength=(a.max() + 1) * (b.max() + 1))
    return bool((counts == counts[0]).all())


@lru_cache(maxsize=1)
def _arrays() -> tuple[tuple[str, Numbers], ...]:
    return tuple(sorted(_read(), key=lambda item: (len(item[1]), item[0])))


def _read() -> Iterator[tuple[str, Numbers]]:
    """Every array that is one, under the name that its columns deserve."""
    require("analysis", "an orthogonal array")
    from pydoe import get_orthogonal_array, list_orthogonal_arrays

    for given in list_orthogonal_arrays():
        array = np.asarray(get_orthogonal_array(given), dtype=np.int64)
        if is_balanced(array):
            yield _name_array(array), array
            if (split := _split_sixes(array)) is not None:
                yield _name_array(split), split


def _name_array(array: Numbers) -> str:
    counts = sorted(Counter((array.max(axis=0) + 1).tolist()).items())
    levels = " ".join(f"{levels}^{columns}" for levels, columns in counts)
    return f"L{len(array)}({levels})"


def _split_sixes(array: Numbers) -> Numbers | None:
    """Return the array with a column of two levels and one of three for each of six, if it is one.

    So pydoe's L18 of one column with six levels becomes Taguchi's of one with two and seven with
    three (Taguchi 1987; Phadke 1989, appendix C).
    """
    if not (array.max(axis=0) == 5).any():
        return None
    columns = [
        part
        for column in array.T
        for part in ((column // 3, column % 3) if column.max() == 5 else (column,))
    ]
    split = np.array(columns).T
    return split if is_balanced(split) else None


def _assign_columns(factors: Sequence[Factor], array: Numbers) -> NDArray[np.float64]:
    """Return each factor the next column with as many levels as it has, coded from -1 to +1."""
    free = list(range(array.shape[1]))
    columns = []
    for factor in factors:
        place = next(i for i in free if array[:, i].max() + 1 == levels_of(factor))
        free.remove(place)
        columns.append(2 * array[:, place] / (levels_of(factor) - 1) - 1)
    return np.array(columns).T
