"""The measures of the runs: flows alone, and flows that share a path."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from headgate import Result, parse_time_ps
from headgate.lab import NotRunError, Runs
from headgate_studies.paths import (
    count_delivered,
    course,
    goodput_bps,
    in_seconds,
    mean_of,
    measured_period_s,
    utilisation,
)
from headgate_studies.senders.jobs import (
    FAST_PATH_BPS,
    FULL_WINDOW,
    JOINS_WITHIN_S,
    LOST_PACKET,
    PAIR,
    SEVEN,
    TCP,
    cells,
    crowd_seeds,
    pair_seeds,
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
Cell = tuple[int, float]
"""Round trip in ms, buffer in BDP."""
#: The new flow's first minute; shares between these count as fair.
FIRST_S, FAIR = 60.0, (0.4, 0.6)
SMOOTH_S = 10.0


def smooth(values: Series, rows: int) -> Series:
    """Mean over the last `rows` rows, fewer at the start."""
    total = np.cumsum(np.nan_to_num(values))
    before = np.concatenate([np.zeros(min(rows, len(total))), total[:-rows]])
    return np.asarray((total - before) / np.minimum(np.arange(1, len(total) + 1), rows))


def first_time(t_s: Series, holds: NDArray[np.bool_]) -> float:
    """Return when something first holds; infinite if never."""
    return float(t_s[int(np.argmax(holds))]) if holds.any() else float("inf")


def full_rate_s(runs: Runs, cca: str, threshold: str) -> float:
    """Time from the start to 95 % of the rate."""
    t_s, share = _utilisation(runs["one loss", cca, threshold], cca)
    return first_time(t_s, share >= FULL)


def _utilisation(run: Result, cca: str) -> tuple[Series, Series]:
    t_s, bps = course(run, cca, "throughput_bps")
    return t_s, smooth(bps, TWO_ROUND_TRIPS) / (PAYLOAD * FAST_PATH_BPS)


def _loss_row(run: Result, cca: str) -> int:
    """Row at which the lost packet holds up what is acknowledged in order."""
    _, delivered = course(run, cca, "delivered_packets")
    return int(np.searchsorted(delivered, LOST_PACKET)) - 3


def share_kept(runs: Runs, cca: str) -> float:
    """Share of the window that is left after one lost packet."""
    before, after = _windows_about_loss(runs, cca)
    return after / before


def reduction_of_flight(runs: Runs, cca: str) -> float:
    """Share that one lost packet takes of what is in flight: no more than the receiver lets."""
    before, after = _windows_about_loss(runs, cca)
    return 1 - after / min(before, FULL_WINDOW)


def _windows_about_loss(runs: Runs, cca: str) -> tuple[float, float]:
    run = runs["one loss", cca, "low"]
    _, window = course(run, cca, "cwnd_packets")
    at = _loss_row(run, cca)
    before, after = window[max(0, at - REDUCED) : at], window[at : at + REDUCED]
    return float(before.max()), float(after.min())


def recovery_s(runs: Runs, cca: str) -> float:
    """Time from one lost packet until the flow has 95 % of the rate again; at least one RTT."""
    run = runs["one loss", cca, "low"]
    t_s, share = _utilisation(run, cca)
    lost = _loss_row(run, cca)
    low = np.flatnonzero(share[lost:] < FULL)
    settled = lost + REDUCED
    back = first_time(t_s[settled:], share[settled:] >= FULL) if len(low) else t_s[lost]
    return max(ROUND_TRIP_S, float(back - t_s[lost]))


def window_gain(runs: Runs, cca: str, from_s: float, to_s: float) -> float:
    """Packets that the window gains between two times after the loss."""
    run = runs["one loss", cca, "low"]
    t_s, window = course(run, cca, "cwnd_packets")
    lost_s = t_s[_loss_row(run, cca)]
    begin, end = (int(np.searchsorted(t_s, lost_s + after_s)) for after_s in (from_s, to_s))
    return float(window[end] - window[begin])


def losses(runs: Runs, rate: str) -> list[float]:
    """Random losses run at a rate."""
    parts = runs.setup.settings["random_loss"]
    return [loss for part in parts if part["rate"] == rate for loss in part["losses"]]


def lossy(runs: Runs, rate: str, cca: str, loss: float) -> list[float]:
    """Utilisation of every replicate."""
    return [utilisation(run) for run in runs.replicates("random loss", rate, cca, loss)]


def lossy_goodput(runs: Runs, rate: str, cca: str, loss: float) -> float:
    """Mean goodput in bit/s."""
    return mean_of(goodput_bps, runs.replicates("random loss", rate, cca, loss))


def share_resent(run: Result) -> float:
    """Share of the packets that were sent again."""
    again = float(run.flows["retransmissions"].sum())
    return again / (again + float(run.flows["delivered_packets"].sum()))


def crowded_runs(runs: Runs, cca: str, threshold: str) -> list[Result]:
    """Return the runs of forty flows."""
    return runs.replicates("crowded", cca, threshold)


def transfer_s(runs: Runs, case: str, cca: str) -> float:
    """Mean transfer time of the file."""
    done = runs.replicates("utility", case, cca)
    return float(np.mean([run.flows["fct_sender_s"][0] for run in done]))


def advantages(runs: Runs, case: str) -> dict[str, float]:
    """TCP's transfer time over each replacement's."""
    times = {cca: transfer_s(runs, case, cca) for cca in (TCP, *runs.setup.has(*SEVEN))}
    late = [cca for cca, time_s in times.items() if not np.isfinite(time_s)]
    if late:
        raise NotRunError(f"case {case}: a file by {late[0]} did not arrive in time")
    return {cca: times[TCP] / times[cca] for cca in SEVEN}


def halved_between_s(runs: Runs) -> tuple[float, float]:
    """Return when the path is halved, and when it is whole again."""
    part, size = runs.setup.settings["halved"], runs.setup.settings["size"]
    return size * in_seconds(part["begins"]), size * in_seconds(part["ends"])


def halved_times_s(runs: Runs, cca: str) -> tuple[float, float]:
    """Return how long a flow is below the rate once the path is halved, and once it is whole again.

    The first until its last fall below 95 % of half the rate, the second until it has 95 % of the
    whole; over a second each.
    """
    begin, end = halved_between_s(runs)
    t_s, bps = course(runs["halved", cca], cca, "throughput_bps")
    share = smooth(bps, ROWS_A_SECOND) / (PAYLOAD * FAST_PATH_BPS)
    falls = (t_s >= begin) & (t_s < begin + (end - begin) / 2) & (share < FULL / 2)
    below_s = float(t_s[falls][-1]) - begin if falls.any() else 0.0
    return below_s, first_time(t_s[t_s >= end], share[t_s >= end] >= FULL) - end


def share_against(runs: Runs, cca: str, other: str) -> list[list[float]]:
    """Share of `cca` beside a flow of `other`, replicates by cell; half beside itself."""
    if cca == other:
        return [[0.5]]
    seeds = pair_seeds(runs.setup, cca, other)
    return [
        [share(*_pair(runs, "pairs", cca, other, *cell, seed)) for seed in seeds]
        for cell in cells(runs.setup)
    ]


def mean_share(runs: Runs, cca: str, other: str) -> float:
    """Share of `cca` beside `other`, the mean over cells and replicates."""
    return float(np.mean(share_against(runs, cca, other)))


def crowd_share(runs: Runs, cca: str, other: str) -> list[float]:
    """Share of four flows of `cca` beside four of `other`, each replicate."""
    if cca == other:
        return [0.5]
    seeds = crowd_seeds(runs.setup, cca, other)
    return [share(*_pair(runs, "crowds", cca, other, seed)) for seed in seeds]


def _pair(runs: Runs, part: str, cca: str, other: str, *rest: float) -> tuple[Result, str]:
    """Return the run of a pair, and which flow is of `cca`: the registry's order decides."""
    if (part, cca, other, *rest) in runs.results:
        return runs[part, cca, other, *rest], "one"
    return runs[part, other, cca, *rest], "other"


