"""Equilibria of a network: utilities maximised, or links filled level by level.

Utilities are maximised through the dual problem: link prices, none below zero, that minimise the
cost of capacities less the surplus of flows. It is convex, and its gradient is the spare rate of
each link. Algorithms with explicit feedback lack a utility. They are max-min fair: all classes
rise together, the first link that is full sets the level of its flows, and the others continue to
rise (Bertsekas, Gallager 1992, 6.5.2).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.base import catalog
from headgate.base.errors import ScenarioError
from headgate.base.optional import require
from headgate.engine.fluid.network import Resolved, resolve
from headgate.engine.fluid.settings import Params
from headgate.engine.fluid.solve import Network, make_demand, make_engine_call

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: Logarithms of the levels that are tried, and halvings that exhaust all digits.
LOW, HIGH = -35.0, 35.0
HALVINGS = 60


@dataclass(frozen=True)
class Shares:
    """Max-min shares: weights and least rates of classes, and the rates that links accept."""

    weights: Numbers
    least: Numbers
    takes: Callable[[Numbers], Numbers]

    def rates(self, levels: Numbers) -> Numbers:
        """Return the rate of a flow of each class at a level."""
        return np.maximum(self.least, self.weights * levels)


def make_shares(model: str, params: Params, network: Network, links: int) -> Shares:
    """Return the shares of a model, from the engine. Raises CatalogError or ScenarioError."""
    ask = make_engine_call(model, params, network)
    first = ask("fluid_levels", np.ones(links))["shares"]

    def takes(levels: Numbers) -> Numbers:
        return np.asarray(ask("fluid_levels", levels)["links"]["takes_packets_s"])

    return Shares(first["weight"], first["least_packets_s"], takes)


def fill_levels(routes: Numbers, flows: Numbers, shares: Shares, names: list[str]) -> Numbers:
    """Return the level of each link; `routes` contains a row per link and a column per class.

    The level is infinite for a link that limits no flow. Raises ScenarioError if demand exceeds a
    link's capacity at every level.
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
    """Return the highest level up to which each link accepts its demand."""
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


#: Returns the rate of a flow of each class at the price of its path, and its integral.
Demand = Callable[[Numbers], tuple[Numbers, Numbers]]

#: The family of models with explicit feedback from links.
EXPLICIT = "explicit"
#: Tolerance of arrivals at a full link, relative to its rate.
EXACT = 1e-9
#: Lowest price tried, relative to the price common to all links.
LEAST = 1e-12
#: Links with prices above this share are full.
FULL = 1e-7


@dataclass(frozen=True)
class Equilibrium:
    """Rates of one flow of each class, and the prices or levels of links that cause them.

    Utilities have prices: losses, or waits in seconds. Max-min fairness has levels, at which a link
    limits its flows: rates in packets/s, for VCP `rho/(rho - 1)`; infinite if it limits none.
    Quantities that an equilibrium does not define are NaN.
    """

    classes: tuple[str, ...]
    links: tuple[str, ...]
    rate_packets_s: Numbers
    path_price: Numbers
    link_price: Numbers
    link_level: Numbers
    #: Arrivals relative to each link's rate.
    utilisation: Numbers


def find_equilibrium(model: str, params: Params | None = None, *, network: Network) -> Equilibrium:
    """Return the equilibrium of a model on a network, without solving it in time.

    Algorithms at flow level maximise the sum of their utilities. `rcp`, `vcp` and `xcp` are max-min
    fair within the rates that links accept. Raises CatalogError or ScenarioError, also for a model
    of neither kind.
    """
    params = params or {}
    if catalog.model(model).family == EXPLICIT:
        resolved = resolve(catalog.model(model), network)
        routes, rates, flows = matrices(resolved)
        shares = make_shares(model, params, network, len(rates))
        levels = fill_levels(routes, flows, shares, resolved.names["link"])
        each = shares.rates(np.where(routes > 0, levels[:, None], np.inf).min(axis=0))
        path_price, prices = np.full(len(flows), np.nan), np.full(len(rates), np.nan)
    else:
        resolved, demand = make_demand(model, params, network)
        routes, rates, flows = matrices(resolved)
        prices, levels = clear(routes, rates, flows, demand), np.full(len(rates), np.nan)
        path_price = prices @ routes
        each = demand(path_price)[0]
    return Equilibrium(
        classes=tuple(resolved.names["class"]),
        links=tuple(resolved.names["link"]),
        rate_packets_s=each,
        path_price=path_price,
        link_price=prices,
        link_level=levels,
        utilisation=routes @ (flows * each) / rates,
    )


