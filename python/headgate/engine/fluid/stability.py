"""Stability of a model's equilibrium: by linear theory with delays, and by simulation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from headgate.base import catalog
from headgate.base.errors import ScenarioError
from headgate.engine.fluid.characteristic import Complex, Delayed, Margins, Numbers
from headgate.engine.fluid.settings import Adaptive, Method, Params, above_zero
from headgate.engine.fluid.solve import Network, make_engine_call

#: Rows of the long run that settles.
SETTLE_ROWS = 4000
#: Newton steps to the equilibrium; each changes no number by more than half.
NEWTON = 100
MOST_CHANGE = 0.5
#: The last step, relative to the state; and the remaining slopes, relative to their changes.
EXACT = 1e-11
LEFT = 1e-9
#: Components below LEAST times the greatest are measured in that unit; those below ZERO times the
#: greatest are zero.
LEAST = 1e-3
ZERO = 1e-12
#: A switch this near to its other side, relative to the state, is at its edge.
EDGE = 1e-7
#: Sets of sides that are tried, the most frequent first.
SIDES = 8
#: Smooth slopes bend less than this; corners bend more.
BENT = 0.01


@dataclass(frozen=True)
class RestPoint:
    """A model in equilibrium."""

    ask: Callable[..., dict[str, Any]]
    state: Numbers
    sides: tuple[bool, ...]
    #: Basis of the possible changes, relative to the state, and the linear system on it.
    basis: Numbers
    system: Delayed
    #: Switches at their edge.
    edges: tuple[int, ...]

    def show(self) -> dict[str, Numbers]:
        """Return the outputs of each class and each link."""
        facts = self.run(np.ones(len(self.state)))
        rest: dict[str, Numbers] = {}
        for table, of in (("classes", "class"), ("links", "link")):
            shown = facts[table]
            first = shown["t_s"] == 0.0
            rest |= {name: shown[name][first] for name in shown if name not in (of, "t_s")}
        return rest

    def run(self, parts: Numbers, **changes: float) -> Mapping[str, Any]:
        """Solve the model from these multiples of its state."""
        start = {"state": (self.state * parts).tolist(), "sides": list(self.sides)}
        return self.ask("fluid_run", start=start, **changes)


def find_rest(  # noqa: PLR0913, PLR0917 - separate quantities
    model: str,
    params: Params,
    network: Network | None,
    at: ArrayLike | None,
    settle: str,
    method: Method | None = None,
) -> RestPoint:
    """Find a model's equilibrium, from a guess or from the end of a run of `settle`.

    Raises CatalogError or ScenarioError.
    """
    ask, settle_s = make_engine_call(model, params, network, method), above_zero("settle", settle)
    found = ask("fluid_settled", duration_s=settle_s, every_s=settle_s / SETTLE_ROWS)
    guess = found["state"] if at is None else np.array(at, dtype=float)
    seen = Counter(tuple(sides) for sides in found["sides"])
    rests = [
        rest
        for sides, _ in seen.most_common(SIDES)
        for rest in _solve_both_sides(ask, guess, sides)
    ]
    if not rests:
        name = catalog.model(model).name
        raise ScenarioError(
            name, "no smooth equilibrium was found; its equations have a kink there"
        )
    # A queue held by a switch is in equilibrium at any size; choose the case with the fewest held.
    return max(rests, key=lambda rest: rest.basis.shape[1])


def _solve_both_sides(
    ask: Callable[..., dict[str, Any]], guess: Numbers, sides: tuple[bool, ...]
) -> list[RestPoint]:
    """Return the equilibrium with switches on these sides, and those beyond its edges."""
    rest = _solve_rest(ask, guess, sides)
    if rest is None:
        return []
    turned = [tuple(side != (k == edge) for k, side in enumerate(sides)) for edge in rest.edges]
    beyond = [_solve_rest(ask, rest.state, other) for other in turned]
    return [rest, *(other for other in beyond if other is not None)]


def _newton(
    ask: Callable[..., dict[str, Any]], guess: Numbers, sides: list[bool]
) -> Numbers | None:
    """Return the state near a guess whose slope is zero; None if there is none."""
    state = guess
    for _ in range(NEWTON):
        linearised, sizes = ask("fluid_near", state, sides), _sizes(state)
        system = _system(linearised, sizes)
        basis, left = system.free(), linearised["slope"] / sizes
        if not basis.size:
            return None
        jacobian = (system.now + sum(system.then)) @ basis
        way = basis @ np.linalg.lstsq(jacobian, -left, rcond=EXACT)[0]
        most = np.abs(way).max()
        if not np.isfinite(most):
            return None
        if most <= EXACT:
            state = np.where(np.abs(state) < ZERO * np.abs(state).max(), 0.0, state)
            return state if np.abs(left).max() <= LEFT * np.abs(jacobian).max() else None
        state = state + sizes * way * min(1.0, MOST_CHANGE / most)
    return None


def _system(linearised: Mapping[str, Any], sizes: Numbers) -> Delayed:
    return Delayed.of(linearised["now"], linearised["then"], linearised["delays_s"]).scaled(sizes)


def _solve_rest(
    ask: Callable[..., dict[str, Any]], guess: Numbers, sides: tuple[bool, ...]
) -> RestPoint | None:
    """Return the equilibrium if switches stay on their sides and slopes are smooth there."""
    state = _newton(ask, guess, list(sides))
    if state is None:
        return None
    linearised = ask("fluid_near", state, list(sides))
    onward = np.where(sides, linearised["gaps"], -linearised["gaps"])
    edge = EDGE * max(1.0, float(np.abs(state).max()))
    if linearised["bend"] > BENT or (onward < -edge).any():
        return None
    system = _system(linearised, _sizes(state))
    basis = system.free()
    edges = tuple(np.flatnonzero(np.abs(onward) <= edge).tolist())
    return RestPoint(ask, state, sides, basis, system.within(basis), edges)


def _sizes(state: Numbers) -> Numbers:
    """Return the unit of each component of a state."""
    return np.asarray(np.maximum(np.abs(state), LEAST * np.abs(state).max()))


Way = Literal["theory", "simulation"]

#: Time for which a model is solved to find its equilibrium.
SETTLE = "200 s"
#: Frequencies of a result's loop, in units of one over the longest delay.
FREQUENCIES = (1e-2, 1e2, 2000)

#: A simulation starts from a perturbation relative to the equilibrium, and lasts a multiple of the
#: longest delay: near the boundary an oscillation grows by less than a hundredth in each.
KICK = 1e-4
DELAYS = 250.0
ROWS = 2500
TOLERANCE = 1e-10
#: A deviation that changed by this factor is either large or rounding. The greatest deviations in
#: two parts of the time until then are compared.
FAR = 300.0
EARLY, LATE = (0.3, 0.5), (0.8, 1.0)
LEAST_ROWS = 10
#: Relative tolerance of a boundary.
CLOSE = 1e-4


@dataclass(frozen=True)
class Stability:
    """A model linearised about its equilibrium."""

    model: str
    #: The equilibrium: the state of the equations, and the outputs of classes and links there.
    state: Numbers
    rest: Mapping[str, Numbers]
    delays_s: Numbers
    #: The rightmost characteristic roots, 1/s.
    roots: Complex
    #: Number of roots right of the imaginary axis (argument principle); None with one at zero.
    unstable_roots: int | None
    #: The loop opened at the delayed input, at frequencies; its margins if there is one loop.
    rad_s: Numbers
    loop: Complex
    margins: Margins | None
    #: Switches at whose boundary the equilibrium lies: linear theory holds on one side only.
    edges: tuple[int, ...]

    @property
    def growth_per_s(self) -> float:
        """Rate at which a small perturbation grows (1/s); negative if it decays."""
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
    `params` and `network` are those of `solve`. Raises CatalogError or ScenarioError, also if the
    equations have a kink at the equilibrium.
    """
    rest = find_rest(model, params or {}, network, at, settle)
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


