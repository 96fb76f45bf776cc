"""The log that a run in real time writes, and the drops of its devices."""

import os
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import numpy as np
import pytest
from tests.errors.command import headgate as command
from tests.hosts import require_hosts

import headgate
from headgate.base.errors import StoreError
from headgate.data.folder import write_folder
from headgate.data.parquet import read_columns
from headgate.engine.live import arrivals as arrivals_module
from headgate.engine.live.arrivals import replay
from headgate.engine.live.emulation import Emulation

PROGRAM = str(Path(__file__).parent / "udp_program.py")
ROW_BYTES = 24


@pytest.fixture(autouse=True)
def _hosts() -> None:
    require_hosts()


SCENARIO = """
duration = "20 s"
[network]
kind = "dumbbell"
rate = "20 Mbit/s"
rtt = "20 ms"
buffer = "50 packets"
[[traffic]]
kind = "live"
[[traffic]]
kind = "flows"
cca = "cubic"
"""


def dumbbell() -> headgate.Scenario:
    return headgate.Scenario.from_dict(tomllib.loads(SCENARIO))


def blast(net: Emulation, count: int) -> None:
    words = [sys.executable, PROGRAM, "blast", "b", str(count), "1000", "0"]
    net.run("a", words, check=True)


def log_of(rows: int) -> bytes:
    """Make a log as the engine writes it: a packet a millisecond, in turn on either way."""
    log = np.zeros(rows, arrivals_module._ROW)
    log["time_ps"] = np.arange(rows) * 10**9
    log["from"] = np.arange(rows) % 2
    log["to"] = 1 - log["from"]
    log["flow"], log["size_bytes"] = log["from"], 1000
    return arrivals_module._MAGIC + log.tobytes()


def test_arrivals_are_on_the_disk_while_the_run_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with headgate.emulate(dumbbell(), out=out) as net:
        blast(net, 200)
        time.sleep(1.5)
        rows = ((out / "arrivals.log").stat().st_size - 8) // ROW_BYTES
        with (
            pytest.raises(StoreError, match="another run is at work in it"),
            headgate.emulate(dumbbell(), out=out),
        ):
            pass
    assert rows >= 200
    assert not (out / "arrivals.log").exists()
    arrivals = net.result.tables["arrivals"]
    assert len(arrivals) >= rows
    assert np.all(np.diff(arrivals["time_ps"].astype(np.int64)) >= 0)
    again = replay(dumbbell(), out / "arrivals.parquet")
    assert again.digest == net.result.meta["live"]["simulated_digest"]


def test_a_long_table_is_written_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "log").write_bytes(log_of(250) + b"half a row")
    monkeypatch.setattr(arrivals_module, "PART_ROWS", 100)
    with (tmp_path / "log").open("rb") as log:
        whole = arrivals_module.make_arrivals(arrivals_module.read_log(log), 7)
        write_folder(tmp_path, {"arrivals": arrivals_module.make_parts(log, 7)}, {})
    joined = read_columns(tmp_path / "arrivals.parquet")
    assert len(joined["time_ps"]) == 250
    for name in whole:
        np.testing.assert_array_equal(joined[name], whole[name], err_msg=name)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "arrivals.parquet",
        "log",
        "run.json",
    ]


KILLED = """
import time, headgate
from tests.unit.test_live_arrivals import blast, dumbbell
with headgate.emulate(dumbbell(), out={out!r}) as net:
    blast(net, 300)
    time.sleep(1.5)
    print("ready", flush=True)
    time.sleep(100)
"""


def test_a_killed_run_leaves_arrivals_that_can_be_repeated(tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = [sys.executable, "-c", KILLED.format(out=str(out))]
    program = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert program.stdout is not None
    assert program.stdout.readline() == b"ready\n"
    program.kill()
    program.wait()
    log = out / "arrivals.log"
    assert (log.stat().st_size - 8) // ROW_BYTES >= 300
    once, twice = replay(dumbbell(), log), replay(dumbbell(), log)
    assert once.digest == twice.digest
    scenario = tmp_path / "live.toml"
    scenario.write_text(SCENARIO)
    done = command("run", str(scenario), "--arrivals", str(log))
    assert done.exit_code == 0, done.errors
    log.write_bytes(log.read_bytes()[:8])
    assert "contains no packet" in command("run", str(scenario), "--arrivals", str(log)).sentence


def test_drops_of_a_device_are_counted_and_reported(tmp_path: Path) -> None:
    """The whole process is stopped while a host sends more than its device's queue holds."""
    stopped, done = tmp_path / "stopped", tmp_path / "done"
    wait = f"for n in $(seq 600); do [ -e {done} ] && break; sleep 0.05; done"
    pause = f"kill -STOP {os.getpid()}; touch {stopped}; {wait}; kill -CONT {os.getpid()}"
    sent = 15_000
    with headgate.emulate(dumbbell(), out=tmp_path / "run") as net:
        words = [sys.executable, "-c", SENDS, str(sent), str(stopped), str(done)]
        sender = net.start("a", words)
        subprocess.Popen(["sh", "-c", pause]).wait()
        net.wait([sender])
        net.run("a", [sys.executable, "-c", ANSWERED])  # behind all that the device still holds
    assert sender.returncode == 0
    loop = headgate.read(tmp_path / "run").meta["live"]["loop"]
    flows = net.result.tables["live_flows"]
    read = int(flows["sent_packets"][flows["destination_port"] == 4000].sum())
    assert 0 < loop["dropped_unread"]["a"] == sent - read
    assert loop["dropped_unread"]["b"] == 0
    (says,) = (says for says in net.result.meta["warnings"] if "that host a had sent" in says)
    assert f"{sent - read:,} packets" in says


def test_pictures_and_report_of_a_live_run_say_live_first(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with headgate.emulate(dumbbell(), out=out) as net:
        blast(net, 400)
        time.sleep(0.3)
    assert command("report", str(out)).exit_code == 0
    page = (out / "figures" / "pictures.html").read_text()
    top, pictures = page.split("<main>")
    assert "(live)</h1>" in top
    assert "<strong>live</strong>" in top
    assert re.search(r"udp a:\d+ &gt; b:4000</td><td>400</td>", top)
    assert 'id="real-packets"' in pictures
    done = command("plot", str(out), "--only", "real-packets,queue", "--format", "png")
    assert done.exit_code == 0, done.errors
    assert {path.name for path in (out / "figures").glob("*.png")} == {
        "real-packets.png",
        "queue.png",
    }


CUBIC = '[[traffic]]\nkind = "flows"\ncca = "cubic"\n'


@pytest.mark.parametrize(
    ("others", "says"),
    [("", "2 live hosts, 20 s"), (CUBIC, "2 live hosts, algorithms cubic, 20 s")],
)
def test_check_names_no_algorithm_that_nobody_obeys(tmp_path: Path, others: str, says: str) -> None:
    scenario = tmp_path / "live.toml"
    scenario.write_text(SCENARIO.removesuffix(CUBIC) + others)
    said = command("check", str(scenario)).output
    assert says in said
    assert "reno" not in said


ANSWERED = "import socket; socket.socket().connect_ex(('b', 9))"
SENDS = """
import pathlib, socket, sys, time
clients = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(150)]  # of 200 kB each
for client in clients:
    client.setblocking(False)
    client.connect(("b", 4000))
while not pathlib.Path(sys.argv[2]).exists():
    time.sleep(0.01)
for number in range(int(sys.argv[1])):
    clients[number % len(clients)].send(b"x")
pathlib.Path(sys.argv[3]).touch()
"""
