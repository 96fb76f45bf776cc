"""What the first study found: functions that its claims name."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from headgate.claims import Estimate
from headgate.experiment.estimates import count_share
from headgate.stats.intervals import mean_interval
from headgate.studies.tcp_replacements.summary import FAST, Summary

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


def little_change(summary: Summary) -> Estimate:
    """Count the cells in which no law but FAST is an outlier."""
    cells = [cell for row in summary.grid.values() for cell in row]
    quiet = sum(not (c and c.passes_filter and c.law != FAST) for c in cells)
    return count_share(quiet, len(cells))


def uncongested_identical(summary: Summary) -> Estimate:
    """Count the cells of the uncongested conditions in which no law is an outlier."""
    cells = [row[c] for row in summary.grid.values() for c in summary.light]
    return count_share(sum(not (c and c.passes_filter) for c in cells), len(cells))


def fast_apart(summary: Summary) -> Estimate:
    """Count how many outliers of the heavily congested conditions are FAST."""
    cells = [row[c] for row in summary.grid.values() for c in summary.heavy]
    apart = [c for c in cells if c and c.passes_filter]
    return count_share(sum(c.law == FAST for c in apart), len(apart))


def fast_retransmits_more(summary: Summary) -> Estimate:
    """Count the heavily congested conditions in which FAST stands above in retransmission."""
    row = summary.grid["y10"]
    found = [row[c] for c in summary.heavy]
    above = sum(bool(c and c.passes_filter and c.law == FAST and c.high) for c in found)
    return count_share(above, len(found))


def fast_grows_with_congestion(summary: Summary) -> Estimate:
    """Correlate congestion with FAST's residual in retransmission rate."""
    residual = summary.residuals("y10").values[:, summary.fast]
    if min(np.ptp(summary.congestion), np.ptp(residual)) == 0:
        return Estimate(ours=0.0, note="no condition differs")
    found = stats.spearmanr(summary.congestion, residual)
    return Estimate(ours=float(found.statistic), note=f"p = {found.pvalue:.2g}")


def fast_moves_cwnd(summary: Summary) -> Estimate:
    """Compare FAST's timeouts with the other laws', replicate by replicate."""
    heavy = summary.cubes["y14"][summary.heavy].sum(axis=0)
    others = np.delete(heavy, summary.fast, axis=0).mean(axis=0)
    mean, low, high = mean_interval(heavy[summary.fast] / np.where(others > 0, others, np.nan))
    return Estimate(ours=mean, ci=(low, high))


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
    return count_share(sum(map(bool, strong)), len(strong))


def fast_differs(summary: Summary, *, response: str, sign: int) -> Estimate:
    """Count the heavily congested conditions in which FAST's mean lies on the given side."""
    means = summary.cubes[response].mean(axis=2)[summary.heavy]
    others = np.delete(means, summary.fast, axis=1).mean(axis=1)
    fast = means[:, summary.fast]
    ratio = float(fast.sum() / others.sum()) if others.sum() else float("nan")
    share = count_share(int((sign * (fast - others) > 0).sum()), len(fast))
    return share.model_copy(update={"note": f"FAST to the others: {ratio:.3g}"})


def effect(summary: Summary, *, response: str, factor: str) -> Estimate:
    """Find a significant effect over the grand mean, of a factor that varies."""
    if factor not in summary.factors():
        return Estimate(ours=math.nan)
    found = summary.effect(response, factor)
    share = np.sign(found.effect) * found.relative_percent / 100
    said = f"{found.mean_low:.4g} to {found.mean_high:.4g}, p = {found.p:.2g}"
    return Estimate(ours=float(share) if found.stars == "**" else 0.0, note=said)
