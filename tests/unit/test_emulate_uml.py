"""Programs in a user-mode Linux: the Debian package is needed, so `make validate` runs these."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.errors.command import headgate as command
from tests.hosts import LIVE_FILE, live_dumbbell, require_hosts

import headgate
from headgate.engine.live.emulation import Emulation
from headgate.engine.live.hosts import EmulationError
from headgate.engine.live.uml.machine import OTHER_PROCESSOR, find_kernel

pytestmark = pytest.mark.slow

PROGRAMS = str(Path(__file__).parent / "udp_program.py")
SAID = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}


@cache
def obstacle() -> str:
    """Say what keeps this machine from running a user-mode Linux; empty if nothing does."""
    try:
        kernel, _ = find_kernel()
    except EmulationError as error:
        return str(error)
    words = "mem=64M root=/dev/root rootfstype=hostfs con=null con0=null,fd:1 init=/bin/true"
    said = subprocess.run(
        [kernel, *words.split()],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return f"{kernel}: {OTHER_PROCESSOR}" if OTHER_PROCESSOR in said.stdout + said.stderr else ""


def require_uml() -> None:
    require_hosts()
    if why := obstacle():
        pytest.skip(why)


@pytest.fixture(scope="module")
def net() -> Iterator[Emulation]:
    """Give a network whose host a is another kernel; it boots once for all."""
    require_uml()
    with headgate.emulate(live_dumbbell(), kernel="uml") as opened:
        yield opened
    live = opened.result.meta["live"]
    assert set(live["kernels"]) == {"a"}
    assert live["kernels"]["a"]["release"] != live["kernel"]["release"]
    assert live["tcp"]["a"]["tcp_congestion_control"] == "illinois"
    assert len(live["hosts"]["a"]) == 1


def test_a_program_inside_is_like_one_outside(net: Emulation, tmp_path: Path) -> None:
    releases = [net.run(host, ["uname", "-r"], **SAID).stdout.strip() for host in net.hosts]
    assert releases[0] != releases[1] == os.uname().release
    assert net.run("a", "exit 7").returncode == 7
    assert net.run("a", "kill -9 $$").returncode == -signal.SIGKILL
    said = net.run("a", "echo $HEADGATE_HOST; pwd; hostname; echo wrong >&2", **SAID)
    assert said.stdout.split() == ["a", os.getcwd(), "a"]
    assert said.stderr == "wrong\n"
    many = net.run("a", "cat; head -c 3000000 /dev/zero", input=b"x" * 100_000, stdout=-1).stdout
    assert many == b"x" * 100_000 + bytes(3_000_000)
    lacking = net.run("a", ["/no/such/program"], **SAID)
    assert lacking.returncode == 127
    assert "cannot be started" in lacking.stderr
    asleep = net.start("a", "trap 'exit 3' TERM; sleep 100 & wait")
    time.sleep(0.5)
    asleep.terminate()
    assert asleep.wait(5) == 3
    net.run("a", f"echo result > {tmp_path}/result", check=True)
    assert (tmp_path / "result").read_text() == "result\n"
    assert net.run("a", "echo > /etc/hosts", **SAID).returncode != 0


def test_its_congestion_controls_and_disciplines_are_there(net: Emulation) -> None:
    net.run("a", "sysctl -qw net.ipv4.tcp_congestion_control=illinois", check=True)
    offered = net.run("a", "sysctl -n net.ipv4.tcp_available_congestion_control", **SAID).stdout
    ccas = "bic westwood htcp highspeed hybla vegas scalable veno yeah illinois dctcp cdg nv lp bbr"
    assert set(offered.split()) >= set(ccas.split()) | {"reno", "cubic"}
    if shutil.which("tc") is None:
        pytest.skip("tc sets disciplines; it is part of iproute2")
    for queue in ("red limit 300000 avpkt 1000", "codel", "fq_codel", "cake", "fq", "pie", "netem"):
        net.run("a", f"tc qdisc replace dev headgate root {queue}", check=True)
    net.run("a", "tc qdisc replace dev headgate root tbf rate 9mbit burst 9k limit 9k", check=True)
    net.run("a", "tc qdisc del dev headgate root", check=True)


def test_its_packets_cross_the_simulated_network(net: Emulation) -> None:
    sink = net.start("b", [sys.executable, PROGRAMS, "count_marks", "3"], **SAID)
    time.sleep(0.7)
    net.run("a", [sys.executable, PROGRAMS, "blast", "b", "50", "1000", "0"], check=True)
    assert sink.communicate()[0].startswith("[50, 0")
    with pytest.raises(EmulationError, match="no IPv6"):
        net.address("a", version=6)


HOLDS = """
import sys, time, headgate
scenario = headgate.dumbbell(rate="10 Mbit/s", rtt="2 ms", flows=[{"kind": "live"}])
with headgate.emulate(scenario, kernel="uml", duration="100 s") as net:
    net.start("a", "sleep 98765")
    time.sleep(0.5)
    print("ready", flush=True)
    time.sleep(100)
"""


def test_nothing_is_left_of_a_killed_program(tmp_path: Path) -> None:
    require_uml()
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    both = {"stdout": subprocess.PIPE, "env": environment}
    program = subprocess.Popen([sys.executable, "-c", HOLDS], **both)
    assert program.stdout is not None
    assert program.stdout.readline() == b"ready\n"
    made = [pid for pid in _processes() if f"{tmp_path}" in _environment(pid)]
    assert len(made) > 3
    program.kill()
    program.wait()
    for _ in range(100):
        left = [pid for pid in made if Path(f"/proc/{pid}").exists()]
        if not left:
            break
        time.sleep(0.05)
    assert not left
    assert not list(tmp_path.iterdir())
    assert "control" not in os.listdir("/sys/class/net")


def _processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").glob("[0-9]*")]


def _environment(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/environ").read_text(errors="replace")
    except OSError:
        return ""


def test_the_command_takes_it(tmp_path: Path) -> None:
    require_uml()
    file = tmp_path / "live.toml"
    file.write_text(LIVE_FILE)
    done = command("emulate", str(file), "--kernel", "uml", "--a", "test $(uname -r) = 0")
    assert done.exit_code == 1
