"""Utilities maximised directly, beside closed forms, integration to rest, and FAST's map."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from headgate.base.errors import HeadgateError
from headgate.engine.fluid import Adaptive, find_equilibrium, iterate_fast_map, solve

#: Relative tolerance of the closed forms.
EXACT = 1e-6

CCAS = ("reno", "hstcp", "scalable", "vegas", "fast")


def link(packets_s: float) -> dict[str, Any]:
    return {"rate": f"{8 * 1500 * packets_s:.0f} bit/s"}


def parking_lot(links: int, rtt: str = "30 ms") -> dict[str, Any]:
    names = [f"hop-{index}" for index in range(links)]
    classes = {"long": {"rtt": "100 ms", "path": names}}
    classes |= {f"short-{name}": {"rtt": rtt, "path": [name]} for name in names}
    return {"links": {name: link(1000) for name in names}, "classes": classes}


def two_links() -> dict[str, Any]:
    """Give one flow over a link of 1000, one over that and a link of 400, and an idle third."""
    classes = {
        "a": {"rtt": "50 ms", "path": ["wide"]},
        "b": {"rtt": "150 ms", "path": ["wide", "narrow", "idle"]},
    }
    return {
        "links": {"wide": link(1000), "narrow": link(400), "idle": link(2000)},
        "classes": classes,
    }


def test_fast_on_one_link_has_its_closed_form() -> None:
    """q = sum of alpha / C, and each rate its alpha's part of C."""
    classes = {
        "few": {"flows": 2, "rtt": "50 ms", "path": ["core"], "params": {"alpha": 10}},
        "many": {"flows": 3, "rtt": "150 ms", "path": ["core"], "params": {"alpha": 20}},
    }
    found = find_equilibrium("fast", network={"links": {"core": link(1000)}, "classes": classes})
    np.testing.assert_allclose(found.link_price, [0.08], rtol=EXACT)
    np.testing.assert_allclose(found.rate_packets_s, [125, 250], rtol=EXACT)


@pytest.mark.parametrize("links", [2, 3, 5, 10])
def test_fast_is_proportionally_fair_in_a_parking_lot(links: int) -> None:
    """alpha/(L q) + alpha/q = C: the long flow has C/(L + 1), the short ones the rest."""
    found = find_equilibrium("fast", network=parking_lot(links))
    part = 1000 / (links + 1)
    np.testing.assert_allclose(found.rate_packets_s, [part, *[links * part] * links], rtol=EXACT)
    np.testing.assert_allclose(found.link_price, 100 / (links * part), rtol=EXACT)


@pytest.mark.parametrize(
    ("cca", "exponent"), [("reno", 0.5), ("scalable", 1.0), ("vegas", 1.0), ("fast", 1.0)]
)
def test_shares_follow_the_exponent_of_the_algorithm(cca: str, exponent: float) -> None:
    """Over L links of one price the long flow pays L times it, and has L^-exponent of the rate."""
    found = find_equilibrium(cca, network=parking_lot(4, rtt="100 ms"))
    np.testing.assert_allclose(
        found.rate_packets_s[0] / found.rate_packets_s[1], 4**-exponent, rtol=EXACT
    )


def test_only_full_links_have_a_price() -> None:
    """The narrow link is full at 400, so the wide one has 600 left: q = 100/600 and 100/400."""
    found = find_equilibrium("fast", network=two_links())
    np.testing.assert_allclose(found.rate_packets_s, [600, 400], rtol=EXACT)
    np.testing.assert_allclose(found.link_price, [1 / 6, 1 / 4 - 1 / 6, 0], rtol=EXACT)
    np.testing.assert_allclose(found.utilisation, [1, 1, 0.2], rtol=EXACT)


@pytest.mark.parametrize("cca", CCAS)
def test_integration_to_rest_comes_to_the_same(cca: str) -> None:
    params = {"beta": 2} if cca == "vegas" else {}
    found = find_equilibrium(cca, params, network=two_links())
    run = solve(cca, params, network=two_links(), duration="2000 s", method=Adaptive(1e-10))
    rates = run.series["throughput_bps"][(run.series["of"] == "flow")].reshape(2, -1)[:, -1]
    np.testing.assert_allclose(rates / (8 * 1500), found.rate_packets_s, rtol=EXACT)


def test_a_large_network_is_solved_and_no_link_is_asked_for_more() -> None:
    rng = np.random.default_rng(3)
    names = [f"l{index}" for index in range(20)]
    links = {name: link(float(rng.integers(1000, 9000))) for name in names}
    classes = {}
    for index in range(100):
        path = [str(name) for name in rng.choice(names, rng.integers(1, 5), replace=False)]
        classes[f"c{index}"] = {"flows": int(rng.integers(1, 9)), "rtt": "80 ms", "path": path}
    for cca in CCAS:
        found = find_equilibrium(cca, network={"links": links, "classes": classes})
        assert found.utilisation.max() < 1 + EXACT
        priced = found.link_price > 0
        np.testing.assert_allclose(found.utilisation[priced], 1.0, rtol=EXACT)


def test_fast_s_map_halves_what_is_missing_at_every_update() -> None:
    """N equal flows over a busy link: w' = (1 - gamma) w + gamma (d C/N + alpha), a contraction."""
    classes = {"all": {"flows": 4, "rtt": "100 ms", "path": ["core"]}}
    net = {"links": {"core": link(1000)}, "classes": classes}
    for start in (30.0, 5000.0):
        rows = iterate_fast_map(net, {"initial_window": start, "alpha": 10.0}, updates=20)
        rest = 0.1 * 1000 / 4 + 10
        missing = rows["window_packets"][:, 0] - rest
        np.testing.assert_allclose(missing, (start - rest) * 0.5 ** np.arange(21), atol=1e-6)


def test_fast_s_map_comes_to_the_equilibrium_from_many_starts() -> None:
    found = find_equilibrium("fast", network=two_links())
    for start in (0.01, 1.0, 100.0, 1e6):
        rows = iterate_fast_map(two_links(), {"initial_window": start}, updates=150)
        np.testing.assert_allclose(rows["rate_packets_s"][-1], found.rate_packets_s, rtol=EXACT)
        np.testing.assert_allclose(rows["link_wait_s"][-1], found.link_price, rtol=EXACT, atol=1e-9)


def test_the_map_without_a_queue_adds_alpha_each_time() -> None:
    net = {"links": {"core": link(1e6)}, "classes": {"a": {"rtt": "100 ms", "path": ["core"]}}}
    rows = iterate_fast_map(net, {"initial_window": 1.0}, updates=3)
    np.testing.assert_allclose(rows["window_packets"][:, 0], [1, 51, 101, 151])
    assert not rows["wait_s"].any()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: find_equilibrium("tcp-red", network=two_links()),
            "'tcp-red' has a network of its own",
        ),
        (
            lambda: find_equilibrium("misra-gong-towsley", network=two_links()),
            "model: 'misra-gong-towsley' has no utility",
        ),
        (lambda: find_equilibrium("fast", {"alfa": 1}, network=two_links()), "no parameter 'alfa'"),
    ],
)
def test_a_mistake_is_one_sentence(call: Callable[[], object], said: str) -> None:
    with pytest.raises(HeadgateError) as raised:
        call()
    assert said in str(raised.value)
