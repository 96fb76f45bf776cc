"""What is read off flows that share a path: shares, fairness to TCP, newcomers, round trips."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from headgate import Result, parse_time_ps
from headgate.lab import Runs
from headgate_studies.paths import count_delivered, course, in_seconds, measured_period_s
from headgate_studies.senders.jobs import (
    JOINS_WITHIN_S,
    PAIR,
    TCP,
    cells,
    crowd_seeds,
    pair_seeds,
)
from headgate_studies.senders.measures import Series, first_time, smooth

Cell = tuple[int, float]
"""Round trip in ms, buffer in BDP."""

#: The new flow's first minute; shares between these count as fair.
FIRST_S, FAIR = 60.0, (0.4, 0.6)
SMOOTH_S = 10.0


# Pairs -------------------------------------------------------------------------------------------


def share_against(runs: Runs, law: str, other: str) -> list[list[float]]:
    """Share of `law` beside a flow of `other`, replicates by cell; half beside itself."""
    if law == other:
        return [[0.5]]
    seeds = pair_seeds(runs.setup, law, other)
    return [
        [share(*_pair(runs, "pairs", law, other, *cell, seed)) for seed in seeds]
        for cell in cells(runs.setup)
    ]


def mean_share(runs: Runs, law: str, other: str) -> float:
    """Share of `law` beside `other`, the mean over cells and replicates."""
    return float(np.mean(share_against(runs, law, other)))


def crowd_share(runs: Runs, law: str, other: str) -> list[float]:
    """Share of four flows of `law` beside four of `other`, each replicate."""
    if law == other:
        return [0.5]
    seeds = crowd_seeds(runs.setup, law, other)
    return [share(*_pair(runs, "crowds", law, other, seed)) for seed in seeds]


def _pair(runs: Runs, part: str, law: str, other: str, *rest: float) -> tuple[Result, str]:
    """Return the run of a pair, and which flow is of `law`: the registry's order decides."""
    if (part, law, other, *rest) in runs.results:
        return runs[part, law, other, *rest], "one"
    return runs[part, other, law, *rest], "other"


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


def tcp_share(runs: Runs, law: str) -> list[float]:
    """TCP's goodput beside a law over its goodput beside another TCP, each replicate.

    The mean over the cells, which are the same for every law.
    """

    def ratio(cell: Cell, seed: int) -> float:
        own, _ = _pair(runs, "pairs", TCP, TCP, *cell, seed)
        if law == TCP:
            return 1.0
        run, name = _pair(runs, "pairs", TCP, law, *cell, seed)
        return count_delivered(run, name, *measured_period_s(run)) / _mean_delivered(own)

    return _over_cells(runs, ratio)


def tcp_left_low(runs: Runs, law: str) -> list[float]:
    """Return the same with a low first threshold for both."""

    def ratio(cell: Cell, seed: int) -> float:
        run, own = (runs["pairs low", each, *cell, seed] for each in (law, TCP))
        return count_delivered(run, "other", *measured_period_s(run)) / _mean_delivered(own)

    return _over_cells(runs, ratio)


def _mean_delivered(run: Result) -> float:
    return float(np.mean([count_delivered(run, name, *measured_period_s(run)) for name in PAIR]))


def _over_cells(runs: Runs, ratio: Callable[[Cell, int], float]) -> list[float]:
    where = cells(runs.setup)
    return [
        float(np.mean([ratio(cell, seed) for cell in where]))
        for seed in pair_seeds(runs.setup, TCP)
    ]


def named_share(run: Result) -> float:
    """Share of the flows named `one` or `new` after the warm-up; NaN where there are none."""
    names = flow_names(run)
    mine = [name for name in names if name.split()[0] in ("one", "new", "short")]
    if not mine or len(names) < 2:
        return float("nan")
    packets = {name: count_delivered(run, name, *measured_period_s(run)) for name in names}
    return sum(packets[name] for name in mine) / sum(packets.values())


# Newcomers ---------------------------------------------------------------------------------------


def join_time_s(run: Result) -> float:
    """When the newcomer came."""
    return parse_time_ps(run.meta["scenario"]["traffic"][1]["start"]) / 1e12


def newcomer_share(runs: Runs, law: str, newcomer: str) -> list[float]:
    """Share of a newcomer in the first minute, each replicate."""
    return [first_share(run) for run in runs.replicates("newcomer", law, newcomer)]


def watch_time_s(runs: Runs) -> float:
    """How long a newcomer is surely watched."""
    part, size = runs.setup.settings["newcomer"], float(runs.setup.settings["size"])
    return size * (in_seconds(part["duration"]) - in_seconds(part["joins"])) - JOINS_WITHIN_S


def fair_after(runs: Runs, law: str) -> list[float]:
    """Return the times until shares are fair beside an established flow of the same law."""
    return [fair_after_s(run) for run in runs.replicates("newcomer", law, law)]


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


# Round trips -------------------------------------------------------------------------------------


def rate_ratio(runs: Runs, law: str, ratio: float, seed: int) -> float:
    """Rate of the flow with the short round trip over that with the long one."""
    run = runs["round trips", law, ratio, seed]
    short, long = (
        count_delivered(run, name, *measured_period_s(run)) for name in ("short", "long")
    )
    return short / max(long, 1.0)
