"""Quadratures over an estimated standard deviation, and over a normal mean."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from headgate.base.optional import require
from headgate.stats.intervals import Numbers

NODES = 96
#: The share of chi-squared that is left out at each end, and the farthest mean.
LEFT_OUT, FARTHEST = 1e-15, 8.5


@lru_cache(maxsize=1)
def _list_nodes() -> tuple[Numbers, Numbers]:
    places, weights = np.polynomial.legendre.leggauss(NODES)
    return np.asarray(places), np.asarray(weights)


@lru_cache(maxsize=512)
def list_deviations(freedom: float) -> tuple[Numbers, Numbers]:
    """Return an estimated standard deviation over its true value, with the mass of each node."""
    require("analysis", "an integral over the standard deviation")
    from scipy import stats

    if math.isinf(freedom):
        return np.ones(1), np.ones(1)
    ends = stats.chi2.ppf(LEFT_OUT, freedom), stats.chi2.isf(LEFT_OUT, freedom)
    low, high = np.sqrt(np.array(ends) / freedom)
    places, weights = _list_nodes()
    deviations = low + (places + 1) / 2 * (high - low)
    density = stats.chi2.pdf(freedom * deviations**2, freedom) * deviations * weights
    return deviations, density / density.sum()


@lru_cache(maxsize=1)
def list_means() -> tuple[Numbers, Numbers]:
    """Return standard normal values, with the mass of each node."""
    places, weights = _list_nodes()
    mass = np.exp(-((FARTHEST * places) ** 2) / 2) * weights
    return FARTHEST * places, mass / mass.sum()
