"""Linear theory with delays beside closed forms, and boundaries of stability by simulation."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest
from scipy import optimize, special

from headgate import Scenario
from headgate.base.errors import ScenarioError
from headgate.engine.fluid import analyse_stability, find_stability_boundary, simulate_growth
from headgate.engine.fluid.characteristic import Delayed
from headgate.engine.fluid.stability import bisect_verdict

#: Tolerance of the simulation.
WITHIN = 0.05
#: Theory is found by halving to 1e-4 of a parameter.
THEORY = 1e-3

ONE_LINK = {
    "links": {"core": {"rate": "100 Mbit/s"}},
    "classes": {"all": {"flows": 20, "rtt": "100 ms", "path": ["core"]}},
}
#: Round trips of the link under way, 8333 packets/s over 0.1 s: such a queue never empties.
OFF_ZERO = {"target_packets": 1000.0}


def one(a: float, delay_s: float = 1.0) -> Delayed:
    """y'(t) = -a y(t - delay)."""
    return Delayed.of(np.zeros((1, 1)), [np.array([[-a]])], np.array([delay_s]))


@pytest.mark.parametrize("a", [0.2, 0.36, 0.37, 1.0, 1.5, 1.6, 5.0, 8.0])
def test_roots_of_one_delay_are_lambert_s(a: float) -> None:
    """S = -a e^-s: the rightmost is W_0(-a), the next pairs are the branches W_1, W_2, ..."""
    found = one(a).roots()
    np.testing.assert_allclose(found[0].real, special.lambertw(-a, 0).real, rtol=1e-10)
    for branch in (1, 2, 3):
        exact = special.lambertw(-a, branch)
        assert np.abs(found - exact).min() < 1e-10 * abs(exact)


def test_a_double_root_is_found_to_the_root_of_rounding() -> None:
    """a = 1/e: both real roots are -1."""
    np.testing.assert_allclose(one(1 / np.e).roots()[0].real, -1.0, rtol=1e-7)


@pytest.mark.parametrize("delay_s", [0.01, 1.0, 30.0])
def test_one_delay_is_stable_up_to_half_pi(delay_s: float) -> None:
    """A tau = pi/2; the phase margin is pi/2 - a tau, the gain margin pi/(2 a tau)."""

    def stable(a_tau: float) -> bool:
        return bool(one(a_tau / delay_s, delay_s).roots()[0].real < 0)

    found = bisect_verdict(stable, (1.0, 2.0))
    np.testing.assert_allclose(found, np.pi / 2, rtol=1e-4)
    margins = one(1.0 / delay_s, delay_s).margins()
    assert margins is not None
    np.testing.assert_allclose(margins.phase_deg, 90 - 180 / np.pi)
    np.testing.assert_allclose(margins.gain, np.pi / 2)
    np.testing.assert_allclose(margins.phase_at_rad_s, 1 / delay_s)


@pytest.mark.parametrize(("a", "unstable"), [(1.0, 0), (1.6, 2), (7.8, 2), (7.9, 4), (14.2, 6)])
def test_unstable_roots_are_counted_without_finding_them(a: float, unstable: int) -> None:
    """A pair comes over the axis at each a = pi/2 + 2 pi k."""
    assert one(a).unstable() == unstable
    assert (one(a).roots().real > 0).sum() == unstable


def test_random_systems_have_as_many_unstable_roots_by_both_ways() -> None:
    rng = np.random.default_rng(5)
    counts = []
    for _ in range(60):
        size, lags = rng.integers(1, 5), rng.integers(1, 4)
        parts = rng.normal(size=(lags + 1, size, size)) - 0.5 * np.eye(size)
        system = Delayed.of(parts[0], list(parts[1:]), rng.uniform(0.1, 2.0, lags))
        roots = system.roots()
        counts.append(int((roots.real > 0).sum()))
        assert system.unstable() == counts[-1]
        for root in roots:
            sizes = np.linalg.svd(system.matrix(np.array(root)))[1]
            assert sizes[-1] < 1e-9 * (1 + sizes[0])
    assert len(set(counts)) > 3


