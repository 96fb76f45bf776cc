"""Live hosts with another kernel: a user-mode Linux, if one is installed on this machine."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.errors.command import headgate as command
from tests.hosts import LIVE, require_hosts

import headgate
from headgate.base.errors import HeadgateError
from headgate.engine.live.emulation import Emulation
from headgate.engine.live.hosts import EmulationError, choose_kernels, parse_kernels
from headgate.engine.live.uml.control import Kind, receive, send
from headgate.engine.live.uml.machine import PROGRAM, find_kernel, kernel_words

PROGRAMS = str(Path(__file__).parent / "udp_program.py")
SAID = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}


def dumbbell(**keys: Any) -> headgate.Scenario:
    network = {"rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "50 packets", "duration": "60 s"}
    return headgate.dumbbell(flows=[LIVE], **(network | keys))


def require_uml() -> None:
    require_hosts()
    try:
        find_kernel()
    except EmulationError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def net() -> Iterator[Emulation]:
    """Give a network whose host a is another kernel; it boots once for all."""
    require_uml()
    with headgate.emulate(dumbbell(), kernel="uml") as opened:
        yield opened
    live = opened.result.meta["live"]
    assert set(live["kernels"]) == {"a"}
    assert live["kernels"]["a"]["release"] != live["kernel"]["release"]
    assert live["tcp"]["a"]["tcp_congestion_control"] == "illinois"
    assert len(live["hosts"]["a"]) == 1


def test_kernels_are_chosen_by_one_word_or_by_host() -> None:
    hosts, sources = ["a", "b", "c"], ["a", "c"]
    chosen = choose_kernels(parse_kernels(["uml"]), hosts, sources)
    assert chosen == {"a": "uml", "b": "host", "c": "uml"}
    chosen = choose_kernels(parse_kernels(["b=uml", "a=host"]), hosts, sources)
    assert chosen == {"a": "host", "b": "uml", "c": "host"}
    assert set(choose_kernels(None, hosts, sources).values()) == {"host"}
    for texts, says in (
        (["uml", "b=uml"], "one kernel, or HOST=KERNEL"),
        (["bsd"], "'bsd' is not allowed; it must be host or uml"),
        (["d=uml"], "there is no live host 'd'"),
    ):
        with pytest.raises(HeadgateError, match=says):
            choose_kernels(parse_kernels(texts), hosts, sources)


def test_frames_arrive_as_they_were_sent() -> None:
    here, there = socket.socketpair()
    with here, there:
        for frame in ((Kind.INPUT, b""), (Kind.OUTPUT, bytes(10_000)), (Kind.ENDED, b"-9")):
            send(here, *frame)
            assert receive(there) == frame
        here.sendall(b"\x03")  # the beginning of a frame, and no more
        here.shutdown(socket.SHUT_WR)
        assert receive(there) is None


def test_a_path_with_blanks_is_one_word_to_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/my files/python")
    words = kernel_words(Path("/usr/bin/linux.uml"), "transport=fd,fd=3", {})
    assert 'init="/my files/python"' in words
    assert words[words.index("--") + 1] == '"-I"'


def test_a_machine_without_it_says_which_package_has_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        EmulationError, match=r"no linux\.uml .* the Debian package user-mode-linux"
    ):
        headgate.emulate(dumbbell(), kernel="uml")
    program = tmp_path / PROGRAM
    program.touch(mode=0o755)
    with pytest.raises(EmulationError, match="no modules; the Debian package user-mode-linux"):
        headgate.emulate(dumbbell(), kernel="uml")


def test_a_kernel_that_does_not_start_says_its_last_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    require_hosts()
    (tmp_path / "bin").mkdir()
    (tmp_path / "lib/uml/modules").mkdir(parents=True)
    program = tmp_path / "bin" / PROGRAM
    program.write_text("#!/bin/sh\necho no memory here\necho Kernel panic - not syncing\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    with (
        pytest.raises(EmulationError, match=r"host a: linux\.uml did not start: no memory here"),
        headgate.emulate(dumbbell(), kernel="uml"),
    ):
        pass


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


def test_the_command_takes_kernels(tmp_path: Path) -> None:
    file = tmp_path / "live.toml"
    file.write_text(
        'duration = "20 s"\n[network]\nkind = "dumbbell"\nrate = "20 Mbit/s"\nrtt = "20 ms"\n'
        'buffer = "1 BDP"\n[[traffic]]\nkind = "live"\n'
    )
    for wrong, says in (("bsd", "host or uml"), ("c=uml", "there is no live host 'c'")):
        refused = command("emulate", str(file), "--kernel", wrong, "--a", "true")
        assert refused.exit_code == 2
        assert says in refused.sentence
    require_uml()
    done = command("emulate", str(file), "--kernel", "uml", "--a", "test $(uname -r) = 0")
    assert done.exit_code == 1
