"""The findings of the study: functions that its claims name."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from headgate.claims import Estimate, compute_relative_error, estimate_mean, find_largest
from headgate.stats import compute_mean_interval
from headgate_studies.flow_level import measures, networks, theory
from headgate_studies.flow_level.jobs import GAMMA, LOSSY, cases, first_windows
from headgate_studies.flow_level.solutions import Points, Solutions

KINDS = ("periodic", "random")
Numbers = NDArray[np.float64]
#: From here on a link counts as full, and stays so.
FULL = 1 - 1e-9


def points(made: Solutions, cca: str, kind: str) -> Points:
    """Return price and window (of delays: rate) of an algorithm, by solution or by packets."""
    if kind == "solution":
        return made.rests[cca]
    if cca in LOSSY:
        return measures.points(made, kind, cca)
    found = [measures.mean_delay(made, cca, *case) for case in cases(made.setup)]
    return [wait for wait, _ in found], [rate for _, rate in found]


def exponent(made: Solutions, *, cca: str, kind: str) -> Estimate:
    """Fit the power of the price at rest."""
    prices, found = points(made, cca, kind)
    fit = theory.power(prices, found)
    note = f"{len(prices)} points, p from {min(prices):.2g} to {max(prices):.2g}"
    return Estimate(ours=fit.exponent, ci=(fit.low, fit.high), note=note)


def alpha(made: Solutions, *, cca: str, kind: str, exponent: float | None = None) -> Estimate:
    """Fit the factor of the power; the exponent is that of the slides unless it is given."""
    power = theory.PRINTED[cca][0] if exponent is None else exponent
    prices, found = points(made, cca, kind)
    ours = theory.constant(prices, found, power)
    if kind != "random":
        return Estimate(ours=ours, note=_each(prices, found, power))
    means = measures.means(made, kind, cca)
    note = _each(list(means), list(means.values()), power)
    seeds = made.setup.seeds
    own = [theory.constant(*points(made.only(seed), cca, kind), power) for seed in seeds]
    return Estimate(
        ours=ours, ci=compute_mean_interval(own)[1:] if len(seeds) > 1 else None, note=note
    )


def _each(prices: list[float], found: list[float], exponent: float) -> str:
    listed = [f"{value * p**exponent:.4g} at {p:g}" for p, value in zip(prices, found, strict=True)]
    return ", ".join(listed)


def alpha_by_delay(made: Solutions, *, cca: str) -> Estimate:
    """Return rate times queueing delay over alpha (of Vegas: the middle of its bounds)."""
    waits, rates = points(made, cca, "packets")
    each = np.array(waits) * np.array(rates) / made.setup.settings["delay"]["alpha"]
    note = f"from {each.min():.3f} to {each.max():.3f}"
    return Estimate(ours=float(np.exp(np.log(each).mean())), note=note)


def rounds(made: Solutions, *, kind: str) -> Estimate:
    """Find the largest distance of a window from that of cycles round by round."""
    off = {
        f"{cca} at {p:g}": compute_relative_error(
            w, theory.mean_window(cca, p, random=kind == "random")
        )
        for cca in LOSSY
        for p, w in measures.means(made, kind, cca).items()
    }
    return find_largest(off, digits=2)


def dynamics(made: Solutions, *, cca: str) -> Estimate:
    """Find the largest distance of the mean window of many flows from the solution."""
    part = made.setup.settings["approach"]
    rest = theory.printed_window(cca, part["loss"])
    return find_largest(
        {
            f"from {first} packets": _farthest(
                measures.approach(made, cca, first), made.approaches[cca, first], rest
            )
            for first in first_windows(made.setup, cca)
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
    listed = ", ".join(f"{updates[n]} ({networks.EVERY[n].title})" for n in updates)
    return Estimate(ours=max(left.values()), note=f"updates needed: {listed}")


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


def _off(made: Solutions, rates: Callable[[str], Numbers]) -> dict[str, float]:
    return {
        f"{cls} of {row.title}": abs(float(ours / best) - 1)
        for name, row in networks.ROWS.items()
        for cls, ours, best in zip(row.names, rates(name), made.fairest[name], strict=True)
    }


def closed_form(made: Solutions) -> Estimate:
    """Find the largest distance of a rate at greatest utility from the closed form."""
    links = len(networks.EVEN.rates_mbps)
    part = networks.EVEN.rates()[0] / (links + 1)
    closed = np.array([part, *[links * part] * links])
    return Estimate(ours=float(np.abs(made.fairest["even"] / closed - 1).max()))


def solved_shares(made: Solutions) -> Estimate:
    """Find the largest distance of a solved rate from that of greatest utility."""
    return find_largest(_off(made, lambda name: made.settled[name]), digits=2)


def packet_shares(made: Solutions) -> Estimate:
    """Find the largest distance of a rate by packets from that of greatest utility."""
    return find_largest(_off(made, lambda name: measures.by_class(made, name, "fast")), digits=2)


def variation(made: Solutions) -> Estimate:
    """Find the greatest gain of other rates over those by packets."""
    return find_largest(
        {
            row.title: measures.greatest_gain(row, measures.by_class(made, name, "fast"))
            for name, row in networks.ROWS.items()
        }
    )


def rate_ratio(made: Solutions, *, cca: str, over: str, under: str) -> Estimate:
    """Compare the rates of two classes."""
    return estimate_mean(measures.ratio(made, cca, over, under))


def reno_windows(made: Solutions) -> Estimate:
    """Compare Reno's rate times round trip with a short round trip and with a long one."""
    names = networks.UNEVEN.names
    near, far = (made.reno["uneven"][names.index(name)] for name in ("near", "far"))
    rates = float(np.mean(measures.ratio(made, "reno", "near", "far")))
    note = f"rates {rates:.3g} to 1; {near / far:.3g} at greatest utility, without queues"
    return estimate_mean(measures.window_ratio(made, "reno", "near", "far"), note)
