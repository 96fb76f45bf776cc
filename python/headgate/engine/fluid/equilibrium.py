"""Where flows of a law rest: utilities maximised, or links filled level by level.

The dual problem: prices of links, none below zero, that minimise what capacities cost and flows
save. It is convex, and its slope is what each link has left over. Laws of explicit feedback have no
utility: they are max-min fair, see `headgate.engine.fluid.levels`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.base import catalog
from headgate.base.errors import ScenarioError
from headgate.base.optional import require
from headgate.engine.fluid.levels import fill_levels, shares_of
from headgate.engine.fluid.network import Resolved, resolve
from headgate.engine.fluid.params import Params
from headgate.engine.fluid.solve import Network, demand_of

Numbers = NDArray[np.float64]
#: Gives what a flow of each class sends at the price of its path, and the integral of that.
Demand = Callable[[Numbers], tuple[Numbers, Numbers]]

#: The family of models whose links say what flows are to send.
EXPLICIT = "explicit"
#: How far arrivals may be from the rate of a full link, as a part of it.
EXACT = 1e-9
#: The lowest price that is tried, in parts of the one that all links could have.
LEAST = 1e-12
#: Prices above this part of it are those of full links.
FULL = 1e-7


@dataclass(frozen=True)
class Equilibrium:
    """Rates of one flow of each class, and what of links makes them.

    Utilities have prices: losses, or waits in seconds. Max-min fairness has levels, by which a link
    slows its flows: rates in packets/s, for VCP `rho/(rho - 1)`; infinite where it slows none. What
    an equilibrium does not have is NaN.
    """

    classes: tuple[str, ...]
    links: tuple[str, ...]
    rate_packets_s: Numbers
    path_price: Numbers
    link_price: Numbers
    link_level: Numbers
    #: Arrivals as a part of each link's rate.
    utilisation: Numbers


def find_equilibrium(model: str, params: Params | None = None, *, network: Network) -> Equilibrium:
    """Return the equilibrium of a model on a network, without solving it in time.

    Laws at flow level maximise the sum of their utilities; `rcp`, `vcp` and `xcp` are max-min fair
    for what links take. Raises CatalogError or ScenarioError, also for a model that has neither.
    """
    if catalog.model(model).family == EXPLICIT:
        return _by_levels(model, params or {}, network)
    resolved, demand = demand_of(model, params or {}, network)
    routes, rates, flows = matrices(resolved)
    prices = clear(routes, rates, flows, demand)
    path_price = prices @ routes
    each = demand(path_price)[0]
    return Equilibrium(
        classes=tuple(resolved.names["class"]),
        links=tuple(resolved.names["link"]),
        rate_packets_s=each,
        path_price=path_price,
        link_price=prices,
        link_level=np.full(len(rates), np.nan),
        utilisation=routes @ (flows * each) / rates,
    )


def _by_levels(model: str, params: Params, network: Network) -> Equilibrium:
    resolved = resolve(catalog.model(model), network)
    routes, rates, flows = matrices(resolved)
    shares = shares_of(model, params, network, len(rates))
    levels = fill_levels(routes, flows, shares, resolved.names["link"])
    each = shares.rates(np.where(routes > 0, levels[:, None], np.inf).min(axis=0))
    return Equilibrium(
        classes=tuple(resolved.names["class"]),
        links=tuple(resolved.names["link"]),
        rate_packets_s=each,
        path_price=np.full(len(flows), np.nan),
        link_price=np.full(len(rates), np.nan),
        link_level=levels,
        utilisation=routes @ (flows * each) / rates,
    )


def matrices(resolved: Resolved) -> tuple[Numbers, Numbers, Numbers]:
    """Return routes (links by classes), rates of links and numbers of flows of classes."""
    classes, links = resolved.order["classes"], resolved.order["links"]
    routes = np.zeros((len(links), len(classes)))
    for index, part in enumerate(classes):
        routes[part["path"], index] = 1.0
    rates = np.array([link["rate_packets_s"] for link in links])
    return routes, rates, np.array([part["flows"] for part in classes], dtype=float)


def clear(routes: Numbers, rates: Numbers, flows: Numbers, demand: Demand) -> Numbers:
    """Return prices at which no link is overloaded, and only full links have a price.

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
        # Paths cost no more than that one price, so that links are asked for enough: from prices
        # that are all too high the first step goes to where all are nothing, and no further.
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
