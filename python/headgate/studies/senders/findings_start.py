"""What the study found of the first threshold, of crowds and of files."""

from __future__ import annotations

import numpy as np

from headgate.experiment.estimates import apart, format_values, largest, least
from headgate.experiment.runs import Runs
from headgate.studies.paths import goodput_bps, utilisation
from headgate.studies.senders import measures
from headgate.studies.senders.jobs import SEVEN, TCP
from headgate.verdicts import Estimate

REVERTING = ("bic", "ctcp", "hstcp", "htcp", "scalable")
LIKE_TCP = 0.1


def start_ratio(runs: Runs, *, threshold: str) -> Estimate:
    """Compare the times to the full rate, the slowest replacement's with TCP's.

    With a low threshold TCP's stands above, as it is the longer.
    """
    laws = (TCP, *runs.setup.has(*SEVEN))
    times = {law: measures.full_rate_s(runs, law, threshold) for law in laws}
    slowest = max(times[law] for law in SEVEN)
    ours = times[TCP] / slowest if threshold == "low" else slowest / times[TCP]
    return Estimate(ours=ours, note=f"seconds: {format_values(times)}")


def threshold_effect_in_crowd(runs: Runs) -> Estimate:
    """Find the largest change of goodput by the first threshold where many flows crowd."""
    changes = {}
    for law in (TCP, *runs.setup.has(*SEVEN)):
        low, high = (
            np.mean([goodput_bps(run) for run in measures.crowded_runs(runs, law, threshold)])
            for threshold in ("low", "high")
        )
        changes[law] = abs(float(low / high) - 1)
    return largest(changes, 2)


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
    alike = np.mean([apart(rates[law], rates[TCP]) <= LIKE_TCP for law in REVERTING])
    return Estimate(ours=float(alike), note=format_values(rates))


def resent_ratio(runs: Runs) -> Estimate:
    """Compare what FAST and FAST-AT send again there with what TCP does."""
    rates = _resent(runs, "fast", "fast-at")
    return least({law: rates[law] / rates[TCP] for law in ("fast", "fast-at")})


def path_252_use(runs: Runs) -> Estimate:
    """Measure TCP's utilisation of the path of 252 Mbit/s."""
    return Estimate(ours=utilisation(runs["path 252",]))


def least_gain(runs: Runs) -> Estimate:
    """Find the least advantage where all four conditions hold."""
    return least(measures.advantages(runs, "all"))


def median_gain(runs: Runs, *, case: str) -> Estimate:
    """Find the median advantage where one of the conditions does not hold."""
    gains = measures.advantages(runs, case)
    return Estimate(ours=float(np.median(list(gains.values()))), note=format_values(gains))
