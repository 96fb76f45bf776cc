"""Errors of a linear model whose runs vary unequally: a separate one for each run.

The variance of a run is its squared residual over one minus its leverage (HC2; MacKinnon and White
1985). The degrees of freedom of a sum of such variances are those of equal variation, or fewer
(Bell and McCaffrey 2002). Terms are tested by Hotelling's T squared (Pustejovsky and Tipton 2018).
For two groups the t statistic is that of Welch (1947).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from headgate.stats.intervals import Numbers

#: Runs vary unequally if the p of equal spread is below this.
LEAST_P = 0.05
#: The least degrees of freedom within a level, in all and as a share of its runs. Residuals of
#: fewer depend on each other.
LEAST_FREEDOM, LEAST_SHARE = 3.0, 0.5
#: A run of this leverage determines a coefficient alone, so that its residual is always zero.
ALONE = 1 - 1e-9
#: Deviations that differ by a smaller share are equal.
ROUNDING = 1e-9


@dataclass(frozen=True)
class UnequalSpread:
    """Two levels of a factor, by place, whose runs vary most differently.

    `ratio` is that of standard deviations; infinite if the runs of one level are equal. `p` is
    corrected for the number of factors.
    """

    factor: str
    wide: int
    narrow: int
    ratio: float
    p: float


def find_unequal_spread(
    places: Mapping[str, NDArray[np.intp]], residuals: Numbers, leverages: Numbers
) -> UnequalSpread | None:
    """Return the factor whose levels vary most differently; None if no difference is shown.

    `places` are the levels of the runs by factor. The test is that of Brown and Forsythe (1974) of
    studentised residuals, corrected for the number of factors (Bonferroni).
    """
    free = (1 - leverages) * (leverages < ALONE)
    each = (_compare_levels(name, of, residuals, free) for name, of in places.items())
    found = [replace(one, p=len(places) * one.p) for one in each if one is not None]
    return min((one for one in found if one.p < LEAST_P), key=lambda one: one.p, default=None)


def _compare_levels(
    name: str, places: NDArray[np.intp], residuals: Numbers, free: Numbers
) -> UnequalSpread | None:
    from scipy import stats

    count = int(places.max()) + 1
    freedom, runs = np.bincount(places, free), np.bincount(places)
    if count < 2 or (freedom < np.maximum(LEAST_FREEDOM, LEAST_SHARE * runs)).any():
        return None
    spreads = np.sqrt(np.bincount(places, residuals**2) / freedom)
    wide, narrow = int(spreads.argmax()), int(spreads.argmin())
    if not spreads[wide] > spreads[narrow] * (1 + ROUNDING):
        return None
    known = free > 0
    scaled, at = residuals[known] / np.sqrt(free[known]), places[known]
    groups = [scaled[at == level] for level in range(count)]
    with np.errstate(divide="ignore"):  # p = 0 if all deviations of each level are equal
        p = stats.levene(*groups, center="median").pvalue
    ratio = float(spreads[wide] / spreads[narrow]) if spreads[narrow] > 0 else float("inf")
    return UnequalSpread(name, wide, narrow, ratio, float(p))


@dataclass(frozen=True, eq=False)
class RunErrors:
    """The errors of sums of a model's coefficients, from the residual of each run.

    `basis` contains orthonormal columns of shape (run, column) that span the model.
    """

    basis: Numbers
    leverages: Numbers
    residuals: Numbers

    def estimate(self, weights: Numbers) -> tuple[float, float] | None:
        """Return the standard error of a sum of coefficients, and its degrees of freedom.

        `weights` are those of the basis. None if the sum depends on a run whose residual is always
        zero, or if none of its runs vary: a variance of zero would claim certainty.
        """
        squares = (self.basis @ weights) ** 2
        corrections = self._find_corrections(squares)
        if corrections is None:
            return None
        variance = float(squares * corrections @ self.residuals**2)
        if not variance > 0:
            return None
        return variance**0.5, float(squares.sum() ** 2 / (squares**2 @ corrections))

    def test(self, columns: Numbers, found: Numbers) -> tuple[float, float, float] | None:
        """Return F, p and the degrees of freedom of the error of a term.

        `columns` are orthonormal columns of the term as coordinates of the basis, `found` are the
        coordinates of the response there. None if the variances are too few or zero.
        """
        from scipy import special

        count, of_runs = columns.shape[1], self.basis @ columns
        squares = (of_runs**2).sum(axis=1)
        corrections = self._find_corrections(squares)
        if corrections is None:
            return None
        freedom = count * (count + 1) / (2 * float(squares**2 @ corrections)) - count + 1
        variance = (of_runs.T * (corrections * self.residuals**2)) @ of_runs
        if freedom <= 0 or np.linalg.cond(variance) > 1 / np.finfo(float).eps:
            return None
        size = float(found @ np.linalg.solve(variance, found))
        f_ratio = size * freedom / (count * (freedom + count - 1))
        return f_ratio, float(special.fdtrc(count, freedom, f_ratio)), freedom

    def _find_corrections(self, squares: Numbers) -> Numbers | None:
        """Return the variance of each run over its mean squared residual; 0 without weight.

        None if the residual of a run with weight is always zero.
        """
        weighty = squares > np.finfo(float).eps * squares.max(initial=0.0)
        if not weighty.any() or (self.leverages[weighty] > ALONE).any():
            return None
        corrections = np.zeros(len(squares))
        corrections[weighty] = 1 / (1 - self.leverages[weighty])
        return corrections
