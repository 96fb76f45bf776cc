"""Connections of captures as tshark sees them: conversations, bytes, round trips."""

import random
import re
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from tests.oracles.test_tshark import need, tshark
from tests.unit.capture_file import SERVER, Frame, exchange, tcp, udp, write
from tests.unit.traced import make_scenario, run_traced

from headgate import Trace
from headgate.data.tables import Table
from headgate.engine.captures.read import read_capture
from headgate.engine.traces.pcapng import write_pcapng

UNITS = {"bytes": 1, "kB": 1000, "MB": 1_000_000}
ACK = 16


def make_mixed(seed: int) -> list[Frame]:
    """Connections of all sizes, whole and cut, with packets that are lost or there twice."""
    draw = random.Random(seed)
    frames: list[Frame] = [udp(draw.uniform(0, 20), 443, 99) for _ in range(50)]
    for number in range(300):
        client = (f"10.0.{number % 7}.{number % 50 + 1}", 1024 + number)
        down = int(300 * draw.paretovariate(1))
        begin_s = draw.uniform(0, 20)
        packets = exchange(
            begin_s, draw.uniform(0.002, 0.2), draw.randrange(1, 1400), min(down, 90_000), client
        )
        if number % 5 == 0:  # the capture has lost some
            packets = [packet for packet in packets if draw.random() > 0.1]
        if number % 7 == 0:  # it began later
            packets = packets[draw.randrange(len(packets)) :]
        if number % 11 == 0 and packets:  # it ended sooner
            packets = packets[: draw.randrange(1, len(packets) + 1)]
        if number % 13 == 0 and len(packets) > 5:
            packets.append(packets[5])
        if number % 17 == 0:  # keep-alives
            packets.append(tcp(begin_s + 5, (client, SERVER), 1000, 5_000_000, ACK))
        frames += packets
    return frames


@pytest.fixture(scope="module", params=["simulated", "port", *range(3)])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("captures")
    if isinstance(request.param, int):
        path = write(folder / "mixed.pcap", make_mixed(request.param))
    else:
        trace = Trace(flows=["all"], ports=["bottleneck"])
        _, stored, _ = run_traced(make_scenario(loss=0.02), folder / "run", trace)
        paths = {path.stem: path for path in write_pcapng(stored)}
        path = paths["senders" if request.param == "simulated" else "port-bottleneck"]
    return path, read_capture(path).connections


def conversations(path: Path) -> dict[tuple[str, str], list[Any]]:
    """Frames and bytes (with their unit) back and forth, start and duration, by the two ends."""
    command = [need("tshark"), "-r", str(path), "-q", "-z", "conv,tcp"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    number = r"(\d+) +(\d+) (bytes|kB|MB) +"
    line = re.compile(rf"(\S+) +<-> (\S+) +{number}{number}{number}([\d.]+) +([\d.]+)")
    found = {}
    for row in line.findall(said):
        there, back = ((int(row[at]), int(row[at + 1]), row[at + 2]) for at in (5, 2))
        found[row[0], row[1]] = [there, back, float(row[11]), float(row[12])]
    return found


def of_ends(found: Table) -> dict[tuple[str, str], int]:
    ends = ("client", "server")
    names = [
        [f"{host}:{port}" for host, port in zip(found[end], found[f"{end}_port"], strict=True)]
        for end in ends
    ]
    return {(client, server): row for row, (client, server) in enumerate(zip(*names, strict=True))}


@pytest.mark.slow
def test_conversations_have_the_same_frames_bytes_and_times(both: Any) -> None:
    path, found = both
    known, rows = conversations(path), of_ends(found)
    seen = 0
    for (one, other), row in rows.items():
        ends = ("client", "server") if (one, other) in known else ("server", "client")
        there, back, begin_s, lasts_s = known.get((one, other)) or known[other, one]
        for end, (frames, size, unit) in zip(ends, (there, back), strict=True):
            assert found[f"{end}_packets"][row] == frames
            assert found[f"{end}_wire_bytes"][row] // UNITS[unit] == size
        assert found["first_s"][row] == pytest.approx(begin_s, abs=1e-8)
        assert found["last_s"][row] - found["first_s"][row] == pytest.approx(lasts_s, abs=1e-4)
        seen += 1
    assert seen == len(found) > 2


@pytest.mark.slow
def test_sizes_and_round_trips_are_those_of_tshark(both: Any) -> None:
    path, found = both
    fields = ("ip.src", "tcp.srcport", "ip.dst", "tcp.dstport", "tcp.seq", "tcp.len",
              "tcp.flags.syn", "tcp.flags.fin", "tcp.analysis.initial_rtt")  # fmt: skip
    ends: dict[tuple[str, str], int] = defaultdict(int)
    with_syn, rtts = set(), {}
    for source, port, target, to, seq, size, syn, fin, rtt in tshark(path, "tcp", *fields):
        key = (f"{source}:{port}", f"{target}:{to}")
        if int(size) or fin == "1":  # an ACK after a FIN counts that too
            ends[key] = max(ends[key], int(seq) + int(size) - 1)
        if syn == "1":
            with_syn.add(key)
        if rtt:
            rtts[key] = float(rtt)
    compared = 0
    for (client, server), row in of_ends(found).items():
        for end, key in (("client", (client, server)), ("server", (server, client))):
            if key in with_syn:  # else tshark's numbers begin at 1 wherever the capture does
                assert found[f"{end}_bytes"][row] == ends[key], key
                compared += 1
        rtt_s = found["rtt_s"][row]
        known = rtts.get((client, server)) or rtts.get((server, client))
        if rtt_s == rtt_s and known:  # noqa: PLR0124 - NaN: unknown
            assert rtt_s == pytest.approx(known, abs=1e-8)
    assert compared >= len(found) // 2
