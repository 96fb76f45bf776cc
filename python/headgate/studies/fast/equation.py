"""Findings about the equation: rest, convergence, shares, late-comers, Reno, too small buffers."""

from __future__ import annotations

from functools import partial

import numpy as np

from headgate.api import Result
from headgate.claims import Estimate
from headgate.experiment.estimates import (
    Makers,
    apart,
    format_values,
    largest,
    least,
    makers_by_claim,
    mean_of,
)
from headgate.experiment.runs import Runs
from headgate.studies.fast import jobs, theory
from headgate.studies.fast.measures import AGAINST_RENO_BDP, convergence_factor, window_swing
from headgate.studies.paths import jain, loss_rate, mean_queue, shares, utilisation

TOGETHER_ALPHA = 50


def _packet_level(runs: Runs) -> Estimate:
    flow = runs["packet level",].flows
    waiting = 1 - flow["min_rtt_s"][0] / flow["mean_rtt_s"][0]
    return Estimate(ours=float(flow["mean_cwnd_packets"][0] * waiting / jobs.ALPHA))


def _queue_is_sum_of_alpha(runs: Runs) -> Estimate:
    return largest({f"N = {n}": apart(_together_queue(runs, n), 1) for n in jobs.FLOWS})


def _together_queue(runs: Runs, count: int) -> float:
    queues = [mean_queue(run) for run in runs.replicates("together", count)]
    return float(np.mean(queues)) / (count * TOGETHER_ALPHA)


def _capacity(runs: Runs) -> dict[str, Result]:
    return {
        f"{rate} Mbit/s, {1e3 * rtt:g} ms": runs["capacity", rate, rtt]
        for rate in jobs.RATES_MBPS
        for rtt in jobs.RTTS_S
    }


def _queue_independent_of_capacity(runs: Runs) -> Estimate:
    queues = {name: mean_queue(run) for name, run in _capacity(runs).items()}
    return Estimate(ours=max(queues.values()) / min(queues.values()), note=format_values(queues, 4))


def _full_utilisation(runs: Runs) -> Estimate:
    return least({name: utilisation(run) for name, run in _capacity(runs).items()}, 4)


def _geometric_convergence(runs: Runs) -> Estimate:
    factors = {gamma: convergence_factor(runs["convergence", gamma]) for gamma in jobs.GAMMAS}
    found = largest({f"gamma {g}": abs(f - (1 - g)) for g, f in factors.items()}, 2)
    said = ", ".join(f"{f:.3f} for gamma {g}" for g, f in factors.items())
    return found.model_copy(update={"note": f"factors {said}"})


def _weighted_fairness(runs: Runs) -> Estimate:
    got = np.mean([shares(run) for run in runs.replicates("weights")], axis=0)
    fair = np.array(jobs.WEIGHTS) / sum(jobs.WEIGHTS)
    distances = zip(jobs.WEIGHTS, got, fair, strict=True)
    return largest({f"alpha {a}": apart(float(o), float(e)) for a, o, e in distances}, 2)


def _equal_rates_any_rtt(runs: Runs) -> Estimate:
    got = np.mean([shares(run) for run in runs.replicates("round trips")], axis=0)
    return largest({f"flow {i + 1}": apart(float(s), 0.25) for i, s in enumerate(got)}, 2)


def _latecomers_2(runs: Runs) -> Estimate:
    return Estimate(ours=float(shares(runs["latecomers", 2])[0]))


def _latecomers_2_queue(runs: Runs) -> Estimate:
    return Estimate(ours=_latecomer_queue(runs, 2))


def _latecomer_queue(runs: Runs, count: int) -> float:
    return mean_queue(runs["latecomers", count]) / (count * TOGETHER_ALPHA)


def _latecomers(count: int, runs: Runs) -> Estimate:
    got, expected = shares(runs["latecomers", count]), theory.latecomer_shares(count)
    named = {
        f"flow {i + 1}": apart(*map(float, pair))
        for i, pair in enumerate(zip(got, expected, strict=True))
    }
    said = ", ".join(f"{share:.3f}" for share in got)
    return Estimate(ours=max(named.values()), note=f"shares {said}")


