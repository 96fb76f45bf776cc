"""Runs with different seeds, and the confidence interval of what they give."""

from collections.abc import Callable
from dataclasses import dataclass

from headgate.stats.intervals import compute_mean_interval

#: Of every interval in this folder. One closed form in a hundred is missed by luck alone; the seeds
#: are fixed, so that luck is drawn once and not at every run of the tests.
CONFIDENCE = 0.99


@dataclass(frozen=True)
class Interval:
    """Mean of replicates, and half the width of its Student interval."""

    mean: float
    half_width: float

    def misses(self, value: float) -> float:
        """Distance from the value to the interval; 0 inside."""
        return max(0.0, abs(self.mean - value) - self.half_width)


def replicate(measure: Callable[[int], float], seeds: int) -> Interval:
    """Measure once for each seed from 1 to `seeds`."""
    mean, low, high = compute_mean_interval(
        [measure(seed) for seed in range(1, seeds + 1)], CONFIDENCE
    )
    return Interval(mean, (high - low) / 2)
