"""The measures of the runs of this study."""

import numpy as np
from numpy.typing import NDArray

from headgate import Result
from headgate.lab import Runs
from headgate_studies.fast.jobs import ALPHA
from headgate_studies.paths import bdp_packets, course, mean_of, measured_period_s, utilisation

#: A window rests if it moves less than this in 50 ms; a smaller error is due to rounding.
STILL_PACKETS, LEAST_ERROR_PACKETS = 0.05, 1.0
STILL_ROWS, STILL_LEVELS = 5, 10
FIRST_ROUND_TRIPS_S = 1.0
AGAINST_RENO_BDP = bdp_packets(100e6, 0.05)


def plateaus(result: Result) -> NDArray[np.float64]:
    """Return the windows at which one flow rested between two updates, in their order."""
    _, window = course(result, "fast", "cwnd_packets")
    window = window[np.isfinite(window)]
    still = [
        float(window[i])
        for i in range(STILL_ROWS, len(window))
        if np.ptp(window[i - STILL_ROWS : i + 1]) < STILL_PACKETS
    ]
    levels = [w for i, w in enumerate(still) if i == 0 or abs(w - still[i - 1]) > STILL_PACKETS]
    return np.array(levels)


def distances(result: Result) -> NDArray[np.float64]:
    """Return the distance to rest at each update from when the link has been busy for one.

    It is from a distance of alpha on: nothing waits before, and the window grows by equal steps.
    """
    levels = plateaus(result)
    away = np.abs(levels - levels[-STILL_LEVELS:].mean())
    return np.asarray(away[int(np.argmax(away < ALPHA)) + 1 :])


def convergence_factor(result: Result) -> float:
    """Return the factor by which an update shrinks the distance, while that exceeds a packet."""
    away = distances(result)
    updates = int(np.argmax(away < LEAST_ERROR_PACKETS))
    return float((away[updates - 1] / away[0]) ** (1 / max(1, updates - 1)))


def window_swing(result: Result) -> float:
    """Coefficient of variation of a flow's window after the warm-up, the mean over flows."""
    return float(np.mean([window.std() / window.mean() for window in _windows(result)]))


def swing_period_over_reno(result: Result) -> float:
    """Compare the time between two rises of a window through its mean with Reno's saw-tooth.

    Reno with that mean window grows by a packet a round trip from two thirds of it to four thirds.
    The result is the mean of all flows.
    """
    start_s, end_s = measured_period_s(result)
    rtt_s = float(np.mean(result.flows["mean_rtt_s"]))
    periods = [
        (end_s - start_s) / rtt_s / _count_rises(window) / (2 / 3 * float(window.mean()))
        for window in _windows(result)
    ]
    return float(np.mean(periods))


def _windows(result: Result) -> list[NDArray[np.float64]]:
    start_s, _ = measured_period_s(result)
    rows = result.series.where((result.series["of"] == "flow") & (result.series["t_s"] > start_s))
    return [rows["cwnd_packets"][rows["name"] == name] for name in np.unique(rows["name"])]


def _count_rises(window: NDArray[np.float64]) -> int:
    above = window > window.mean()
    return max(1, int(np.sum(above[1:] & ~above[:-1])))


def long_fat_losses(runs: Runs) -> list[float]:
    """Residual losses above zero."""
    return [loss for loss in runs.setup.settings["long_fat"]["losses"] if loss > 0]


def random_losses(runs: Runs) -> list[float]:
    """Random losses of this scale."""
    losses: list[float] = runs.setup.settings["random_loss"]["losses"]
    return losses


def random_utilisation(runs: Runs, rate: str, sender: str, loss: float) -> float:
    """Mean utilisation over the replicates."""
    return mean_of(utilisation, runs.replicates("random loss", rate, sender, loss))


def oc192_utilisation(runs: Runs, cca: str, loss: float, buffer: float) -> float:
    """Mean utilisation of one flow over the replicates; some losses ran with one replicate."""
    return mean_of(utilisation, runs.replicates("oc192", cca, loss, buffer))


def dsl_rtt_s(result: Result) -> float:
    """Mean round trip of the upload."""
    return float(result.flows["mean_rtt_s"][0])


def start_queue(result: Result) -> float:
    """Largest queue of the first ten round trips, in packets."""
    t_s, queue = course(result, "bottleneck", "queue_packets")
    return float(queue[t_s <= FIRST_ROUND_TRIPS_S].max())


def burst_loss(result: Result) -> float:
    """Return the share of the bursts' packets that was lost, as each of these is sent again."""
    flows = result.flows
    bursts = np.asarray(flows["size_packets"]) > 0
    return float(flows["retransmissions_total"][bursts].sum() / flows["size_packets"][bursts].sum())