def beta_most(alpha: float) -> float:
    """The beta at which `(alpha s + beta) e^-s/s^2` is -1: |G| = 1, w = atan(alpha w/beta)."""

    def late(beta: float) -> float:
        rad = np.sqrt((alpha**2 + np.sqrt(alpha**4 + 4 * beta**2)) / 2)
        return float(rad - np.arctan(alpha * rad / beta))

    return float(optimize.brentq(late, 1e-6, 2.0))


@pytest.mark.parametrize("model", ["rcp", "xcp"])
@pytest.mark.parametrize("alpha", [0.1, 0.2, 0.4, 0.7, 1.0, 1.2])
def test_rcp_and_xcp_turn_unstable_where_their_loop_says(model: str, alpha: float) -> None:
    exact = beta_most(alpha)
    boundary: Callable[..., float] = lambda way: find_stability_boundary(  # noqa: E731
        model,
        "beta",
        (0.3 * exact, 2 * exact),
        {"alpha": alpha, **OFF_ZERO},
        network=ONE_LINK,
        by=way,
        close=1e-3 if way == "simulation" else 1e-4,
    )
    np.testing.assert_allclose(boundary("theory"), exact, rtol=THEORY)
    np.testing.assert_allclose(boundary("simulation"), exact, rtol=WITHIN)


@pytest.mark.parametrize("model", ["rcp", "xcp"])
def test_the_loop_of_rcp_and_xcp_has_its_closed_form(model: str) -> None:
    """(alpha s + beta) e^-s/s^2 in round trips; XCP's own gains leave 12.6 degrees of phase."""
    found = analyse_stability(model, {"alpha": 0.4, "beta": 0.226, **OFF_ZERO}, network=ONE_LINK)
    assert found.stable
    assert found.unstable_roots == 0
    assert found.margins is not None
    s = 1j * found.rad_s * 0.1
    np.testing.assert_allclose(found.loop, (0.4 * s + 0.226) * np.exp(-s) / s**2, rtol=1e-5)
    np.testing.assert_allclose(found.margins.phase_deg, 12.6, atol=0.05)
    np.testing.assert_allclose(found.rest["queue_packets"], [1000.0], rtol=1e-9)


@pytest.mark.parametrize("model", ["rcp", "xcp"])
@pytest.mark.parametrize(("alpha", "beta"), [(0.4, 0.4), (0.1, 1.0)])
def test_published_gains_beyond_the_boundary_rest_on_an_empty_queue(
    model: str, alpha: float, beta: float
) -> None:
    """They circle off zero; with the queue at zero, which cannot fall further, they do not."""
    gains = {"alpha": alpha, "beta": beta}
    assert beta > beta_most(alpha)
    assert simulate_growth(model, gains | OFF_ZERO, network=ONE_LINK) > 0
    assert simulate_growth(model, gains, network=ONE_LINK) < 0


def red_network(flows: float, rtt_s: float, packets_s: float) -> dict[str, Any]:
    return {
        "packet": "500 B",
        "links": {"core": {"rate": f"{4000 * packets_s:.0f} bit/s"}},
        "classes": {"all": {"flows": flows, "rtt": f"{1e3 * rtt_s} ms", "path": ["core"]}},
    }


def red_rest(flows: float, rtt_s: float, packets_s: float, slope: float) -> tuple[float, float]:
    """Return R and W at rest: W = R C/N, W^2 p = 2, p = slope (R - d) C."""

    def left(delay_s: float) -> float:
        window = delay_s * packets_s / flows
        return window**2 * slope * (delay_s - rtt_s) * packets_s - 2

    delay_s = float(optimize.brentq(left, rtt_s, 100.0))
    return delay_s, delay_s * packets_s / flows


def red_at(rad_s: float, network: tuple[float, float, float], red: tuple[float, float]) -> complex:
    """Return the characteristic function at i w, by hand from the equations of the model.

    With e = e^-sR and a = N/(R^2 C): (s + a (1 + e)) W + (1 - e)/(R^2 C) q + W0^2 L e x/(2 R) = 0,
    (s + 1/R) q = N W/R, (s + K) x = K q. (Hollot et al. 2001 take e for 1 but beside x.)
    """
    (flows, _, packets_s), (slope, forgets) = network, red
    delay_s, window = red_rest(*network, slope)
    s = 1j * rad_s
    late, a = np.exp(-s * delay_s), flows / (delay_s**2 * packets_s)
    by_queue = (1 - late) / (delay_s**2 * packets_s)
    by_mean = window**2 * slope * late / (2 * delay_s) * forgets / (s + forgets)
    own = (s + a * (1 + late)) * (s + 1 / delay_s)
    return complex(own + flows / delay_s * (by_queue + by_mean))


