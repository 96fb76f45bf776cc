"""Findings of experiments 1a and 1b: which laws are alike, which apart, and in what.

An outlier is one by Grubbs' test (5 %) that is 10 % of the
mean away, in the second period; light and heavy are the quarters of the conditions with the lowest
and highest retransmission rate over the laws other than FAST and FAST-AT.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from headgate.claims import Estimate
from headgate.experiment.estimates import count_share
from headgate.experiment.runs import NotRunError
from headgate.studies.nist.cuts import cuts_as_published
from headgate.studies.nist.summary import DELAY_LAWS, Experiment


def uncongested_identical(of: Experiment) -> Estimate:
    """Count the cells of light congestion in which no law is an outlier."""
    cells = of.outliers(of.light)
    return count_share(sum(test is None for _, test in cells), len(cells))


def little_change(of: Experiment) -> Estimate:
    """Count the cells in which no law but FAST and FAST-AT is an outlier."""
    cells = of.outliers(of.order)
    quiet = sum(test is None or test.law in DELAY_LAWS for _, test in cells)
    return count_share(quiet, len(cells))


def fast_apart(of: Experiment) -> Estimate:
    """Count the heavy conditions in which FAST, alone or with FAST-AT, is linked last."""
    return count_share(sum(_linked_last(of, name) for name in of.heavy), len(of.heavy))


def _linked_last(of: Experiment, condition: str) -> bool:
    """Say whether the last link of a condition parts FAST (and FAST-AT) from all others."""
    tree = of.tree(condition)
    just_below = 1 - 1e-9
    parts = tree.groups(just_below)
    return any("fast" in part and set(part) <= set(DELAY_LAWS) for part in parts)


def fast_grows_with_congestion(of: Experiment) -> Estimate:
    """Correlate FAST's residual in retransmission rate with the others' rate, by ranks."""
    others = np.array([of.others("y10", name) for name in of.order])
    fast = np.array([of.mean("y10", "fast", name) for name in of.order])
    found = stats.spearmanr(others, fast - others)
    low, high = _fisher(float(found.statistic), len(others))
    return Estimate(ours=float(found.statistic), ci=(low, high), note=f"p = {found.pvalue:.2g}")


def _fisher(r: float, count: int) -> tuple[float, float]:
    """Return the 95 % interval of a rank correlation (Fieller, Hartley, Pearson 1957)."""
    half = 1.96 * np.sqrt(1.06 / max(count - 3, 1))
    z = np.arctanh(np.clip(r, -0.999999, 0.999999))
    return float(np.tanh(z - half)), float(np.tanh(z + half))


def fast_moves_windows(of: Experiment) -> Estimate:
    """Divide how much windows fall in all under FAST by the others' mean, over heavy conditions."""
    ratios = [
        of.mean("falls", "fast", name) * of.mean("fall", "fast", name)
        / (of.others("falls", name) * of.others("fall", name))
        for name in of.heavy
    ]  # fmt: skip
    note = f"over {len(ratios)} heavy conditions, least {min(ratios):.2f}"
    return Estimate(ours=float(np.median(ratios)), note=note)


def more(of: Experiment, *, response: str, sign: int, law: str = "fast") -> Estimate:
    """Count the heavy conditions in which a law is beyond the mean of the others, on one side."""
    if law not in of.laws:
        raise NotRunError(f"{law} is not one of the laws that are compared")
    ratios = [of.mean(response, law, name) / of.others(response, name) for name in of.heavy]
    beyond = sum(sign * (ratio - 1) > 0 for ratio in ratios)
    found = count_share(beyond, len(ratios))
    note = f"{found.note}; {law} to the others: {np.median(ratios):.3g}"
    return found.model_copy(update={"note": note})


def cuts(of: Experiment) -> Estimate:
    """Count the laws that cut their windows at a loss as published."""
    return cuts_as_published(of.laws)
