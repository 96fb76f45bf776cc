"""Where links share by levels: max-min fairness, by letting all rates rise until links are full.

All classes rise together (Bertsekas, Gallager 1992, 6.5.2). The first link that takes no more sets
the level of its flows; they stay, and the others rise on. What a link takes may depend on its own
level, as long as it does not rise with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import ScenarioError
from headgate.engine.fluid.params import Params
from headgate.engine.fluid.solve import Network, engine_of

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: Logarithms of the levels that are tried, and halvings after which no digit is left.
LOW, HIGH = -35.0, 35.0
HALVINGS = 60


@dataclass(frozen=True)
class Shares:
    """How classes share: weights, the least rate of each, and what links take at a level each."""

    weights: Numbers
    least: Numbers
    takes: Callable[[Numbers], Numbers]

    def rates(self, levels: Numbers) -> Numbers:
        """Return what a flow of each class sends at a level."""
        return np.maximum(self.least, self.weights * levels)


def shares_of(model: str, params: Params, network: Network, links: int) -> Shares:
    """Ask the engine. Raises CatalogError or ScenarioError."""
    ask = engine_of(model, params, network)
    first = ask("fluid_levels", np.ones(links))["shares"]

    def takes(levels: Numbers) -> Numbers:
        return np.asarray(ask("fluid_levels", levels)["links"]["takes_packets_s"])

    return Shares(first["weight"], first["least_packets_s"], takes)


def fill_levels(routes: Numbers, flows: Numbers, shares: Shares, names: list[str]) -> Numbers:
    """Return the level of each link, infinite where it slows no flow; `routes` by links, classes.

    Raises ScenarioError where a link is asked for more than it takes at any level.
    """
    levels = np.full(len(routes), np.inf)
    rates, rising = np.zeros(len(flows)), np.ones(len(flows), dtype=bool)
    while rising.any():
        found = _full_at(routes, flows, shares, rates, rising)
        link = int(np.argmin(found))
        takes = shares.takes(np.full(len(routes), found[link]))[link]
        if np.isinf(takes) or np.log(found[link]) <= LOW:
            says = "demand exceeds its capacity at every level; there is no equilibrium"
            raise ScenarioError(f"network.links.{names[link]}", says)
        levels[link] = found[link]
        stay = rising & (routes[link] > 0)
        rates[stay] = shares.rates(found[link])[stay]
        rising &= ~stay
    return levels


def _full_at(
    routes: Numbers, flows: Numbers, shares: Shares, rates: Numbers, rising: Mask
) -> Numbers:
    """Return the last level below which each link takes what it is asked for."""
    settled = routes @ (flows * np.where(rising, 0.0, rates))
    open_links = (routes[:, rising] > 0).any(axis=1)
    low, high = np.full(len(routes), LOW), np.full(len(routes), HIGH)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        each = shares.rates(np.exp(middle)[:, None])
        asked = settled + (routes * np.where(rising, flows, 0.0) * each).sum(axis=1)
        room = asked < shares.takes(np.exp(middle))
        low, high = np.where(room, middle, low), np.where(room, high, middle)
    return np.where(open_links, np.exp(low), np.inf)
