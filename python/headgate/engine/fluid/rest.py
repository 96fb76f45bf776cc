"""A model's equilibrium: solved for long, then by Newton's method, with its derivatives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from headgate.base import catalog
from headgate.base.errors import ScenarioError
from headgate.engine.fluid.characteristic import Delayed, Numbers
from headgate.engine.fluid.methods import Method, above_zero
from headgate.engine.fluid.params import Params
from headgate.engine.fluid.solve import Network, engine_of

#: Rows of a run that is solved for long.
ROWS = 4000
#: Steps of Newton's method to the equilibrium; each changes no number by more than half of it.
NEWTON = 100
MOST_CHANGE = 0.5
#: The last step, in parts of the state; what slopes are left with, in parts of their changes.
EXACT = 1e-11
LEFT = 1e-9
#: What is smaller than this part of the greatest number is counted in that; what is far smaller is
#: a rounding of zero.
LEAST = 1e-3
ZERO = 1e-12
#: A switch this near to its other side, in parts of the state, is at the edge.
EDGE = 1e-7
#: Sides of switches that are tried, those that were seen most often first.
SIDES = 8
#: What smooth slopes bend by is less, and what a corner bends by is more.
BENT = 0.01


@dataclass(frozen=True)
class Rest:
    """A model in equilibrium."""

    ask: Callable[..., dict[str, Any]]
    state: Numbers
    sides: tuple[bool, ...]
    #: The changes that are possible, in parts of the state, and what follows from small ones.
    basis: Numbers
    system: Delayed
    #: Switches that are at their edge.
    edges: tuple[int, ...]

    def show(self) -> dict[str, Numbers]:
        """Return what each class and each link shows."""
        facts = self.run(np.ones(len(self.state)))
        rest: dict[str, Numbers] = {}
        for table, of in (("classes", "class"), ("links", "link")):
            shown = facts[table]
            first = shown["t_s"] == 0.0
            rest |= {name: shown[name][first] for name in shown if name not in (of, "t_s")}
        return rest

    def run(self, parts: Numbers, **order: float) -> Mapping[str, Any]:
        """Solve the model from such parts of its state."""
        start = {"state": (self.state * parts).tolist(), "sides": list(self.sides)}
        return self.ask("fluid_run", start=start, **order)


def at_rest(  # noqa: PLR0913, PLR0917 - each is a quantity of its own
    model: str,
    params: Params,
    network: Network | None,
    at: ArrayLike | None,
    settle: str,
    method: Method | None = None,
) -> Rest:
    """Find a model's equilibrium, from a guess or from the end of a run of `settle`.

    Raises CatalogError or ScenarioError.
    """
    ask, settle_s = engine_of(model, params, network, method), above_zero("settle", settle)
    found = ask("fluid_settled", duration_s=settle_s, every_s=settle_s / ROWS)
    guess = found["state"] if at is None else np.array(at, dtype=float)
    seen = Counter(tuple(sides) for sides in found["sides"])
    rests = [rest for sides, _ in seen.most_common(SIDES) for rest in _both(ask, guess, sides)]
    if not rests:
        name = catalog.model(model).name
        raise ScenarioError(
            name, "no smooth equilibrium was found; its equations have a kink there"
        )
    # A queue that a switch holds is in equilibrium at any size; where least is held there is one.
    return max(rests, key=lambda rest: rest.basis.shape[1])


def _both(
    ask: Callable[..., dict[str, Any]], guess: Numbers, sides: tuple[bool, ...]
) -> list[Rest]:
    """Return the equilibrium with switches on such sides, and those beyond its edges."""
    rest = _solve_rest(ask, guess, sides)
    if rest is None:
        return []
    turned = [tuple(side != (k == edge) for k, side in enumerate(sides)) for edge in rest.edges]
    beyond = [_solve_rest(ask, rest.state, other) for other in turned]
    return [rest, *(other for other in beyond if other is not None)]


def _newton(
    ask: Callable[..., dict[str, Any]], guess: Numbers, sides: list[bool]
) -> Numbers | None:
    """Come from a guess to a state whose slope is zero; None if there is none near."""
    state = guess
    for _ in range(NEWTON):
        near, sizes = ask("fluid_near", state, sides), _sizes(state)
        system = _system(near, sizes)
        basis, left = system.free(), near["slope"] / sizes
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


def _system(near: Mapping[str, Any], sizes: Numbers) -> Delayed:
    return Delayed.of(near["now"], near["then"], near["delays_s"]).scaled(sizes)


def _solve_rest(
    ask: Callable[..., dict[str, Any]], guess: Numbers, sides: tuple[bool, ...]
) -> Rest | None:
    """Return the equilibrium if switches stay on their sides and slopes have no kink there."""
    state = _newton(ask, guess, list(sides))
    if state is None:
        return None
    near = ask("fluid_near", state, list(sides))
    onward = np.where(sides, near["gaps"], -near["gaps"])
    edge = EDGE * max(1.0, float(np.abs(state).max()))
    if near["bend"] > BENT or (onward < -edge).any():
        return None
    system = _system(near, _sizes(state))
    basis = system.free()
    edges = tuple(np.flatnonzero(np.abs(onward) <= edge).tolist())
    return Rest(ask, state, sides, basis, system.within(basis), edges)


def _sizes(state: Numbers) -> Numbers:
    """Return what each number of a state is counted in."""
    return np.asarray(np.maximum(np.abs(state), LEAST * np.abs(state).max()))
