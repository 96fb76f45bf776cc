"""Captures of a trace: each header is what the packet was."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate import HeadgateError, Scenario, Trace
from headgate.engine.run.events import assign_addresses, write_address
from headgate.engine.traces.pcapng import write_pcapng

from .pcapng_reader import Capture, Segment, read
from .traced import make_scenario, run_traced

FIN, SYN, ACK, ECE, CWR = 0x01, 0x02, 0x10, 0x40, 0x80


def capture(scenario: Scenario, folder: Path, **trace: Any) -> tuple[dict[str, Capture], Any, Any]:
    chosen = Trace(**{"flows": ["all"], "ports": ["bottleneck"], **trace})
    result, stored, events = run_traced(scenario, folder, chosen)
    paths = write_pcapng(stored)
    return {path.stem: read(path) for path in paths}, events, result


def forward(found: Capture) -> list[Segment]:
    return [segment for segment in found.segments if segment.ends[3] == 5001]


def of(found: Capture, interface: str) -> list[Segment]:
    return [segment for segment in found.segments if segment.interface == interface]


@pytest.fixture(scope="module")
def lossy(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return capture(make_scenario(loss=0.02), tmp_path_factory.mktemp("run") / "out")


def test_a_handshake_states_the_options_of_the_profile(lossy: Any) -> None:
    captures, _, _ = lossy
    syn, answer = of(captures["senders"], "bulk.0")[:2]
    assert (syn.flags, answer.flags) == (SYN, SYN | ACK)
    assert answer.ack == (syn.seq + 1) % 2**32
    for segment in (syn, answer):
        assert struct.unpack(">H", segment.options[2]) == (1460,)  # MSS
        assert segment.options[3] == b"\x0e"  # window scale
        assert segment.options[4] == b""  # SACK permitted
        assert len(segment.options[8]) == 8
    assert (syn.way, answer.way) == (2, 1)
    assert syn.ends == ("10.0.0.2", 1024, "10.128.0.2", 5001)


def test_every_packet_is_captured_where_it_was_seen(lossy: Any) -> None:
    captures, events, result = lossy
    assert list(captures) == ["senders", "receivers", "port-bottleneck"]
    assert captures["senders"].interfaces == ["bulk.0", "bulk.1", "short"]
    for name, kinds in (
        ("senders", ("syn_sent", "sent", "retransmitted", "syn_ack_received", "acknowledged")),
        ("receivers", ("syn_received", "received", "syn_ack_sent", "ack_sent")),
    ):
        rows = events.where(np.isin(events["event"], kinds))
        times = [segment.time_ns for segment in captures[name].segments]
        assert times == np.rint(rows["t_s"] * 1e9).astype(int).tolist()
        assert [s.interface for s in captures[name].segments] == rows["flow"].tolist()
    port = captures["port-bottleneck"]
    assert len(of(port, "bottleneck dropped")) == result.ports["drops"][0]
    assert len(of(port, "bottleneck lost")) == result.ports["lost"][0] > 0
    assert len(of(port, "bottleneck")) == result.ports["departures"][0]


def test_sequence_numbers_are_those_of_the_segments(lossy: Any) -> None:
    captures, events, _ = lossy
    for flow in ("bulk.0", "short"):
        mine = [s for s in forward(captures["senders"]) if s.interface == flow]
        first, data = mine[0].seq, mine[1:]
        sent = np.isin(events["event"], ("sent", "retransmitted")) & (events["flow"] == flow)
        segments = events["seq"][sent].astype(int)
        assert [(s.seq - first - 1) % 2**32 for s in data] == (1460 * segments).tolist()
        assert {s.payload for s in data} == {1460}
        assert {s.wire_bytes for s in data} == {14 + 20 + 32 + 1460}
        stamps = [struct.unpack(">II", s.options[8])[0] for s in data]
        assert stamps == events["stamp"][sent].astype(int).tolist()


def test_acks_and_sacks_are_those_of_the_receiver(lossy: Any) -> None:
    captures, events, _ = lossy
    first = of(captures["senders"], "bulk.0")[0].seq
    back = [s for s in of(captures["senders"], "bulk.0")[1:] if s.ends[1] == 5001][1:]
    rows = events.where((events["event"] == "acknowledged") & (events["flow"] == "bulk.0"))
    assert [(s.ack - first - 1) % 2**32 for s in back] == (1460 * rows["seq"].astype(int)).tolist()
    reported = 0
    for row, segment in enumerate(back):
        edges = [
            (rows[f"sack{n}_from"][row], rows[f"sack{n}_to"][row])
            for n in (1, 2, 3)
            if not np.isnan(rows[f"sack{n}_to"][row])
        ]
        seen = [((a - first - 1) % 2**32, (b - first - 1) % 2**32) for a, b in segment.sacks]
        assert seen == [(1460 * a, 1460 * b) for a, b in edges]
        reported += len(seen)
        assert struct.unpack(">II", segment.options[8])[1] == rows["stamp"][row]
    assert reported > 10


def test_a_flow_that_ends_has_a_fin_and_its_ack(lossy: Any) -> None:
    captures, _, _ = lossy
    mine = of(captures["senders"], "short")
    first = mine[0].seq
    last = [s for s in mine if s.flags & FIN]
    assert {(s.seq - first) % 2**32 for s in last} == {1 + 149 * 1460}
    assert (mine[-1].ack - first) % 2**32 == 2 + 150 * 1460
    assert not any(s.flags & FIN for s in of(captures["senders"], "bulk.0"))


def test_ecn_is_in_the_headers(tmp_path: Path) -> None:
    scenario = make_scenario("dctcp", queue="threshold", buffer="2 BDP")
    captures, events, result = capture(scenario, tmp_path / "out")
    syn, answer, *_ = of(captures["senders"], "bulk.0")
    assert (syn.flags, answer.flags) == (SYN | ECE | CWR, SYN | ACK | ECE)
    assert (syn.tos, answer.tos) == (0, 0)
    port = of(captures["port-bottleneck"], "bottleneck")
    data = [s for s in port if s.payload]
    assert {s.tos for s in data} == {2, 3}
    left = events.where((events["event"] == "departed") & (events["link"] == "bottleneck"))
    marked = np.array(["ce" in flags.split() for flags in left["flags"]])
    assert sum(s.tos == 3 for s in port) == marked.sum()
    assert 0 <= result.ports["marks"][0] - marked.sum() <= result.ports["max_queue_packets"][0] + 1
    assert {s.tos for s in captures["receivers"].segments if s.ends[1] == 5001} == {0}
    echoed = (events["event"] == "echoed").sum()
    back = [s for s in captures["senders"].segments if s.ends[1] == 5001 and not s.flags & SYN]
    assert sum(bool(s.flags & ECE) for s in back) == echoed > 0
    assert any(s.flags & CWR and not s.flags & SYN for s in forward(captures["senders"]))


@pytest.mark.parametrize(
    ("transport", "options"),
    [
        ({"recovery": "newreno"}, {2, 3, 8}),
        ({"recovery": "newreno", "rtt_sampling": "per_window"}, {2, 3}),
        ({"rtt_sampling": "per_window", "rack_tlp": False}, {2, 3, 4}),
    ],
)
def test_a_profile_without_options_sends_none(
    tmp_path: Path, transport: dict[str, Any], options: set[int]
) -> None:
    scenario = make_scenario(transport=transport, loss=0.02)
    captures, _, _ = capture(scenario, tmp_path / "out")
    segments = captures["senders"].segments
    assert set(segments[0].options) == options
    later = {code for s in segments if not s.flags & SYN for code in s.options}
    assert later == ({5} if 4 in options else set()) | ({8} if 8 in options else set())


def test_a_receive_window_is_captured(tmp_path: Path) -> None:
    scenario = make_scenario(transport={"receive_window": "100 packets"})
    captures, _, _ = capture(scenario, tmp_path / "out")
    syn, *later = captures["senders"].segments
    scale = syn.options[3][0]
    windows = {s.window << scale for s in later if not s.flags & SYN}
    assert windows == {100 * 1460 >> scale << scale}
    assert max(windows) > 99 * 1460
    assert (syn.window, scale) == (65535, 2)


def test_packets_too_large_for_a_header_are_refused(tmp_path: Path) -> None:
    scenario = make_scenario(transport={"segment": "65490 B"}, buffer="100 packets")
    _, stored, _ = run_traced(scenario, tmp_path)
    with pytest.raises(HeadgateError, match=r"packets of 65,542 bytes exceed the 65,535"):
        write_pcapng(stored)


def test_a_cut_trace_says_so_in_its_captures(tmp_path: Path) -> None:
    captures, _, _ = capture(make_scenario(), tmp_path, limit=500)
    for found in captures.values():
        assert found.comment.startswith("the limit of 500 events was reached at")


def test_addresses_are_divided_over_the_routers() -> None:
    at = assign_addresses(np.array([0, 0, 1, 171]), np.array([np.nan, 0.0, 1.0, 300.0]), 172)
    assert [write_address(int(a)) for a in at] == [
        "10.0.0.1",
        "10.0.0.2",
        "10.1.0.3",
        "10.171.1.46",
    ]
    one = assign_addresses(np.array([0]), np.array([5.0]), 1)
    assert write_address(int(one[0])) == "10.0.0.7"