def share(run: Result, name: str) -> float:
    """Share of one of two flows, or groups of flows, in what all delivered after the warm-up."""
    packets = dict.fromkeys(PAIR, 0.0)
    for each in flow_names(run):
        packets[each.split()[0]] += count_delivered(run, each, *measured_period_s(run))
    return packets[name] / sum(packets.values())


def flow_names(run: Result) -> list[str]:
    """Name the flows of the series."""
    rows = run.series.where(run.series["of"] == "flow")
    return [str(name) for name in np.unique(rows["name"])] if len(rows) else []


def tcp_share(runs: Runs, cca: str) -> list[float]:
    """TCP's goodput beside an algorithm over its goodput beside another TCP, each replicate.

    The mean over the cells, which are the same for every algorithm.
    """

    def ratio(cell: Cell, seed: int) -> float:
        own, _ = _pair(runs, "pairs", TCP, TCP, *cell, seed)
        if cca == TCP:
            return 1.0
        run, name = _pair(runs, "pairs", TCP, cca, *cell, seed)
        return count_delivered(run, name, *measured_period_s(run)) / _mean_delivered(own)

    return _over_cells(runs, ratio)


def tcp_left_low(runs: Runs, cca: str) -> list[float]:
    """Return the same with a low first threshold for both."""

    def ratio(cell: Cell, seed: int) -> float:
        run, own = (runs["pairs low", each, *cell, seed] for each in (cca, TCP))
        return count_delivered(run, "other", *measured_period_s(run)) / _mean_delivered(own)

    return _over_cells(runs, ratio)


