"""Designs from pydoe and SciPy: Plackett-Burman designs, orthogonal arrays and samples.

The columns of pydoe's designs are checked, because some arrays of pydoe 1.6.0 do not match their
names: 59 pairs of columns of L64(2^31) are not balanced, and the numbers of levels of L27 and L36
differ from their names.
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
from headgate.design.sheet import make_stream

Numbers = NDArray[np.int64]

#: The sizes of pydoe's Plackett-Burman designs are these numbers times a power of two.
SEEDS_OF_SIZE = (4, 12, 20)
MOST_RUNS = 640


def make_plackett_burman(factors: Sequence[Factor]) -> Design:
    """Make the smallest Plackett-Burman design with a column for every factor.

    Main effects are orthogonal. Unless the number of runs is a power of two, each is partly aliased
    with every interaction of two other factors (Plackett and Burman 1946).
    """
    require("analysis", "a Plackett-Burman design")
    from pydoe import pbdesign

    sizes = sorted(s << i for s in SEEDS_OF_SIZE for i in range(8) if s << i <= MOST_RUNS)
    runs = next((size for size in sizes if size > len(factors)), None)
    if runs is None or not factors:
        raise HeadgateError(
            f"a Plackett-Burman design takes 1 to {MOST_RUNS - 1} factors, not {len(factors)}"
        )
    matrix = np.asarray(pbdesign(runs - 1), dtype=np.int8)[:, : len(factors)]
    if not is_balanced(matrix.astype(np.int64)):
        raise HeadgateError(f"pydoe's Plackett-Burman design of {runs} runs is not orthogonal")
    return Design(tuple(factors), matrix)


def make_orthogonal_array(factors: Sequence[Factor], name: str = "") -> tuple[Design, str]:
    """Assign factors to the columns of the smallest orthogonal array, or of the named one.

    Every pair of columns contains every combination of levels equally often. `name` is Taguchi's,
    such as `L18`.
    """
    wanted = Counter(_count_levels(factor) for factor in factors)
    arrays = dict(_list_arrays())
    shorts = dict.fromkeys(title.partition("(")[0] for title in arrays)
    if name and name.upper() not in shorts:
        known, near = ", ".join(shorts), also(name, shorts)
        raise HeadgateError(f"array {name!r} is not known; it must be one of {known}{near}")
    for title, array in arrays.items():
        has = Counter((array.max(axis=0) + 1).tolist())
        if (not name or title.partition("(")[0] == name.upper()) and wanted <= has:
            return Design(tuple(factors), _assign_columns(factors, array)), title
    asked = ", ".join(f"{n} of {levels} levels" for levels, n in sorted(wanted.items()))
    raise HeadgateError(
        f"the orthogonal array {name} has no columns for {asked}; arrays are {', '.join(arrays)}"
        if name
        else f"no orthogonal array has columns for {asked}; arrays are {', '.join(arrays)}"
    )


def _count_levels(factor: Factor) -> int:
    return len(factor.levels) or 2


def is_balanced(array: Numbers) -> bool:
    """Return whether every pair of columns contains every combination equally often."""
    return all(
        _is_pair_balanced(array[:, i], array[:, j])
        for i, j in combinations(range(array.shape[1]), 2)
    )


def _is_pair_balanced(one: Numbers, other: Numbers) -> bool:
    _, a = np.unique(one, return_inverse=True)
    _, b = np.unique(other, return_inverse=True)
    counts = np.bincount(a * (b.max() + 1) + b, minlength=(a.max() + 1) * (b.max() + 1))
    return bool((counts == counts[0]).all())


@lru_cache(maxsize=1)
def _list_arrays() -> tuple[tuple[str, Numbers], ...]:
    return tuple(sorted(_read_arrays(), key=lambda item: (len(item[1]), item[0])))


def _read_arrays() -> Iterator[tuple[str, Numbers]]:
    """Yield the arrays that are orthogonal, each with the name that describes its columns."""
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
    """Return the array with each six-level column split into two and three levels, if it exists.

    This turns pydoe's L18, which contains a column with six levels, into Taguchi's, which contains
    one with two levels and seven with three (Taguchi 1987; Phadke 1989, appendix C).
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
    """Assign the next column with the right number of levels to each factor, from -1 to +1."""
    free = list(range(array.shape[1]))
    columns = []
    for factor in factors:
        place = next(i for i in free if array[:, i].max() + 1 == _count_levels(factor))
        free.remove(place)
        columns.append(2 * array[:, place] / (_count_levels(factor) - 1) - 1)
    return np.array(columns).T


def sample_latin_hypercube(factors: Sequence[Factor], runs: int, seed: int = 1) -> Design:
    """Draw one point in each of `runs` equal parts of every factor's range.

    The result is the most even of several random samples, with the least centred discrepancy
    (McKay, Beckman and Conover 1979; SciPy's `random-cd`).
    """
    require("analysis", "a Latin hypercube")
    from scipy.stats import qmc

    _require_runs("latin hypercube", runs)
    engine = qmc.LatinHypercube(
        len(factors), optimization="random-cd", rng=make_stream(seed, "latin hypercube")
    )
    return _make_design(factors, engine.random(runs))


def sample_sobol(factors: Sequence[Factor], runs: int, seed: int = 1) -> Design:
    """Draw `runs` points, a power of two, of a scrambled Sobol sequence (Owen 1998)."""
    require("analysis", "a Sobol sequence")
    from scipy.stats import qmc

    _require_runs("sobol", runs)
    if runs & (runs - 1):
        raise HeadgateError(
            f"runs = {runs}: a Sobol sequence is balanced only for powers of two; "
            f"write {1 << runs.bit_length() - 1} or {1 << runs.bit_length()}"
        )
    engine = qmc.Sobol(len(factors), scramble=True, rng=make_stream(seed, "sobol"))
    return _make_design(factors, engine.random(runs))


def sample_uniformly(factors: Sequence[Factor], runs: int, seed: int = 1) -> Design:
    """Draw `runs` independent points with a uniform distribution."""
    _require_runs("random", runs)
    return _make_design(factors, make_stream(seed, "random").random((runs, len(factors))))


def _require_runs(kind: str, runs: int) -> None:
    if runs < 1:
        raise HeadgateError(f"runs = {runs}: a {kind} design needs at least one run")


def _make_design(factors: Sequence[Factor], points: NDArray[np.float64]) -> Design:
    columns = [code_shares(f, points[:, i]) for i, f in enumerate(factors)]
    return Design(tuple(factors), np.array(columns).T)


def code_shares(factor: Factor, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Code shares of the range from -1 to +1; levels that are not numbers take equal parts."""
    if factor.numeric:
        return 2 * shares - 1
    steps = _count_levels(factor) - 1
    return 2 * np.floor(shares * (steps + 1)) / steps - 1
