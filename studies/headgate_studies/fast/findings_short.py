"""Findings about buffers of a tenth of the path to all of it."""

from __future__ import annotations

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
from headgate_studies.paths import loss_rate, mean_queue, shares, utilisation


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
