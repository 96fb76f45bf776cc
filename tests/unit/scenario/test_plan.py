"""The plan: traffic, profiles, algorithms, measurement, arrays."""

import json
from pathlib import Path

import numpy as np
import pytest

from headgate import Scenario
from headgate.base.errors import ScenarioError
from headgate.base.names import each_name, single_flows
from headgate.scenario import Sizes
from headgate.scenario.plan import plan_json

from .scenarios import DUMBBELL, RENO, WEB, planned, scenario

PS = 10**12


def test_flows_of_a_group_are_named_numbered_and_staggered() -> None:
    group = {**RENO, "name": "near", "count": 3, "start": "1 s", "stagger": "10 ms"}
    flows = planned(DUMBBELL, RENO, group)["traffic"]
    assert list(each_name(flows)) == ["reno", "near.0", "near.1", "near.2"]
    assert list(single_flows(flows))[1] == (1, "near.0")
    assert (flows[1]["start_ps"], flows[1]["stagger_ps"]) == (PS, 10**10)
    assert flows[1]["packets"] is None


def test_names_come_from_the_algorithm_and_stay_apart() -> None:
    flows = planned(DUMBBELL, RENO, RENO, {**RENO, "cca": "fast"})["traffic"]
    assert [flow["name"] for flow in flows] == ["reno", "reno-2", "fast"]


@pytest.mark.parametrize(
    ("size", "packets"), [("100 packets", 100), ("1460 B", 1), ("1461 B", 2), ("1 MB", 685)]
)
def test_sizes_are_whole_segments(size: str, packets: int) -> None:
    assert planned(DUMBBELL, {**RENO, "size": size})["traffic"][0]["packets"] == packets


def test_reverse_flows_run_against_the_main_direction() -> None:
    there, back = planned(DUMBBELL, RENO, {**RENO, "reverse": True})["traffic"]
    assert (there["sources"], there["receivers"]) == (back["receivers"], back["sources"])


def test_load_becomes_an_arrival_rate() -> None:
    size = {"kind": "pareto", "mean": "25 packets", "shape": 1.2}
    poisson = planned(DUMBBELL, {"kind": "poisson", "cca": "reno", "load": 0.9, "size": size})
    item = poisson["traffic"][0]
    mean = Sizes.model_validate(size).mean_sent(1460)
    assert item["flows_per_s"] == pytest.approx(0.9 * 100e6 / (mean * 1500 * 8))
    assert item["size"] == {"kind": "pareto", "mean_packets": 25.0, "shape": 1.2}
    assert item["stop_ps"] == 60 * PS


def test_each_profile_and_each_algorithm_is_planned_once() -> None:
    fast = {**RENO, "cca": {"name": "fast", "alpha": 20}}
    linux = {**RENO, "transport": "linux"}
    slow = {**RENO, "transport": {"preset": "linux", "initial_window": "2 packets"}}
    plan = planned(DUMBBELL, RENO, RENO, fast, linux, linux, slow)
    assert [profile["name"] for profile in plan["transports"]] == ["default", "linux", "linux-2"]
    assert [cca["name"] for cca in plan["laws"]] == ["reno", "fast"]
    assert plan["laws"][1]["params"] == {"alpha": 20.0}
    assert [item["transport"] for item in plan["traffic"]] == [0, 0, 0, 1, 1, 2]


def test_an_alias_is_its_cca() -> None:
    assert planned(DUMBBELL, {**RENO, "cca": "tcp"})["laws"] == [{"name": "reno", "params": {}}]


def test_periods_divide_the_time_after_the_warm_up() -> None:
    measure = {"warmup": "10 s", "periods": 2}
    plan = planned(DUMBBELL, measure=measure, duration="30 s")["measure"]
    assert plan["periods"] == [[10 * PS, 20 * PS], [20 * PS, 30 * PS]]
    measure = {"periods": [["1 s", "2 s"], ["5 s", "8 s"]]}
    plan = planned(DUMBBELL, measure=measure, duration="30 s")["measure"]
    assert plan["periods"] == [[PS, 2 * PS], [5 * PS, 8 * PS]]


def test_series_are_chosen_by_name_and_can_be_left_out() -> None:
    measure = {"series": {"flows": ["a.*"], "ports": ["*.reverse"], "most": 2}}
    plan = planned(DUMBBELL, {**RENO, "name": "a", "count": 3}, RENO, measure=measure)
    assert plan["measure"]["series"]["flows"] == [0, 1]
    assert plan["measure"]["series"]["links"] == [1]
    assert planned(DUMBBELL, measure={"series": "none"})["measure"]["series"] is None


def test_series_are_dealt_to_the_algorithms_in_turn() -> None:
    """Of 20 flows of one algorithm and then 3 of another, all 3 are among the 16 that are kept."""
    plan = planned(
        DUMBBELL,
        {**RENO, "name": "a", "count": 20},
        {**RENO, "name": "b", "cca": "bic", "count": 3},
    )
    kept = plan["measure"]["series"]["flows"]
    assert kept == [*range(13), 20, 21, 22]
    few = {"series": {"most": 1}}
    plan = planned(DUMBBELL, {**RENO, "name": "a", "count": 2}, measure=few)
    assert plan["measure"]["series"]["flows"] == [0]


