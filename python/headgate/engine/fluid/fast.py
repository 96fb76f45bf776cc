"""FAST in discrete time: its map, and its convergence from many starts at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import ScenarioError
from headgate.engine.fluid.equilibrium import Numbers, find_equilibrium, matrices
from headgate.engine.fluid.network import Resolved
from headgate.engine.fluid.settings import Params, read_params
from headgate.engine.fluid.solve import Network, make_demand

#: Parameters of the model `fast` that its map uses.
OF_THE_MAP = ("initial_window", "alpha", "gamma")
#: Tolerance of arrivals at a full link, relative to its rate.
EXACT = 1e-12
#: Newton steps, and halvings of one step; both exceed any need.
NEWTON = 200
HALVINGS = 60
#: Share of the predicted decrease that a step must achieve (Armijo; Bertsekas 1982).
ARMIJO = 1e-4
#: Added to the diagonal, because two links with the same flows may share their wait in any way.
RIDGE = 1e-13
#: A run ends when its windows are this close to rest; below, rounding dominates.
CLOSE = 1e-9
#: Distance below which the rate is measured; the map is linear there to a thousandth.
NEAR = 1e-4
#: Least number of updates for the measurement, which uses the later half.
LEAST = 8
#: Random windows are up to this factor above or below those at rest.
SPREAD = 100.0
#: Greatest number of updates.
MOST = 5000


@dataclass(frozen=True)
class Convergence:
    """Convergence of FAST's map from many starts.

    The distance from rest is that of windows, `(sum n (w - w*)^2/w* / sum n w*)^0.5`. Near rest the
    map shrinks it to at most the share `1 - gamma min q/R`.
    """

    classes: tuple[str, ...]
    #: Windows at rest.
    rest_packets: Numbers
    #: One row per start, one column per update.
    distance: Numbers
    #: The greatest ratio of two successive distances, of each start.
    worst_ratio: Numbers
    #: Greatest ratio of the distance between two starts after an update to that before, by pair.
    pair_ratio: Numbers
    #: The same while both starts fill every link; NaN if a pair never does.
    full_pair_ratio: Numbers
    #: The factor per update near rest, of each start; NaN if there are fewer than 8 updates.
    rate: Numbers
    #: The same by linear theory: the spectral radius of the map's Jacobian, and its bound.
    linear_rate: float
    linear_bound: float


@dataclass(frozen=True)
class _Map:
    """The map `w(t+1) = w(t) + gamma (alpha - q x)` on a network, for many starts at once."""

    resolved: Resolved
    values: Mapping[str, Numbers]
    routes: Numbers
    rates: Numbers
    flows: Numbers
    rtts_s: Numbers

    @classmethod
    def of(cls, network: Network, params: Params) -> _Map:
        resolved, _ = make_demand("fast", params, network)
        rtts_s = np.array([part["rtt_s"] for part in resolved.parts["classes"]])
        return cls(resolved, _values(resolved, params), *matrices(resolved), rtts_s)

    def next(self, windows: Numbers, waits_s: Numbers) -> tuple[Numbers, Numbers]:
        """Return the next windows, and the waits at links, which are solved from a guess."""
        waits_s = self.waits_s(windows, waits_s)
        path_s = waits_s @ self.routes
        kept = path_s * windows / (self.rtts_s + path_s)
        return windows + self.values["gamma"] * (self.values["alpha"] - kept), waits_s

    def waits_s(self, windows: Numbers, guess_s: Numbers) -> Numbers:
        """Return the waits at which no link receives more than its rate.

        They minimise `sum C p - sum n w log(d + q)`, p >= 0, by projected Newton's method.
        """
        waits_s = guess_s
        for _ in range(NEWTON):
            rtts_s = self.rtts_s + waits_s @ self.routes
            sent = self.flows * windows / rtts_s
            spare = self.rates - sent @ self.routes.T
            held = (waits_s <= 0.0) & (spare > 0.0)
            off = np.where(held, 0.0, spare)
            if (np.abs(off) <= EXACT * self.rates).all():
                return waits_s
            bend = np.einsum("li,si,mi->slm", self.routes, sent / rtts_s, self.routes)
            waits_s = self._descend(windows, waits_s, off, _direction(bend, held, off))
        raise ScenarioError(
            "network", "no queueing delays were found at which its links are just full"
        )

    def _descend(self, windows: Numbers, from_s: Numbers, slope: Numbers, way: Numbers) -> Numbers:
        """Step along each direction until the decrease suffices; waits stay above zero."""
        part = np.ones((len(windows), 1))
        # The cost crosses zero, so its rounding error is that of its terms.
        enough = self._cost(windows, from_s) + EXACT * (windows @ self.flows)
        for _ in range(HALVINGS):
            to_s = np.maximum(from_s - part * way, 0.0)
            promised = ARMIJO * ((from_s - to_s) * slope).sum(axis=1)
            short = self._cost(windows, to_s) > enough - promised
            if not short.any():
                break
            part[short] /= 2.0
        return to_s

    def _cost(self, windows: Numbers, waits_s: Numbers) -> Numbers:
        rtts_s = self.rtts_s + waits_s @ self.routes
        return np.asarray(waits_s @ self.rates - (windows * np.log(rtts_s)) @ self.flows)

    def jacobian(self, windows: Numbers, waits_s: Numbers) -> Numbers:
        """Return the map's Jacobian: `(1 - gamma) + gamma (d/R) P` with a projection P.

        On full links, `A n x = C` determines the waits: `P = 1 - x A' G^-1 A n/R` with `G = A (n
        x/R) A'`. The projection is orthogonal if a window weighs `n/w`.
        """
        full = self.routes[waits_s > 0.0]
        rtts_s = self.rtts_s + waits_s @ self.routes
        rate = windows / rtts_s
        seen = full * self.flows / rtts_s
        projection = (
            np.eye(len(rate)) - (full * rate).T @ np.linalg.pinv(seen * rate @ full.T) @ seen
        )
        gamma = self.values["gamma"]
        part = (gamma * self.rtts_s / rtts_s)[:, None]
        return np.asarray(np.diag(1.0 - gamma) + part * projection)


def iterate_fast_map(
    network: Network, params: Params | None = None, *, updates: int = 50
) -> Mapping[str, Numbers]:
    """Follow FAST's map in discrete time: `w(t+1) = w(t) + gamma (alpha - q x)`.

    Every flow updates at once, and queues are at rest with the windows: `x = w/(d + q)`, and no
    link receives more than its rate. `params` and those of classes are the model `fast`'s. Returns
    `window_packets`, `rate_packets_s` and `wait_s`, each with a row for each of `0` to `updates`
    and a column for each class; and `link_wait_s`, with a column for each link.
    """
    fast = _Map.of(network, params or {})
    windows = fast.values["initial_window"][None, :]
    waits_s = np.zeros((1, len(fast.rates)))
    rows: list[tuple[Numbers, Numbers]] = []
    for _ in range(updates + 1):
        following, waits_s = fast.next(windows, waits_s)
        rows.append((windows[0], waits_s[0]))
        windows = following
    each, link_s = (np.array(column) for column in zip(*rows, strict=True))
    path_s = link_s @ fast.routes
    return {
        "window_packets": each,
        "rate_packets_s": each / (fast.rtts_s + path_s),
        "wait_s": path_s,
        "link_wait_s": link_s,
    }


def measure_convergence(
    network: Network, params: Params | None = None, *, starts: int = 200, seed: int = 1
) -> Convergence:
    """Follow FAST's map from random windows until it rests, and measure its convergence.

    Each window begins between a hundredth and a hundred times its value at rest (uniform in its
    logarithm), so that links are idle at first or hold long queues. Raises CatalogError or
    ScenarioError, also if it does not converge within 5000 updates.
    """
    if starts < 1:
        raise ScenarioError("starts", f"must be at least 1; got {starts}")
    fast = _Map.of(network, params or {})
    found = find_equilibrium("fast", params, network=network)
    rest = found.rate_packets_s * (fast.rtts_s + found.path_price)
    spread = np.random.default_rng(seed).uniform(-1.0, 1.0, (starts, len(rest)))
    windows = rest * SPREAD**spread
    distance, pair_ratio, full_pair_ratio = _follow_starts(fast, windows, rest)
    jacobian = fast.jacobian(rest, found.link_price)
    wait = found.path_price / (fast.rtts_s + found.path_price)
    return Convergence(
        classes=found.classes,
        rest_packets=rest,
        distance=distance,
        worst_ratio=np.array([_ratios(row, CLOSE).max(initial=0.0) for row in distance]),
        pair_ratio=pair_ratio,
        full_pair_ratio=full_pair_ratio,
        rate=np.array([_rate(row) for row in distance]),
        linear_rate=float(np.abs(np.linalg.eigvals(jacobian)).max()),
        linear_bound=float((1.0 - fast.values["gamma"] * wait).max()),
    )


def _follow_starts(fast: _Map, windows: Numbers, rest: Numbers) -> tuple[Numbers, ...]:
    """Return the distances of each start, and the ratios of successive starts.

    The ratios are the greatest at any time, and the greatest while both starts fill every link.
    """
    waits_s = np.zeros((len(windows), len(fast.rates)))
    weights = fast.flows / rest / (fast.flows @ rest)

    def norm(apart: Numbers) -> Numbers:
        return np.asarray(np.sqrt(apart**2 @ weights))

    columns = [norm(windows - rest)]
    pairs = np.zeros(max(len(windows) - 1, 0))
    full_pairs = np.full_like(pairs, np.nan)
    while columns[-1].max() > CLOSE:
        if len(columns) > MOST:
            raise ScenarioError("network", f"FAST's map does not converge within {MOST} updates")
        apart = norm(np.diff(windows, axis=0))
        windows, waits_s = fast.next(windows, waits_s)
        measured = apart > NEAR  # closer, the ratio is that of the linear map, or rounding
        after = norm(np.diff(windows, axis=0))
        pairs[measured] = np.maximum(pairs[measured], after[measured] / apart[measured])
        full = np.all(waits_s > 0.0, axis=1)
        measured &= full[:-1] & full[1:]
        full_pairs[measured] = np.fmax(full_pairs[measured], after[measured] / apart[measured])
        columns.append(norm(windows - rest))
    return np.array(columns).T, pairs, full_pairs


def _ratios(distance: Numbers, down_to: float) -> Numbers:
    """Return the ratios of successive distances that exceed rounding."""
    measured = distance[:-1] > down_to
    return np.asarray(distance[1:][measured] / distance[:-1][measured])


def _rate(distance: Numbers) -> float:
    near = distance[(distance < NEAR) & (distance > CLOSE)]
    if len(near) < LEAST:
        return np.nan
    near = near[len(near) // 2 :]
    return float((near[-1] / near[0]) ** (1.0 / (len(near) - 1)))


def _direction(bend: Numbers, held: NDArray[np.bool_], slope: Numbers) -> Numbers:
    """Return Newton's direction for the links whose waits may change."""
    free = ~held
    bend = bend * free[:, :, None] * free[:, None, :]
    places = np.arange(bend.shape[1])
    own = bend[:, places, places]
    bend[:, places, places] = np.where(held, 1.0, own * (1.0 + RIDGE))
    return np.asarray(np.linalg.solve(bend, slope[:, :, None])[:, :, 0])


def _values(resolved: Resolved, params: Params) -> dict[str, Numbers]:
    from headgate.base import catalog

    card = catalog.model("fast")
    classes = resolved.parts["classes"]
    defaults = {name: card.param(name).default for name in OF_THE_MAP}
    given = defaults | read_params(card, params)
    values = {name: np.full(len(classes), float(given[name])) for name in OF_THE_MAP}
    for index, part in enumerate(classes):
        for place, value in part["set"]:
            if card.params[place].name in values:
                values[card.params[place].name][index] = value
    return values
