"""Arrays of numbers from callers; a masked value is missing (NaN)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def read_numbers(values: ArrayLike) -> NDArray[np.float64]:
    """Return values as floats of the same shape; those under a mask of NumPy are NaN."""
    return np.asarray(np.ma.filled(np.asanyarray(values, dtype=float), np.nan))
