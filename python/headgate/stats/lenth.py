"""Lenth's margin of effects: their error from the effects themselves, where nothing is replicated.

Most contrasts of a two-level design are chance alone (Lenth, Technometrics 31, 1989). So all count,
one less than there are conditions, also those of three factors and more, of which a model has none:
where it has chosen the terms that matter, few of chance are left to tell the error by.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from headgate.stats.full_model import ALIAS, Factors, project_out

Numbers = NDArray[np.float64]


def pseudo_error(effects: Sequence[float]) -> float:
    """Return the pseudo standard error of an effect, from all contrasts."""
    sizes = np.abs(effects)
    first = 1.5 * float(np.median(sizes))
    kept = sizes[sizes < 2.5 * first]
    return 1.5 * float(np.median(kept)) if len(kept) else first


def margin(effects: Sequence[float]) -> float:
    """Return the margin that an effect is beyond in 5 % of cases by chance."""
    from scipy import stats

    return float(stats.t.ppf(0.975, len(effects) / 3)) * pseudo_error(effects)


def other_contrasts(
    coded: Mapping[str, Numbers], terms: Sequence[Factors], values: Numbers
) -> dict[Factors, float]:
    """Return the contrasts that the terms of a model leave, with the scale of effects.

    `coded` has -1 and +1 for each factor. A contrast is called by a product of three factors or
    more, and is what is left of it beside the terms and the contrasts before.
    """
    runs = np.column_stack(list(coded.values()))
    conditions = len(np.unique(runs, axis=0))
    columns = [np.ones(len(values)), *(product_of(coded, term) for term in terms)]
    basis = np.linalg.qr(np.column_stack(columns))[0].T
    found: dict[Factors, float] = {}
    for term in _products(list(coded), conditions):
        if len(basis) >= conditions:
            break
        left = project_out(product_of(coded, term), basis)
        length = float(np.linalg.norm(left))
        if length**2 > ALIAS * len(values):
            basis = np.vstack([basis, left / length])
            found[term] = 2 * float(left @ values) / (length * np.sqrt(len(values)))
    return found


def product_of(coded: Mapping[str, Numbers], term: Factors) -> Numbers:
    """Return the product of the columns of some factors."""
    return np.asarray(np.prod([coded[name] for name in term], axis=0))


def _products(names: Sequence[str], conditions: int) -> Iterator[Factors]:
    """Yield products of three factors and more, those of few first.

    One of d factors that is none of those before has 2^d parts that are none either: so d is the
    logarithm of the number of conditions at most.
    """
    for order in range(3, conditions.bit_length()):
        yield from combinations(names, order)
