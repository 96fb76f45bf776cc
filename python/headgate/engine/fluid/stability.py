"""Stability of a model's equilibrium: by linear theory with its delays, and by simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from headgate.base import catalog
from headgate.base.errors import ScenarioError
from headgate.engine.fluid.characteristic import Complex, Margins, Numbers
from headgate.engine.fluid.methods import Adaptive
from headgate.engine.fluid.params import Params
from headgate.engine.fluid.rest import at_rest
from headgate.engine.fluid.solve import Network

Way = Literal["theory", "simulation"]

#: How long a model is solved to find its equilibrium.
SETTLE = "200 s"
#: Frequencies of a result's loop, in parts of one over the longest delay.
FREQUENCIES = (1e-2, 1e2, 2000)

#: A simulation starts from a perturbation of the equilibrium, relative to it, and runs for a number
#: of the longest delays: near the boundary an oscillation grows by less than a hundredth in each.
KICK = 1e-4
DELAYS = 250.0
ROWS = 2500
TOLERANCE = 1e-10
#: A deviation that has changed by this factor has left the range between large and rounding. The
#: greatest deviations in two parts of the time until then are compared.
FAR = 300.0
EARLY, LATE = (0.3, 0.5), (0.8, 1.0)
LEAST_ROWS = 10
#: A boundary is found to this part of the parameter.
CLOSE = 1e-4


@dataclass(frozen=True)
class Stability:
    """A model linearised about its equilibrium."""

    model: str
    #: The equilibrium: the state of the model's equations, and what classes and links show there.
    state: Numbers
    rest: Mapping[str, Numbers]
    delays_s: Numbers
    #: The rightmost characteristic roots, 1/s.
    roots: Complex
    #: Number of roots right of the imaginary axis (argument principle); None with one at zero.
    unstable_roots: int | None
    #: The open loop, cut where the past comes in, at frequencies; its margins if there is one loop.
    rad_s: Numbers
    loop: Complex
    margins: Margins | None
    #: Switches whose boundary the equilibrium lies on: linear theory holds on one side only.
    edges: tuple[int, ...]

    @property
    def growth_per_s(self) -> float:
        """Rate at which a small perturbation grows (1/s); negative where it decays."""
        return float(self.roots[0].real)

    @property
    def stable(self) -> bool:
        """Whether every small perturbation decays."""
        return self.growth_per_s < 0.0


def analyse_stability(
    model: str,
    params: Params | None = None,
    *,
    network: Network | None = None,
    at: ArrayLike | None = None,
    settle: str = SETTLE,
) -> Stability:
    """Linearise a model about its equilibrium; return its roots, its loop and its margins.

    The equilibrium is found by solving for the time `settle` and then by Newton's method; `at` is a
    guess of the state, in the model's order, for an equilibrium that no solution approaches.
    `params` and `network` are those of `solve`. Raises CatalogError or ScenarioError, also where
    the equations have a kink at the equilibrium.
    """
    rest = at_rest(model, params or {}, network, at, settle)
    low, high, count = FREQUENCIES
    rad_s = np.geomspace(low, high, count) / rest.system.time_s
    return Stability(
        model=catalog.model(model).name,
        state=rest.state,
        rest=rest.show(),
        delays_s=rest.system.delays_s,
        roots=rest.system.roots(),
        unstable_roots=rest.system.unstable(),
        rad_s=rad_s,
        loop=rest.system.loop(rad_s),
        margins=rest.system.margins(),
        edges=rest.edges,
    )


def simulate_growth(  # noqa: PLR0913 - each is a quantity of its own
    model: str,
    params: Params | None = None,
    *,
    network: Network | None = None,
    at: ArrayLike | None = None,
    settle: str = SETTLE,
    seed: int = 1,
) -> float:
    """Measure the rate at which a small perturbation of the equilibrium grows (1/s), by solving.

    The full equations are solved, with empty queues and limited windows. The rate is exact near a
    stability boundary, where many oscillations are seen, and coarse where they die out at once;
    minus infinity where nothing moves. `seed` chooses the perturbation. Raises the errors of
    `stability`.
    """
    rest = at_rest(model, params or {}, network, at, settle, Adaptive(TOLERANCE))
    duration_s = DELAYS * rest.system.time_s
    kick = rest.basis @ np.random.default_rng(seed).uniform(-1.0, 1.0, rest.basis.shape[1])
    facts = rest.run(1.0 + KICK * kick, duration_s=duration_s, every_s=duration_s / ROWS)
    apart = _deviation(facts, rest.show())
    return _growth(apart, duration_s / ROWS)


def find_stability_boundary(  # noqa: PLR0913 - each is a quantity of its own
    model: str,
    name: str,
    between: tuple[float, float],
    params: Params | None = None,
    *,
    network: Network | None = None,
    by: Way = "theory",
    close: float = CLOSE,
    settle: str = SETTLE,
) -> float:
    """Find the value of a parameter at which a model turns from stable to unstable, or back.

    `name` is the parameter, `between` an interval of its values; `by` is "theory" (linear) or
    "simulation" of the full equations; `close` is the relative tolerance. Raises the errors of
    `stability`, and ScenarioError where both ends of `between` are stable, or both unstable.
    """

    def stable(value: float) -> bool:
        own = dict(params or {}) | {name: value}
        if by == "theory":
            return bool(at_rest(model, own, network, None, settle).system.roots()[0].real < 0.0)
        return simulate_growth(model, own, network=network, settle=settle) < 0.0

    return bisect_verdict(stable, between, name, close)


def bisect_verdict(
    stable: Callable[[float], bool],
    between: tuple[float, float],
    name: str = "value",
    close: float = CLOSE,
) -> float:
    """Find where a verdict changes between two values. Raises ScenarioError where it does not."""
    low, high = between
    at_low, at_high = stable(low), stable(high)
    if at_low == at_high:
        says = "stable" if at_low else "unstable"
        raise ScenarioError(name, f"the model is {says} both at {low:g} and at {high:g}")
    while abs(high - low) > close * abs(high):
        middle = (low + high) / 2.0
        low, high = (middle, high) if stable(middle) == at_low else (low, middle)
    return (low + high) / 2.0


def _growth(apart: Numbers, every_s: float) -> float:
    """Return how fast deviations grow (1/s) as long as they are neither large nor rounding."""
    large, seen = np.flatnonzero(apart > FAR * KICK), np.flatnonzero(apart > KICK / FAR)
    if not len(seen):
        return -np.inf
    end = max(LEAST_ROWS, large[0] if len(large) else seen[-1] + 1)
    early, late = (apart[int(a * end) : int(b * end)].max() for a, b in (EARLY, LATE))
    return float(np.log(late / early) / ((LATE[1] - EARLY[1]) * end * every_s))


def _deviation(facts: Mapping[str, Any], rest: Mapping[str, Numbers]) -> Numbers:
    """Return how far windows and queues are from equilibrium, relative to what is in flight."""
    windows = facts["classes"]["cwnd_packets"].reshape(len(rest["cwnd_packets"]), -1)
    apart = np.abs(windows / rest["cwnd_packets"][:, None] - 1.0).max(axis=0)
    queues = facts["links"]["queue_packets"].reshape(len(rest["queue_packets"]), -1)
    under_way = rest["arrival_packets_s"] * rest["srtt_s"].min()
    waits = np.abs(queues - rest["queue_packets"][:, None]) / under_way[:, None]
    return np.asarray(np.maximum(apart, waits.max(axis=0)))
