"""Ranks of laws by what flows get, as the source's rank analyses have them."""

from __future__ import annotations

import numpy as np
from scipy import stats

from headgate_studies.nist.competing import Numbers, Rates


def mean_ranks(of: Rates, side: str) -> Numbers:
    """Return the mean rank over cells of each law's side, by condition and law; 1 is the least."""
    cells = of.common(side)
    ranks = np.where(np.isfinite(cells), stats.rankdata(cells, axis=1, nan_policy="omit"), np.nan)
    return np.asarray(np.nanmean(ranks, axis=2))
