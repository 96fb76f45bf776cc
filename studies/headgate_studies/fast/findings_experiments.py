"""Findings about experiments that others made: long fat paths, KAIST, DSL, losses, SC2004."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import numpy as np

from headgate import Result
from headgate.claims import (
    Estimate,
    compute_relative_error,
    find_largest,
    find_least,
    format_values,
)
from headgate.lab import Runs
from headgate_studies.fast import jobs, theory
from headgate_studies.fast.measures import (
    burst_loss,
    dsl_rtt_s,
    long_fat_losses,
    oc192_utilisation,
    random_losses,
    random_utilisation,
    start_queue,
)
from headgate_studies.paths import (
    course,
    goodput_bps,
    jain,
    mean_of,
    queue_share,
    shares,
    utilisation,
)


def long_fat_use(runs: Runs) -> Estimate:
    """Give the utilisation of one FAST flow without residual loss."""
    return Estimate(ours=utilisation(runs["long fat", "fast", 0.0, runs.setup.seeds[0]]))


def long_fat_ratio(runs: Runs) -> Estimate:
    """Find the least ratio of FAST's goodput to Reno's."""
    ratios = {}
    for loss in long_fat_losses(runs):
        fast, reno = (
            mean_of(goodput_bps, runs.replicates("long fat", cca, loss)) for cca in ("fast", "reno")
        )
        ratios[f"p = {loss:g}"] = float(fast / reno)
    return find_least(ratios)


def two_gbit_use(runs: Runs) -> Estimate:
    """Give the utilisation of two FAST flows."""
    return Estimate(ours=utilisation(runs["two gbit",]))


def _oc192(runs: Runs, buffer: float) -> dict[str, float]:
    ccas = runs.setup.has(*runs.setup.settings["oc192_ccas"])
    return {cca: oc192_utilisation(runs, cca, jobs.OC192_CLAIMED_LOSS, buffer) for cca in ccas}


def oc192_order_of(runs: Runs, *, form: str, alpha: int) -> Estimate:
    """Find the least ratio of neighbours in that order with FAST in another form."""
    done = runs.replicates("oc192 forms", form, alpha)
    used = _oc192(runs, 1.0) | {"fast": mean_of(utilisation, done)}
    ratio = min(used[above] / used[below] for below, above in pairwise(used))
    return Estimate(ours=ratio, note=format_values(used))


def oc192_order(runs: Runs, *, buffer: float) -> Estimate:
    """Find the least ratio of neighbours in the order of the source."""
    used = _oc192(runs, buffer)
    ratio = min(used[above] / used[below] for below, above in pairwise(used))
    return Estimate(ours=ratio, note=format_values(used))


def oc192_over_reno(runs: Runs, *, buffer: float) -> Estimate:
    """Find the least ratio of a utilisation to Reno's."""
    used = _oc192(runs, buffer)
    return find_least({cca: used[cca] / used["reno"] for cca in used if cca != "reno"})


def oc192_below_fast(runs: Runs, *, buffer: float) -> Estimate:
    """Find the least ratio of FAST's utilisation to another's."""
    used = _oc192(runs, buffer)
    return find_least({cca: used["fast"] / used[cca] for cca in used if cca != "fast"})


def sc2004_rate(runs: Runs) -> Estimate:
    """Give what the flows of the record carry together, in Gbit/s."""
    run = runs["sc2004",]
    return Estimate(ours=goodput_bps(run) / 1e9, note=f"utilisation {utilisation(run):.3f}")


def _kaist(runs: Runs, *ccas: str) -> dict[str, Result]:
    return {cca: runs["kaist", cca] for cca in runs.setup.has(*ccas)}


def kaist_least(
    runs: Runs, *, of: Literal["utilisation", "queue_share"], ccas: list[str]
) -> Estimate:
    """Find the least of a measure over algorithms."""
    measure = {"utilisation": utilisation, "queue_share": queue_share}[of]
    return find_least({cca: measure(run) for cca, run in _kaist(runs, *ccas).items()})


def kaist_use(runs: Runs, *, cca: str) -> Estimate:
    """Give the utilisation of one algorithm."""
    return Estimate(ours=utilisation(runs["kaist", cca]))


