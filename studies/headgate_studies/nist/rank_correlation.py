"""Rank correlations over conditions, as findings."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy import stats

from headgate.claims import Estimate, Sample

#: The variance of Fisher's z of a rank correlation, times the number of pairs less three (Fieller,
#: Hartley, Pearson 1957), and the normal quantile of a 95 % interval.
VARIANCE, QUANTILE = 1.06, 1.96
#: Fewer pairs have no interval.
LEAST_PAIRS = 4
#: A correlation of 1 has no z.
NEARLY_ONE = 0.999999


def rank_correlation(one: Sequence[float], other: Sequence[float], unit: str) -> Estimate:
    """Return Spearman's rank correlation with its interval; `unit` says what pairs are of."""
    found = stats.spearmanr(one, other)
    ours, count, note = float(found.statistic), len(one), f"p = {found.pvalue:.2g}"
    if count < LEAST_PAIRS:
        return Estimate(ours=ours, decided=False, note=f"{note}; {count} {unit}: no interval")
    half = QUANTILE * math.sqrt(VARIANCE / (count - 3))
    z = math.atanh(max(-NEARLY_ONE, min(NEARLY_ONE, ours)))
    ends = math.tanh(z - half), math.tanh(z + half)
    return Estimate(ours=ours, ci=ends, sample=Sample(count=count, unit=unit), note=note)
