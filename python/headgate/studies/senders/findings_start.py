"""What the study found of the first threshold, of crowds and of files."""

from __future__ import annotations

from functools import partial

import numpy as np

from headgate.claims import Estimate
from headgate.experiment.estimates import (
    Makers,
    add_intervals_by_seed,
    apart,
    format_values,
    largest,
    least,
    makers_by_claim,
)
from headgate.experiment.runs import Runs
from headgate.studies.paths import goodput_bps, utilisation
from headgate.studies.senders import measures
from headgate.studies.senders.jobs import SEVEN, TCP

REVERTING = ("bic", "ctcp", "hstcp", "htcp", "scalable")
LIKE_TCP = 0.1


def _full(runs: Runs, threshold: str) -> dict[str, float]:
    laws = (TCP, *runs.setup.has(*SEVEN))
    return {law: measures.full_rate_s(runs, law, threshold) for law in laws}


def _high_threshold(runs: Runs) -> Estimate:
    times = _full(runs, "high")
    slowest = max(times[law] for law in SEVEN)
    return Estimate(ours=slowest / times[TCP], note=f"seconds: {format_values(times)}")


def _low_threshold(runs: Runs) -> Estimate:
    times = _full(runs, "low")
    slowest = max(times[law] for law in SEVEN)
    return Estimate(ours=times[TCP] / slowest, note=f"seconds: {format_values(times)}")


def _congested_threshold(runs: Runs) -> Estimate:
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


def _congested_revert(runs: Runs) -> Estimate:
    rates = _resent(runs, *REVERTING)
    alike = np.mean([apart(rates[law], rates[TCP]) <= LIKE_TCP for law in REVERTING])
    return Estimate(ours=float(alike), note=format_values(rates))


def _congested_fast(runs: Runs) -> Estimate:
    rates = _resent(runs, "fast", "fast-at")
    return least({law: rates[law] / rates[TCP] for law in ("fast", "fast-at")})


def _path_252(runs: Runs) -> Estimate:
    return Estimate(ours=utilisation(runs["path 252",]))


def _utility_all(runs: Runs) -> Estimate:
    return least(measures.advantages(runs, "all"))


def _utility(case: str, runs: Runs) -> Estimate:
    gains = measures.advantages(runs, case)
    return Estimate(ours=float(np.median(list(gains.values()))), note=format_values(gains))


START: Makers = makers_by_claim(_high_threshold, _low_threshold, _path_252) | add_intervals_by_seed(
    makers_by_claim(_congested_threshold, _congested_revert, _congested_fast, _utility_all)
    | {
        f"utility-{case}": partial(_utility, case)
        for case in ("receive-window", "threshold", "file", "congestion")
    }
)
