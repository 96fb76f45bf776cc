"""FAST's map by experiment: from many starts, on many networks, beside its linear theory."""

from typing import Any

import numpy as np
import pytest

from headgate.base.errors import ScenarioError
from headgate.engine.fluid import iterate_fast_map, measure_convergence

#: The rate near rest is a mean over four updates at least of a map that is linear to a part of
#: 1e-4 there; a hundredth leaves room for what is left of faster parts.
RATE = 0.01


def one_link(classes: dict[str, Any], packets_s: float = 1000) -> dict[str, Any]:
    rate = {"rate": f"{8 * 1500 * packets_s:.0f} bit/s"}
    return {"links": {"core": rate}, "classes": classes}


def random_network(seed: int) -> tuple[dict[str, Any], dict[str, float]]:
    """One to five links, one to seven classes of 1 to 9 flows; rates and RTTs over decades."""
    rng = np.random.default_rng(seed)
    names = [f"l{index}" for index in range(rng.integers(1, 6))]
    links = {name: {"rate": f"{10 ** rng.uniform(6, 9):.0f} bit/s"} for name in names}
    classes = {}
    for index in range(rng.integers(1, 8)):
        hops = rng.integers(1, len(names) + 1)
        classes[f"c{index}"] = {
            "flows": int(rng.integers(1, 10)),
            "rtt": f"{10 ** rng.uniform(1, 2.5):.3f} ms",
            "path": [str(name) for name in rng.choice(names, hops, replace=False)],
            "params": {"alpha": float(10 ** rng.uniform(1, 2.5))},
        }
    return {"links": links, "classes": classes}, {"gamma": float(rng.choice([0.3, 0.5, 0.9]))}


#: Networks in which prices or waits were once not found.
HARD = (1051, 1118, 1144, 1152, 1250, 1390)


@pytest.mark.parametrize("seed", [*range(40), *HARD])
def test_every_update_brings_every_start_nearer(seed: int) -> None:
    """200 starts, windows from a hundredth of those at rest to a hundred times; none may stray."""
    network, params = random_network(seed)
    found = measure_convergence(network, params, starts=200, seed=seed)
    assert found.distance.shape[0] == 200
    assert found.distance[:, 0].max() > 1
    assert found.distance[:, -1].max() < 1e-9
    assert found.worst_ratio.max() < 1
    assert found.linear_rate <= found.linear_bound + 1e-12
    if not np.isnan(found.rate).all():  # some rest within a few updates
        np.testing.assert_allclose(np.nanmax(found.rate), found.linear_rate, rtol=RATE)


@pytest.mark.parametrize("gamma", [0.2, 0.5, 0.7])
def test_equal_windows_on_one_link_lose_gamma_of_their_error_at_each_update(gamma: float) -> None:
    """w' = (1 - gamma) w + gamma (d C/N + alpha), as long as there is a queue.

    Windows have errors of 1e-14 by rounding, the last distances are 1e-9: ratios are known to 1e-5.
    """
    network = one_link({"all": {"flows": 4, "rtt": "100 ms", "path": ["core"]}})
    found = measure_convergence(network, {"gamma": gamma, "alpha": 10.0}, starts=50)
    np.testing.assert_allclose(found.rest_packets, 0.1 * 1000 / 4 + 10)
    np.testing.assert_allclose(found.linear_rate, 1 - gamma)
    np.testing.assert_allclose(found.rate, 1 - gamma, rtol=1e-5)


def test_what_flows_differ_by_shrinks_slower_than_their_sum() -> None:
    """One RTT: `1 - gamma` for the sum, `1 - gamma q/R` for differences: q = 0.04, R = 0.14."""
    each = {"rtt": "100 ms", "path": ["core"], "params": {"alpha": 20}}
    found = measure_convergence(one_link({"a": each, "b": each}), {"gamma": 0.5})
    np.testing.assert_allclose(found.linear_rate, 1 - 0.5 * 0.04 / 0.14)
    np.testing.assert_allclose(found.linear_bound, found.linear_rate)
    np.testing.assert_allclose(np.nanmax(found.rate), found.linear_rate, rtol=RATE)


def test_two_rtts_on_one_link_have_the_rate_that_is_worked_by_hand() -> None:
    """P = 1 - x r'/(r'x), r = 1/R: its range is v with r'v = 0, so one rate is left beside 1 - g.

    q = 20/1000 s, x = 500 each: v = (R1, -R2), D v = (d1, -d2); the kept share is
    trace(D P) = d1/R1 + d2/R2 - (x1 d1/R1^2 + x2 d2/R2^2)/(x1/R1 + x2/R2).
    """
    classes = {
        name: {"rtt": rtt, "path": ["core"], "params": {"alpha": 10}}
        for name, rtt in (("near", "20 ms"), ("far", "180 ms"))
    }
    found = measure_convergence(one_link(classes), {"gamma": 0.5})
    near, far = 0.02 / 0.04, 0.18 / 0.20
    kept = near + far - (near / 0.04 + far / 0.20) / (1 / 0.04 + 1 / 0.20)
    np.testing.assert_allclose(found.linear_rate, 0.5 + 0.5 * kept)
    np.testing.assert_allclose(np.nanmax(found.rate), found.linear_rate, rtol=RATE)


def test_two_starts_that_fill_no_link_stay_as_far_apart() -> None:
    """Below its rate a link's queue is empty, and every flow adds gamma alpha to any window."""
    network = one_link({"all": {"rtt": "100 ms", "path": ["core"]}}, packets_s=1e5)
    found = measure_convergence(network, {"alpha": 10.0}, starts=20)
    np.testing.assert_allclose(found.pair_ratio.max(), 1.0)
    # Of equal windows on a full link the map is (1 - gamma) w + a constant; gamma is 0.5.
    full = found.full_pair_ratio[np.isfinite(found.full_pair_ratio)]
    np.testing.assert_allclose(full, 0.5, rtol=1e-6)
    assert found.worst_ratio.max() < 1


def test_classes_of_several_flows_are_as_many_classes_of_one() -> None:
    many = {"flows": 3, "rtt": "50 ms", "path": ["core"]}
    far = {"flows": 1, "rtt": "150 ms", "path": ["core"]}
    whole = iterate_fast_map(
        one_link({"many": many, "far": far}), {"initial_window": 7.0}, updates=20
    )
    split = {f"one-{index}": many | {"flows": 1} for index in range(3)}
    apart = iterate_fast_map(one_link(split | {"far": far}), {"initial_window": 7.0}, updates=20)
    np.testing.assert_allclose(apart["window_packets"][:, 2:], whole["window_packets"], rtol=1e-9)


def test_a_number_of_starts_below_one_is_refused() -> None:
    network = one_link({"all": {"rtt": "100 ms", "path": ["core"]}})
    with pytest.raises(ScenarioError, match="starts: must be at least 1; got 0"):
        measure_convergence(network, starts=0)
