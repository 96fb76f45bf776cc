"""What the study found of flows alone: full paths, one lost packet."""

from __future__ import annotations

from functools import partial

import numpy as np

from headgate.claims import Estimate
from headgate.experiment.estimates import Makers, format_values, makers_by_claim
from headgate.experiment.runs import Runs
from headgate.studies.paths import utilisation
from headgate.studies.senders import measures
from headgate.studies.senders.jobs import SEVEN, TCP

SHALLOW = 0.25
LESS_THAN_TCP = ("scalable", "bic", "hstcp")
HTCP_REDUCTION = (0.2, 0.5)


def _alone(runs: Runs, law: str, *, slow: bool = False, near: bool = False) -> float:
    """Utilisation at the highest rate and longest round trip, or at the lowest or shortest."""
    part = runs.setup.settings["alone"]
    rate = part["rates"][0 if slow else -1]
    return utilisation(runs["alone", law, rate, part["rtts_ms"][0 if near else -1], SHALLOW])


def _tcp_falls_with_rate(runs: Runs) -> Estimate:
    slow, fast = _alone(runs, TCP, slow=True), _alone(runs, TCP)
    return Estimate(ours=slow - fast, note=f"{slow:.3f} and {fast:.3f}")


def _tcp_falls_with_delay(runs: Runs) -> Estimate:
    near, far = _alone(runs, TCP, near=True), _alone(runs, TCP)
    return Estimate(ours=near - far, note=f"{near:.3f} and {far:.3f}")


def _replacements_use_more(runs: Runs) -> Estimate:
    used = {law: _alone(runs, law) for law in (TCP, *runs.setup.has(*SEVEN))}
    more = np.mean([used[law] > used[TCP] for law in SEVEN])
    return Estimate(ours=float(more), note=format_values(used))


def _back_off(law: str, runs: Runs) -> Estimate:
    (law,) = runs.setup.has(law)
    return Estimate(ours=measures.share_kept(runs, law))


def _back_off_htcp(runs: Runs) -> Estimate:
    runs.setup.has("htcp")
    reduced = 1 - measures.share_kept(runs, "htcp")
    low, high = HTCP_REDUCTION
    return Estimate(ours=max(low - reduced, reduced - high, 0.0), note=f"reduced by {reduced:.3f}")


def _less_than_tcp(runs: Runs) -> Estimate:
    left = {law: measures.share_kept(runs, law) for law in (TCP, *runs.setup.has(*LESS_THAN_TCP))}
    return Estimate(
        ours=min(left[law] for law in LESS_THAN_TCP) - left[TCP],
        note=f"kept: {format_values(left)}",
    )


def _recover_sooner(runs: Runs) -> Estimate:
    times = {law: measures.recovery_s(runs, law) for law in (TCP, *runs.setup.has(*SEVEN))}
    slowest = max(times[law] for law in SEVEN)
    return Estimate(ours=times[TCP] / slowest, note=f"seconds: {format_values(times)}")


def _htcp_one_second(runs: Runs) -> Estimate:
    runs.setup.has("htcp")
    htcp, tcp = (measures.window_gain(runs, law) for law in ("htcp", TCP))
    return Estimate(ours=htcp / tcp, note=f"{htcp:.2f} and {tcp:.2f} packets")


ALONE: Makers = makers_by_claim(
    _tcp_falls_with_rate,
    _tcp_falls_with_delay,
    _replacements_use_more,
    _back_off_htcp,
    _less_than_tcp,
    _recover_sooner,
    _htcp_one_second,
) | {
    f"back-off-{law}": partial(_back_off, law)
    for law in (TCP, "scalable", "bic", "hstcp", "cubic", "ctcp", "fast", "fast-at")
}