def kaist_queue(runs: Runs, *, cca: str) -> Estimate:
    """Give a mean queue as a share of the buffer."""
    return Estimate(ours=queue_share(runs["kaist", cca]))


def bursts_lost(runs: Runs, *, ccas: list[str]) -> Estimate:
    """Subtract what bursts lose beside FAST from the least that they lose beside other CCAs."""
    lost = {cca: mean_of(burst_loss, runs.replicates("bursts", cca)) for cca in ccas}
    fast = mean_of(burst_loss, runs.replicates("bursts", "fast"))
    found = find_least({cca: share - fast for cca, share in lost.items()})
    return found.model_copy(update={"note": f"beside fast {fast:.3g}; {format_values(lost)}"})


def _jain(runs: Runs) -> dict[str, float]:
    ccas = runs.setup.has(*runs.setup.settings["jain_ccas"])
    return {
        cca: float(np.mean([jain(shares(run)) for run in runs.replicates("jain", cca)]))
        for cca in ccas
    }


def fairness_above(runs: Runs, *, cca: str) -> Estimate:
    """Compare Jain's index of an algorithm with the largest of the others."""
    index = _jain(runs)
    others = max(value for name, value in index.items() if name != cca)
    return Estimate(ours=index[cca] - others, note=format_values(index))


def fairness_below(runs: Runs, *, cca: str) -> Estimate:
    """Compare Jain's index of an algorithm with the least of the others."""
    index = _jain(runs)
    others = min(value for name, value in index.items() if name != cca)
    return Estimate(ours=others - index[cca], note=format_values(index))


def dsl_mean_rtt(runs: Runs, *, rtt_ms: int) -> Estimate:
    """Give the mean round trip under FAST."""
    return Estimate(ours=dsl_rtt_s(runs["dsl", "fast", rtt_ms]))


def dsl_largest_rtt(runs: Runs, *, rtt_ms: int) -> Estimate:
    """Give the largest smoothed round trip under Reno."""
    _, rtt = course(runs["dsl", "reno", rtt_ms], "reno", "srtt_s")
    return Estimate(ours=float(np.nanmax(rtt)))


def dsl_ratio(runs: Runs) -> Estimate:
    """Find the larger ratio of mean round trips, FAST over Reno."""
    ratios = {
        f"{rtt} ms": dsl_rtt_s(runs["dsl", "fast", rtt]) / dsl_rtt_s(runs["dsl", "reno", rtt])
        for rtt in runs.setup.settings["dsl_rtts_ms"]
    }
    return find_largest(ratios)


def random_loss(runs: Runs, *, rate: str, sender: str, most: float = 1.0) -> Estimate:
    """Find the largest distance from the derived table, in units of its tolerance."""
    table = theory.RANDOM_LOSS[rate]["doubling" if sender == "doubling" else "no-doubling"]
    worst, said = {}, []
    for loss in random_losses(runs):
        if loss in table and loss <= most:
            ours = random_utilisation(runs, rate, sender, loss)
            worst[f"p = {loss:g}"] = compute_relative_error(ours, table[loss]) / theory.tolerance(
                loss
            )
            said.append(f"{ours:.3g} for {table[loss]:g} at {loss:g}")
    return Estimate(ours=max(worst.values()), note=", ".join(said))


def random_loss_ratio(runs: Runs) -> Estimate:
    """Find the least ratio of FAST's utilisation to Reno's under random loss."""
    rate = "100 Mbit/s"
    return find_least(
        {
            f"p = {loss:g}": random_utilisation(runs, rate, "paper", loss)
            / random_utilisation(runs, rate, "reno", loss)
            for loss in random_losses(runs)
        }
    )


def start_ratio(runs: Runs) -> Estimate:
    """Compare the largest queues of the start, paced over at once."""
    queues = {
        kind: start_queue(runs["burstiness", kind])
        for kind in runs.setup.settings["burstiness_kinds"]
    }
    return Estimate(ours=queues["pace"] / queues["none"], note=f"packets: {format_values(queues)}")


def goodput_ratio(runs: Runs) -> Estimate:
    """Compare goodputs, paced over at once."""
    rates = {
        kind: goodput_bps(runs["burstiness", kind])
        for kind in runs.setup.settings["burstiness_kinds"]
    }
    return Estimate(ours=rates["pace"] / rates["none"])