def _latecomers_queue(runs: Runs) -> Estimate:
    counts = [count for count in jobs.LATECOMERS if count > 2]
    queues = {count: _latecomer_queue(runs, count) for count in counts}
    said = ", ".join(f"{queue:.3f} for {count}" for count, queue in queues.items())
    worst = max(apart(queue, theory.latecomer_queue(count)) for count, queue in queues.items())
    return Estimate(ours=worst, note=f"N alpha times {said}")


def _latecomers_jain(runs: Runs) -> Estimate:
    found = {count: jain(shares(runs["latecomers", count])) for count in jobs.LATECOMERS}
    expected = {count: jain(theory.latecomer_shares(count)) for count in jobs.LATECOMERS}
    said = ", ".join(f"{index:.3f} for {count}" for count, index in found.items())
    return Estimate(ours=max(apart(found[n], expected[n]) for n in found), note=said)


def _true_base_equal(runs: Runs) -> Estimate:
    worst = {}
    for count in jobs.LATECOMERS:
        got = np.mean([shares(run) for run in runs.replicates("together", count)], axis=0)
        worst[f"N = {count}"] = float(np.abs(count * got - 1).max())
    return largest(worst, 2)


def beside_reno(
    runs: Runs, buffer: float, alpha: float, sender: str = "doubling"
) -> tuple[float, float]:
    """Return FAST's share and the mean queue in BDP."""
    done = runs.replicates("against reno", sender, buffer, alpha)
    share = np.mean([shares(run)[0] for run in done])
    queue = np.mean([mean_queue(run) for run in done])
    return float(share), float(queue) / AGAINST_RENO_BDP


def _against_reno(measure: int, sender: str, runs: Runs) -> Estimate:
    worst = {
        f"buffer {b}, alpha {a}": apart(
            beside_reno(runs, b, a, sender)[measure], theory.against_reno(b, a)[measure]
        )
        for b, a in theory.AGAINST_RENO
    }
    return largest(worst, 2)


def _against_reno_even(runs: Runs) -> Estimate:
    found = {f"buffer {b}": beside_reno(runs, b, a)[0] for b, a in theory.EVEN}
    return Estimate(ours=float(np.mean(list(found.values()))), note=format_values(found))


def _overfull_loses(runs: Runs) -> Estimate:
    return mean_of([loss_rate(run) for run in runs.replicates("overfull", "too little")])


def _roomy_loses_nothing(runs: Runs) -> Estimate:
    return mean_of([loss_rate(run) for run in runs.replicates("overfull", "enough")])


def _overfull_oscillates(runs: Runs) -> Estimate:
    swings = {
        room: [window_swing(run) for run in runs.replicates("overfull", room)]
        for room in jobs.FULLNESS
    }
    pairs = zip(swings["too little"], swings["enough"], strict=True)
    return mean_of([crowded / roomy for crowded, roomy in pairs], f"{_means(swings)}")


def _means(values: dict[str, list[float]]) -> str:
    return format_values({name: float(np.mean(each)) for name, each in values.items()})


EQUATION: Makers = makers_by_claim(
    _packet_level,
    _queue_is_sum_of_alpha,
    _queue_independent_of_capacity,
    _full_utilisation,
    _geometric_convergence,
    _weighted_fairness,
    _equal_rates_any_rtt,
    _latecomers_2,
    _latecomers_2_queue,
    _latecomers_queue,
    _latecomers_jain,
    _true_base_equal,
    _against_reno_even,
    _overfull_loses,
    _roomy_loses_nothing,
    _overfull_oscillates,
) | {
    **{f"latecomers-{n}": partial(_latecomers, n) for n in (3, 5, 10)},
    "against-reno-share": partial(_against_reno, 0, "doubling"),
    "against-reno-queue": partial(_against_reno, 1, "doubling"),
    "against-reno-no-doubling": partial(_against_reno, 0, "no-doubling"),
}
