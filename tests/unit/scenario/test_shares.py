"""Mixes of algorithms whose shares are no whole flow."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate.scenario.plan_warnings import scenario_warnings
from headgate.scenario.shares import list_laws

from ...errors.command import headgate as command
from .scenarios import DUMBBELL, scenario

MIX = {"cubic": 0.75, "bbr3": 0.25}
FLOWS = {"kind": "flows", "cca": MIX, "count": 2, "size": "10 packets"}


def doubts(*traffic: dict[str, Any], network: dict[str, Any] = DUMBBELL) -> list[str]:
    made = scenario(network, *traffic)
    said = scenario_warnings(made, *made.plan())
    return [one for one in said if ".cca: share" in one]


def used(made: Any) -> list[str]:
    plan, arrays = made.plan()
    return [plan["laws"][law]["name"] for law in list_laws(plan, plan["traffic"][0], arrays)]


def test_a_share_that_is_no_flow_is_warned_of() -> None:
    (said,) = doubts(FLOWS)
    assert said == (
        "traffic[0].cca: share 0.25 of 2 flows is no flow, so none uses 'bbr3'; write more flows"
        " or a larger share"
    )
    assert not doubts({**FLOWS, "count": 4})
    assert not doubts({**FLOWS, "cca": {"cubic": 1, "bbr3": 0}})
    assert not doubts({"kind": "web", "cca": MIX, "users": 2, "size": "9 packets"})
    (said,) = doubts({"kind": "on_off", "cca": MIX, "hosts": 1, "on": "1 s", "off": "1 s"})
    assert "share 0.25 of 1 source is no source" in said


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_the_algorithms_are_those_of_the_run(count: int) -> None:
    made = scenario(DUMBBELL, {**FLOWS, "count": count}, duration="2 s")
    assert set(used(made)) == set(np.unique(made.run().flows["cca"]))


def test_shares_of_classes_count_the_senders_there() -> None:
    network = {
        "kind": "graph",
        "rate": "10 Mbit/s",
        "delay": "1 ms",
        "routers": [{"name": "a", "class_name": "x"}, {"name": "b"}, {"name": "c"}],
        "links": [{"ends": ["a", "c"]}, {"ends": ["b", "c"]}],
    }
    mix = [
        {"cca": "reno", "share": 0.8, "source": "x"},
        {"cca": "bbr3", "share": 0.2, "source": "x"},
        {"cca": "cubic", "share": 1.0},
    ]
    ends = {"source": "a", "receiver": "c"}
    (said, other) = doubts({**FLOWS, "cca": mix, **ends}, network=network)
    assert "share 1 of 0 flows is no flow, so none uses 'cubic'" in said
    assert "share 0.2 of 2 flows of class 'x' is no flow, so none uses 'bbr3'" in other


def test_a_list_of_flows_is_counted(tmp_path: Path) -> None:
    (tmp_path / "flows.csv").write_text("start_s,size_packets\n0,5\n1,5\n")
    listed = {"kind": "replay", "cca": MIX, "file": str(tmp_path / "flows.csv")}
    (said,) = doubts(listed)
    assert "share 0.25 of 2 flows is no flow" in said
    assert used(scenario(DUMBBELL, listed)) == ["cubic"]


def test_check_names_only_algorithms_with_flows(tmp_path: Path) -> None:
    scenario(DUMBBELL, FLOWS).save(tmp_path / "s.toml")
    done = command("check", tmp_path / "s.toml")
    assert done.exit_code == 0
    assert "algorithms cubic, 60 s" in done.output