def red_boundary(
    network: tuple[float, float, float], most: float, weight: float, guess: tuple[float, float]
) -> float:
    """Return max_p at which a root lies on the axis."""
    forgets = -np.log1p(-weight) * network[2]

    def parts(z: np.ndarray) -> list[float]:
        value = red_at(np.exp(z[1]), network, (np.exp(z[0]) / most, forgets))
        return [value.real, value.imag]

    found = optimize.root(parts, np.log(guess), tol=1e-12)
    assert found.success
    return float(np.exp(found.x[0]))


#: Flows, round trip, packets/s; the upper threshold, its weight; a first guess of the root.
REDS = [
    ((60.0, 0.2, 3750.0), 2000.0, 1e-3, (0.3, 2.8)),
    ((100.0, 0.1, 3750.0), 200.0, 1e-3, (0.38, 5.9)),
    ((20.0, 0.1, 1000.0), 200.0, 1e-2, (0.75, 6.8)),
]


@pytest.mark.parametrize(("network", "most", "weight", "guess"), REDS)
def test_tcp_over_red_turns_unstable_where_theory_says(
    network: tuple[float, float, float], most: float, weight: float, guess: tuple[float, float]
) -> None:
    exact = red_boundary(network, most, weight, guess)
    red = {"min_packets": 1e-9, "max_packets": most, "weight": weight}
    ways: tuple[tuple[Literal["theory", "simulation"], float], ...]
    ways = (("theory", THEORY), ("simulation", WITHIN))
    for way, within in ways:
        found = find_stability_boundary(
            "misra-gong-towsley",
            "max_p",
            (0.5 * exact, min(2 * exact, 1.0)),
            red,
            network=red_network(*network),
            by=way,
            close=1e-3 if way == "simulation" else 1e-4,
        )
        np.testing.assert_allclose(found, exact, rtol=within)


def test_fewer_flows_and_longer_round_trips_make_tcp_over_red_unstable() -> None:
    """Hollot et al. 2001: both raise the gain of the loop. By simulation beside theory."""
    red = {"min_packets": 1e-9, "max_packets": 2000.0, "max_p": 0.2, "weight": 1e-3}

    def found(by: str, make: Callable[[float], dict[str, Any]], ends: tuple[float, float]) -> float:
        def stable(value: float) -> bool:
            given = {"network": make(value), "settle": "100 s"}
            if by == "theory":
                return analyse_stability("misra-gong-towsley", red, **given).stable
            return simulate_growth("misra-gong-towsley", red, **given) < 0

        assert stable(ends[1])
        assert not stable(ends[0])
        return bisect_verdict(stable, ends, close=1e-3)

    for make, ends in (
        (lambda flows: red_network(flows, 0.2, 3750.0), (20.0, 100.0)),
        (lambda rtt_s: red_network(60.0, rtt_s, 3750.0), (0.5, 0.1)),
    ):
        np.testing.assert_allclose(
            found("simulation", make, ends), found("theory", make, ends), rtol=WITHIN
        )


def test_fast_s_equations_without_feedback_delay_are_stable_on_one_link() -> None:
    found = analyse_stability("fast", {"alpha": 20.0}, network=ONE_LINK)
    assert found.stable
    assert not len(found.delays_s)
    np.testing.assert_allclose(found.rest["queue_packets"], [400.0], rtol=1e-9)


