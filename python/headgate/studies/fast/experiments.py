"""Findings about experiments that others made: long fat paths, KAIST, DSL, losses, SC2004."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

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
)
from headgate.experiment.runs import Runs
from headgate.studies.fast import jobs, theory
from headgate.studies.fast.measures import (
    dsl_rtt_s,
    long_fat_losses,
    oc192_loss,
    queue_share,
    random_losses,
    random_utilisation,
    start_queue,
)
from headgate.studies.paths import course, goodput_bps, jain, shares, utilisation


def _long_fat_95(runs: Runs) -> Estimate:
    return Estimate(ours=utilisation(runs["long fat", "fast", 0.0, runs.setup.seeds[0]]))


def _long_fat_above_reno(runs: Runs) -> Estimate:
    ratios = {}
    for loss in long_fat_losses(runs):
        fast, reno = (
            np.mean([goodput_bps(run) for run in runs.replicates("long fat", law, loss)])
            for law in ("fast", "reno")
        )
        ratios[f"p = {loss:g}"] = float(fast / reno)
    return least(ratios)


def _two_gbit_92(runs: Runs) -> Estimate:
    return Estimate(ours=utilisation(runs["two gbit",]))


def _oc192(runs: Runs) -> dict[str, float]:
    loss = oc192_loss(runs)
    laws = runs.setup.has(*jobs.OC192_LAWS)
    return {law: utilisation(runs["oc192", law, loss]) for law in laws}


def _oc192_order(runs: Runs) -> Estimate:
    used = _oc192(runs)
    ratio = min(used[above] / used[below] for below, above in pairwise(jobs.OC192_LAWS))
    return Estimate(ours=ratio, note=format_values(used))


def _oc192_reno_last(runs: Runs) -> Estimate:
    used = _oc192(runs)
    return least({law: used[law] / used["reno"] for law in used if law != "reno"})


def _oc192_fast_first(runs: Runs) -> Estimate:
    used = _oc192(runs)
    return least({law: used["fast"] / used[law] for law in used if law != "fast"})


def _kaist(runs: Runs, *laws: str) -> dict[str, Result]:
    return {law: runs["kaist", law] for law in runs.setup.has(*laws)}


def _kaist_throughput(runs: Runs) -> Estimate:
    done = _kaist(runs, "bic", "fast", "hstcp", "scalable")
    return least({law: utilisation(run) for law, run in done.items()})


def _kaist_reno(runs: Runs) -> Estimate:
    reno = utilisation(runs["kaist", "reno"])
    done = _kaist(runs, "bic", "fast", "hstcp", "scalable")
    found = least({law: utilisation(run) / reno for law, run in done.items()})
    return found.model_copy(update={"note": f"reno {reno:.3g}; ratios: {found.note}"})


def _kaist_fast_queue(runs: Runs) -> Estimate:
    return Estimate(ours=queue_share(runs["kaist", "fast"]))


def _kaist_loss_based_fill(runs: Runs) -> Estimate:
    done = _kaist(runs, "bic", "hstcp", "scalable")
    return least({law: queue_share(run) for law, run in done.items()})


def _jain(runs: Runs) -> dict[str, float]:
    laws = runs.setup.has(*jobs.JAIN_LAWS)
    return {
        law: float(np.mean([jain(shares(run)) for run in runs.replicates("jain", law)]))
        for law in laws
    }


def _jain_fast_first(runs: Runs) -> Estimate:
    index = _jain(runs)
    others = max(value for law, value in index.items() if law != "fast")
    return Estimate(ours=index["fast"] - others, note=format_values(index))


def _jain_scalable_last(runs: Runs) -> Estimate:
    index = _jain(runs)
    others = min(value for law, value in index.items() if law != "scalable")
    return Estimate(ours=others - index["scalable"], note=format_values(index))


def _dsl_fast(rtt_ms: int, runs: Runs) -> Estimate:
    return Estimate(ours=dsl_rtt_s(runs["dsl", "fast", rtt_ms]))


def _dsl_reno(rtt_ms: int, runs: Runs) -> Estimate:
    _, rtt = course(runs["dsl", "reno", rtt_ms], "reno", "srtt_s")
    return Estimate(ours=float(np.nanmax(rtt)))


def _dsl_fast_below_reno(runs: Runs) -> Estimate:
    ratios = {
        f"{rtt} ms": dsl_rtt_s(runs["dsl", "fast", rtt]) / dsl_rtt_s(runs["dsl", "reno", rtt])
        for rtt in jobs.DSL_RTTS_MS
    }
    return largest(ratios)


def _random_loss(rate: str, sender: str, runs: Runs) -> Estimate:
    table = theory.RANDOM_LOSS[rate]["doubling" if sender == "doubling" else "no-doubling"]
    worst, said = {}, []
    for loss in random_losses(runs):
        if loss in table:
            ours = random_utilisation(runs, rate, sender, loss)
            worst[f"p = {loss:g}"] = apart(ours, table[loss]) / theory.tolerance(loss)
            said.append(f"{ours:.3g} for {table[loss]:g} at {loss:g}")
    return Estimate(ours=max(worst.values()), note=", ".join(said))


def _wireless_above_reno(runs: Runs) -> Estimate:
    rate = "100 Mbit/s"
    return least(
        {
            f"p = {loss:g}": random_utilisation(runs, rate, "doubling", loss)
            / random_utilisation(runs, rate, "reno", loss)
            for loss in random_losses(runs)
        }
    )


def _burstiness_start(runs: Runs) -> Estimate:
    queues = {kind: start_queue(runs["burstiness", kind]) for kind in jobs.BURSTINESS}
    return Estimate(ours=queues["pace"] / queues["none"], note=f"packets: {format_values(queues)}")


def _burstiness_throughput(runs: Runs) -> Estimate:
    rates = {kind: goodput_bps(runs["burstiness", kind]) for kind in jobs.BURSTINESS}
    return Estimate(ours=rates["pace"] / rates["none"])


def _sc2004_rate(_: Runs) -> Estimate:
    return Estimate(ours=8 * 2881e9 / 3600 / 1e9)


def _sc2004_product(_: Runs) -> Estimate:
    return Estimate(ours=6.86e9 * 25_280e3 / 1e15)


EXPERIMENTS: Makers = makers_by_claim(
    _long_fat_95,
    _long_fat_above_reno,
    _two_gbit_92,
    _oc192_order,
    _oc192_reno_last,
    _oc192_fast_first,
    _kaist_throughput,
    _kaist_reno,
    _kaist_fast_queue,
    _kaist_loss_based_fill,
    _jain_fast_first,
    _jain_scalable_last,
    _dsl_fast_below_reno,
    _wireless_above_reno,
    _burstiness_start,
    _burstiness_throughput,
    _sc2004_rate,
    _sc2004_product,
) | {
    **{f"dsl-fast-{rtt}": partial(_dsl_fast, rtt) for rtt in jobs.DSL_RTTS_MS},
    **{f"dsl-reno-{rtt}": partial(_dsl_reno, rtt) for rtt in jobs.DSL_RTTS_MS},
    **{
        f"random-loss-{short}-{sender}": partial(_random_loss, rate, sender)
        for short, rate in (("100m", "100 Mbit/s"), ("1g", "1 Gbit/s"))
        for sender in ("doubling", "no-doubling", "paper")
    },
}
