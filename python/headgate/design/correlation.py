"""Partial confounding of effects in a design: correlations of their columns."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from headgate.design.factorial import Design
from headgate.stats.mixing import Mixing


def mixing(design: Design) -> Mixing:
    """Return the correlations of main effects and two-factor interactions."""
    count = len(design.factors)
    effects = tuple((i,) for i in range(count)) + tuple(combinations(range(count), 2))
    columns = np.array([design.matrix[:, e].prod(axis=1) for e in effects], dtype=float)
    centred = columns - columns.mean(axis=1, keepdims=True)
    sizes = np.sqrt((centred**2).sum(axis=1))
    scaled = centred / np.where(sizes > 0, sizes, 1)[:, None]
    values = np.abs(scaled @ scaled.T).round(12)
    return Mixing(tuple(f.name for f in design.factors), effects, values)