def matrices(resolved: Resolved) -> tuple[Numbers, Numbers, Numbers]:
    """Return routes (links by classes), rates of links and numbers of flows of classes."""
    classes, links = resolved.parts["classes"], resolved.parts["links"]
    routes = np.zeros((len(links), len(classes)))
    for index, part in enumerate(classes):
        routes[part["path"], index] = 1.0
    rates = np.array([link["rate_packets_s"] for link in links])
    return routes, rates, np.array([part["flows"] for part in classes], dtype=float)


def clear(routes: Numbers, rates: Numbers, flows: Numbers, demand: Demand) -> Numbers:
    """Return prices at which no link is overloaded, and links that are not full cost nothing.

    First the dual problem by L-BFGS-B, then what is left of the full links' error by least squares.
    """
    require("analysis", "an equilibrium")
    from scipy import optimize

    scale = _one_price(routes, rates, flows, demand)
    if scale == 0.0:
        return np.zeros(len(rates))
    size = scale * rates.sum()

    def dual(prices: Numbers) -> tuple[float, Numbers]:
        each, integral = demand(scale * prices @ routes)
        cost = scale * (rates @ prices) - flows @ integral
        return float(cost / size), scale * (rates - routes @ (flows * each)) / size

    found = optimize.minimize(
        dual,
        # Paths cost no more than that one price, so that links have enough demand: from prices
        # that are all too high, the first step leads to zero demand and stops there.
        np.full(len(rates), 1.0 / routes.sum(axis=0).max()),
        jac=True,
        method="L-BFGS-B",
        bounds=[(LEAST, None)] * len(rates),
        options={"ftol": 0.0, "gtol": 1e-12, "maxiter": 10_000, "maxcor": 20, "maxfun": 100_000},
    )
    return scale * _exactly(
        found.x, lambda z: _excess_demand(routes, rates, flows, demand, scale * z)
    )


def _excess_demand(
    routes: Numbers, rates: Numbers, flows: Numbers, demand: Demand, prices: Numbers
) -> Numbers:
    """Return how much more than its rate each link is asked for, as a part of it."""
    return np.asarray(routes @ (flows * demand(prices @ routes)[0]) / rates - 1.0)


def _one_price(routes: Numbers, rates: Numbers, flows: Numbers, demand: Demand) -> float:
    """Return the price that, set for all links, just fills the busiest one."""
    from scipy import optimize

    def asked(log_price: float) -> float:
        prices = np.full(len(rates), np.exp(log_price))
        return float(_excess_demand(routes, rates, flows, demand, prices).max())

    low, high = np.log(1e-15), np.log(1e9)
    if asked(low) <= 0.0:
        return 0.0
    if asked(high) > 0.0:
        raise ScenarioError(
            "network", "no equilibrium was found; links are overloaded at every price"
        )
    return float(np.exp(optimize.brentq(asked, low, high)))


def _exactly(prices: Numbers, asked: Callable[[Numbers], Numbers]) -> Numbers:
    """Make full links exactly full; the price of the others is nothing."""
    from scipy import optimize

    full = prices > FULL

    def all_prices(logs: Numbers) -> Numbers:
        made = np.zeros(len(prices))
        made[full] = np.exp(logs)
        return made

    found = optimize.least_squares(
        lambda logs: asked(all_prices(logs))[full],
        np.log(prices[full]),
        jac="3-point",
        xtol=1e-15,
        ftol=1e-15,
        gtol=1e-15,
    )
    exact = all_prices(found.x)
    left = asked(exact)
    if np.abs(left[full]).max() > EXACT or left.max() > EXACT:
        raise ScenarioError(
            "network", "no equilibrium was found; demand exceeds the capacity of links"
        )
    return exact
