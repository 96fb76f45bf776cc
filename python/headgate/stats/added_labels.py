"""Test of whether labels explain values in addition to other labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: A smaller share of the variation is rounding.
ROUNDING = 1e-12


def compute_added_p(
    values: NDArray[np.float64], cells: NDArray[np.int64], levels: NDArray[np.int64]
) -> float:
    """Return p of the F test that levels explain values in addition to the mean of each cell.

    All arrays have shape (runs,); `cells` and `levels` count from 0. Values that are NaN are left
    out. The result is 1 if no level changes within a cell, or no run is left to estimate the error.
    Source: extra sum of squares, Montgomery 2013, section 10.4.
    """
    from scipy.special import fdtrc

    known = ~np.isnan(values)
    values, cells, levels = values[known], cells[known], levels[known]
    if not len(values):
        return 1.0
    effects = _centre(np.equal.outer(levels, np.unique(levels)).astype(float), cells)
    rest = _centre(values[:, None], cells)[:, 0]
    inner, moments = effects.T @ effects, effects.T @ rest
    used = int(np.linalg.matrix_rank(inner, hermitian=True))
    free = len(values) - len(np.unique(cells)) - used
    within = float(rest @ rest)
    if used == 0 or free < 1 or within <= ROUNDING * float(values @ values):
        return 1.0
    explained = float(moments @ np.linalg.pinv(inner, hermitian=True) @ moments)
    error = within - explained
    if error <= ROUNDING * within:
        return 0.0
    return float(fdtrc(used, free, explained / used / (error / free)))


def _centre(columns: NDArray[np.float64], cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return columns minus their mean in each cell."""
    sums = np.zeros((int(cells.max()) + 1, columns.shape[1]))
    np.add.at(sums, cells, columns)
    counts = np.bincount(cells, minlength=len(sums))
    return columns - (sums / np.maximum(counts, 1)[:, None])[cells]
