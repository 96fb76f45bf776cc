"""Every network, laid out: counts, delays, buffers, routes."""

from pathlib import Path
from typing import Any

import networkx
import pytest

from headgate.base.units import parse_rate
from headgate.data.topologies import ABILENE as TOPOLOGY
from headgate.scenario.networks.four_tier import FourTier
from headgate.scenario.networks.layout import Demand, apportion

from .scenarios import DUMBBELL, RENO, WEB, planned

MS = 10**9
ABILENE = {"kind": "abilene", "rate": "28.8 Gbit/s"}


def links(plan: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {link["name"]: link for link in plan["links"]}


def test_the_dumbbell_splits_its_round_trip_as_ns2_scripts_do() -> None:
    plan = planned(DUMBBELL)
    assert links(plan)["bottleneck"]["delay_ps"] == 12 * MS
    assert plan["edges"] == [
        {"name": "host", "rate_bps": 10**9, "delay_ps": 4 * MS, "buffer_bytes": None}
    ]


@pytest.mark.parametrize(
    ("buffer", "rate", "packets"),
    [
        ("0.5 BDP", "20 Mbit/s", 33),
        ("1 BDP", "20 Mbit/s", 67),
        ("2 BDP", "20 Mbit/s", 133),
        ("834 packets", "100 Mbit/s", 834),
    ],
)
def test_buffers_in_bdp_are_the_nearest_whole_packets(buffer: str, rate: str, packets: int) -> None:
    plan = planned({**DUMBBELL, "rate": rate, "buffer": buffer})
    assert {str(link["buffer"]) for link in plan["links"]} == {str({"packets": packets})}


def test_buffers_by_the_root_of_the_flows() -> None:
    plan = planned({**DUMBBELL, "buffer": "1 BDP/sqrt(n)"}, {**RENO, "count": 100})
    assert links(plan)["bottleneck"]["buffer"] == {"packets": 33}


@pytest.mark.parametrize(("text", "plan"), [("64 KiB", {"bytes": 65536}), ("infinite", "infinite")])
def test_buffers_in_bytes_or_without_limit(text: str, plan: object) -> None:
    assert links(planned({**DUMBBELL, "buffer": text}))["bottleneck"]["buffer"] == plan


def test_direct_access_puts_the_whole_delay_on_the_link() -> None:
    plan = planned({**DUMBBELL, "access": "direct"})
    assert links(plan)["bottleneck"]["delay_ps"] == 20 * MS
    assert plan["traffic"][0]["sources"] == [{"node": 0, "edge": None}]


@pytest.mark.parametrize("rtt_ms", [20, 40, 160])
def test_each_flow_can_have_a_different_round_trip(rtt_ms: int) -> None:
    plan = planned(DUMBBELL, {**RENO, "rtt": f"{rtt_ms} ms"}, {**RENO, "rtt": "20 ms"})
    edge = plan["edges"][plan["traffic"][0]["sources"][0]["edge"]]
    middle = links(plan)["bottleneck"]["delay_ps"]
    assert 2 * (2 * edge["delay_ps"] + middle) == rtt_ms * MS


def test_random_loss_is_on_the_forward_link_alone() -> None:
    plan = links(planned({**DUMBBELL, "loss": 0.01}))
    assert [plan[name]["loss"] for name in ("bottleneck", "bottleneck.reverse")] == [0.01, 0]


def test_the_parking_lot_is_a_chain() -> None:
    network = {"kind": "parking_lot", "hops": 3, "rate": "20 Mbit/s", "rtt": "60 ms"}
    plan = planned(network, RENO, {**RENO, "source": "r1", "receiver": "r2"})
    assert [link["name"] for link in plan["links"]][::2] == ["hop1", "hop2", "hop3"]
    first, second = plan["traffic"]
    assert (first["sources"][0]["node"], first["receivers"][0]["node"]) == (0, 3)
    assert (second["sources"][0]["node"], second["receivers"][0]["node"]) == (1, 2)
    chain = sum(link["delay_ps"] for link in plan["links"][::2])
    assert 2 * (chain + 2 * plan["edges"][0]["delay_ps"]) == 60 * MS


def test_abilene_has_the_counts_of_the_study() -> None:
    plan = planned(ABILENE, WEB)
    classes = [node["class"] for node in plan["nodes"]]
    assert len(plan["nodes"]) == 11 + 22 + 139
    assert [classes.count(name) for name in "DFN"] == [6, 28, 105]
    assert len(plan["links"]) == 2 * (14 + 22 + 139)


def test_the_isp_has_its_counts_and_two_ways_out_of_every_city() -> None:
    plan = planned({"kind": "isp", "rate": "28.8 Gbit/s"}, WEB)
    classes = [node["class"] for node in plan["nodes"]]
    assert len(plan["nodes"]) == 16 + 32 + 170
    assert [classes.count(name) for name in "DFN"] == [8, 34, 128]
    backbone = networkx.Graph([(link["from"], link["to"]) for link in plan["links"][: 2 * 26]])
    assert len(backbone) == 16
    assert backbone.number_of_edges() == 26
    assert networkx.is_biconnected(backbone)


def test_abilene_is_symmetric_and_every_router_reaches_every_other() -> None:
    plan = planned(ABILENE, WEB)
    ways = {(link["from"], link["to"]): link for link in plan["links"]}
    for (one, other), link in ways.items():
        back = ways[other, one]
        assert all(link[key] == back[key] for key in ("rate_bps", "delay_ps", "buffer"))
    assert networkx.is_strongly_connected(networkx.DiGraph(list(ways)))


def test_abilene_tiers_have_the_ratios_80_10_10_2_1() -> None:
    plan = planned(ABILENE, WEB)
    classes = [node["class"] for node in plan["nodes"]]
    rates = {classes[link["from"]]: link["rate_bps"] for link in plan["links"][28::2]}
    backbone = {link["rate_bps"] for link in plan["links"][:28]}
    assert backbone == {28_800_000_000}
    assert rates == {"": 3_600_000_000, "D": 3_600_000_000, "F": 720_000_000, "N": 360_000_000}


def test_abilene_delays_are_great_circles_at_two_thirds_of_light() -> None:
    # New York to Washington is about 328 km: 1.64 ms in glass.
    assert TOPOLOGY.distance_ps("J", "K") == pytest.approx(1.64e9, rel=0.02)
    # Seattle to Denver is about 1,640 km.
    assert TOPOLOGY.distance_ps("A", "D") == pytest.approx(8.2e9, rel=0.02)


def test_the_delay_multiplier_multiplies_every_delay() -> None:
    once, twice = (planned({**ABILENE, "delay_multiplier": m}, WEB) for m in (1, 2))
    for part in ("links", "edges"):
        for one, other in zip(once[part], twice[part], strict=True):
            assert other["delay_ps"] == pytest.approx(2 * one["delay_ps"], abs=1)


def test_abilene_shares_out_exactly_the_users_asked_for() -> None:
    for users in (139, 1000, 27_800):
        web = planned({**ABILENE, "fast_share": 0.3}, {**WEB, "users": users})["traffic"][0]
        assert sum(pool["hosts"] for pool in web["sources"]) == users
        assert sum(pool["hosts"] for pool in web["receivers"]) == users


def test_abilene_shares_follow_the_classes_and_the_interfaces() -> None:
    network = {**ABILENE, "source_shares": {"D": 0, "F": 0.25, "N": 0.75}, "fast_share": 0.25}
    plan = planned(network, {**WEB, "users": 10_000})
    classes = [node["class"] for node in plan["nodes"]]
    hosts = dict.fromkeys("DFN", 0)
    for pool in plan["traffic"][0]["sources"]:
        hosts[classes[pool["node"]]] += pool["hosts"]
    assert hosts["D"] == 0
    assert hosts["F"] == pytest.approx(2500, abs=60)
    fast = [p["hosts"] for p in plan["traffic"][0]["sources"] if p["edge"] == 0]
    assert sum(fast) == pytest.approx(2500, abs=140)


def test_abilene_buffers_come_from_the_mean_round_trip_of_the_routes() -> None:
    network = FourTier(kind="abilene", rate=parse_rate_text("28.8 Gbit/s"))
    layout = network.layout(Demand(packet_bytes=1500, flows=1))
    share, rtt_ps = layout.loads
    assert 20 * MS < rtt_ps < 60 * MS
    packets = layout.plan(Demand(1500, 1))["links"][0]["buffer"]
    assert packets == {"packets": round(28.8e9 * rtt_ps / 1e12 / 12_000)}
    assert max(share) < 1


def parse_rate_text(text: str) -> Any:
    assert parse_rate(text)
    return text


def test_a_graph_comes_from_graphml_json_or_networkx(tmp_path: Path) -> None:
    graph = networkx.Graph()
    graph.add_edge("a", "b", rate="50 Mbit/s", delay="5 ms", buffer="1 MB", loss=0.1)
    graph.add_edge("b", "c")
    graph.nodes["a"]["class"] = "D"
    networkx.write_graphml(graph, tmp_path / "g.graphml")
    (tmp_path / "g.json").write_text(
        str(networkx.node_link_data(graph, edges="edges"))
        .replace("'", '"')
        .replace("False", "false")
        .replace("True", "true")
    )
    flow = {**RENO, "source": "a", "receiver": "c"}
    rest = {"kind": "graph", "rate": "10 Mbit/s", "delay": "1 ms"}
    plans = [
        planned({**rest, "file": str(tmp_path / name)}, flow) for name in ("g.graphml", "g.json")
    ]
    assert plans[0] == plans[1]
    plan = links(plans[0])
    assert set(plan) == {"a-b", "b-a", "b-c", "c-b"}
    assert plan["a-b"]["buffer"] == {"bytes": 1_000_000}
    assert plan["a-b"]["loss"] == 0.1
    assert plan["b-c"]["rate_bps"] == 10_000_000
    assert plans[0]["nodes"][0] == {"name": "a", "class": "D"}


def test_a_directed_graph_keeps_its_directions() -> None:
    network = {
        "kind": "graph",
        "directed": True,
        "rate": "10 Mbit/s",
        "delay": "1 ms",
        "routers": [{"name": "a"}, {"name": "b"}],
        "links": [{"ends": ["a", "b"]}, {"ends": ["b", "a"], "rate": "20 Mbit/s"}],
    }
    plan = links(planned(network, {**RENO, "source": "a", "receiver": "b"}))
    assert {name: link["rate_bps"] for name, link in plan.items()} == {
        "a-b": 10**7,
        "b-a": 2 * 10**7,
    }


def test_apportion_is_exact_and_fair() -> None:
    assert apportion(10, [1, 1, 1]) == [4, 3, 3]
    assert apportion(0, [1, 2]) == [0, 0]
    assert sum(apportion(277_999, [0.1] * 139)) == 277_999
