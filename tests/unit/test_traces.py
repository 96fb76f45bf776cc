"""A trace: its events add up to the counts of the run, and writing it changes nothing."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate import HeadgateError, Scenario, Trace
from headgate.base.errors import InterruptedRunError, ScenarioError, StoreError
from headgate.data.tables import Table
from headgate.engine.api import simulate
from headgate.engine.run import trace as traces_of_runs
from headgate.engine.run.options import RunOptions
from headgate.engine.run.progress import StopRunError
from headgate.engine.traces import stored as stored_module
from headgate.engine.traces.qlog import write_qlog
from headgate.engine.traces.stored import StoredTrace, write_csv

from .traced import EVERYTHING, join, make_many_connections, make_scenario, run_traced

CODEL = {"name": "codel", "ecn": "on"}
CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("cubic", {}, {}),
    ("reno", {"recovery": "newreno"}, {"loss": 0.02}),
    ("bbr", {"preset": "linux"}, {"loss": 0.01}),
    ("fast", {"preset": "ns2"}, {"buffer": "10 packets"}),
    ("cubic", {"ecn": True}, {"queue": CODEL, "buffer": "4 BDP"}),
    ("reno", {"ecn": True}, {"queue": "red", "buffer": "2 BDP", "loss": 0.005}),
    ("dctcp", {}, {"queue": "threshold", "buffer": "2 BDP"}),
    ("cubic", {}, {"queue": "fq-codel", "buffer": "1 BDP"}),
    ("vegas", {}, {"queue": "pie", "buffer": "2 BDP"}),
    ("xcp", {}, {"feedback": "xcp", "buffer": "1 BDP", "loss": 0.01}),
    ("reno", {"initial_window": "60 packets"}, {"buffer": "2 packets"}),
]


def count(events: Table, *kinds: str, **wanted: str) -> int:
    rows = np.isin(events["event"], kinds)
    for column, value in wanted.items():
        rows &= events[column] == value
    return int(rows.sum())


@pytest.fixture(scope="module", params=CASES, ids=lambda case: "-".join(map(str, case[0::2])))
def traced(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    cca, transport, network = request.param
    folder = tmp_path_factory.mktemp("run") / "out"
    return run_traced(make_scenario(cca, transport, **network), folder)


def test_events_of_flows_add_up_to_their_rows(traced: Any) -> None:
    result, _, events = traced
    order = {"bulk.0": 0, "bulk.1": 1, "short": 2}
    for flow, row in order.items():
        for kind, column in (("retransmitted", "retransmissions"), ("timeout", "timeouts")):
            assert count(events, kind, flow=flow) == result.flows[column][row], (flow, kind)
        acks = events["seq"][(events["event"] == "acknowledged") & (events["flow"] == flow)]
        assert acks.max() == result.flows["delivered_packets"][row]
    assert len(result.flows) == len(order)


def test_segments_and_losses_add_up_to_the_counters(traced: Any) -> None:
    result, _, events = traced
    checks = result.tables["checks"]
    assert count(events, "sent", "retransmitted") == checks["left"][0]
    sent = count(events, "sent", "retransmitted")
    received = count(events, "received")
    gone = count(events, "dropped", "link_loss", packet="data")
    under_way = sent - received - gone
    most = [events["in_flight_packets"][events["flow"] == flow] for flow in set(events["flow"])]
    assert 0 <= under_way <= sum(np.nanmax(flow) for flow in most)
    flows = result.flows
    assert sent - flows["retransmissions"].sum() >= flows["delivered_packets"].sum()


def test_events_of_ports_add_up_to_their_rows(traced: Any) -> None:
    result, _, events = traced
    for row, link in enumerate(result.ports["link"]):
        counted = {name: result.ports[name][row] for name in result.ports}
        seen = {
            "drops": count(events, "dropped", link=link),
            "marks": count(events, "marked", link=link),
            "departures": count(events, "departed", link=link),
            "lost": count(events, "link_loss", link=link),
        }
        at_arrival = (events["event"] == "dropped") & (events["link"] == link)
        at_arrival &= np.isnan(events["wait_s"])
        seen["arrivals"] = count(events, "enqueued", link=link) + int(at_arrival.sum())
        assert seen == {name: counted[name] for name in seen}, link
        here = (events["link"] == link) & np.isin(events["event"], ("departed", "dropped"))
        waits_s = events["wait_s"][here]
        rest_s = counted["wait_sum_s"] - np.nansum(waits_s)  # of those that wait at the end
        longest_s = np.nanmax(waits_s, initial=0)
        assert -1e-9 <= rest_s <= counted["max_queue_packets"] * longest_s + 1e-9, link


def test_what_waits_and_where_is_told_apart(traced: Any) -> None:
    _, stored, events = traced
    assert (np.diff(events["t_s"]) >= 0).all()
    at_ports = events["link"] != ""
    assert np.isnan(events["cwnd_packets"][at_ports]).all()
    assert not np.isnan(events["queue_packets"][at_ports]).any()
    connections = stored.connections
    assert sorted(connections["flow"]) == ["bulk.0", "bulk.1", "short"]
    assert len(set(connections["source_port"])) == 3
    assert set(events["connection"]) == set(connections["connection"])


def test_ecn_is_traced(tmp_path: Path) -> None:
    scenario = make_scenario("dctcp", queue="threshold", buffer="2 BDP")
    _, _, events = run_traced(scenario, tmp_path / "out")
    marked = events["event"] == "marked"
    assert marked.sum() > 0
    assert {*events["flags"][marked]} <= {"ce", "ce cwr"}
    echoed = events["event"] == "echoed"
    assert echoed.sum() > 0
    assert {*events["flags"][echoed]} == {"ece"}
    received = (events["event"] == "received") & (np.char.find(events["flags"], "ce") >= 0)
    assert 0 <= marked.sum() - received.sum() <= 3 * 33  # a path of 1 BDP and a queue of 2


@pytest.mark.parametrize("queue", ["threshold", CODEL])
def test_a_mark_shows_from_the_port_on_that_made_it(tmp_path: Path, queue: Any) -> None:
    """Two ports in a row mark; the second also what the first has marked."""
    network = {"kind": "parking_lot", "hops": 2, "rate": "10 Mbit/s", "rtt": "40 ms"}
    scenario = Scenario.from_dict(
        {
            "duration": "10 s",
            "measure": {"warmup": "0 s"},
            "transport": {"ecn": True},
            "network": {**network, "queue": queue, "buffer": "4 BDP"},
            "traffic": [
                {"kind": "flows", "cca": "reno", "name": "long", "count": 4},
                {"kind": "flows", "cca": "reno", "name": "first", "count": 3, "receiver": "r1"},
                {"kind": "flows", "cca": "reno", "name": "second", "source": "r1"},
            ],
        }
    )
    result, _, events = run_traced(scenario, tmp_path / "out")
    has_mark = np.array(["ce" in flags.split() for flags in events["flags"]])
    for row, link in enumerate(result.ports["link"]):
        assert count(events, "marked", link=link) == result.ports["marks"][row], link
        assert has_mark[(events["link"] == link) & (events["event"] == "marked")].all()

    def find(event: str, link: str) -> set[tuple[Any, ...]]:
        here = has_mark & (events["event"] == event) & (events["link"] == link)
        rows = events.where(here & (np.char.find(events["flow"], "long") == 0))
        return set(zip(rows["flow"], rows["seq"], rows["stamp"], strict=True))

    assert not find("enqueued", "hop1")
    left, came = find("departed", "hop1"), find("enqueued", "hop2")
    assert came <= left
    assert len(left - came - find("dropped", "hop2")) <= 20  # on their way
    if queue == "threshold":  # CoDel marks too seldom to see a marked packet
        assert came & find("marked", "hop2")


def test_every_loss_is_found_and_mended_in_order(tmp_path: Path) -> None:
    _, _, events = run_traced(make_scenario(loss=0.01), tmp_path / "out")
    flow = events.where(events["flow"] == "short")
    data = flow.where(flow["packet"] == "data")
    gone = data["seq"][np.isin(data["event"], ("dropped", "link_loss"))]
    assert gone.size > 0
    again = data["seq"][data["event"] == "retransmitted"]
    assert set(gone) <= set(again)
    received = data["seq"][data["event"] == "received"]
    assert set(received) == set(range(150))
    sacked = flow["sack1_to"][flow["event"] == "acknowledged"]
    assert np.isfinite(sacked).any()


@pytest.mark.parametrize("threads", [2, 3])
def test_nobody_sees_that_a_run_is_traced(tmp_path: Path, threads: int) -> None:
    scenario = make_scenario(loss=0.01)
    alone = scenario.run()
    one, stored, _ = run_traced(scenario, tmp_path / "one")
    more, others, _ = run_traced(scenario, tmp_path / "more", threads=threads)
    assert one.digest == more.digest == alone.digest
    assert files(stored) == files(others)


def files(stored: StoredTrace) -> dict[str, bytes]:
    found = sorted(path for path in stored.folder.rglob("*.parquet"))
    return {path.name: path.read_bytes() for path in found}


def test_a_run_that_was_stopped_goes_on_with_its_trace(tmp_path: Path) -> None:
    scenario = make_scenario(loss=0.01).replaced({"duration": "200 s"})
    _, whole, _ = run_traced(scenario, tmp_path / "whole")
    out, seen = tmp_path / "stopped", []

    def stop(at: Any) -> None:
        seen.append(at)
        if len(seen) % 2 == 0 and at.time_s < at.duration_s:
            raise StopRunError

    stops = 0
    while True:
        try:
            simulate(scenario, out, stop, options=RunOptions(trace=EVERYTHING))
            break
        except InterruptedRunError:
            stops += 1
            # output of a killed run after its last snapshot is cut off again
            with (out / "trace" / "events.log").open("ab") as file:
                file.write(b"what was not kept")
    assert stops
    assert files(StoredTrace(out)) == files(whole)
    assert not list((out / "trace").glob("*.log"))


def stop_at_once(scenario: Scenario, folder: Path, trace: Trace | None) -> None:
    def stop(_: Any) -> None:
        raise StopRunError

    with pytest.raises(InterruptedRunError):
        simulate(scenario, folder, stop, options=RunOptions(trace=trace))


@pytest.mark.parametrize("other", [None, Trace(flows=["0"]), Trace(flows=["bulk.*"])])
def test_a_stopped_run_goes_on_only_with_its_trace(tmp_path: Path, other: Trace | None) -> None:
    scenario = make_scenario().replaced({"duration": "100 s"})
    trace = Trace(flows=["bulk.*"], ports=[0, "1"], limit=9000)
    stop_at_once(scenario, tmp_path, trace)
    options = "--trace 'flows=bulk.*' --trace ports=0,1 --trace-limit 9000"
    with pytest.raises(StoreError) as refusal:
        simulate(scenario, tmp_path, options=RunOptions(trace=other))
    assert str(refusal.value) == (
        f"{tmp_path}: the run that was stopped here must be resumed with the trace that it had; "
        "give it "
        f"{options}, or choose another folder"
    )
    asked = [word.strip("'") for word in options.split() if "=" in word]
    simulate(scenario, tmp_path, options=RunOptions(trace=Trace.parse(asked, 9000)))
    assert StoredTrace(tmp_path).meta["events"] == 9000


def test_a_stopped_run_without_a_trace_gets_none(tmp_path: Path) -> None:
    scenario = make_scenario().replaced({"duration": "600 s"})
    stop_at_once(scenario, tmp_path, None)
    with pytest.raises(StoreError, match="had no trace; resume without --trace, or choose another"):
        simulate(scenario, tmp_path, options=RunOptions(trace=EVERYTHING))


def test_a_finished_run_is_run_again_for_its_trace(tmp_path: Path) -> None:
    scenario = make_scenario()
    first = scenario.run(out=tmp_path)
    with pytest.raises(StoreError, match=r"contains no trace; headgate run SCENARIO .* --trace"):
        StoredTrace(tmp_path)
    again, stored, _ = run_traced(scenario, tmp_path, Trace(flows=[0]))
    assert again.digest == first.digest
    written = (stored.folder / "trace.json").stat().st_mtime_ns
    run_traced(scenario, tmp_path, Trace(flows=["0"]))
    assert (stored.folder / "trace.json").stat().st_mtime_ns == written
    assert again.meta["trace"].endswith("the whole run")


def test_a_limit_cuts_the_trace_and_says_so(tmp_path: Path) -> None:
    scenario = make_scenario()
    alone, _, whole = run_traced(scenario, tmp_path / "whole")
    for limit in (1, 1000):
        trace = Trace(flows=["all"], ports=["all"], limit=limit)
        result, stored, events = run_traced(scenario, tmp_path / str(limit), trace)
        assert result.digest == alone.digest
        assert len(events) == limit
        assert set(stored.connections["connection"]) == set(events["connection"])
        for name in events:
            assert np.array_equal(
                events[name], whole[name][:limit], equal_nan=events[name].dtype.kind == "f"
            )
        at_s = whole["t_s"][limit]
        says = f"the limit of {limit:,} events was reached at {at_s:.6f} s of 6 s; "
        assert stored.meta["says"].startswith(says)
        assert result.meta["trace"] == stored.meta["says"]
    exact = Trace(flows=["all"], ports=["all"], limit=len(whole))
    _, stored, _ = run_traced(scenario, tmp_path / "exact", exact)
    assert stored.meta["ended_s"] is None


def test_a_long_trace_has_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, whole = run_traced(make_scenario(), tmp_path / "whole")
    monkeypatch.setattr(traces_of_runs, "PART_ROWS", 1000)
    _, stored, parts = run_traced(make_scenario(), tmp_path / "parts")
    assert len(list(stored.parts())) == -(-len(whole) // 1000)
    assert np.array_equal(parts["t_s"], whole["t_s"])
    (path,) = write_csv(stored)
    lines = path.read_text().splitlines()
    assert len(lines) == 1 + len(whole)
    assert lines[0].split(",") == list(whole)
    assert lines[1].startswith('0.0,opened,bulk.0,"",0,"",,')


def test_flows_and_ports_are_chosen_by_names_patterns_and_numbers(tmp_path: Path) -> None:
    plan, _ = make_scenario().plan()
    chosen = {
        ("0",): {0},
        (2, "bulk.1"): {1, 2},
        ("bulk.*",): {0, 1},
        ("all",): {0, 1, 2},
        ("short",): {2},
    }
    for flows, numbers in chosen.items():
        assert Trace(flows=flows).numbers(plan) == (numbers, set())
    assert Trace(ports=["bottleneck"]).numbers(plan) == (set(), {0})
    asked = Trace.parse(["flows=0,short", "ports=bottleneck", "ports=1"], 7)
    assert asked == Trace(flows=["0", "short"], ports=["bottleneck", "1"], limit=7)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["flows=3"], "trace flows: 3 is not a number of the flows: they have 0 to 2"),
        (
            ["flows=bulk.7"],
            "trace flows: there is no 'bulk.7' among the flows: bulk.0, bulk.1, short;"
            " did you mean 'bulk.0' or 'bulk.1'?",
        ),
        (["flows=x*"], "trace: no flows are called x*"),
        (
            ["ports=up"],
            "trace ports: there is no 'up' among the links: bottleneck, bottleneck.reverse",
        ),
        (["flow=1"], "--trace: 'flow=1' is not flows=NAMES or ports=NAMES, such as flows=0,5"),
        (["flows="], "--trace: 'flows=' is not flows=NAMES or ports=NAMES, such as flows=0,5"),
    ],
)
def test_a_wrong_trace_is_refused_before_anything_runs(
    tmp_path: Path, options: list[str], says: str
) -> None:
    with pytest.raises(ScenarioError) as refusal:
        simulate(
            make_scenario(), tmp_path / "out", options=RunOptions(trace=Trace.parse(options, 10))
        )
    assert str(refusal.value) == says
    assert not (tmp_path / "out").exists()


def test_a_trace_needs_a_folder_a_choice_and_a_limit() -> None:
    with pytest.raises(ScenarioError, match=r"a trace needs a folder .* \(--out DIR\)"):
        make_scenario().run(trace=EVERYTHING)
    with pytest.raises(ScenarioError, match="trace: it must name flows or ports"):
        Trace()
    with pytest.raises(ScenarioError, match="trace limit: 0 is not allowed; it must be at least 1"):
        Trace(flows=["0"], limit=0)


def test_a_trace_without_a_limit_uses_the_documented_one() -> None:
    trace = Trace.parse(["flows=0"])
    assert (trace.flows, trace.ports) == (["0"], [])
    assert Trace.parse(["flows=0"], 9).limit == 9
    assert trace.limit == 5_000_000


def test_connections_of_one_name_are_distinguished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traces_of_runs, "PART_ROWS", 5000)
    monkeypatch.setattr(stored_module, "MOST", 1000)
    _, stored, events = run_traced(make_many_connections(), tmp_path, Trace(flows=["brief"]))
    table = stored.connections
    names = len(set(table["connection"]))
    assert names < len(table)
    logs = {path.stem: path.read_text(encoding="utf-8") for path in write_qlog(stored)}
    drawn = dict(stored_module.read_connections(stored))
    assert set(drawn) == {f"time-sequence-{name}" for name in logs}
    assert len(logs) == len(table)
    assert sum(name.count("-") == 2 for name in logs) == len(table) - names
    assert all(log.count('"connectivity:connection_started"') == 1 for log in logs.values())
    assert all((one.events["event"] == "opened").sum() == 1 for one in drawn.values())
    assert sum(len(one.events["t_s"]) for one in drawn.values()) == len(events)
    second = next(name for name in sorted(logs) if name.count("-") == 2 and name.endswith("-2"))
    first, again = (
        drawn[f"time-sequence-{name}"].events["t_s"] for name in (second.removesuffix("-2"), second)
    )
    assert first[-1] < again[0]


def test_a_damaged_trace_is_refused(tmp_path: Path) -> None:
    _, stored, _ = run_traced(make_scenario(), tmp_path)
    (stored.folder / "trace.json").write_text("{")
    with pytest.raises(HeadgateError, match=r"trace.json: cannot be read"):
        StoredTrace(tmp_path)


def test_a_trace_says_of_what_it_is(tmp_path: Path) -> None:
    result, stored, events = run_traced(make_scenario(), tmp_path)
    meta = json.loads((stored.folder / "trace.json").read_text())
    assert meta["identity"] == result.meta["identity"]
    assert meta["events"] == len(events) == len(join(list(stored.parts())))
    assert meta["ports"] == ["bottleneck", "bottleneck.reverse"]
    assert sum(stored.count().values()) == len(events)
