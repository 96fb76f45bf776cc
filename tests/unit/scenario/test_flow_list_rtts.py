"""Flow lists with a round trip in each row."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate import Scenario
from headgate.base.errors import ScenarioError

DUMBBELL = {"kind": "dumbbell", "rate": "1 Gbit/s", "rtt": "40 ms"}
RING = {
    "kind": "graph",
    "routers": [{"name": name} for name in "abc"],
    "links": [{"ends": ["a", "b"]}, {"ends": ["b", "c"]}],
    "rate": "1 Gbit/s",
    "delay": "5 ms",
}


def scenario(path: Path, text: str, network: dict[str, Any], **group: Any) -> Scenario:
    (path / "list.csv").write_text(text)
    replay = {"kind": "replay", "cca": "reno", "file": str(path / "list.csv"), **group}
    return Scenario.from_dict({"duration": "5 s", "network": network, "traffic": [replay]})


def test_each_flow_has_its_round_trip_and_others_the_networks(tmp_path: Path) -> None:
    text = (
        "start_s,size_packets,source,receiver,rtt_s\n"
        "0,20,left,right,0.01\n0.5,20,right,left,0.2\n1,20,left,right,\n1.5,20,left,right,0.2\n"
    )
    flows = scenario(tmp_path, text, DUMBBELL).run().flows
    rtt_s = np.array([0.01, 0.2, 0.04, 0.2])
    assert flows["start_s"].tolist() == [0, 0.5, 1, 1.5]
    # a segment takes 12 us on the bottleneck and 1.2 us on each host link
    np.testing.assert_array_less(rtt_s, flows["min_rtt_s"])
    np.testing.assert_array_less(flows["min_rtt_s"], rtt_s + 30e-6)


def test_those_without_have_that_of_the_traffic(tmp_path: Path) -> None:
    text = "start_s,size_packets,rtt_s\n0,20,0.1\n1,20,\n"
    flows = scenario(tmp_path, text, DUMBBELL, rtt="60 ms").run().flows
    np.testing.assert_allclose(flows["min_rtt_s"], [0.1, 0.06], atol=30e-6)


def test_round_trips_make_up_what_routes_lack(tmp_path: Path) -> None:
    text = "start_s,size_packets,source,receiver,rtt_s\n0,20,a,c,0.05\n1,20,b,c,0.03\n"
    flows = scenario(tmp_path, text, {**RING, "host_rate": "10 Gbit/s"}, source="a", receiver="c")
    np.testing.assert_allclose(flows.run().flows["min_rtt_s"], [0.05, 0.03], atol=50e-6)


def test_equal_ends_and_round_trips_share_a_host(tmp_path: Path) -> None:
    rows = "".join(f"{n},20,left,right,{0.01 + 0.001 * (n % 2)}\n" for n in range(4))
    plan, arrays = scenario(
        tmp_path, f"start_s,size_packets,source,receiver,rtt_s\n{rows}", DUMBBELL
    ).plan()
    (item,) = plan["traffic"]
    assert arrays[f"{item['key']}.source"].tolist() == [2, 4, 2, 4]
    assert arrays[f"{item['key']}.receiver"].tolist() == [3, 5, 3, 5]
    delays = [plan["edges"][place["edge"]]["delay_ps"] for place in item["places"]]
    # the shortest round trip sets the middle: 3 ms of 10; host links take a quarter of the rest
    assert [2 * (3_000_000_000 + delay + delay) for delay in delays[2::2]] == [
        10_000_000_000,
        11_000_000_000,
    ]


@pytest.mark.parametrize(
    ("rtt", "network", "says"),
    [
        ("0", DUMBBELL, "rtt_s = 0; it must be empty, or a number above 0"),
        ("-1", DUMBBELL, "rtt_s = -1"),
        ("3000", DUMBBELL, "at most 2000"),
        ("0.1", RING, "needs host links"),
        ("0.001", {**RING, "host_rate": "1 Gbit/s"}, "1 ms is not above the route's own 20 ms"),
        ("soon", DUMBBELL, "line 2 has rtt_s = 'soon'; it must be empty, or a number"),
    ],
)
def test_a_wrong_round_trip_is_a_sentence(
    rtt: str, network: dict[str, Any], says: str, tmp_path: Path
) -> None:
    text = f"start_s,size_packets,source,receiver,rtt_s\n0,20,ENDS,{rtt}\n"
    ends = "left,right" if network is DUMBBELL else "a,c"
    places = {} if network is DUMBBELL else {"source": "a", "receiver": "c"}
    with pytest.raises(ScenarioError, match=r"traffic\[0\].file") as refused:
        scenario(tmp_path, text.replace("ENDS", ends), network, **places).plan()
    assert says in str(refused.value)


def test_too_many_round_trips_are_refused(tmp_path: Path) -> None:
    rows = "".join(f"0,1,{0.01 + 1e-6 * n:.6f}\n" for n in range(10_001))
    with pytest.raises(ScenarioError, match="10,001 different ends and round trips"):
        scenario(tmp_path, f"start_s,size_packets,rtt_s\n{rows}", DUMBBELL).plan()