def simulate_growth(  # noqa: PLR0913 - separate quantities
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
    stability boundary, with many oscillations, and coarse if they decay at once; minus infinity if
    nothing changes. `seed` chooses the perturbation. Raises the errors of `stability`.
    """
    rest = find_rest(model, params or {}, network, at, settle, Adaptive(TOLERANCE))
    duration_s = DELAYS * rest.system.time_s
    kick = rest.basis @ np.random.default_rng(seed).uniform(-1.0, 1.0, rest.basis.shape[1])
    facts = rest.run(1.0 + KICK * kick, duration_s=duration_s, every_s=duration_s / ROWS)
    apart = _deviation(facts, rest.show())
    return _growth(apart, duration_s / ROWS)


def find_stability_boundary(  # noqa: PLR0913 - separate quantities
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
    `stability`, and ScenarioError if both ends of `between` are stable, or both unstable.
    """

    def stable(value: float) -> bool:
        own = dict(params or {}) | {name: value}
        if by == "theory":
            return bool(find_rest(model, own, network, None, settle).system.roots()[0].real < 0.0)
        return simulate_growth(model, own, network=network, settle=settle) < 0.0

    return bisect_verdict(stable, between, name, close)


def bisect_verdict(
    stable: Callable[[float], bool],
    between: tuple[float, float],
    name: str = "value",
    close: float = CLOSE,
) -> float:
    """Find a value between two at which a verdict changes. Raises ScenarioError if it does not."""
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
    """Return the growth rate of deviations (1/s) while they are neither large nor rounding."""
    large, seen = np.flatnonzero(apart > FAR * KICK), np.flatnonzero(apart > KICK / FAR)
    if not len(seen):
        return -np.inf
    end = max(LEAST_ROWS, large[0] if len(large) else seen[-1] + 1)
    early, late = (apart[int(a * end) : int(b * end)].max() for a, b in (EARLY, LATE))
    return float(np.log(late / early) / ((LATE[1] - EARLY[1]) * end * every_s))


def _deviation(facts: Mapping[str, Any], rest: Mapping[str, Numbers]) -> Numbers:
    """Return the deviation of windows and queues from equilibrium, relative to data in flight."""
    windows = facts["classes"]["cwnd_packets"].reshape(len(rest["cwnd_packets"]), -1)
    apart = np.abs(windows / rest["cwnd_packets"][:, None] - 1.0).max(axis=0)
    queues = facts["links"]["queue_packets"].reshape(len(rest["queue_packets"]), -1)
    under_way = rest["arrival_packets_s"] * rest["srtt_s"].min()
    waits = np.abs(queues - rest["queue_packets"][:, None]) / under_way[:, None]
    return np.asarray(np.maximum(apart, waits.max(axis=0)))
