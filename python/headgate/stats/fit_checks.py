"""Checks of the assumptions of a linear model: complete terms, and equal variation."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from headgate.stats.design_columns import MOST_WORK, Places, orthonormalize
from headgate.stats.factorial import Factorial
from headgate.stats.intervals import Numbers

#: A check reports only a p below this.
LEAST_P = 0.01
#: The least degrees of freedom within combinations of levels.
LEAST_WITHIN = 3
#: Unequal variation misleads if one level was run this many times as often as another.
UNBALANCED = 1.5
#: The least ratio of standard deviations that is reported.
RATIO = 2.0


def compute_lack_of_fit_p(fit: Factorial) -> float:
    """Return the p that the means of the combinations of levels differ from the model.

    The test compares the model with one mean per combination, beside the blocks (Fisher 1922). NaN
    if too few combinations are repeated, if a factor is on a straight line, or if the work is too
    large.
    """
    from scipy import special

    design = fit.design
    if design.lines or fit.error_freedom <= LEAST_WITHIN:
        return nan
    within, freedom = _sum_within(fit)
    lacking = fit.error_freedom - freedom
    left = float(fit.residuals @ fit.residuals) - within
    if freedom < LEAST_WITHIN or lacking < 1 or fit.deviation == 0:
        return nan
    if within <= 1e-12 * (left + within):
        return 0.0
    return float(special.fdtrc(lacking, freedom, left / lacking / (within / freedom)))


def _sum_within(fit: Factorial) -> tuple[float, int]:
    """Return the sum of squares within combinations of levels, and its degrees of freedom."""
    cells = _number_cells(fit)
    counts = np.bincount(cells)
    if fit.design.blocks is None:
        left = fit.residuals - (np.bincount(cells, fit.residuals) / counts)[cells]
        return float(left @ left), len(cells) - len(counts)
    width = len(counts) + int(fit.design.blocks.max()) + 1
    if len(cells) * width**2 > MOST_WORK:
        return nan, 0
    ones = [np.eye(len(counts))[cells], np.eye(int(fit.design.blocks.max()) + 1)[fit.design.blocks]]
    basis = orthonormalize(np.hstack(ones))
    left = fit.residuals - basis @ (basis.T @ fit.residuals)
    return float(left @ left), len(cells) - basis.shape[1]


def _number_cells(fit: Factorial) -> Places:
    levels = np.column_stack(list(fit.design.places.values()))
    return np.asarray(np.unique(levels, axis=0, return_inverse=True)[1].ravel())


@dataclass(frozen=True)
class UnequalSpread:
    """Two levels of a factor, by place, whose runs vary differently: the wide and the narrow one.

    `ratio` is that of standard deviations; `fewer` is true if the wide level was run less often.
    """

    factor: str
    wide: int
    narrow: int
    ratio: float
    fewer: bool


def find_unequal_spread(fit: Factorial) -> UnequalSpread | None:
    """Return the levels whose runs vary most differently, if their numbers differ too.

    F tests are then wrong: they name too many effects if the runs that vary more are fewer, and too
    few otherwise (Box 1954). The test is that of Brown and Forsythe (1974) of the residuals,
    corrected for the number of factors (Bonferroni).
    """
    if fit.error_freedom < LEAST_WITHIN or not fit.deviation > 0:
        return None
    names = [name for name in fit.design.places if name not in fit.design.lines]
    found = [one for name in names if (one := _compare_levels(fit, name, LEAST_P / len(names)))]
    return max(found, key=lambda one: one.ratio, default=None)


def _compare_levels(fit: Factorial, name: str, least_p: float) -> UnequalSpread | None:
    from scipy import stats

    places = fit.design.places[name]
    groups: list[Numbers] = [fit.residuals[places == place] for place in range(places.max() + 1)]
    sizes = [len(group) for group in groups]
    if min(sizes) < LEAST_WITHIN or max(sizes) < UNBALANCED * min(sizes):
        return None
    spreads = np.array([group.std(ddof=1) for group in groups])
    wide, narrow = int(spreads.argmax()), int(spreads.argmin())
    if not spreads[narrow] > 0 or spreads[wide] < RATIO * spreads[narrow]:
        return None
    if not stats.levene(*groups, center="median").pvalue < least_p:
        return None
    ratio = float(spreads[wide] / spreads[narrow])
    return UnequalSpread(name, wide, narrow, ratio, sizes[wide] < sizes[narrow])
