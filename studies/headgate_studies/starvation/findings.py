"""The findings of the study: functions that its claims name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate.claims import Estimate, estimate_mean_ratio
from headgate.lab import NotRunError, Runs
from headgate_studies.paths import measured_period_s

#: A flow starves if the other one sends this many times as much.
STARVED = 10.0
#: The share of samples of the queue on each side that the range leaves out.
TAIL = 0.01


def delay_range_s(runs: Runs, cca: str, rate_mbps: int) -> float:
    """Return the range of the queueing delay in which one flow settles."""
    result = runs["alone", cca, rate_mbps]
    settled_s, _ = measured_period_s(result)
    queue = result.series["queue_packets"][result.series["t_s"] > settled_s]
    low, high = np.quantile(queue, (TAIL, 1 - TAIL))
    return float(high - low) * 0.012 / rate_mbps


def ratios(
    runs: Runs, cca: str, rate_mbps: int, side: str, jitter_ms: float
) -> NDArray[np.float64]:
    """Return the rate of the flow that gets more over that of the other, in each replicate."""
    found = []
    at = side if jitter_ms else runs.setup.settings["sides"][0]
    for result in runs.replicates("pairs", cca, rate_mbps, at, jitter_ms):
        less, more = sorted(map(float, result.flows["delivered_packets"]))
        found.append(more / max(less, 1.0))
    return np.array(found)


def mean_ratio(runs: Runs, cca: str, rate_mbps: int, side: str, jitter_ms: float) -> float:
    """Return the geometric mean of the ratios."""
    return float(np.exp(np.log(ratios(runs, cca, rate_mbps, side, jitter_ms)).mean()))


def _find_largest(runs: Runs, cca: str, *, beyond: bool) -> Estimate:
    """Return the largest mean ratio over the jitters beyond twice the range, or up to that."""
    runs.setup.has(cca)
    settings, found = runs.setup.settings, dict[str, list[float]]()
    for rate in settings["rates_mbps"]:
        double_ms = 2e3 * delay_range_s(runs, cca, rate)
        for side in settings["sides"]:
            for jitter in settings["jitters_ms"]:
                if (jitter > double_ms) == beyond:
                    cell = f"{jitter:g} ms on {side}, {rate} Mbit/s (2 D = {double_ms:.2g} ms)"
                    found[cell] = ratios(runs, cca, rate, side, jitter).tolist()
    if not found:
        raise NotRunError("no jitter of this scale is up to twice the range")
    cell = max(found, key=lambda name: float(np.log(found[name]).mean()))
    note = f"{len(found)} cells, largest with {cell}"
    return estimate_mean_ratio(found[cell], "replicates", note)


def largest_beyond(runs: Runs, *, cca: str) -> Estimate:
    """Return the largest ratio with a jitter of more than twice the delay range."""
    return _find_largest(runs, cca, beyond=True)


def largest_within(runs: Runs, *, cca: str) -> Estimate:
    """Return the largest ratio with a jitter of at most twice the delay range."""
    return _find_largest(runs, cca, beyond=False)


def first_starving_ms(runs: Runs, cca: str, rate_mbps: int, side: str) -> float:
    """Return the least jitter at which a flow starves; infinite if none does."""
    for jitter in sorted(runs.setup.settings["jitters_ms"]):
        if mean_ratio(runs, cca, rate_mbps, side, jitter) >= STARVED:
            return float(jitter)
    return np.inf
