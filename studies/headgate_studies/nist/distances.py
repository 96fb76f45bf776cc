"""How far one law is from the others in all responses, by the source's measure of distance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.cluster import hierarchy
from scipy.spatial import distance


def distance_ratio(values: NDArray[np.float64], law: int) -> float:
    """Divide a law's mean distance from the others by the last link among these.

    `values` are (law, response) of one condition; each response is in units of its standard
    deviation over the laws, as the source normalises it.
    """
    spread = values.std(axis=0, ddof=1)
    points = values[:, spread > 0] / spread[spread > 0]
    others = np.delete(points, law, axis=0)
    among = hierarchy.linkage(distance.pdist(others), "average")[-1, 2]
    return float(distance.cdist(points[[law]], others).mean() / among)
