"""The findings of the first study: functions that its claims name."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from headgate.claims import Estimate, estimate_mean, estimate_mean_ratio, estimate_share
from headgate.stats import Outlier, compute_psi
from headgate_studies.nist.estimates import distance_ratio, rank_correlation
from headgate_studies.nist.summary import CONDITIONS
from headgate_studies.tcp_replacements.summary import Summary

#: Draws of all responses for the interval of Psi.
RESAMPLES, SEED = 2000, 1
#: Algorithms within this part of a middle are alike: the source's filter.
ALIKE = 0.10
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
    """Return the share of responses in which the median of all algorithms is near their median."""
    means = np.array([cube.mean(axis=2) for cube in summary.numbered])
    middle = np.median(means, axis=2, keepdims=True)
    near = np.abs(means - middle) <= ALIKE * np.abs(middle)
    known = np.isfinite(means).all(axis=2, keepdims=True)
    shares = (near & known).sum(axis=0) / known.sum(axis=0)
    return estimate_mean(np.median(shares, axis=1).tolist(), unit=CONDITIONS)


def uncongested_identical(summary: Summary) -> Estimate:
    """Return the share of responses in which no algorithm is an outlier, of uncongested conditions.

    A condition is the unit: its responses depend on each other.
    """
    shares = [np.mean([_is_quiet(row[c]) for row in summary.grid.values()]) for c in summary.light]
    return estimate_mean([float(share) for share in shares], unit=CONDITIONS)


def _is_quiet(cell: Outlier | None) -> bool:
    return not (cell and cell.passes_filter)


def fast_distinct(summary: Summary) -> Estimate:
    """Divide FAST's distance from the others by the last link among these, in each replicate."""
    values = np.array(summary.numbered)  # response, condition, algorithm, replicate
    logs = [
        [np.log(distance_ratio(values[:, c, :, r].T, summary.fast)) for c in summary.heavy]
        for r in range(values.shape[3])
    ]
    return estimate_mean_ratio(np.exp(np.mean(logs, axis=1)).tolist(), "replicates")


def fast_grows_with_congestion(summary: Summary) -> Estimate:
    """Correlate congestion with FAST's residual in retransmission rate."""
    residual = summary.residuals("y10").values[:, summary.fast]
    if min(np.ptp(summary.congestion), np.ptp(residual)) == 0:
        return Estimate(ours=0.0, note="no condition differs")
    return rank_correlation(summary.congestion.tolist(), residual.tolist(), CONDITIONS)


def fast_over_others(summary: Summary, *, response: str, small_buffers: bool = False) -> Estimate:
    """Divide FAST's response by the other algorithms' mean, replicate by replicate."""
    heavy = summary.cubes[response][
        summary.short_of_buffers if small_buffers else summary.heavy
    ].sum(axis=0)
    others = np.delete(heavy, summary.fast, axis=0).mean(axis=0)
    return estimate_mean((heavy[summary.fast] / np.where(others > 0, others, np.nan)).tolist())


def network_speed_first(summary: Summary) -> Estimate:
    """Compare Psi of network speed with the largest of the others; responses are resampled."""
    factors = summary.factors()
    first = factors.index("X1")
    counted = np.array([[compute_psi([e]) for e in row] for row in summary.effects.values()])

    def lead(rows: NDArray[np.intp]) -> float:
        values = counted[rows].mean(axis=0)
        return float(values[first] - np.delete(values, first).max())

    count = len(counted)
    draws = np.random.default_rng(SEED).integers(0, count, size=(RESAMPLES, count))
    low, high = np.percentile([lead(rows) for rows in draws], (2.5, 97.5)).tolist()
    said = ", ".join(f"{name} {100 * summary.psi_of(name):.0f} %" for name in factors)
    return Estimate(ours=lead(np.arange(count)), ci=(low, high), note=f"Psi: {said}")


def signs(summary: Summary) -> Estimate:
    """Count the significant effects whose sign is the printed one."""
    strong = [
        np.sign(effect.effect) == printed[effect.factor]
        for response, printed in PRINTED_SIGNS.items()
        for effect in summary.effects[response]
        if effect.factor in printed and effect.stars == "**"
    ]
    return estimate_share(sum(map(bool, strong)), len(strong), "effects")


def effect(summary: Summary, *, response: str, factor: str) -> Estimate:
    """Find a significant effect over the grand mean, of a factor that varies."""
    if factor not in summary.factors():
        return Estimate(ours=math.nan)
    found = summary.effect(response, factor)
    share = np.sign(found.effect) * found.relative_percent / 100
    said = f"{found.mean_low:.4g} to {found.mean_high:.4g}, p = {found.p:.2g}"
    return Estimate(ours=float(share) if found.stars == "**" else 0.0, note=said)
