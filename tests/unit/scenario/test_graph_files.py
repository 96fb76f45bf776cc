"""Graphs from files: parallel links, unknown attributes, and the reported place of a mistake."""

from pathlib import Path
from typing import Any

import networkx
import pytest

import headgate
from headgate import Scenario
from headgate.base.errors import ScenarioError
from headgate.scenario.plan_warnings import scenario_warnings


def graphml(path: Path, graph: Any) -> str:
    networkx.write_graphml(graph, path)
    return str(path)


def scenario(network: dict[str, Any], **flow: Any) -> Scenario:
    flow = {"kind": "flows", "cca": "cubic", "source": "a", "receiver": "b"} | flow
    return Scenario.from_dict(
        {"duration": "2 s", "network": {"kind": "graph", **network}, "traffic": [flow]}
    )


def parallel(*delays: str) -> Any:
    graph = networkx.MultiGraph()
    for delay in delays:
        graph.add_edge("a", "b", rate="10 Mbit/s", delay=delay)
    return graph


def test_parallel_links_have_names_and_packets_take_the_shortest(tmp_path: Path) -> None:
    made = scenario({"file": graphml(tmp_path / "g.graphml", parallel("5 ms", "2 ms", "2 ms"))})
    plan, _ = made.plan()
    names = [link["name"] for link in plan["links"]]
    assert names == ["a-b", "b-a", "a-b.2", "b-a.2", "a-b.3", "b-a.3"]
    ports = made.run().tables["ports"]
    sent = dict(zip(ports["link"].tolist(), ports["sent_bytes"].tolist(), strict=True))
    assert [name for name in names if sent[name]] == ["a-b.2", "b-a.2"]


def test_parallel_links_that_carry_nothing_are_reported(tmp_path: Path) -> None:
    made = scenario({"file": graphml(tmp_path / "g.graphml", parallel("5 ms", "2 ms", "2 ms"))})
    (said,) = scenario_warnings(made, *made.plan())
    assert said == (
        "network: a-b.2, a-b, a-b.3 are parallel. All packets "
        "use the one with the least delay, or the first of equal ones: a-b.2, not a-b, a-b.3"
    )


def test_links_written_both_ways_are_parallel_too() -> None:
    links = [{"ends": ["a", "b"]}, {"ends": ["b", "a"]}]
    routers = [{"name": "a"}, {"name": "b"}]
    common = {"rate": "90 Mbit/s", "delay": "1 ms", "routers": routers, "links": links}
    plan, _ = scenario(common).plan()
    assert [link["name"] for link in plan["links"]] == ["a-b", "b-a", "b-a.2", "a-b.2"]


def test_names_of_ends_may_run_together() -> None:
    routers = [{"name": name} for name in ("a", "b", "a-b", "c", "b-c")]
    links = [{"ends": ["a-b", "c"]}, {"ends": ["a", "b-c"]}, {"ends": ["a", "b"]}]
    common = {"rate": "90 Mbit/s", "delay": "1 ms", "routers": routers, "links": links}
    plan, _ = scenario(common).plan()
    names = [link["name"] for link in plan["links"]]
    assert names[:4] == ["a-b-c", "c-a-b", "a-b-c.2", "b-c-a"]


def test_the_name_of_traffic_that_a_user_chose_is_kept() -> None:
    flow = {"kind": "flows", "cca": "reno"}
    groups = [flow, flow, flow | {"name": "reno-2"}, flow]
    network = {"kind": "dumbbell", "rate": "1 Mbit/s", "rtt": "9 ms"}
    plan, _ = Scenario.from_dict({"network": network, "traffic": groups}).plan()
    assert [item["name"] for item in plan["traffic"]] == ["reno", "reno-3", "reno-2", "reno-4"]


def foreign() -> Any:
    graph = networkx.Graph()
    graph.add_node("a", Country="Italy", Internal=1)
    graph.add_node("b", Country="Italy", Internal=1)
    graph.add_edge("a", "b", LinkType="Fiber", ttl=30)
    return graph


DEFAULTS = {"rate": "10 Mbit/s", "delay": "5 ms"}
IGNORED = (
    "network: these attributes mean nothing here and are ignored: ttl of edges; understood are "
    "class, mass, label,"
)


def test_attributes_that_are_not_understood_are_reported(tmp_path: Path) -> None:
    made = scenario({"file": graphml(tmp_path / "g.graphml", foreign()), **DEFAULTS})
    (said,) = scenario_warnings(made, *made.plan())
    assert said.startswith(IGNORED)
    again = Scenario.from_dict(made.to_dict(resolved=True))
    assert scenario_warnings(again, *again.plan()) == [said]
    flows = [{"cca": "cubic", "source": "a", "receiver": "b"}]
    drawn = headgate.graph(foreign(), flows=flows, **DEFAULTS)
    assert scenario_warnings(drawn, *drawn.plan()) == [said]


def test_attributes_that_are_understood_are_not_reported(tmp_path: Path) -> None:
    graph = parallel("1 ms")
    networkx.set_node_attributes(graph, "D", "class")
    made = scenario({"file": graphml(tmp_path / "g.graphml", graph)})
    assert scenario_warnings(made, *made.plan()) == []


@pytest.mark.parametrize(
    ("node", "edge", "says"),
    [
        ({}, {"Rate": "1 Mbit/s"}, "edge a-b has the attribute 'Rate'; did you mean 'rate'?"),
        ({}, {"delay_": "1 ms"}, "edge a-b has the attribute 'delay_'; did you mean 'delay'?"),
        ({"Class": "D"}, {}, "node a has the attribute 'Class'; did you mean 'class'?"),
        ({}, {"rate": 1e6}, "edge a-b: rate: 1000000 has no unit"),
        ({}, {"loss": 1.5}, "edge a-b: loss: 1.5 is not allowed"),
        ({}, {"delay": "1,5 ms"}, "edge a-b: delay: '1,5 ms' has a comma"),
        ({}, {"queue": "reed"}, "edge a-b: queue: 'reed' is not a queue discipline"),
    ],
)
def test_a_mistake_is_said_with_its_edge(
    node: dict[str, Any], edge: dict[str, Any], says: str, tmp_path: Path
) -> None:
    graph = networkx.Graph()
    graph.add_node("a", **node)
    graph.add_edge("a", "b", **edge)
    with pytest.raises(ScenarioError) as error:
        scenario({"file": graphml(tmp_path / "g.graphml", graph), **DEFAULTS})
    assert error.value.place == "network.file"
    assert says in error.value.sentence