def test_a_flow_list_becomes_arrays(tmp_path: Path) -> None:
    path = tmp_path / "flows.csv"
    path.write_text(
        "start_s,size_bytes,source,receiver,cca\n0.5,2920,right,left,fast\n0.25,1,left,right,reno\n"
    )
    replay = {"kind": "replay", "cca": "reno", "name": "trace", "file": str(path)}
    plan, arrays = scenario(DUMBBELL, replay).plan()
    item = plan["traffic"][0]
    assert item["key"] == "trace"
    assert arrays["trace.start_ps"].tolist() == [PS // 4, PS // 2]
    assert arrays["trace.packets"].tolist() == [1, 2]
    nodes = [[item["places"][i]["node"] for i in arrays[f"trace.{end}"]]
             for end in ("source", "receiver")]  # fmt: skip
    assert nodes == [[0, 1], [1, 0]]
    assert [plan["laws"][i]["name"] for i in arrays["trace.law"]] == ["reno", "fast"]
    assert all(column.dtype == np.uint64 for column in arrays.values())


def test_the_plan_is_json_without_nan() -> None:
    plan, _ = scenario(DUMBBELL, WEB).plan()
    assert json.loads(plan_json(plan)) == plan


def test_identity_is_of_what_runs_not_of_how_it_is_written() -> None:
    one, other = scenario(DUMBBELL), scenario({**DUMBBELL, "rate": "0.1 Gbit/s"}, title="same")
    assert one.identity() == other.identity()
    assert one.identity() != scenario(DUMBBELL, seed=2).identity()


def test_replaced_changes_keys_by_path() -> None:
    changed = scenario(DUMBBELL, RENO).replaced(
        {
            "network.rate": "5 Mbit/s",
            "traffic.0.cca": "fast",
            "transport.initial_window": "3 packets",
            "seed": 7,
        }
    )
    plan, _ = changed.plan()
    assert plan["links"][0]["rate_bps"] == 5_000_000
    assert plan["laws"][0]["name"] == "fast"
    assert plan["transports"][0]["initial_window"] == 3.0
    assert plan["seed"] == 7
    with pytest.raises(ScenarioError, match="'4' is not a place in a list of 1"):
        scenario(DUMBBELL, RENO).replaced({"traffic.4.cca": "fast"})


def test_presets_carry_what_they_stand_for() -> None:
    linux = planned(DUMBBELL, transport="linux")["transports"][0]
    assert (linux["segment_bytes"], linux["header_bytes"], linux["ack_bytes"]) == (1448, 52, 52)
    assert linux["prr"]
    assert linux["rack_tlp"]
    assert linux["delayed_ack"]
    ns2 = planned(DUMBBELL, transport="ns2")["transports"][0]
    assert (ns2["initial_window"], ns2["initial_rto_ps"], ns2["clock_ps"]) == (2, 3 * PS, 10**10)
    assert (ns2["count"], ns2["rtt"]) == ("acks", "per_window")
    paced = planned(DUMBBELL, transport={"pacing": {"gain": 1.5}})["transports"][0]
    assert paced["pacing"] == {"slow_start_gain": 2.0, "gain": 1.5}


def test_a_scenario_is_frozen_and_equal_to_its_like() -> None:
    one = scenario(DUMBBELL)
    assert one == scenario(DUMBBELL)
    with pytest.raises(ValueError, match="frozen"):
        one.seed = 3


def test_a_scenario_of_a_resolved_one_plans_the_same() -> None:
    one = scenario(DUMBBELL, WEB, RENO, transport="ns2")
    assert Scenario.from_dict(one.to_dict(resolved=True)).plan()[0] == one.plan()[0]


def test_flows_between_classes_are_spread_over_their_routers() -> None:
    group = {**RENO, "source": "D", "receiver": "D", "count": 12}
    plan = planned({"kind": "abilene", "rate": "1 Gbit/s"}, group)
    classes = [node["class"] for node in plan["nodes"]]
    (flows,) = plan["traffic"]
    nodes = [{place["node"] for place in flows[end]} for end in ("sources", "receivers")]
    assert {classes[node] for node in nodes[0] | nodes[1]} == {"D"}
    assert len(nodes[0]) == 6


def test_a_short_run_samples_at_least_once_a_period() -> None:
    """The interval by default is 200 ms; a run of 100 ms is not refused for it."""
    short = scenario(DUMBBELL, RENO, duration="100 ms")
    assert short.plan()[0]["measure"]["interval_ps"] == 10**11
    assert scenario(DUMBBELL, RENO).plan()[0]["measure"]["interval_ps"] == 2 * 10**11
    assert len(short.run().responses) == 1
