"""qlog of a trace: by the schema of the draft, and with the counts of the run."""

import json
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from headgate import Trace
from headgate.engine.traces.qlog import write_qlog

from .traced import make_scenario, run_traced

SCHEMA = json.loads(Path(__file__).with_name("qlog-0.3.schema.json").read_text())
SEGMENT_BYTES = 1460


@cache
def validator(of: str) -> Any:
    schema = {**SCHEMA, "$ref": f"#/$defs/{of}"}
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def read(path: Path) -> list[dict[str, Any]]:
    """Records of RFC 7464: a record separator, JSON, a line feed."""
    text = path.read_text(encoding="utf-8")
    assert text.startswith("\x1e")
    assert text.endswith("\n")
    records = text[1:].split("\x1e")
    assert all(record.endswith("}\n") and record.count("\n") == 1 for record in records)
    head, *events = map(json.loads, records)
    validator("head").validate(head)
    for event in events[:2000] + events[-50:]:
        validator("event").validate(event)
    assert [e["time"] for e in events] == sorted(e["time"] for e in events)
    return events


def named(events: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [event["data"] for event in events if event["name"] == name]


@pytest.fixture(
    scope="module",
    params=[
        ("cubic", {}),
        ("reno", {"recovery": "newreno"}),
        ("bbr", {"preset": "linux", "segment": "1460 B"}),
    ],
    ids=lambda case: case[0],
)
def logs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    cca, transport = request.param
    folder = tmp_path_factory.mktemp("run") / "out"
    scenario = make_scenario(cca, transport, loss=0.01)
    result, stored, events = run_traced(scenario, folder, Trace(flows=["all"]))
    paths = write_qlog(stored)
    return result, events, {path.stem.rpartition("-")[0]: read(path) for path in paths}


def test_each_flow_has_a_log_with_the_counts_of_its_row(logs: Any) -> None:
    result, events, by_flow = logs
    assert list(by_flow) == ["bulk.0", "bulk.1", "short"]
    for row, (flow, log) in enumerate(by_flow.items()):
        kinds = Counter(events["event"][events["flow"] == flow].tolist())
        seen = Counter(event["name"] for event in log)
        assert seen["transport:packet_sent"] == kinds["sent"] + kinds["retransmitted"]
        assert kinds["retransmitted"] == result.flows["retransmissions"][row]
        assert seen["transport:packet_received"] == kinds["acknowledged"]
        assert seen["recovery:packet_lost"] == kinds["lost"]
        assert seen["recovery:loss_timer_updated"] == result.flows["timeouts"][row]
        assert seen["connectivity:connection_started"] == 1
    assert "connectivity:connection_closed" in {event["name"] for event in by_flow["short"]}


def test_no_packet_has_another_ones_number_and_none_is_acknowledged_twice(logs: Any) -> None:
    _, _, by_flow = logs
    for log in by_flow.values():
        sent = [p["header"]["packet_number"] for p in named(log, "transport:packet_sent")]
        assert sent == list(range(len(sent)))
        ranges = [
            pair
            for ack in named(log, "transport:packet_received")
            for pair in ack["frames"][0]["acked_ranges"]
        ]
        acknowledged = [n for first, last in ranges for n in range(first, last + 1)]
        assert len(set(acknowledged)) == len(acknowledged)
        assert set(acknowledged) <= set(sent)
        lost = {p["header"]["packet_number"] for p in named(log, "recovery:packet_lost") if p}
        assert lost <= set(sent)


def test_all_of_a_short_flow_is_acknowledged_once(logs: Any) -> None:
    _, _, by_flow = logs
    log = by_flow["short"]
    sent = named(log, "transport:packet_sent")
    offsets = [packet["frames"][0]["offset"] for packet in sent]
    assert set(offsets) == {SEGMENT_BYTES * segment for segment in range(150)}
    acks = named(log, "transport:packet_received")
    ranges = [pair for ack in acks for pair in ack["frames"][0]["acked_ranges"]]
    acknowledged = [n for first, last in ranges for n in range(first, last + 1)]
    assert sorted(offsets[number] for number in acknowledged) == sorted(set(offsets))


def test_metrics_are_those_of_the_sender(logs: Any) -> None:
    _, events, by_flow = logs
    rows = events.where((events["event"] == "rtt_sample") & (events["flow"] == "bulk.0"))
    metrics = [m for m in named(by_flow["bulk.0"], "recovery:metrics_updated") if "latest_rtt" in m]
    assert [m["latest_rtt"] for m in metrics] == pytest.approx((1e3 * rows["rtt_s"]).tolist())
    assert [m["smoothed_rtt"] for m in metrics] == pytest.approx((1e3 * rows["srtt_s"]).tolist())
    windows = (SEGMENT_BYTES * rows["cwnd_packets"]).round().tolist()
    assert [m["congestion_window"] for m in metrics] == windows
    least = min(m["min_rtt"] for m in metrics)
    assert least == pytest.approx(1e3 * rows["rtt_s"].min())


def test_states_follow_each_other(logs: Any) -> None:
    _, _, by_flow = logs
    for log in by_flow.values():
        changes = named(log, "recovery:congestion_state_updated")
        assert "old" not in changes[0]
        assert changes[0]["new"] == "slow_start"
        for before, after in pairwise(changes):
            assert after["old"] == before["new"] != after["new"]
        assert "recovery" in {change["new"] for change in changes}


def test_a_cut_trace_says_so_at_its_end(tmp_path: Path) -> None:
    _, stored, _ = run_traced(make_scenario(), tmp_path, Trace(flows=["0"], limit=300))
    (path,) = write_qlog(stored)
    last = read(path)[-1]
    assert last["name"] == "loglevel:warning"
    assert last["data"]["message"].startswith("the limit of 300 events was reached at")
