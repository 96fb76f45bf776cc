"""Where laws rest: exponents and alpha, by solutions and by packets."""

from __future__ import annotations

import numpy as np

from headgate.claims import Estimate, compute_relative_error, find_largest
from headgate.stats import compute_mean_interval
from headgate_studies.flow_level import fits, measures, theory
from headgate_studies.flow_level.jobs import LOSSY, cases
from headgate_studies.flow_level.solutions import Points, Solutions

KINDS = ("periodic", "random")


def points(made: Solutions, law: str, kind: str) -> Points:
    """Return price and window (of delays: rate) of a law, by solution or by packets."""
    if kind == "solution":
        return made.rests[law]
    if law in LOSSY:
        return measures.points(made, kind, law)
    found = [measures.mean_delay(made, law, *case) for case in cases(made.setup)]
    return [wait for wait, _ in found], [rate for _, rate in found]


def exponent(made: Solutions, *, law: str, kind: str) -> Estimate:
    """Fit the power of the price at rest."""
    prices, found = points(made, law, kind)
    fit = fits.power(prices, found)
    note = f"{len(prices)} points, p from {min(prices):.2g} to {max(prices):.2g}"
    return Estimate(ours=fit.exponent, ci=(fit.low, fit.high), note=note)


def alpha(made: Solutions, *, law: str, kind: str, exponent: float | None = None) -> Estimate:
    """Fit what stands before the power; that of the slides unless it is said."""
    power = theory.PRINTED[law][0] if exponent is None else exponent
    prices, found = points(made, law, kind)
    ours = fits.constant(prices, found, power)
    if kind != "random":
        return Estimate(ours=ours, note=_each(prices, found, power))
    means = measures.means(made, kind, law)
    note = _each(list(means), list(means.values()), power)
    seeds = made.setup.seeds
    own = [fits.constant(*points(made.only(seed), law, kind), power) for seed in seeds]
    return Estimate(
        ours=ours, ci=compute_mean_interval(own)[1:] if len(seeds) > 1 else None, note=note
    )


def _each(prices: list[float], found: list[float], exponent: float) -> str:
    told = [f"{value * p**exponent:.4g} at {p:g}" for p, value in zip(prices, found, strict=True)]
    return ", ".join(told)


def alpha_by_delay(made: Solutions, *, law: str) -> Estimate:
    """Return rate times queueing delay over alpha (of Vegas: the middle of its bounds)."""
    waits, rates = points(made, law, "packets")
    each = np.array(waits) * np.array(rates) / made.setup.settings["delay"]["alpha"]
    note = f"from {each.min():.3f} to {each.max():.3f}"
    return Estimate(ours=float(np.exp(np.log(each).mean())), note=note)


def rounds(made: Solutions, *, kind: str) -> Estimate:
    """Find the largest distance of a window from that of cycles round by round."""
    off = {
        f"{law} at {p:g}": compute_relative_error(
            w, theory.mean_window(law, p, random=kind == "random")
        )
        for law in LOSSY
        for p, w in measures.means(made, kind, law).items()
    }
    return find_largest(off, digits=2)
