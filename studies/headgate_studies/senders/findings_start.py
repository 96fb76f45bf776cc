"""What the study found of the first threshold, of crowds and of files."""

from __future__ import annotations

import numpy as np

from headgate.claims import (
    Estimate,
    compute_relative_error,
    find_largest,
    find_least,
    format_values,
)
from headgate.lab import Runs
from headgate_studies.paths import goodput_bps, utilisation
from headgate_studies.senders import measures
from headgate_studies.senders.jobs import SEVEN, TCP

REVERTING = ("bic", "ctcp", "hstcp", "htcp", "scalable")
LIKE_TCP = 0.1


def start_ratio(runs: Runs) -> Estimate:
    """Compare TCP's time to the full rate with the slowest replacement's; the threshold is low."""
    times = _start_times(runs, "low")
    ratio = min(times[TCP] / times[law] for law in SEVEN)
    return Estimate(ours=ratio, note=f"seconds: {format_values(times)}")


def start_spread(runs: Runs) -> Estimate:
    """Find the time to the full rate that is farthest from TCP's; the threshold is high."""
    times = _start_times(runs, "high")
    ratios = [times[law] / times[TCP] for law in SEVEN]
    farthest = max(max(ratio, 1 / ratio) for ratio in ratios)
    return Estimate(ours=farthest, note=f"seconds: {format_values(times)}")


def _start_times(runs: Runs, threshold: str) -> dict[str, float]:
    laws = (TCP, *runs.setup.has(*SEVEN))
    return {law: measures.full_rate_s(runs, law, threshold) for law in laws}


def threshold_effect_in_crowd(runs: Runs) -> Estimate:
    """Find the largest change of goodput by the first threshold where many flows crowd."""
    changes = {}
    for law in (TCP, *runs.setup.has(*SEVEN)):
        low, high = (
            np.mean([goodput_bps(run) for run in measures.crowded_runs(runs, law, threshold)])
            for threshold in ("low", "high")
        )
        changes[law] = abs(float(low / high) - 1)
    return find_largest(changes, 2)


def _resent(runs: Runs, *laws: str) -> dict[str, float]:
    return {
        law: float(
            np.mean(
                [measures.share_resent(run) for run in measures.crowded_runs(runs, law, "high")]
            )
        )
        for law in (TCP, *runs.setup.has(*laws))
    }


def share_reverting(runs: Runs) -> Estimate:
    """Count the replacements that send as much again as TCP where many flows crowd."""
    rates = _resent(runs, *REVERTING)
    alike = np.mean(
        [compute_relative_error(rates[law], rates[TCP]) <= LIKE_TCP for law in REVERTING]
    )
    return Estimate(ours=float(alike), note=format_values(rates))


def resent_ratio(runs: Runs) -> Estimate:
    """Compare what FAST and FAST-AT send again there with what TCP does."""
    rates = _resent(runs, "fast", "fast-at")
    return find_least({law: rates[law] / rates[TCP] for law in ("fast", "fast-at")})


def path_252_use(runs: Runs) -> Estimate:
    """Measure TCP's utilisation of the path of 252 Mbit/s."""
    return Estimate(ours=utilisation(runs["path 252",]))


def least_gain(runs: Runs) -> Estimate:
    """Find the least advantage where all four conditions hold."""
    return find_least(measures.advantages(runs, "all"))


def largest_gain(runs: Runs, *, case: str) -> Estimate:
    """Find the largest advantage where one of the conditions does not hold."""
    return find_largest(measures.advantages(runs, case))
