"""Max-min fair equilibria by filling links: closed forms, integration, models without one."""

from typing import Any

import numpy as np
import pytest

from headgate.base.errors import HeadgateError
from headgate.engine.fluid import Adaptive, find_equilibrium, solve

#: Relative tolerance of closed forms, and of runs in equilibrium.
EXACT = 1e-6

#: Gains that settle.
STABLE: dict[str, dict[str, float | str]] = {
    "rcp": {"alpha": 0.4, "beta": 0.226},
    "vcp": {"gamma": 0.8, "alpha": 0.2},
    "xcp": {"alpha": 0.4, "beta": 0.226},
}


def link(packets_s: float, **more: str) -> dict[str, Any]:
    return {"rate": f"{8 * 1500 * packets_s:.0f} bit/s"} | more


def lot(*rates: float) -> dict[str, Any]:
    """Give two flows over all links, and three over each."""
    names = [f"hop-{index}" for index in range(len(rates))]
    classes: dict[str, Any] = {"long": {"flows": 2, "rtt": "150 ms", "path": names}}
    for name in names:
        classes[f"short-{name}"] = {"flows": 3, "rtt": "60 ms", "path": [name]}
    links = {name: link(rate) for name, rate in zip(names, rates, strict=True)}
    return {"links": links, "classes": classes}


def test_rcp_gives_what_a_link_has_left_to_those_it_slows() -> None:
    rest = find_equilibrium("rcp", network=lot(1000, 1600))
    # 1000/5 for all over the first; (1600 - 2 200)/3 for the others.
    assert rest.rate_packets_s == pytest.approx([200, 200, 400], rel=EXACT)
    assert rest.link_level == pytest.approx([200, 400], rel=EXACT)
    assert rest.utilisation == pytest.approx([1, 1], rel=EXACT)
    assert np.isnan(rest.link_price).all()
    assert np.isnan(rest.path_price).all()


def test_rcp_names_no_more_than_the_line() -> None:
    half = {"links": {"a": link(1000)}, "classes": {"x": {"flows": 0.5, "rtt": "1 s", "path": "a"}}}
    half["classes"]["x"]["path"] = ["a"]
    rest = find_equilibrium("rcp", {"gamma": 0.9}, network=half)
    assert rest.rate_packets_s == pytest.approx([900], rel=EXACT)
    assert rest.utilisation == pytest.approx([0.45], rel=EXACT)


def test_a_link_that_slows_nobody_has_no_level() -> None:
    wide = lot(1000, 1000)
    wide["links"]["wide"] = link(5000)
    wide["classes"]["long"]["path"] += ["wide"]
    rest = find_equilibrium("rcp", network=wide)
    assert rest.link_level[2] == np.inf
    assert rest.utilisation[2] == pytest.approx(2 * 200 / 5000, rel=EXACT)


def test_vcp_rests_where_its_theorem_says() -> None:
    # gamma C/N + alpha/(k t) = 0.8 1000/5 + 0.2/(0.25 0.2).
    rest = find_equilibrium("vcp", STABLE["vcp"], network=lot(1000))
    assert rest.rate_packets_s == pytest.approx([164, 164], rel=EXACT)


def test_xcp_leaves_a_part_of_links_whose_flows_are_slowed_elsewhere() -> None:
    rest = find_equilibrium("xcp", network=lot(1000, 1600))
    assert rest.rate_packets_s[:2] == pytest.approx([200, 200], rel=EXACT)
    assert 0.8 < rest.utilisation[1] < 0.99
    # Its offer there is nothing: y/N gamma y/(gamma y - alpha (C - y)).
    y = rest.utilisation[1] * 1600
    level = y / 5 * 0.1 * y / (0.1 * y - 0.4 * (1600 - y))
    assert rest.rate_packets_s[2] == pytest.approx(level, rel=EXACT)


@pytest.mark.parametrize("cca", ["rcp", "vcp", "xcp"])
def test_rests_are_those_that_a_run_comes_to(cca: str) -> None:
    network = lot(1000, 1300, 2500)
    network["classes"]["middle"] = {"rtt": "90 ms", "path": ["hop-1", "hop-2"]}
    network["links"]["hop-2"]["buffer"] = "50 packets"
    rest = find_equilibrium(cca, STABLE[cca], network=network)
    run = solve(cca, STABLE[cca], network=network, duration="600 s", method=Adaptive(1e-9))
    assert not any(
        "slow start" in text for text in run.meta["warnings"]
    )  # packets have none either
    series = run.tables["series"]
    for name, rate in zip(rest.classes, rest.rate_packets_s, strict=True):
        # The rate is the packets in flight and in queues, divided by the round trip.
        at_rest = series.where((series["name"] == name) & (series["t_s"] == 600.0))
        found = at_rest["cwnd_packets"][0] / at_rest["srtt_s"][0]
        assert found == pytest.approx(rate, rel=EXACT), name


@pytest.mark.parametrize(
    ("cca", "params", "rate", "says"),
    [
        ("tcp-red", {}, 1000, "'tcp-red'"),
        ("misra-gong-towsley", {}, 1000, "'misra-gong-towsley' has no utility"),
        ("xcp", {"gamma": 0.0}, 1000, "'xcp' does not share by levels in equilibrium"),
        ("rcp", {"gamma": 0.9, "target_packets": 9.0}, 1000, "'rcp' does not share by levels"),
        (
            "vcp",
            {},
            90,
            "network.links.hop-0: demand exceeds its capacity at every level; there is no"
            " equilibrium",
        ),
        (
            "xcp",
            {},
            20,
            "network.links.hop-0: demand exceeds its capacity at every level; there is no"
            " equilibrium",
        ),
    ],
)
def test_a_model_without_an_equilibrium_is_refused(
    cca: str, params: dict[str, float | str], rate: float, says: str
) -> None:
    with pytest.raises(HeadgateError) as raised:
        find_equilibrium(cca, params, network=lot(rate))
    assert says in str(raised.value)
