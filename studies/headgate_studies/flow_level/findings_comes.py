"""How laws come to rest: the common dynamics, and the theorem by experiment."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from headgate.claims import Estimate, find_largest
from headgate_studies.flow_level import measures, networks, theory
from headgate_studies.flow_level.jobs import GAMMA, first_windows
from headgate_studies.flow_level.solutions import Solutions

Numbers = NDArray[np.float64]
#: From here on a link counts as full, and stays so.
FULL = 1 - 1e-9


def dynamics(made: Solutions, *, law: str) -> Estimate:
    """Find the largest distance of the mean window of many flows from the solution."""
    part = made.setup.settings["approach"]
    rest = theory.printed_window(law, part["loss"])
    return find_largest(
        {
            f"from {first} packets": _farthest(
                measures.approach(made, law, first), made.approaches[law, first], rest
            )
            for first in first_windows(made.setup, law)
        }
    )


def _farthest(ours: tuple[Numbers, Numbers], fluid: tuple[Numbers, Numbers], rest: float) -> float:
    """Return the largest distance from the solution, once data are under way."""
    t_s, window = ours
    kept = np.isfinite(window) & (t_s > 0)
    return float(np.abs(window - np.interp(t_s, *fluid))[kept].max() / rest)


def dynamics_of_one(made: Solutions, *, burstiness: str) -> Estimate:
    """Find the largest distance of one FAST flow's window from the solution."""
    t_s, window = measures.alone(made, burstiness)
    fluid_s, fluid = made.alone[burstiness]
    kept = np.isfinite(window) & (t_s > 0)
    off = np.abs(window - np.interp(t_s, fluid_s, fluid))[kept] / fluid[-1]
    return Estimate(ours=float(off.max()), note=f"at {t_s[kept][off.argmax()]:.1f} s")


def contraction(made: Solutions, *, names: list[str]) -> Estimate:
    """Find the greatest ratio of distances from rest after and before an update."""
    return find_largest(
        {networks.EVERY[n].title: float(made.convergence[n].worst_ratio.max()) for n in names}
    )


def contraction_of_full_pairs(made: Solutions) -> Estimate:
    """Find the greatest ratio of two starts' distances after and before an update, link full."""
    found = made.convergence["one"]
    full = found.full_pair_ratio[np.isfinite(found.full_pair_ratio)]
    still = int((found.pair_ratio >= 1 - 1e-6).sum())
    said = f"{len(full)} pairs; as far apart as before, neither filling it, {still}"
    return Estimate(ours=float(full.max()), note=said)


def convergence_rate(made: Solutions) -> Estimate:
    """Find the largest distance of the slowest factor from the spectral radius."""
    off, said = {}, []
    for name, found in made.convergence.items():
        rate = float(np.nanmax(found.rate))
        off[networks.EVERY[name].title] = abs(rate / found.linear_rate - 1)
        said.append(f"{rate:.4f} for {found.linear_rate:.4f}")
    return find_largest(off, 2).model_copy(update={"note": ", ".join(said)})


def distance_left(made: Solutions) -> Estimate:
    """Find the largest distance from rest that is left of any start."""
    left = {
        networks.EVERY[name].title: float(found.distance[:, -1].max())
        for name, found in made.convergence.items()
    }
    updates = {n: found.distance.shape[1] - 1 for n, found in made.convergence.items()}
    told = ", ".join(f"{updates[n]} ({networks.EVERY[n].title})" for n in updates)
    return Estimate(ours=max(left.values()), note=f"updates needed: {told}")


def bound(windows: Numbers) -> int:
    """Return after how many updates the one link is full, at the latest."""
    row = networks.ONE
    rtts_s = np.array([one.rtt_ms / 1e3 for one in row.classes.values()])
    alpha = np.array([one.alpha for one in row.classes.values()])
    missing = row.rates()[0] - (windows / rtts_s).sum()
    return int(np.ceil(missing / (GAMMA * (alpha / rtts_s).sum())))


def first_full(used: Numbers) -> float:
    """Return after how many updates the link is first full; infinite if it never is."""
    full = np.flatnonzero(used >= FULL)
    return float(full[0]) if full.size else math.inf


def updates_until_full(made: Solutions) -> Estimate:
    """Find the most updates until the link is full, over their bound."""
    needed = [first_full(used) for used, _ in made.filling]
    bounds = [bound(windows[0]) for _, windows in made.filling]
    each = [ours / most for ours, most in zip(needed, bounds, strict=True)]
    return Estimate(ours=max(each), note=f"{min(needed):g} to {max(needed):g} updates")


def use_once_full(made: Solutions) -> Estimate:
    """Find the least utilisation once the link was full; 0 if it never is."""
    least = [
        float(used[int(full) :].min()) if math.isfinite(full) else 0.0
        for used, _ in made.filling
        for full in [first_full(used)]
    ]
    return Estimate(ours=min(least))


def rate_spread(made: Solutions) -> Estimate:
    """Find the largest distance of a rate from the mean."""
    each = measures.rates(made["windows",])
    first = made.setup.settings["windows"]["first"]
    return find_largest(
        {f"from {w}": abs(float(x / each.mean()) - 1) for w, x in zip(first, each, strict=True)}
    )


def window_factor(made: Solutions) -> Estimate:
    """Fit the factor by which windows near their rest at an update."""
    return Estimate(ours=measures.factor(made))
