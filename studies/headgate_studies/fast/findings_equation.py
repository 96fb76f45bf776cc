"""Findings about the equation: rest, convergence, shares, latecomers, Reno, short buffers."""

from __future__ import annotations

from typing import Literal

import numpy as np

from headgate import Result
from headgate.claims import (
    Estimate,
    compute_relative_error,
    estimate_mean,
    find_largest,
    find_least,
    format_values,
)
from headgate.lab import Runs
from headgate_studies.fast import jobs, theory
from headgate_studies.fast.measures import (
    AGAINST_RENO_BDP,
    convergence_factor,
    swing_period_over_reno,
    window_swing,
)
from headgate_studies.paths import jain, loss_rate, mean_of, mean_queue, shares, utilisation

TOGETHER_ALPHA = 50


def packet_level(runs: Runs) -> Estimate:
    """Give what waits of a window at rest, over alpha."""
    flow = runs["packet level",].flows
    waiting = 1 - flow["min_rtt_s"][0] / flow["mean_rtt_s"][0]
    return Estimate(ours=float(flow["mean_cwnd_packets"][0] * waiting / jobs.ALPHA))


def queue_of_flows(runs: Runs) -> Estimate:
    """Find the largest distance of the mean queue from N alpha."""
    return find_largest(
        {
            f"N = {n}": compute_relative_error(_together_queue(runs, n), 1)
            for n in runs.setup.settings["flows"]
        }
    )


def _together_queue(runs: Runs, count: int) -> float:
    queues = [mean_queue(run) for run in runs.replicates("together", count)]
    return float(np.mean(queues)) / (count * TOGETHER_ALPHA)


def _capacity(runs: Runs) -> dict[str, Result]:
    return {
        f"{rate} Mbit/s, {1e3 * rtt:g} ms": runs["capacity", rate, rtt]
        for rate in runs.setup.settings["rates_mbps"]
        for rtt in runs.setup.settings["rtts_s"]
    }


def queue_spread(runs: Runs) -> Estimate:
    """Compare the largest mean queue over paths with the least."""
    queues = {name: mean_queue(run) for name, run in _capacity(runs).items()}
    return Estimate(ours=max(queues.values()) / min(queues.values()), note=format_values(queues, 4))


def least_use(runs: Runs) -> Estimate:
    """Find the least utilisation over paths."""
    return find_least({name: utilisation(run) for name, run in _capacity(runs).items()}, 4)


def convergence(runs: Runs) -> Estimate:
    """Find the largest distance of the factor from 1 - gamma."""
    factors = {
        gamma: convergence_factor(runs["convergence", gamma])
        for gamma in runs.setup.settings["gammas"]
    }
    found = find_largest({f"gamma {g}": abs(f - (1 - g)) for g, f in factors.items()}, 2)
    said = ", ".join(f"{f:.3f} for gamma {g}" for g, f in factors.items())
    return found.model_copy(update={"note": f"factors {said}"})


def weighted_shares(runs: Runs) -> Estimate:
    """Find the largest distance of a share from that of its alpha."""
    got = np.mean([shares(run) for run in runs.replicates("weights")], axis=0)
    fair = np.array(jobs.WEIGHTS) / sum(jobs.WEIGHTS)
    distances = zip(jobs.WEIGHTS, got, fair, strict=True)
    return find_largest(
        {f"alpha {a}": compute_relative_error(float(o), float(e)) for a, o, e in distances}, 2
    )


def equal_shares(runs: Runs) -> Estimate:
    """Find the largest distance of a share from a quarter."""
    got = np.mean([shares(run) for run in runs.replicates("round trips")], axis=0)
    return find_largest(
        {f"flow {i + 1}": compute_relative_error(float(s), 0.25) for i, s in enumerate(got)}, 2
    )


def older_share(runs: Runs) -> Estimate:
    """Give the share of the older of two flows."""
    return Estimate(ours=float(shares(runs["latecomers", 2])[0]))


def queue_of_two(runs: Runs) -> Estimate:
    """Give the mean queue of two late-comers over N alpha."""
    return Estimate(ours=_latecomer_queue(runs, 2))


def _latecomer_queue(runs: Runs, count: int) -> float:
    return mean_queue(runs["latecomers", count]) / (count * TOGETHER_ALPHA)


def latecomers(runs: Runs, *, flows: int) -> Estimate:
    """Find the largest distance of a late-comer's share from the derived one."""
    got, expected = shares(runs["latecomers", flows]), theory.latecomer_shares(flows)
    named = {
        f"flow {i + 1}": compute_relative_error(*map(float, pair))
        for i, pair in enumerate(zip(got, expected, strict=True))
    }
    said = ", ".join(f"{share:.3f}" for share in got)
    return Estimate(ours=max(named.values()), note=f"shares {said}")


def queue_of_latecomers(runs: Runs) -> Estimate:
    """Find the largest distance of a mean queue from the derived one."""
    counts = [count for count in runs.setup.settings["latecomers"] if count > 2]
    queues = {count: _latecomer_queue(runs, count) for count in counts}
    said = ", ".join(f"{queue:.3f} for {count}" for count, queue in queues.items())
    worst = max(
        compute_relative_error(queue, theory.latecomer_queue(count))
        for count, queue in queues.items()
    )
    return Estimate(ours=worst, note=f"N alpha times {said}")


