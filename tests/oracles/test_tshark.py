"""Captures as tshark and tcptrace read them: their analysis of TCP agrees with our counters."""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from headgate import Scenario, Trace
from headgate.engine.traces.pcapng import write_pcapng
from headgate.engine.traces.stored import StoredTrace

FLOWS = ("cubic", "reno", "bbr")
CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "drop-tail": ({"buffer": "0.5 BDP"}, {}),
    "random loss": ({"buffer": "1 BDP", "loss": 0.01}, {"preset": "linux"}),
    "newreno": ({"buffer": "0.5 BDP"}, {"recovery": "newreno"}),
    "ecn": ({"buffer": "2 BDP", "queue": "red"}, {"ecn": True}),
}


def need(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed (Debian: apt install {program})")
    return found


def tshark(path: Path, shown: str, *fields: str) -> list[list[str]]:
    checks = ("-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE")
    wanted = [part for field in fields for part in ("-e", field)]
    command = [need("tshark"), "-r", str(path), *checks, "-Y", shown, "-T", "fields", *wanted]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line.split("\t") for line in output.splitlines()]


@pytest.fixture(scope="module", params=CASES.values(), ids=list(CASES))
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    network, transport = request.param
    scenario = Scenario.from_dict(
        {
            "duration": "10 s",
            "measure": {"warmup": "0 s"},
            "transport": transport,
            "network": {"kind": "dumbbell", "rate": "20 Mbit/s", "rtt": "40 ms", **network},
            "traffic": [
                *({"kind": "flows", "cca": cca} for cca in FLOWS),
                {"kind": "flows", "cca": "reno", "name": "short", "size": "200 packets"},
            ],
        }
    )
    folder = tmp_path_factory.mktemp("run")
    result = scenario.run(out=folder, trace=Trace(flows=["all"], ports=["bottleneck"]))
    paths = {path.stem: path for path in write_pcapng(StoredTrace(folder))}
    return result, paths, transport


def rows_of(result: Any) -> dict[str, dict[str, Any]]:
    flows = result.flows
    return {
        str(name): {column: flows[column][row] for column in flows}
        for row, name in enumerate(flows["traffic"])
    }


@pytest.mark.slow
def test_nothing_is_malformed_and_every_checksum_is_right(run: Any) -> None:
    _, paths, _ = run
    for path in paths.values():
        wrong = "_ws.malformed || ip.checksum.status == 0 || tcp.checksum.status == 0"
        assert tshark(path, f"{wrong} || _ws.expert.severity == 8388608", "frame.number") == []
        bad = (
            "tcp.analysis.zero_window || tcp.analysis.window_full || tcp.analysis.ack_lost_segment"
        )
        assert tshark(path, bad, "frame.number") == []


@pytest.mark.slow
def test_retransmissions_are_those_of_the_counters(run: Any) -> None:
    """At a sender whatever is not new is a retransmission, also what tshark calls out of order."""
    result, paths, _ = run
    again = "tcp.analysis.retransmission || tcp.analysis.out_of_order"
    found = tshark(paths["senders"], again, "frame.interface_name")
    counted = Counter(row[0] for row in found)
    for name, row in rows_of(result).items():
        assert counted[name] == row["retransmissions"], name
    assert sum(counted.values()) > 0


@pytest.mark.slow
def test_drops_losses_and_marks_are_those_of_the_port(run: Any) -> None:
    result, paths, _ = run
    path, ports = paths["port-bottleneck"], result.ports
    for added, column in (("", "departures"), (" dropped", "drops"), (" lost", "lost")):
        found = tshark(path, f'frame.interface_name == "bottleneck{added}"', "frame.number")
        assert len(found) == ports[column][0], column
    marked = tshark(path, 'ip.dsfield.ecn == 3 && frame.interface_name == "bottleneck"', "tcp.len")
    assert 0 <= ports["marks"][0] - len(marked) <= ports["max_queue_packets"][0] + 1


@pytest.mark.slow
def test_what_was_acknowledged_is_what_was_delivered(run: Any) -> None:
    result, paths, transport = run
    acks = tshark(paths["senders"], "tcp.srcport == 5001", "frame.interface_name", "tcp.ack")
    last = {name: int(ack) for name, ack in acks}
    for name, row in rows_of(result).items():
        fin = name == "short"
        size = 1448 if transport.get("preset") == "linux" else 1460
        assert (last[name] - 1 - fin) == size * row["delivered_packets"], name


@pytest.mark.slow
def test_tcptrace_counts_what_we_count(run: Any) -> None:
    result, paths, _ = run
    output = subprocess.run(
        [need("tcptrace"), "-lr", "-n", str(paths["senders"])],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    again = [int(n) for n in re.findall(r"rexmt data pkts: +(\d+) +rexmt", output)]
    assert len(again) == len(FLOWS) + 1
    assert sorted(again) == sorted(int(n) for n in result.flows["retransmissions"])
