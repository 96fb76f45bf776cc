"""Designs for curved effects: definitive screening, central composite and Box-Behnken.

pydoe's definitive screening designs are used. Its Box-Behnken designs combine pairs of factors for
any number of factors, which are not the published ones from six factors on, and its composite
designs are built on full factorials only. Both are therefore made here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import HeadgateError
from headgate.base.optional import require
from headgate.design.factor import Factor
from headgate.design.factorial import Design, make_factorial
from headgate.design.named import make_least_aberrant, make_named_design

Numbers = NDArray[np.float64]
Shape = Literal["inscribed", "circumscribed", "faced"]
Alpha = Literal["rotatable", "orthogonal", "spherical"] | float
MOST_SCREENED = 60
#: From this number of factors on, the cube of a composite design is a fraction.
LEAST_FRACTION = 5
#: The blocks of factors that vary together, as a full factorial, while the others are at the centre
#: (Box and Behnken 1960). Up to five factors, the blocks are all pairs.
BLOCKS: Mapping[int, tuple[tuple[int, ...], ...]] = {
    6: ((1, 2, 4), (2, 3, 5), (3, 4, 6), (1, 4, 5), (2, 5, 6), (1, 3, 6)),
    7: ((4, 5, 6), (1, 6, 7), (2, 5, 7), (1, 2, 4), (3, 4, 7), (1, 3, 5), (2, 3, 6)),
}
#: Centre points unless the file gives their number, by the number of factors.
BOX_BEHNKEN_CENTRES = {3: 3, 4: 3, 5: 6, 6: 6, 7: 6}


def make_definitive_screening(factors: Sequence[Factor], fake: int) -> Design:
    """Make a definitive screening design of three levels (Jones and Nachtsheim 2011).

    Each main effect is clear of all second-order effects. Factors of two names need two centre
    points (Jones and Nachtsheim 2013).
    `fake` columns of the conference matrix are left out: they add runs, and give an error.
    """
    require("analysis", "a definitive screening design")
    from pydoe import definitive_screening_design

    for factor in factors:
        if not factor.numeric and len(factor.levels) > 2:
            raise HeadgateError(
                f"factors.{factor.name}.levels: a definitive screening design needs low and high as"
                " numbers, or two names per factor"
            )
    if not 2 <= len(factors) <= MOST_SCREENED:
        raise HeadgateError(
            f"a definitive screening design takes 2 to {MOST_SCREENED} factors, not {len(factors)}"
        )
    numbers = [i for i, factor in enumerate(factors) if factor.numeric]
    names = [i for i, factor in enumerate(factors) if not factor.numeric]
    made = definitive_screening_design(len(numbers), len(names), n_fake_factors=fake)
    matrix = np.empty(made.shape)
    matrix[:, [*numbers, *names]] = made
    return Design(tuple(factors), matrix)


def make_central_composite(
    factors: Sequence[Factor], shape: Shape, alpha: Alpha, centres: int, name: str
) -> tuple[Design, str]:
    """Make the cube and the star of a central composite design (Box and Wilson 1951).

    `name` is the two-level design of the cube. Without a name it is full up to four factors, and a
    half or a smaller fraction of resolution V beyond. `inscribed` keeps all runs between low and
    high, `circumscribed` puts the cube there and the star beyond, `faced` puts both there.
    """
    _require_numbers(factors, "central composite", (2, 10))
    cube = _make_cube(factors, name)
    distance = 1.0 if shape == "faced" else _find_distance(alpha, len(cube), len(factors), centres)
    star = np.kron(np.eye(len(factors)), [[-distance], [distance]])
    matrix = np.vstack([cube.matrix, star])
    if shape == "inscribed":
        matrix = matrix / max(distance, 1.0)
    how = "" if isinstance(alpha, float) or shape == "faced" else f", {alpha}"
    said = f"{shape} central composite, alpha = {distance:.4g}{how}, on {len(cube)} runs of a cube"
    return Design(tuple(factors), matrix + 0.0), said


def _make_cube(factors: Sequence[Factor], name: str) -> Design:
    count = len(factors)
    if name:
        cube = make_named_design(name, factors)[0]
    elif count < LEAST_FRACTION:
        cube = make_factorial(factors)
    else:
        least = math.ceil(math.log2(1 + count + math.comb(count, 2)))
        found = (make_least_aberrant(factors, basic)[0] for basic in range(least, count))
        cube = next((one for one in found if (one.resolution or 0) >= 5), make_factorial(factors))
    if cube.resolution is not None and cube.resolution < 5:
        raise HeadgateError(
            f"design: {name!r} has resolution {cube.resolution}; the cube of a central composite"
            " design needs resolution V, so that no interaction of two factors is confounded"
        )
    return cube


def _find_distance(alpha: Alpha, cube: int, factors: int, centres: int) -> float:
    """Return the distance of the star: rotatable F^(1/4) and spherical k^(1/2) (Box, Hunter 1957).

    `orthogonal` makes the estimates of all second-order coefficients uncorrelated:
    alpha^2 = (sqrt(F N) - F) / 2 with F runs of the cube and N in all (Myers et al. 2016).
    """
    if alpha == "rotatable":
        return float(cube**0.25)
    if alpha == "spherical":
        return math.sqrt(factors)
    if alpha == "orthogonal":
        runs = cube + 2 * factors + centres
        return math.sqrt((math.sqrt(cube * runs) - cube) / 2)
    return float(alpha)


def make_box_behnken(factors: Sequence[Factor]) -> Design:
    """Make the edges of a Box-Behnken design (Box and Behnken 1960), without centre points."""
    _require_numbers(factors, "Box-Behnken", (3, 7))
    count = len(factors)
    pairs = combinations(range(1, count + 1), 2)
    blocks: Iterable[tuple[int, ...]] = BLOCKS.get(count) or pairs
    rows = []
    for block in blocks:
        for signs in product((-1.0, 1.0), repeat=len(block)):
            row = np.zeros(count)
            row[[place - 1 for place in block]] = signs
            rows.append(row)
    return Design(tuple(factors), np.array(rows))


def _require_numbers(factors: Sequence[Factor], kind: str, counts: tuple[int, int]) -> None:
    least, most = counts
    if not least <= len(factors) <= most:
        raise HeadgateError(f"a {kind} design takes {least} to {most} factors, not {len(factors)}")
    for factor in factors:
        if not factor.numeric:
            raise HeadgateError(
                f"factors.{factor.name}: a {kind} design needs low and high as numbers; for names,"
                ' write kind = "d-optimal"'
            )
