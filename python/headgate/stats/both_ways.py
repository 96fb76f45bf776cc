"""Conditions under which a response rises, and others under which it falls.

Both have to be shown. Each condition is tested one-sidedly for a rise and for a fall, and the tests
of each direction are corrected for the number of conditions (Benjamini and Hochberg 1995): if no
condition truly rises, a rise is shown in at most 5 % of cases, and likewise for a fall. With one
run of each condition, the conditions that share a level of a factor are the sample.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from headgate.stats.effects import WEAK_P
from headgate.stats.intervals import mean_p
from headgate.stats.multiplicity import false_discovery


def find_signs(p: Sequence[float], rises: Sequence[bool]) -> list[int]:
    """Return 1 for conditions with a shown rise, -1 for a shown fall, 0 for the others.

    `p` are two-sided, NaN where there is no test; `rises` is whether the estimate is a rise.
    """
    signs = [0] * len(p)
    for sign in (1, -1):
        one_sided = {
            place: own / 2 if up == (sign > 0) else 1 - own / 2
            for place, (own, up) in enumerate(zip(p, rises, strict=True))
        }
        for place, corrected in false_discovery(one_sided).items():
            if corrected < WEAK_P:
                signs[place] = sign
    return signs


def turns_with_a_factor(changes: Sequence[float], levels: Sequence[Mapping[str, str]]) -> bool:
    """Say whether single runs show a rise at one level of a factor and a fall at another.

    `levels` are those of the factors in each condition.
    """
    samples = [of for of in _share_a_level(changes, levels) if len(of) > 1]
    signs = find_signs([mean_p(of) for of in samples], [float(np.mean(of)) > 0 for of in samples])
    return {1, -1} <= set(signs)


def _share_a_level(
    changes: Sequence[float], levels: Sequence[Mapping[str, str]]
) -> Iterator[Sequence[float]]:
    """Yield the changes of the conditions that share a level, level by level."""
    for factor in levels[0] if levels else ():
        for level in dict.fromkeys(one[factor] for one in levels):
            own = zip(changes, levels, strict=True)
            yield [change for change, of in own if of[factor] == level and np.isfinite(change)]


def relative(changes: ArrayLike, before: ArrayLike) -> list[float]:
    """Return changes as parts of the value before; NaN from zero."""
    old = np.abs(np.asarray(before, dtype=float))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.asarray(changes, dtype=float) / old
    return [float(one) if math.isfinite(one) else math.nan for one in found]
