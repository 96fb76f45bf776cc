"""Topology files in the form of the Topology Zoo and of Shadow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest

from headgate import Scenario
from headgate.base.errors import ScenarioError
from headgate.figures.spec.difference import subtract_runs
from headgate.figures.spec.ports import draw_topology
from headgate.figures.spec.run import Run
from headgate.scenario.networks.attributes import fibre_delay_ps
from headgate.scenario.plan_warnings import scenario_warnings

ZOO = """
graph [
  directed 0
  Network "Made up"
  node [ id 0 label "Bern" Longitude 7.45 Latitude 46.95 Internal 1 ]
  node [ id 1 label "Paris" Longitude 2.35 Latitude 48.86 Internal 1 ]
  node [ id 2 label "Lyon" Longitude 4.84 Latitude 45.76 Internal 1 ]
  edge [ source 0 target 1 LinkLabel "10 Gbps" LinkSpeed "10" LinkSpeedUnits "G" LinkSpeedRaw 1.0e10 ]
  edge [ source 0 target 1 LinkSpeed "155" LinkSpeedUnits "M" ]
  edge [ source 1 target 2 LinkLabel "2.5 Gbit/s" LinkNote "leased" ]
]
"""  # noqa: E501
SHADOW = """
graph [
  directed 0
  node [ id 0 label "zero" host_bandwidth_up "81920 Kibit" host_bandwidth_down "81920 Kibit" ]
  node [ id 1 host_bandwidth_up "10 Mbit" host_bandwidth_down "100 Mbit" ]
  edge [ source 0 target 0 latency "1 ms" ]
  edge [ source 0 target 1 latency "10 ms" jitter "2 ms" packet_loss 0.01 ]
]
"""
FLOW = {"kind": "flows", "cca": "cubic"}


def write(folder: Path, text: str, name: str = "net.gml") -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def scenario(network: dict[str, Any], source: str, receiver: str) -> Scenario:
    traffic = [FLOW | {"source": source, "receiver": receiver}]
    network = {"kind": "graph", **network}
    return Scenario.from_dict({"duration": "2 s", "network": network, "traffic": traffic})


def links(made: Scenario) -> dict[str, Any]:
    return {link["name"]: link for link in made.plan()[0]["links"]}


def test_a_file_of_the_zoo_needs_no_other_key(tmp_path: Path) -> None:
    made = scenario({"file": write(tmp_path, ZOO)}, "Bern", "Lyon")
    found = links(made)
    rates = {name: link["rate_bps"] for name, link in found.items()}
    assert [rates[name] for name in ("Bern-Paris", "Bern-Paris.2", "Paris-Lyon")] == [
        10**10, 155 * 10**6, 2_500_000_000,
    ]  # fmt: skip
    # 436 km between Bern and Paris, 392 km between Paris and Lyon; 4.9 us for each km of fibre
    assert found["Bern-Paris"]["delay_ps"] / 1e12 == pytest.approx(
        436e3 * 1.468 / 299_792_458, rel=0.005
    )
    assert found["Paris-Lyon"]["delay_ps"] / 1e12 == pytest.approx(
        392e3 * 1.468 / 299_792_458, rel=0.005
    )
    said = scenario_warnings(made, *made.plan())
    assert "Bern-Paris, Bern-Paris.2 are parallel" in said[0]
    assert made.plan()[0]["traffic"][0]["sources"][0]["node"] == 0


def test_routers_are_named_by_labels_and_found_by_ids(tmp_path: Path) -> None:
    made = scenario({"file": write(tmp_path, ZOO)}, "0", "Lyon")
    assert [node["name"] for node in made.plan()[0]["nodes"]] == ["Bern", "Paris", "Lyon"]
    swapped = ZOO.replace('"Bern"', '"1"')
    made = scenario({"file": write(tmp_path, swapped)}, "0", "Lyon")
    assert [node["name"] for node in made.plan()[0]["nodes"]] == ["0", "1", "2"]


def test_graphml_of_the_zoo_is_the_same_network(tmp_path: Path) -> None:
    graph = networkx.parse_gml(ZOO.replace("graph [", "graph [ multigraph 1"), label="id")
    networkx.write_graphml(graph, tmp_path / "net.graphml")
    from_graphml = scenario({"file": str(tmp_path / "net.graphml")}, "Bern", "Lyon")
    from_gml = scenario({"file": write(tmp_path, ZOO)}, "Bern", "Lyon")
    assert from_graphml.plan()[0] == from_gml.plan()[0]


def test_a_file_of_shadow(tmp_path: Path) -> None:
    made = scenario({"file": write(tmp_path, SHADOW), "rate": "1 Gbit/s"}, "zero", "1")
    link = links(made)["0-1"]
    assert (link["delay_ps"], link["loss"]) == (10**10, 0.01)
    assert link["impairments"] == [{"name": "jitter", "params": {"mean_s": 0.002}}]
    edges = {edge["name"]: edge["rate_bps"] for edge in made.plan()[0]["edges"]}
    assert edges == {"host 83.88608 Mbit/s": 81920 * 1024, "host 10 Mbit/s": 10**7}
    (said,) = scenario_warnings(made, *made.plan())
    assert "edges from a node to itself" in said
    assert "the higher of two different bandwidths" in said


def test_keys_of_headgate_take_precedence(tmp_path: Path) -> None:
    graph = networkx.Graph()
    graph.add_edge("a", "b", rate="1 Mbit/s", LinkSpeedRaw=1e9, delay="3 ms", latency="9 ms")
    networkx.write_graphml(graph, tmp_path / "net.graphml")
    link = links(scenario({"file": str(tmp_path / "net.graphml")}, "a", "b"))["a-b"]
    assert (link["rate_bps"], link["delay_ps"]) == (10**6, 3 * 10**9)


def test_a_delay_of_the_network_is_used_before_coordinates(tmp_path: Path) -> None:
    made = scenario({"file": write(tmp_path, ZOO), "delay": "7 ms"}, "0", "2")
    assert {link["delay_ps"] for link in links(made).values()} == {7 * 10**9}


@pytest.mark.parametrize(
    ("one", "other", "km"),
    [
        ((0.0, 0.0), (0.0, 0.0), 0.0),
        ((0.0, 0.0), (180.0, 0.0), 20_015.1),  # half of the equator
        ((0.0, 0.0), (0.0, 90.0), 10_007.5),
        ((179.0, 0.0), (-179.0, 0.0), 222.4),  # across the date line
        ((-0.1278, 51.5074), (-74.006, 40.7128), 5570.2),  # London to New York
    ],
)
def test_the_delay_of_a_fibre(
    one: tuple[float, float], other: tuple[float, float], km: float
) -> None:
    expected_ps = km * 1e3 * 1.468 / 299_792_458 * 1e12
    assert fibre_delay_ps(one, other) == pytest.approx(expected_ps, rel=1e-4, abs=1)
    assert fibre_delay_ps(one, other) == fibre_delay_ps(other, one)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('LinkSpeed "155" LinkSpeedUnits "M"', "LinkSpeedRaw none", "is not GML"),
        ("LinkSpeedRaw 1.0e10", 'LinkSpeedRaw "fast"', "LinkSpeedRaw of edge 0-1 is 'fast'"),
        ('LinkSpeed "155"', 'LinkSpeed "<155"', "edge 0-1 is '<155 Mbit/s'; it must"),
        ("Longitude 4.84", "Longitude 484", "node Lyon: longitude: 484 is not allowed"),
        ("Longitude 4.84", "", "no delay; give it one, or network.delay for all, or "
         "coordinates to its routers; Lyon lack longitude or latitude"),
        ('LinkLabel "2.5 Gbit/s"', "", "no rate; give it one"),
        ("id 2 label", 'id 2 host_bandwidth_up "fast" label', "up of node 2 is 'fast'; it must"),
    ],
)  # fmt: skip
def test_a_mistake_is_refused(old: str, new: str, says: str, tmp_path: Path) -> None:
    assert old in ZOO
    with pytest.raises(ScenarioError) as error:
        scenario({"file": write(tmp_path, ZOO.replace(old, new))}, "0", "2")
    assert says in str(error.value)


def test_a_label_of_several_routers_is_refused(tmp_path: Path) -> None:
    text = ZOO.replace('"Paris"', '"Bern"')
    with pytest.raises(ScenarioError, match="'Bern' is the label of several routers, 0, 1; write"):
        scenario({"file": write(tmp_path, text)}, "Bern", "Lyon").plan()


def test_a_map_shows_routers_at_their_coordinates_with_their_labels(tmp_path: Path) -> None:
    text = ZOO.replace("Longitude 4.84 Latitude 45.76", "Longitude 2.35 Latitude 48.86")
    slow = {"file": write(tmp_path, text), "delay": "1 ms", "rate": "1 Mbit/s"}
    result = scenario(slow, "Bern", "Paris").run(duration="0.2 s")
    drawn = draw_topology([Run("one", result.tables, result.meta)])
    assert drawn is not None
    assert drawn.routers["Bern"] == (7.45, 46.95)
    # Two routers are at one place, so each is moved by 5 % of the width.
    assert np.hypot(*np.subtract(drawn.routers["Paris"], (2.35, 48.86))) == pytest.approx(
        0.05 * 5.1
    )
    assert drawn.routers["Paris"] != drawn.routers["Lyon"]
    assert [label for label, _ in drawn.labels] == ["Bern", "Paris", "Lyon"]
    assert drawn.aspect == pytest.approx(1 / np.cos(np.radians((46.95 + 2 * 48.86) / 3)))
    assert [span.link for span in drawn.spans] == [
        "Bern-Paris",
        "Paris-Bern",
        "Paris-Lyon",
        "Lyon-Paris",
    ]
    assert drawn.caption.endswith(
        "2 parallel links that carry less than another one are not drawn."
    )
    one, other = (Run(name, result.tables, result.meta) for name in ("one", "other"))
    assert subtract_runs(one, other)["use"].caption.endswith("are not drawn.")
