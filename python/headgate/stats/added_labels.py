"""Tests of whether labels explain values in addition to other labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Groups = NDArray[np.int64]
#: A smaller share of the variation is rounding.
ROUNDING = 1e-12


def compute_added_p(values: Numbers, cells: Groups, levels: Groups) -> float:
    """Return p of the F test that levels explain values in addition to the mean of each cell.

    All arrays have shape (runs,); `cells` and `levels` count from 0. Values that are NaN are left
    out. The result is 1 if no level changes within a cell, or no run is left to estimate the error.
    Source: extra sum of squares, Montgomery 2013, section 10.4.
    """
    values, cells, levels = _keep_known(values, cells, levels)
    if not len(values):
        return 1.0
    rest = remove_means(values, cells)
    counts = np.zeros((int(cells.max()) + 1, int(levels.max()) + 1))
    np.add.at(counts, (cells, levels), 1)
    counts = counts[counts.any(axis=1)]
    # Products of the levels' indicators, each minus its mean in the cell.
    inner = np.diag(counts.sum(axis=0)) - counts.T @ (counts / counts.sum(axis=1)[:, None])
    moments = np.bincount(levels, rest)
    used = int(np.linalg.matrix_rank(inner, hermitian=True))
    explained = float(moments @ np.linalg.pinv(inner, hermitian=True) @ moments)
    return _compute_p(values, rest, explained, used, len(values) - len(counts) - used)


def compute_nested_p(values: Numbers, cells: Groups, levels: Groups) -> float:
    """Return p of the F test that the means of levels differ within cells.

    Arguments and result are as in `compute_added_p`, but levels of different cells are different
    groups. Source: nested analysis of variance, Montgomery 2013, section 14.1.
    """
    values, cells, levels = _keep_known(values, cells, levels)
    if not len(values):
        return 1.0
    rest = remove_means(values, cells)
    _, groups = np.unique(cells * (int(levels.max()) + 1) + levels, return_inverse=True)
    runs = np.bincount(groups)
    explained = float(np.sum(np.bincount(groups, rest) ** 2 / runs))
    used = len(runs) - len(np.unique(cells))
    return _compute_p(values, rest, explained, used, len(values) - len(runs))


def _keep_known(values: Numbers, cells: Groups, levels: Groups) -> tuple[Numbers, Groups, Groups]:
    known = ~np.isnan(values)
    return values[known], cells[known], levels[known]


def remove_means(values: Numbers, groups: Groups) -> Numbers:
    """Return values minus the mean of their group; NaN values stay NaN and count in no mean.

    Both arrays have shape (runs,); `groups` counts from 0.
    """
    sums = np.bincount(groups, np.nan_to_num(values))
    counts = np.bincount(groups, ~np.isnan(values))
    return np.asarray(values - (sums / np.maximum(counts, 1))[groups])


def _compute_p(values: Numbers, rest: Numbers, explained: float, used: int, free: int) -> float:
    from scipy.special import fdtrc

    within = float(rest @ rest)
    if used == 0 or free < 1 or within <= ROUNDING * float(values @ values):
        return 1.0
    error = within - explained
    if error <= ROUNDING * within:
        return 0.0
    return float(fdtrc(used, free, explained / used / (error / free)))
