"""A run that is watched: its samples as they are made, and events of chosen flows and links."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from headgate import Scenario, SchemeWarning, dumbbell
from headgate.base.errors import ScenarioError
from headgate.engine.run.simulate import MOST_EVENTS, choose_slice_s

Row = dict[str, Any]


def make_scenario(**changes: Any) -> Scenario:
    network = {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "40 ms", "buffer": "0.5 BDP"}
    traffic = [{"kind": "flows", "name": "bulk", "cca": "cubic", "count": 3}]
    plain = {"duration": "6 s", "network": network, "traffic": traffic}
    return Scenario.from_dict({**plain, **changes})


def watch(scenario: Scenario, **what: Any) -> tuple[list[Row], Any]:
    """Give all events of a run, and its result."""
    stream = scenario.stream(every_s=0.01, **what)
    rows: list[Row] = []
    for update in stream:
        table = update.events
        columns = [table[name].tolist() for name in table.columns]
        rows += [
            dict(zip(table.columns, values, strict=True)) for values in zip(*columns, strict=True)
        ]
    return rows, stream.result


def times(rows: list[Row], event: str) -> list[float]:
    return [row["t_s"] for row in rows if row["event"] == event]


def test_a_segment_is_followed_by_hand() -> None:
    # host links of 10 Mbit/s and 4 ms at both ends of 1 Mbit/s and 12 ms; packets of 1500 and 40 B
    network = {"kind": "dumbbell", "rate": "1 Mbit/s", "rtt": "40 ms", "buffer": "10 packets"}
    traffic = [{"kind": "flows", "name": "one", "cca": "reno", "size": "2 packets"}]
    scenario = make_scenario(
        duration="2 s", network=network, traffic=traffic, transport={"preset": "ns2"}
    )
    rows, result = watch(scenario, flows=["one"])
    control_s = 2 * 32e-6 + 320e-6 + 20e-3
    established_s = 2 * control_s
    assert times(rows, "opened") == [0.0]
    assert times(rows, "established") == pytest.approx([established_s])
    assert times(rows, "sent") == pytest.approx([established_s] * 2)
    at_port_s = np.array([1.2e-3, 2.4e-3]) + 4e-3 + established_s
    data = [row for row in rows if row["link"] == "bottleneck" and row["t_s"] >= established_s]
    assert times(data, "enqueued") == pytest.approx(at_port_s)
    assert [row["queue_packets"] for row in data if row["event"] == "enqueued"] == [0, 1]
    left_s = at_port_s[0] + np.array([12e-3, 24e-3])
    assert times(data, "departed") == pytest.approx(left_s)
    received_s = left_s + 12e-3 + 1.2e-3 + 4e-3
    assert times(rows, "received") == pytest.approx(received_s)
    assert times(rows, "acknowledged") == pytest.approx(received_s + control_s)
    windows = [row["cwnd_packets"] for row in rows if row["event"] == "window"]
    assert windows == [3, 4]
    assert times(rows, "closed") == pytest.approx([received_s[1] + control_s])
    assert times(rows, "closed")[0] == pytest.approx(result.flows["fct_sender_s"][0])


def test_streamed_rows_of_a_link_add_up_to_its_table() -> None:
    scenario = make_scenario(measure={"warmup": "0 s"})
    rows, result = watch(scenario, links=["*"])
    ports = result.ports
    for link, drops, departures in zip(
        ports["link"], ports["drops"], ports["departures"], strict=True
    ):
        here = Counter(row["event"] for row in rows if row["link"] == link)
        assert (here["dropped"], here["departed"]) == (drops, departures)
        assert 0 <= here["enqueued"] - here["departed"] <= ports["max_queue_packets"].max() + 1
    assert ports["drops"].sum() > 0
    assert {row["flow"] for row in rows} == {"bulk.0", "bulk.1", "bulk.2"}


def test_streamed_rows_of_a_flow_add_up_to_its_row() -> None:
    rows, result = watch(make_scenario(measure={"warmup": "0 s"}), flows=["bulk.1"])
    row = {name: result.flows[name][1] for name in result.flows.columns}
    seen = Counter(event["event"] for event in rows)
    assert {event["flow"] for event in rows} == {"bulk.1"}
    assert (seen["retransmitted"], seen["timeout"]) == (row["retransmissions"], row["timeouts"])
    assert seen["lost"] >= seen["retransmitted"] - seen["timeout"] > 0
    dropped = sum(event["event"] == "dropped" for event in rows)
    arrived = seen["sent"] + seen["retransmitted"] - dropped - seen["received"]
    assert (
        0
        <= arrived
        <= max(event["in_flight_packets"] or 0 for event in rows if event["event"] == "window")
    )
    assert (
        max(event["seq"] for event in rows if event["event"] == "acknowledged")
        == row["delivered_packets"]
    )
    assert {event["state"] for event in rows if event["event"] == "state"} >= {"open", "recovery"}


@pytest.mark.parametrize("queue", ["codel", "red", "fq-codel"])
def test_ports_that_hold_packets_are_streamed_too(queue: str) -> None:
    network = {
        "kind": "dumbbell",
        "rate": "10 Mbit/s",
        "rtt": "40 ms",
        "buffer": "2 BDP",
        "queue": queue,
    }
    scenario = make_scenario(network=network, measure={"warmup": "0 s"}, transport={"ecn": True})
    rows, result = watch(scenario, links=["*"])
    ports = result.ports
    for event, column in (("dropped", "drops"), ("departed", "departures"), ("marked", "marks")):
        assert sum(row["event"] == event for row in rows) == ports[column].sum(), event


def test_nobody_sees_that_a_run_is_watched() -> None:
    scenario = make_scenario()
    alone = scenario.run()
    streamed = []
    for threads in (1, 2, 3):
        rows, result = watch(scenario, flows=["*"], links=["*"], threads=threads)
        assert result.digest == alone.digest
        streamed.append([repr(row) for row in rows])
        assert [row["t_s"] for row in rows] == sorted(row["t_s"] for row in rows)
    assert streamed[0] == streamed[1] == streamed[2]


def test_samples_come_as_they_are_made() -> None:
    stream = make_scenario().stream(every_s=1e-4)
    updates = [update for update in stream if len(update.series)]
    assert len(updates) > 3
    for before, after in pairwise(updates):
        assert before.series["t_s"].max() < after.series["t_s"].min()
        assert before.time_s < after.time_s
    whole = stream.result.series
    for name in whole.columns:
        for of in ("flow", "port"):
            parts = [update.series[name][update.series["of"] == of] for update in updates]
            assert np.array_equal(
                np.concatenate(parts).astype(str), whole[name][whole["of"] == of].astype(str)
            ), name


def test_an_update_with_many_events_comes_sooner() -> None:
    """Memory goes with the largest update, not with the speed of the machine."""
    network = {"kind": "dumbbell", "rate": "100 Mbit/s", "rtt": "40 ms", "buffer": "0.5 BDP"}
    scenario = make_scenario(duration="10 s", network=network)
    sizes = [len(one.events) for one in scenario.stream(["*"], ["*"], every_s=600)]
    assert sum(sizes) > 4 * MOST_EVENTS
    assert max(sizes) < sum(sizes) / 2
    assert choose_slice_s(0.1, 2 * MOST_EVENTS, 600) == 0.05
    assert choose_slice_s(0.1, 0, 600) == 0.2
    assert choose_slice_s(0.1, 0, 0.1) == 0.1


def test_a_stream_that_is_left_gives_the_rest_of_its_run() -> None:
    scenario = make_scenario()
    stream = scenario.stream(every_s=0.001)
    first = next(stream)
    assert 0 < first.time_s <= first.duration_s == 6.0
    assert stream.result.digest == scenario.run().digest


def test_a_name_that_nothing_has_is_refused() -> None:
    with pytest.raises(ScenarioError, match=r"flows\[0\].*'bulk.7' among the flows: bulk.0"):
        make_scenario().stream(flows=["bulk.7"])
    with pytest.raises(ScenarioError, match=r"links\[0\].*'up' among the links"):
        make_scenario().stream(links=["up"])
    with pytest.raises(ScenarioError, match=r"every_s: 0 s is not allowed; it must be above 0"):
        make_scenario().stream(every_s=0)


def test_a_stream_warns_at_once_as_a_run_does() -> None:
    scenario = dumbbell(flows=["reno", "fast"], rate="10 Mbit/s", rtt="40 ms", duration="1 s")
    with pytest.warns(SchemeWarning, match="phase effects"):
        scenario.stream()
