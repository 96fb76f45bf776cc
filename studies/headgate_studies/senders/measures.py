"""What is read off the runs of this study."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from headgate import Result
from headgate.lab import NotRunError, Runs
from headgate_studies.paths import course, goodput_bps, in_seconds, utilisation
from headgate_studies.senders.jobs import (
    FAST_PATH_BPS,
    FULL_WINDOW,
    LOST_PACKET,
    SEVEN,
    TCP,
)

#: Share of the rate that counts as full, and the payload's share of a packet.
FULL, PAYLOAD = 0.95, 1460 / 1500
#: Rows of the series (50 ms) in two round trips of 100 ms, over which throughput is averaged.
TWO_ROUND_TRIPS = 4
#: Rows from the loss on in which the reduction has surely been made: three round trips.
REDUCED = 6
ROUND_TRIP_S = 0.1
ROWS_A_SECOND = 10

Series = NDArray[np.float64]


def smooth(values: Series, rows: int) -> Series:
    """Mean over the last `rows` rows, fewer at the start."""
    total = np.cumsum(np.nan_to_num(values))
    before = np.concatenate([np.zeros(min(rows, len(total))), total[:-rows]])
    return np.asarray((total - before) / np.minimum(np.arange(1, len(total) + 1), rows))


def first_time(t_s: Series, holds: NDArray[np.bool_]) -> float:
    """Return when something first holds; infinite if never."""
    return float(t_s[int(np.argmax(holds))]) if holds.any() else float("inf")


# One loss ----------------------------------------------------------------------------------------


def full_rate_s(runs: Runs, law: str, threshold: str) -> float:
    """Time from the start to 95 % of the rate."""
    t_s, share = _utilisation(runs["one loss", law, threshold], law)
    return first_time(t_s, share >= FULL)


def _utilisation(run: Result, law: str) -> tuple[Series, Series]:
    t_s, bps = course(run, law, "throughput_bps")
    return t_s, smooth(bps, TWO_ROUND_TRIPS) / (PAYLOAD * FAST_PATH_BPS)


def _loss_row(run: Result, law: str) -> int:
    """Row at which the lost packet holds up what is acknowledged in order."""
    _, delivered = course(run, law, "delivered_packets")
    return int(np.searchsorted(delivered, LOST_PACKET)) - 3


def share_kept(runs: Runs, law: str) -> float:
    """Share of the window that is left after one lost packet."""
    before, after = _windows_about_loss(runs, law)
    return after / before


def reduction_of_flight(runs: Runs, law: str) -> float:
    """Share that one lost packet takes of what is in flight: no more than the receiver lets."""
    before, after = _windows_about_loss(runs, law)
    return 1 - after / min(before, FULL_WINDOW)


def _windows_about_loss(runs: Runs, law: str) -> tuple[float, float]:
    run = runs["one loss", law, "low"]
    _, window = course(run, law, "cwnd_packets")
    at = _loss_row(run, law)
    before, after = window[max(0, at - REDUCED) : at], window[at : at + REDUCED]
    return float(before.max()), float(after.min())


def recovery_s(runs: Runs, law: str) -> float:
    """Time from one lost packet until the flow has 95 % of the rate again; at least one RTT."""
    run = runs["one loss", law, "low"]
    t_s, share = _utilisation(run, law)
    lost = _loss_row(run, law)
    low = np.flatnonzero(share[lost:] < FULL)
    settled = lost + REDUCED
    back = first_time(t_s[settled:], share[settled:] >= FULL) if len(low) else t_s[lost]
    return max(ROUND_TRIP_S, float(back - t_s[lost]))


def window_gain(runs: Runs, law: str, from_s: float, to_s: float) -> float:
    """Packets that the window gains between two times after the loss."""
    run = runs["one loss", law, "low"]
    t_s, window = course(run, law, "cwnd_packets")
    lost_s = t_s[_loss_row(run, law)]
    begin, end = (int(np.searchsorted(t_s, lost_s + after_s)) for after_s in (from_s, to_s))
    return float(window[end] - window[begin])


# Random loss -------------------------------------------------------------------------------------


def losses(runs: Runs, rate: str) -> list[float]:
    """Random losses run at a rate."""
    parts = runs.setup.settings["random_loss"]
    return [loss for part in parts if part["rate"] == rate for loss in part["losses"]]


def lossy(runs: Runs, rate: str, law: str, loss: float) -> list[float]:
    """Utilisation of every replicate."""
    return [utilisation(run) for run in runs.replicates("random loss", rate, law, loss)]


def lossy_goodput(runs: Runs, rate: str, law: str, loss: float) -> float:
    """Mean goodput in bit/s."""
    done = runs.replicates("random loss", rate, law, loss)
    return float(np.mean([goodput_bps(run) for run in done]))


# Crowded, files ----------------------------------------------------------------------------------


def share_resent(run: Result) -> float:
    """Share of the packets that were sent again."""
    again = float(run.flows["retransmissions"].sum())
    return again / (again + float(run.flows["delivered_packets"].sum()))


def crowded_runs(runs: Runs, law: str, threshold: str) -> list[Result]:
    """Return the runs of forty flows."""
    return runs.replicates("crowded", law, threshold)


def transfer_s(runs: Runs, case: str, law: str) -> float:
    """Mean transfer time of the file."""
    done = runs.replicates("utility", case, law)
    return float(np.mean([run.flows["fct_sender_s"][0] for run in done]))


def advantages(runs: Runs, case: str) -> dict[str, float]:
    """TCP's transfer time over each replacement's."""
    times = {law: transfer_s(runs, case, law) for law in (TCP, *runs.setup.has(*SEVEN))}
    late = [law for law, time_s in times.items() if not np.isfinite(time_s)]
    if late:
        raise NotRunError(f"case {case}: a file by {late[0]} did not arrive in time")
    return {law: times[TCP] / times[law] for law in SEVEN}


def halved_between_s(runs: Runs) -> tuple[float, float]:
    """Return when the path is halved, and when it is whole again."""
    part, size = runs.setup.settings["halved"], runs.setup.settings["size"]
    return size * in_seconds(part["begins"]), size * in_seconds(part["ends"])


def halved_times_s(runs: Runs, law: str) -> tuple[float, float]:
    """Return how long a flow is below the rate once the path is halved, and once it is whole again.

    The first until its last fall below 95 % of half the rate, the second until it has 95 % of the
    whole; over a second each.
    """
    begin, end = halved_between_s(runs)
    t_s, bps = course(runs["halved", law], law, "throughput_bps")
    share = smooth(bps, ROWS_A_SECOND) / (PAYLOAD * FAST_PATH_BPS)
    falls = (t_s >= begin) & (t_s < begin + (end - begin) / 2) & (share < FULL / 2)
    below_s = float(t_s[falls][-1]) - begin if falls.any() else 0.0
    return below_s, first_time(t_s[t_s >= end], share[t_s >= end] >= FULL) - end


def queue_share(run: Result) -> float:
    """Mean queue as a share of the buffer."""
    return float(run.ports["mean_queue_packets"][0] / run.ports["buffer_packets"][0])


def largest_queue_share(run: Result) -> float:
    """Greatest queue as a share of the buffer."""
    return largest_queue(run) / float(run.ports["buffer_packets"][0])


def largest_queue(run: Result) -> float:
    """Greatest number of packets waiting."""
    return float(run.ports["max_queue_packets"][0])