def fairness_of_latecomers(runs: Runs) -> Estimate:
    """Find the largest distance of Jain's index from the derived one."""
    found = {
        count: jain(shares(runs["latecomers", count]))
        for count in runs.setup.settings["latecomers"]
    }
    expected = {
        count: jain(theory.latecomer_shares(count)) for count in runs.setup.settings["latecomers"]
    }
    said = ", ".join(f"{index:.3f} for {count}" for count, index in found.items())
    return Estimate(
        ours=max(compute_relative_error(found[n], expected[n]) for n in found), note=said
    )


def true_bases(runs: Runs) -> Estimate:
    """Find the largest distance of a share from 1/N with true baseRTT."""
    worst = {}
    for count in runs.setup.settings["latecomers"]:
        got = np.mean([shares(run) for run in runs.replicates("together", count)], axis=0)
        worst[f"N = {count}"] = float(np.abs(count * got - 1).max())
    return find_largest(worst, 2)


def beside_reno(
    runs: Runs, buffer: float, alpha: float, sender: str = "doubling"
) -> tuple[float, float]:
    """Return FAST's share and the mean queue in BDP."""
    done = runs.replicates("against reno", sender, buffer, alpha)
    share = np.mean([shares(run)[0] for run in done])
    queue = mean_of(mean_queue, done)
    return float(share), float(queue) / AGAINST_RENO_BDP


def against_reno(runs: Runs, *, measure: Literal["share", "queue"], sender: str) -> Estimate:
    """Find the largest distance of a measure beside one Reno from the derived one."""
    which = ("share", "queue").index(measure)
    worst = {
        f"buffer {b}, alpha {a}": compute_relative_error(
            beside_reno(runs, b, a, sender)[which], theory.against_reno(b, a)[which]
        )
        for b, a in theory.AGAINST_RENO
    }
    return find_largest(worst, 2)


def farthest_from_even(runs: Runs) -> Estimate:
    """Find the largest distance of FAST's share from a half for alpha of 0.4 of the buffer."""
    found = {f"buffer {b}": beside_reno(runs, b, a)[0] for b, a in theory.EVEN}
    worst = max(compute_relative_error(share, 0.5) for share in found.values())
    return Estimate(ours=worst, note=f"shares: {format_values(found)}")


def overfull_loss(runs: Runs, *, room: str) -> Estimate:
    """Give the loss rate with such a buffer."""
    return estimate_mean([loss_rate(run) for run in runs.replicates("overfull", room)])


def overfull_swing(runs: Runs) -> Estimate:
    """Measure how much windows swing with too little buffer."""
    swings = {
        room: [window_swing(run) for run in runs.replicates("overfull", room)]
        for room in runs.setup.settings["rooms"]
    }
    means = {room: float(np.mean(each)) for room, each in swings.items()}
    return estimate_mean(swings["too little"], format_values(means))


def overfull_period(runs: Runs) -> Estimate:
    """Compare how long windows take to swing, with too little buffer, with Reno's saw-tooth."""
    done = runs.replicates("overfull", "too little")
    return estimate_mean([swing_period_over_reno(run) for run in done])


def _by_buffer(runs: Runs, form: str) -> dict[str, Result]:
    buffers = runs.setup.settings["short_buffers"]
    return {f"{buffer} BDP": runs["short buffers", form, buffer] for buffer in buffers}


def short_use(runs: Runs, *, form: str) -> Estimate:
    """Find the least utilisation over buffers."""
    return find_least({name: utilisation(run) for name, run in _by_buffer(runs, form).items()}, 4)


def short_rest(runs: Runs, *, form: str) -> Estimate:
    """Find the largest distance of the mean queue from alpha."""
    alpha = jobs.RECALLED_ALPHA["1 Gbit/s"]
    queues = {name: mean_queue(run) for name, run in _by_buffer(runs, form).items()}
    return find_largest(
        {name: compute_relative_error(queue, alpha) for name, queue in queues.items()}, 2
    )


def shortest_use(runs: Runs, *, form: str) -> Estimate:
    """Give the utilisation with a tenth of the path in buffer."""
    run = runs["short buffers", form, 0.1]
    return Estimate(ours=utilisation(run), note=f"loss rate {loss_rate(run):.3g}")


def short_weights(runs: Runs) -> Estimate:
    """Find the largest distance of a share from that of its alpha, over buffers."""
    fair = np.array(jobs.SHORT_WEIGHTS) / sum(jobs.SHORT_WEIGHTS)
    worst = {}
    for buffer in runs.setup.settings["short_buffers"]:
        done = runs.replicates("short weights", buffer)
        got = np.mean([shares(run) for run in done], axis=0)
        worst[f"{buffer} BDP"] = float(np.abs(got / fair - 1).max())
    return find_largest(worst, 2)


def short_latecomers(runs: Runs) -> Estimate:
    """Find the largest distance of a late-comer's share from the derived one, over buffers."""
    expected = theory.latecomer_shares(jobs.SHORT_LATECOMERS)
    found = {
        f"{buffer} BDP": shares(runs["short latecomers", buffer])
        for buffer in runs.setup.settings["short_buffers"]
    }
    worst = {name: float(np.abs(got / expected - 1).max()) for name, got in found.items()}
    youngest = format_values({name: float(got[-1]) for name, got in found.items()})
    return find_largest(worst, 2).model_copy(update={"note": f"youngest {youngest}"})
