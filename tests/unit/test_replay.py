"""`headgate replay`: captures as lists of flows, and what it says of them."""

import json
import shlex
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from tests.errors.command import headgate

from headgate import Result, Scenario, Trace
from headgate.base.errors import HeadgateError
from headgate.engine.captures.read import SIDES, list_flows, read_capture, round_rtts
from headgate.engine.captures.summary import describe, warnings
from headgate.engine.captures.write import summarise
from headgate.engine.traces.pcapng import write_pcapng

from .capture_file import exchange, udp, write
from .traced import run_traced

ROOT = Path(__file__).resolve().parents[2]
SIZES = (1, 7, 40, 150, 600)
SEGMENT_BYTES = 1460


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Flows of known starts and sizes over a lossy link, and what their hosts and port saw."""
    flows = [
        {"kind": "flows", "cca": "cubic", "name": f"of {size}", "size": f"{size} packets",
         "start": f"{0.5 * number} s", "count": 2, "stagger": "50 ms"}
        for number, size in enumerate(SIZES)
    ]  # fmt: skip
    network = {"kind": "dumbbell", "rate": "20 Mbit/s", "rtt": "40 ms", "loss": 0.02}
    given = {"duration": "10 s", "network": network, "traffic": flows}
    folder = tmp_path_factory.mktemp("run") / "out"
    trace = Trace(flows=["all"], ports=["bottleneck"])
    result, stored, _ = run_traced(Scenario.from_dict(given), folder, trace)
    assert result.flows["retransmissions"].sum() > 10
    return result, {path.stem: path for path in write_pcapng(stored)}


@pytest.mark.parametrize("seen_at", ["senders", "receivers", "port-bottleneck"])
def test_flows_that_were_simulated_come_back(simulated: Any, seen_at: str) -> None:
    result, captures = simulated
    flows = result.flows
    found = list_flows(read_capture(captures[seen_at]), SIDES)
    order = np.argsort(flows["start_s"], kind="stable")
    assert found["size_bytes"].tolist() == [
        SEGMENT_BYTES * size for size in flows["size_packets"][order].tolist()
    ]
    # a sender's SYN leaves when its flow starts; elsewhere it passes a constant time later
    starts_s = flows["start_s"][order]
    exactly = 1e-9 if seen_at == "senders" else 2e-3
    np.testing.assert_allclose(found["start_s"], starts_s - starts_s[0], atol=exactly)
    assert set(found["source"]) == {SIDES.clients}
    if seen_at == "port-bottleneck":
        assert np.isnan(found["rtt_s"]).all(), "no SYN-ACK passes there"
    else:
        # the engine's first ACK comes with data, which take their time to the receiver
        digits = 6e-3 if seen_at == "senders" else 0.1
        np.testing.assert_allclose(found["rtt_s"], flows["established_s"][order], rtol=digits)


def test_the_scenario_runs_as_printed_and_moves_what_was_captured(
    simulated: Any, tmp_path: Path
) -> None:
    _, captures = simulated
    done = headgate("replay", captures["senders"], "--out", tmp_path / "replayed", "--json")
    said = json.loads(done.output)
    assert (said["flows"], said["connections"], said["warnings"]) == (10, 10, [])
    ran = headgate(*shlex.split(said["next"])[1:])
    assert ran.exit_code == 0, ran.errors
    flows = Result.read(tmp_path / "replayed" / "run").flows
    assert sorted(flows["size_packets"].tolist()) == sorted([*SIZES, *SIZES])
    assert set(flows["status"]) == {"finished"}
    listed = duckdb.read_csv(str(tmp_path / "replayed" / "flows.csv")).fetchnumpy()
    by_start = np.argsort(flows["start_s"], kind="stable")
    least = flows["min_rtt_s"][by_start]
    # full segments take time: 1.2 ms at 10 Mbit/s and links of hosts beside what has to pass
    assert (least >= listed["rtt_s"] - 1e-9).all()
    assert (least <= listed["rtt_s"] + 5e-3).all()


def test_both_directions_are_flows_with_their_own_start(tmp_path: Path) -> None:
    path = write(tmp_path / "one.pcap", [*exchange(begin_s=5.0), udp(4.0, 53, 10)])
    capture = read_capture(path)
    flows = list_flows(capture, SIDES)
    assert flows["size_bytes"].tolist() == [100, 3000]
    assert flows["start_s"].tolist() == pytest.approx([1.0, 1.06])
    assert flows["source"].tolist() == ["right", "left"]
    assert flows["receiver"].tolist() == ["left", "right"]
    assert flows["rtt_s"].tolist() == [0.04, 0.04]
    assert list(warnings(capture)) == []
    assert describe(capture, 2) == (
        "taken: 2 flows of 1 TCP connection, 3.1 kB of payload within 1.140 s; not taken: "
        "1 packet of other UDP; 1.41 % of all bytes"
    )
    row = capture.connections
    assert (row["client"][0], row["server"][0], row["server_port"][0]) == (
        "10.0.0.1", "192.0.2.7", 443,
    )  # fmt: skip


def test_warnings_are_printed(tmp_path: Path) -> None:
    whole, late, endless = (
        exchange(client=("10.0.0.1", port)) for port in (40_000, 40_001, 40_002)
    )
    path = write(tmp_path / "some.pcap", [*whole, *late[4:], *endless[:-3], udp(0, 443, 9)])
    path.write_bytes(path.read_bytes()[:-5])
    said = " | ".join(warnings(read_capture(path)))
    assert "the file ends within a packet" in said
    assert "1 connection began before the capture" in said
    assert "1 connection had not ended" in said
    assert "1 connection gave no round trip" in said
    assert "1 packet of QUIC (UDP port 443)" in describe(read_capture(path), 1)


DAY_S, NOW_S = 86_400.0, 1.7e9


@pytest.mark.parametrize(
    ("frames", "editcap"),
    [
        ([udp(0, 443, 9), *exchange(NOW_S)], "editcap -A 2023-11-14T22:13:20Z '{}' part.pcapng"),
        ([*exchange(NOW_S), udp(2**32 - 1, 443, 9)], "editcap -B 2023-11-14T22:13:20Z '{}' part"),
        ([*exchange(1000.0), *exchange(NOW_S, down=9000)], "editcap -A 2023-11-14T22:13:20Z '{}'"),
    ],
    ids=["first in 1970", "last in 2106", "merged after years"],
)
def test_a_clock_that_jumped_writes_nothing(
    frames: list[Any], editcap: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "a jump.pcap", frames)
    done = headgate("replay", path, "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert "days, and a replay lasts at most 99 days; there is no packet for" in done.sentence
    assert editcap.format(path) in done.sentence
    assert not (tmp_path / "out").exists()


def test_a_long_silence_is_reported_and_replayed(tmp_path: Path) -> None:
    later = exchange(NOW_S + DAY_S, client=("10.0.0.1", 40_001), down=50_000)
    path = write(tmp_path / "two.pcap", [*exchange(NOW_S), *later])
    (said,) = [said for said in warnings(read_capture(path)) if "no packet" in said]
    assert said.startswith(
        "there is no packet for 24.0 hours, from 2023-11-14T22:13:20Z to 2023-11"
    )
    assert headgate("replay", path, "--out", tmp_path / "out").exit_code == 0
    busy = write(tmp_path / "busy.pcap", exchange(NOW_S))
    assert not [said for said in warnings(read_capture(busy)) if "no packet" in said]


@pytest.mark.parametrize("rtt_s", [0.0, 1500.0])
def test_impossible_round_trips_are_those_of_the_network(rtt_s: float, tmp_path: Path) -> None:
    """A clock that is too coarse measures 0, and one that was set measures anything."""
    path = write(tmp_path / "one.pcap", exchange(NOW_S, rtt_s=rtt_s))
    assert "1 connection gave no round trip" in " ".join(warnings(read_capture(path)))
    done = headgate("replay", path, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.errors
    scenario = Scenario.load(tmp_path / "out" / "scenario.toml")
    assert scenario.to_dict()["network"]["rtt"] == "50 ms"
    rows = (tmp_path / "out" / "flows.csv").read_text().splitlines()
    assert [row.rpartition(",")[2] for row in rows[1:]] == ["", ""]


def test_round_trips_are_rounded_to_few() -> None:
    given = np.array([0.0401234, 0.0400999, np.nan, 1.23456, 5000.0, 0.0, -2.0])
    kept = [0.0401, 0.0401, np.nan, 1.23, np.nan, np.nan, np.nan]
    np.testing.assert_array_equal(round_rtts(given), kept)
    many = np.geomspace(1e-6, 100, 20_000)
    assert len(np.unique(round_rtts(many))) < 4000
    np.testing.assert_allclose(round_rtts(many), many, rtol=0.05)


def test_a_user_defined_network_takes_the_flows(tmp_path: Path) -> None:
    path = write(tmp_path / "one.pcap", exchange())
    ring = ROOT / "examples" / "data" / "ring.graphml"
    out = tmp_path / "ring"
    chosen = ("--network", ring, "--between", "Bern", "Oslo", "--set", "traffic.0.cca=reno")
    said = json.loads(headgate("replay", path, "--out", out, *chosen, "--json").output)
    assert "rtt_s" not in (out / "flows.csv").read_text()
    ran = headgate(*shlex.split(said["next"])[1:])
    assert ran.exit_code == 0, ran.errors
    flows = Result.read(out / "run").flows
    assert sorted(zip(flows["source"], flows["receiver"], strict=True)) == [
        ("Bern", "Oslo"),
        ("Oslo", "Bern"),
    ]
    assert set(flows["cca"]) == {"reno"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--network", "x.graphml"), "--network and --between belong together"),
        (("--between", "a", "b"), "--network and --between belong together"),
        (("--set", "nonsense"), "is not key=value"),
        (("--set", "network.rate=fast"), "network.rate"),
        (("--network", "none.graphml", "--between", "a", "b"), "none.graphml"),
        (("--set", "traffic.0.cca=renno"), "reno"),
    ],
)
def test_a_wrong_option_is_a_sentence(
    arguments: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "one.pcap", exchange())
    done = headgate("replay", path, "--out", tmp_path / "out", *arguments)
    assert done.exit_code == 2
    assert says in done.sentence
    assert not (tmp_path / "out").exists()


def test_a_capture_that_cannot_be_replayed_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no capture at all, but a text of some length")
    write(tmp_path / "udp.pcap", [udp(0, 443, 100), udp(1, 53, 100)])
    write(tmp_path / "radio.pcap", exchange(), link=127)
    write(tmp_path / "empty.pcap", [])
    for name, says in (
        ("none.pcap", "cannot be read: there is no such file"),
        ("text", "is neither pcap nor pcapng"),
        ("udp.pcap", "has no TCP connection with data"),
        ("radio.pcap", "link type 127 is not read"),
        ("empty.pcap", "has no packets"),
        (".", "cannot be read"),
    ):
        done = headgate("replay", tmp_path / name)
        assert done.exit_code == 2
        assert says in done.sentence, name
    path = write(tmp_path / "one.pcap", exchange())
    assert headgate("replay", path, "--out", tmp_path / "out").exit_code == 0
    assert "already exists" in headgate("replay", path, "--out", tmp_path / "out").sentence


def test_without_a_folder_it_prints_the_flows_and_the_command(tmp_path: Path) -> None:
    path = write(tmp_path / "a capture.pcap", exchange())
    done = headgate("replay", path)
    assert done.output.startswith("Taken: 2 flows of 1 TCP connection")
    assert done.output.splitlines()[-1].endswith(f"replay '{path}' --out replayed")
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_summaries_add_up(simulated: Any) -> None:
    _, captures = simulated
    capture = read_capture(captures["senders"])
    packets = summarise(capture)["packets"]
    assert sum(kind["packets"] for kind in packets.values()) == capture.all.packets
    of_rows = capture.connections["client_packets"] + capture.connections["server_packets"]
    assert of_rows.sum() == capture.taken.packets


def test_a_hostile_name_obeys_nobody(tmp_path: Path) -> None:
    path = write(tmp_path / "a\nduration = '1 s' \u202e.pcap", exchange())
    done = headgate("replay", path, "--out", tmp_path / "it's")
    assert done.exit_code == 0, done.errors
    assert "\u202e" not in done.output
    scenario = Scenario.load(tmp_path / "it's" / "scenario.toml")
    assert (scenario.title, scenario.duration) == (f"flows of {path.name}", 11 * 10**12)


def test_a_capture_cut_within_its_first_packet_has_none(tmp_path: Path) -> None:
    path = write(tmp_path / "cut.pcap", exchange())
    path.write_bytes(path.read_bytes()[:30])
    with pytest.raises(HeadgateError, match="has no packets"):
        summarise(read_capture(path))


def test_progress_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.unit.test_replay_size import write_large

    monkeypatch.setattr("headgate.engine.captures.read.SLICE_S", 0.001)
    path, reported = tmp_path / "large.pcap", list[int]()
    write_large(path, 60_000_000)
    read_capture(path, reported.append)
    assert reported
    assert reported == sorted(reported)
    assert all(0 < consumed <= path.stat().st_size for consumed in reported)