@pytest.mark.parametrize(("alpha", "gamma", "rounds"), [(20.0, 0.5, 2.0), (2.0, 1.0, 1.0)])
def test_fast_that_hears_of_waits_a_round_trip_late_is_stable(
    alpha: float, gamma: float, rounds: float
) -> None:
    """In round trips, k = gamma/n, r = q/R: (S + k r)(S + 1) + k (1 - r) e^-S = 0.

    At its worst, k = 1 and r = 0, the gain of the loop e^-S/(S (S + 1)) is 1 at S = 0.786 i and 6.8
    degrees left there (Wang, Wei, Low 2005: stable with one round trip).
    """
    params = {"alpha": alpha, "gamma": gamma, "update_rounds": rounds, "feedback": "round"}
    found = analyse_stability("fast", params, network=ONE_LINK)
    delay_s = 0.1 + 20 * alpha / (100e6 / 12_000)
    np.testing.assert_allclose(found.delays_s, delay_s)
    s, k, r = found.roots * delay_s, gamma / rounds, 1 - 0.1 / delay_s
    left = (s + k * r) * (s + 1) + k * (1 - r) * np.exp(-s)
    assert np.abs(left).max() < 1e-6
    assert found.stable
    assert found.margins is not None
    assert found.margins.phase_deg > 6.8
    assert simulate_growth("fast", params, network=ONE_LINK) < 0


def test_a_model_that_bends_at_rest_has_no_linear_theory() -> None:
    """The queue rests at RED's upper threshold: R = 0.24 s, W = 15, p = 2/15^2 = max_p."""
    red = {"min_packets": 1e-9, "max_packets": 150.0, "max_p": 2 / 15**2}
    with pytest.raises(ScenarioError, match="no smooth equilibrium was found"):
        analyse_stability("misra-gong-towsley", red, network=red_network(60.0, 0.2, 3750.0))


@pytest.mark.parametrize("red", ["mean", "queue"])
def test_tcp_red_circles_where_theory_says(red: str) -> None:
    """Its ACKs come no faster than its link sends: an edge at rest, and nothing depends on it."""
    found = analyse_stability("tcp-red", {"red": red})
    assert found.edges
    assert not found.stable  # the cycles of "TCP reloaded 5", RED from 20 to 60 packets
    theory, simulation = (
        find_stability_boundary("tcp-red", "max_packets", (100.0, 2000.0), {"red": red}, by=by)
        for by in ("theory", "simulation")
    )
    np.testing.assert_allclose(simulation, theory, rtol=WITHIN)


def test_ends_that_are_alike_are_told() -> None:
    with pytest.raises(ScenarioError, match=r"beta: the model is stable both at 0.01 and at 0.02"):
        find_stability_boundary("rcp", "beta", (0.01, 0.02), OFF_ZERO, network=ONE_LINK)


def spread_of_arrivals(scheme: str, alpha: float, beta: float, seed: int) -> float:
    """Twice the flows after 30 s; how much arrivals vary 20 s later, in parts of the line."""
    flows = {"cca": scheme, "kind": "flows", "count": 20, "stagger": "10 ms"}
    result = Scenario.from_dict(
        {
            "seed": seed,
            "duration": "60 s",
            "network": {
                "kind": "dumbbell",
                "rate": "100 Mbit/s",
                "rtt": "100 ms",
                "buffer": "infinite",
                "access": "direct",
                "feedback": {"name": scheme, "alpha": alpha, "beta": beta},
            },
            "transport": {"preset": "ns2", "segment": "1460 B"},
            "traffic": [flows, flows | {"start": "30 s"}],
            "measure": {"series": {"interval": "20 ms"}},
        }
    ).run()
    port = result.series.where(result.series["of"] == "port")
    return float(port["throughput_bps"][port["t_s"] > 50].std() / 100e6)


@pytest.mark.parametrize("scheme", ["rcp", "xcp"])
@pytest.mark.parametrize(("alpha", "beta"), [(1.0, 0.95), (1.2, 0.59)])
def test_packets_rest_and_circle_on_the_sides_of_the_empty_queue_s_boundary(
    scheme: str, alpha: float, beta: float
) -> None:
    """Routers average over 10 ms to 100 ms of a round trip of 100 ms: halves and doubles of it.

    Paced packets leave a little of the line free, so beyond the boundary RCP can rest too: one
    seed of two is to circle.
    """
    found = find_stability_boundary(
        scheme, "beta", (0.2, 3.0), {"alpha": alpha}, network=ONE_LINK, by="simulation", close=0.01
    )
    np.testing.assert_allclose(found, beta, rtol=0.05)
    within, beyond = (
        [spread_of_arrivals(scheme, alpha, beta * part, seed) for seed in (1, 2)]
        for part in (0.5, 2.0)
    )
    assert max(within) < 0.05
    assert max(beyond) > 0.05
