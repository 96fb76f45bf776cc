"""What the study found of random loss."""

from __future__ import annotations

import numpy as np

from headgate.claims import Estimate, compute_relative_error, estimate_mean, format_values
from headgate.lab import NotRunError, Runs
from headgate_studies.paths import bdp_packets, utilisation
from headgate_studies.senders import measures, theory
from headgate_studies.senders.jobs import TCP

SLOW, FAST = "100 Mbit/s", "1 Gbit/s"
EXPONENT_LOSSES = (1e-5, 1e-3)


def largest_departure(runs: Runs, *, rate: str, law: str) -> Estimate:
    """Find the largest distance of utilisation from the model's, in units of its tolerance."""
    runs.setup.has(law)
    table = theory.RANDOM_LOSS[rate][law]
    return _farthest(_used(runs, rate, law, table), table)


def largest_delayed_departure(runs: Runs) -> Estimate:
    """Find that of BIC with delayed ACKs."""
    runs.setup.has("bic")
    table = theory.RANDOM_LOSS[SLOW]["bic"]
    compared = [loss for loss in measures.losses(runs, SLOW) if loss in table]
    used = {
        loss: float(np.mean([utilisation(r) for r in runs.replicates("random loss delayed", loss)]))
        for loss in compared
    }
    return _farthest(used, table)


def _used(runs: Runs, rate: str, law: str, table: theory.Table) -> theory.Table:
    """Return mean utilisation at the losses of a table."""
    compared = [loss for loss in measures.losses(runs, rate) if loss in table]
    return {loss: float(np.mean(measures.lossy(runs, rate, law, loss))) for loss in compared}


def _farthest(used: theory.Table, table: theory.Table) -> Estimate:
    worst = max(
        compute_relative_error(used[loss], table[loss]) / theory.tolerance(loss) for loss in used
    )
    return Estimate(ours=worst, note=_beside(used, table))


def _beside(used: theory.Table, table: theory.Table) -> str:
    return ", ".join(f"{used[p]:.3g} for {table[p]:g} at {p:g}" for p in used)


def largest_over_bound(runs: Runs, *, rate: str, law: str) -> Estimate:
    """Find the largest utilisation over the model's bound."""
    runs.setup.has(law)
    bound = theory.RANDOM_LOSS[rate][law]
    used = _used(runs, rate, law, bound)
    ratio = max(used[p] / (bound[p] * (1 + theory.tolerance(p))) for p in used)
    return Estimate(ours=ratio, note=_beside(used, bound))


def farthest_use(runs: Runs, *, rate: str, law: str, expected: float) -> Estimate:
    """Find the utilisation that is farthest from the one expected at every loss."""
    runs.setup.has(law)
    compared = [loss for loss in measures.losses(runs, rate) if loss <= 1e-2]
    used = {loss: measures.lossy(runs, rate, law, loss) for loss in compared}
    farthest = max(compared, key=lambda loss: abs(np.mean(used[loss]) - expected))
    said = format_values({f"{loss:g}": float(np.mean(each)) for loss, each in used.items()})
    return estimate_mean(used[farthest], f"at {farthest:g}; {said}")


def square_root_constant(runs: Runs) -> Estimate:
    """Find the mean of window times square root of loss where TCP uses half of the path at most."""
    kept = [loss for loss in measures.losses(runs, SLOW) if loss <= 1e-3]
    unused = [p for p in kept if np.mean(measures.lossy(runs, SLOW, TCP, p)) <= 0.5]
    if not unused:
        raise NotRunError("at no loss up to 1e-3 half of the path is unused")
    bdp = bdp_packets(100e6, 0.1) / measures.PAYLOAD
    windows = {p: measures.lossy_goodput(runs, SLOW, TCP, p) / 100e6 * bdp * p**0.5 for p in unused}
    mean = float(np.exp(np.mean(np.log(list(windows.values())))))
    return Estimate(ours=mean, note=format_values({f"{p:g}": w for p, w in windows.items()}))


def loss_exponent(runs: Runs, *, law: str) -> Estimate:
    """Fit the power of loss that goodput goes with."""
    runs.setup.has(law)
    low, high = EXPONENT_LOSSES
    chosen = [p for p in measures.losses(runs, FAST) if low <= p <= high]
    rates = [measures.lossy_goodput(runs, FAST, law, p) for p in chosen]
    slope = np.polyfit(np.log(chosen), np.log(rates), 1)[0]
    return Estimate(ours=-float(slope))
