"""A check of the assumptions of a linear model: that its terms are complete."""

from __future__ import annotations

from math import nan

import numpy as np

from headgate.stats.design_columns import MOST_WORK, Places, orthonormalize
from headgate.stats.factorial import Factorial

#: A check reports only a p below this.
LEAST_P = 0.01
#: The least degrees of freedom within combinations of levels.
LEAST_WITHIN = 3


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
