"""What the first study found: functions that its claims name."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from headgate.analysis.conditions import FILTERS
from headgate.experiment.estimates import REPLICATES, count_share, mean_of, mean_ratio
from headgate.studies.nist.distances import distance_ratio
from headgate.studies.tcp_replacements.summary import Summary
from headgate.verdicts import Estimate

#: Laws within this part of a mean are alike: the source's filter.
ALIKE = FILTERS[0]
# Table 1(b) of the source, seven rows whose meaning is inferred; factor -> sign that raises it.
PRINTED_SIGNS = {
    "y1": {"X1": -1, "X7": -1, "X12": 1, "X13": 1},  # Y2
    "y11": {"X1": 1, "X2": 1, "X3": 1, "X7": 1, "X12": -1, "X13": -1},  # Y3
    "y5": {"X1": -1, "X2": -1, "X3": -1, "X7": -1, "X12": 1, "X13": 1},  # Y4
    "y15": {"X1": -1, "X2": 1, "X3": 1, "X12": 1, "X13": 1},  # Y9
    "y16": {"X1": -1, "X2": 1, "X3": 1, "X7": -1, "X12": 1, "X13": 1},  # Y10
    "y4": {"X1": 1, "X3": 1, "X7": -1, "X12": 1},  # Y12
    "y22": {"X1": 1, "X2": -1, "X7": 1, "X12": -1, "X13": -1},  # Y18
}


def most_change_little(summary: Summary) -> Estimate:
    """Return the share of responses in which the median law other than FAST is near their mean."""
    means = np.array([np.delete(c.mean(axis=2), summary.fast, axis=1) for c in summary.numbered])
    middle = means.mean(axis=2, keepdims=True)
    near = np.abs(means - middle) <= ALIKE * np.abs(middle)
    known = np.isfinite(means).all(axis=2, keepdims=True)
    shares = (near & known).sum(axis=0) / known.sum(axis=0)
    return mean_of(np.median(shares, axis=1).tolist(), unit="conditions")


def uncongested_identical(summary: Summary) -> Estimate:
    """Count the cells of the uncongested conditions in which no law is an outlier."""
    cells = [row[c] for row in summary.grid.values() for c in summary.light]
    return count_share(sum(not (c and c.passes_filter) for c in cells), len(cells), "cells")


def fast_distinct(summary: Summary) -> Estimate:
    """Divide FAST's distance from the others by the last link among these, in each replicate."""
    values = np.array(summary.numbered)  # response, condition, law, replicate
    logs = [
        [np.log(distance_ratio(values[:, c, :, r].T, summary.fast)) for c in summary.heavy]
        for r in range(values.shape[3])
    ]
    return mean_ratio(np.exp(np.mean(logs, axis=1)).tolist(), REPLICATES)


def fast_grows_with_congestion(summary: Summary) -> Estimate:
    """Correlate congestion with FAST's residual in retransmission rate."""
    residual = summary.residuals("y10").values[:, summary.fast]
    if min(np.ptp(summary.congestion), np.ptp(residual)) == 0:
        return Estimate(ours=0.0, note="no condition differs")
    found = stats.spearmanr(summary.congestion, residual)
    return Estimate(ours=float(found.statistic), note=f"p = {found.pvalue:.2g}")


def fast_over_others(summary: Summary, *, response: str) -> Estimate:
    """Divide FAST's response by the other laws' mean, replicate by replicate."""
    heavy = summary.cubes[response][summary.heavy].sum(axis=0)
    others = np.delete(heavy, summary.fast, axis=0).mean(axis=0)
    ratios = heavy[summary.fast] / np.where(others > 0, others, np.nan)
    return mean_of(ratios[np.isfinite(ratios)].tolist())


def network_speed_first(summary: Summary) -> Estimate:
    """Compare Psi of network speed with the largest of the others."""
    values = {factor: summary.psi_of(factor) for factor in summary.factors()}
    others = max(value for factor, value in values.items() if factor != "X1")
    said = ", ".join(f"{factor} {100 * value:.0f} %" for factor, value in values.items())
    return Estimate(ours=values["X1"] - others, note=f"Psi: {said}")


def signs(summary: Summary) -> Estimate:
    """Count the significant effects whose sign is the printed one."""
    strong = [
        np.sign(effect.effect) == printed[effect.factor]
        for response, printed in PRINTED_SIGNS.items()
        for effect in summary.effects[response]
        if effect.factor in printed and effect.stars == "**"
    ]
    return count_share(sum(map(bool, strong)), len(strong), "effects")


def effect(summary: Summary, *, response: str, factor: str) -> Estimate:
    """Find a significant effect over the grand mean, of a factor that varies."""
    if factor not in summary.factors():
        return Estimate(ours=math.nan)
    found = summary.effect(response, factor)
    share = np.sign(found.effect) * found.relative_percent / 100
    said = f"{found.mean_low:.4g} to {found.mean_high:.4g}, p = {found.p:.2g}"
    return Estimate(ours=float(share) if found.stars == "**" else 0.0, note=said)