def _mean_delivered(run: Result) -> float:
    return float(np.mean([count_delivered(run, name, *measured_period_s(run)) for name in PAIR]))


def _over_cells(runs: Runs, ratio: Callable[[Cell, int], float]) -> list[float]:
    places = cells(runs.setup)
    return [
        float(np.mean([ratio(cell, seed) for cell in places]))
        for seed in pair_seeds(runs.setup, TCP)
    ]


def named_share(run: Result) -> float:
    """Share of the flows named `one` or `new` after the warm-up; NaN if there are none."""
    names = flow_names(run)
    mine = [name for name in names if name.split()[0] in ("one", "new", "short")]
    if not mine or len(names) < 2:
        return float("nan")
    packets = {name: count_delivered(run, name, *measured_period_s(run)) for name in names}
    return sum(packets[name] for name in mine) / sum(packets.values())


def join_time_s(run: Result) -> float:
    """When the newcomer came."""
    return parse_time_ps(run.meta["scenario"]["traffic"][1]["start"]) / 1e12


def newcomer_share(runs: Runs, cca: str, newcomer: str) -> list[float]:
    """Share of a newcomer in the first minute, each replicate."""
    return [first_share(run) for run in runs.replicates("newcomer", cca, newcomer)]


def watch_time_s(runs: Runs) -> float:
    """How long a newcomer is surely watched."""
    part, size = runs.setup.settings["newcomer"], float(runs.setup.settings["size"])
    return size * (in_seconds(part["duration"]) - in_seconds(part["joins"])) - JOINS_WITHIN_S


def fair_after(runs: Runs, cca: str) -> list[float]:
    """Return the times until shares are fair beside an established flow of the same algorithm."""
    return [fair_after_s(run) for run in runs.replicates("newcomer", cca, cca)]


def first_share(run: Result) -> float:
    """Share of the newcomer in what both delivered in its first minute."""
    came = join_time_s(run)
    old, new = (count_delivered(run, name, came, came + FIRST_S) for name in ("old", "new"))
    return new / (old + new)


def fair_after_s(run: Result) -> float:
    """Time from joining until the newcomer's share, over 10 s, is between 0.4 and 0.6."""
    t_s = course(run, "bottleneck", "t_s")[0]
    old, new = (_over_ten_s(run, name, t_s) for name in ("old", "new"))
    later = t_s >= join_time_s(run) + 1
    shares = new[later] / np.maximum(old[later] + new[later], 1.0)
    return first_time(t_s[later], (shares >= FAIR[0]) & (shares <= FAIR[1])) - join_time_s(run)


def _over_ten_s(run: Result, name: str, t_s: Series) -> Series:
    """Throughput of a flow over the last ten seconds, zero before it came."""
    rows = round(SMOOTH_S / float(t_s[1] - t_s[0]))
    own_s, bps = course(run, name, "throughput_bps")
    return smooth(np.interp(t_s, own_s, np.nan_to_num(bps), left=0.0), rows)


def rate_ratio(runs: Runs, cca: str, ratio: float, seed: int) -> float:
    """Rate of the flow with the short round trip over that with the long one."""
    run = runs["round trips", cca, ratio, seed]
    short, long = (
        count_delivered(run, name, *measured_period_s(run)) for name in ("short", "long")
    )
    return short / max(long, 1.0)
