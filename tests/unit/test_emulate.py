"""Real programs in live hosts: their packets pass through the simulated network."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.errors.command import headgate as command
from tests.hosts import LIVE, require_hosts

import headgate
from headgate.base.errors import HeadgateError, ScenarioError, StoreError
from headgate.engine.api import simulate
from headgate.engine.live.arrivals import replay
from headgate.engine.live.emulation import Emulation
from headgate.engine.live.estimate import estimate
from headgate.engine.live.hosts import refuse_bad_command
from headgate.figures.spec.packets import draw_real_packets
from headgate.figures.spec.run import Run

PROGRAM = str(Path(__file__).parent / "udp_program.py")
PIPE = {"stdout": subprocess.PIPE, "text": True}


@pytest.fixture(autouse=True)
def _hosts() -> None:
    require_hosts()


def dumbbell(*others: Any, **network: Any) -> headgate.Scenario:
    keys = {"rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "50 packets", "duration": "20 s"}
    return headgate.dumbbell(flows=[LIVE, *others], **(keys | network))


def does(*words: Any) -> list[str]:
    return [sys.executable, PROGRAM, *map(str, words)]


def flows_of(net: Emulation, protocol: str) -> list[dict[str, Any]]:
    table = net.result.tables["live_flows"]
    rows = [{name: table[name][row] for name in table} for row in range(len(table))]
    return [row for row in rows if row["protocol"] == protocol]


@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6"])
def test_a_round_trip_takes_as_long_as_the_network_says(family: str) -> None:
    with headgate.emulate(dumbbell()) as net:
        net.start("b", does("echo", family))
        got = net.run("a", does("ask", family, "b", 12), check=True, **PIPE)
    took_s = json.loads(got.stdout)
    # 40 ms, twice the datagram's time on the link (16 us), and what the loop is late
    assert len(took_s) >= 8
    assert min(took_s) >= 0.040
    assert np.median(took_s) < 0.060
    there, back = flows_of(net, "udp")
    assert (there["from_host"], there["to_host"], there["destination_port"]) == ("a", "b", 4000)
    assert 0.020 <= there["min_delay_s"] < 0.0201
    assert back["delivered_packets"] == back["sent_packets"] >= len(took_s)


def test_a_scenario_may_be_a_dict() -> None:
    keys = dumbbell(duration="0.2 s").to_dict()
    with headgate.emulate(keys, seed=7) as net:
        pass
    assert net.result.meta["seed"] == 7
    with pytest.raises(ScenarioError, match="speed"):
        headgate.emulate({"speed": 1})


def test_columns_are_formed_as_they_say() -> None:
    with headgate.emulate(dumbbell()) as net:
        net.run("a", does("blast", "b", 50, 1000, 0), check=True)
        time.sleep(0.2)
    table = net.result.tables["live_flows"]
    at = table["protocol"] == "udp"
    (payload,), (goodput_bps,) = table["delivered_payload_bytes"][at], table["goodput_bps"][at]
    (start_s,), (end_s,) = table["start_s"][at], table["last_arrival_s"][at]
    assert payload == 50_000
    assert goodput_bps == pytest.approx(8 * payload / (end_s - start_s))
    assert {table.unit(name) for name in ("goodput_bps", "loss_rate")} == {"bit/s", "1"}


def test_pings_are_answered_by_the_kernel_there() -> None:
    with headgate.emulate(dumbbell()) as net:
        assert net.run("a", does("ping", net.address("b")), check=True, **PIPE).stdout == "0\n"
    assert len(flows_of(net, "icmp")) == 2


def test_a_full_queue_drops_packets() -> None:
    with headgate.emulate(dumbbell(buffer="20 packets")) as net:
        sink = net.start("b", does("count_marks", 2.5), **PIPE)
        time.sleep(0.7)
        net.run("a", does("blast", "b", 300, 1400, 0), check=True)
        got, marks = json.loads(sink.communicate()[0])
    (flow,) = flows_of(net, "udp")
    assert (flow["sent_packets"], marks) == (300, 0)
    assert flow["lost_packets"] > 100
    assert flow["delivered_packets"] == got == 300 - flow["lost_packets"]
    ports = net.result.ports
    assert ports["drops"][ports["link"] == "bottleneck"][0] == flow["lost_packets"]


def test_marks_of_a_discipline_reach_the_real_stack() -> None:
    with headgate.emulate(dumbbell(buffer="1000 packets", queue="threshold")) as net:
        sink = net.start("b", does("count_marks", 2.5), **PIPE)
        time.sleep(0.7)
        net.run("a", does("blast", "b", 300, 1400, 2), check=True)
        got, marks = json.loads(sink.communicate()[0])
    (flow,) = flows_of(net, "udp")
    assert got == 300
    assert 100 < marks == flow["marked_packets"]


def test_a_packet_that_a_link_duplicates_arrives_twice() -> None:
    twice = [{"name": "duplicate", "share": 1.0}]
    with headgate.emulate(dumbbell(buffer="1000 packets", impairments=twice)) as net:
        sink = net.start("b", does("count_marks", 1.5), **PIPE)
        time.sleep(0.5)
        net.run("a", does("blast", "b", 50, 500, 0), check=True)
        got, _ = json.loads(sink.communicate()[0])
    (flow,) = flows_of(net, "udp")
    assert (got, flow["sent_packets"], flow["delivered_packets"]) == (100, 50, 100)


def test_a_file_arrives_beside_simulated_flows(tmp_path: Path) -> None:
    data = os.urandom(1_000_000)
    (tmp_path / "file").write_bytes(data)
    with headgate.emulate(dumbbell("cubic"), out=tmp_path / "run", capture=True) as net:
        serve = [sys.executable, "-m", "http.server", "8000", "--directory", str(tmp_path)]
        net.start("b", serve, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        fetch = (
            "import time, urllib.request\n"
            "while True:\n"
            "    try:\n"
            "        got = urllib.request.urlopen('http://b:8000/file').read(); break\n"
            "    except OSError: time.sleep(0.1)\n"
            f"open('{tmp_path}/got', 'wb').write(got)"
        )
        net.run("a", [sys.executable, "-c", fetch], check=True)
    assert (tmp_path / "got").read_bytes() == data
    stored = headgate.read(tmp_path / "run")
    live = stored.meta["live"]
    assert live["kernel"]["release"]
    assert live["tcp"]["a"]["tcp_congestion_control"]
    assert [each["host"] for each in live["commands"]] == ["b", "a"]
    assert live["commands"][1]["exit_code"] == 0
    assert stored.digest == ""
    assert stored.flows["cca"].tolist() == ["cubic"]
    picture = draw_real_packets([Run("", stored.tables, stored.meta)])
    assert picture is not None
    goodput, delay, lateness = picture.panels
    assert {line.name.split(" ")[0] for line in goodput.lines} == {"tcp"}
    step_s = goodput.lines[0].x[1] - goodput.lines[0].x[0]
    assert 8e-6 * len(data) < step_s * sum(line.y.sum() for line in goodput.lines) < 8e-6 * 1.5e6
    delays_ms = np.concatenate([line.y for line in delay.lines])
    assert 20 <= np.nanmin(delays_ms) <= np.nanmax(delays_ms) < 200
    assert all(np.all(line.y >= 0) for line in lateness.lines)
    series, flows = stored.tables["live_series"], stored.tables["live_flows"]
    for name in ("sent_bytes", "delivered_packets", "delivered_payload_bytes", "lost_packets"):
        assert series[name].sum() == flows[name].sum(), name
    for host in "ab":
        capture = (tmp_path / "run" / f"capture-{host}.pcapng").read_bytes()
        assert capture[:4] == b"\x0a\x0d\x0d\x0a"
        assert len(capture) > len(data)


def test_the_simulated_part_is_repeated_to_the_bit(tmp_path: Path) -> None:
    scenario = dumbbell("cubic", "reno")
    with headgate.emulate(scenario, out=tmp_path) as net:
        net.start("b", does("echo", "AF_INET"))
        net.run("a", does("ask", "AF_INET", "b", 6), check=True)
        net.run("a", does("blast", "b", 500, 1000, 0), check=True)
    again = replay(scenario, tmp_path / "arrivals.parquet")
    assert again.digest == net.result.meta["live"]["simulated_digest"]
    for name in ("flows", "ports", "responses", "network"):
        for column in again.tables[name]:
            one, other = again.tables[name][column], net.result.tables[name][column]
            np.testing.assert_array_equal(one, other, err_msg=f"{name}.{column}")


def test_a_live_run_is_nobodys_finished_work(tmp_path: Path) -> None:
    scenario = dumbbell(duration="1 s")
    with headgate.emulate(scenario, out=tmp_path) as net:
        net.run("a", "true", check=True)
    with pytest.raises(StoreError, match="another scenario"):
        simulate(scenario, tmp_path)


def test_programs_end_as_they_do_elsewhere() -> None:
    with headgate.emulate(dumbbell()) as net:
        assert net.run("a", "exit 7").returncode == 7
        assert net.run("a", "kill -9 $$").returncode == -signal.SIGKILL
        assert net.run("b", "echo $HEADGATE_HOST; pwd", **PIPE).stdout == f"b\n{os.getcwd()}\n"
        asleep = net.start("a", "trap 'exit 3' TERM; sleep 100 & wait")
        time.sleep(0.3)
        asleep.terminate()
        assert asleep.wait(5) == 3
        with pytest.raises(HeadgateError, match="cannot be started"):
            net.start("a", ["/no/such/program"])
        with pytest.raises(HeadgateError, match="there is no live host 'c'"):
            net.run("c", "true")
        forgotten = net.start("a", "sleep 100")
    assert forgotten.returncode is not None
    with pytest.raises(HeadgateError, match="within the with block"):
        Emulation(dumbbell(), None, 1500, capture=False).run("a", "true")


def test_a_flood_of_hostile_packets_changes_nothing_but_counters(tmp_path: Path) -> None:
    """Invalid packets are counted, valid ones arrive, and nothing else changes."""
    scenario = dumbbell("cubic")
    with headgate.emulate(scenario, out=tmp_path) as net:
        net.start("b", does("echo", "AF_INET"))
        flood = net.start("a", does("throw", 20_000))
        got = net.run("a", does("ask", "AF_INET", "b", 20), check=True, **PIPE)
        assert flood.wait() == 0
        time.sleep(0.2)
    loop, tables = net.result.meta["live"]["loop"], net.result.tables
    took_s = json.loads(got.stdout)
    assert len(took_s) > 5
    assert min(took_s) >= 0.040
    # half of the flood is malformed, a quarter unreachable; a busy kernel drops some of it unread
    assert loop["read"] > 2000
    assert loop["malformed"] / loop["read"] == pytest.approx(1 / 2, abs=0.05)
    assert loop["unreachable"] / loop["read"] == pytest.approx(1 / 4, abs=0.05)
    # every packet that was read entered or was refused, and the fate of each that entered is known
    entered = len(tables["arrivals"])
    assert entered + loop["malformed"] + loop["unreachable"] == loop["read"]
    flows = tables["live_flows"]
    assert flows["sent_packets"].sum() == entered
    fates = flows["delivered_packets"].sum() + flows["lost_packets"].sum() + loop["under_way"]
    assert fates == entered
    again = replay(scenario, tmp_path / "arrivals.parquet")
    assert again.digest == net.result.meta["live"]["simulated_digest"]


def test_a_small_mtu_is_that_of_the_packets() -> None:
    with headgate.emulate(dumbbell(), mtu=600) as net:
        net.run("a", does("blast", "b", 5, 2000, 0), check=True)
    sizes = net.result.tables["arrivals"]["size_bytes"]
    assert len(sizes) >= 5 * 4
    assert sizes.max() <= 600


def test_hosts_that_were_killed_are_one_sentence() -> None:
    """The child of this process holds the hosts' namespaces."""
    children = Path(f"/proc/self/task/{threading.get_native_id()}/children")
    before = set(children.read_text().split())

    def kill_hosts() -> None:
        with headgate.emulate(dumbbell()) as net:
            (keeper,) = set(children.read_text().split()) - before
            os.kill(int(keeper), signal.SIGKILL)
            net.run("a", ["true"])

    with pytest.raises(HeadgateError, match=r"^the hosts' processes were killed"):
        kill_hosts()


def test_hosts_that_are_killed_during_a_run_are_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The programs die with them; the sentence names none of what the run does afterwards."""
    children = Path(f"/proc/self/task/{threading.get_native_id()}/children")
    before = set(children.read_text().split())
    wait = Emulation.wait

    def kill_hosts(net: Any, programs: Any) -> None:
        keeper, *_ = sorted(set(children.read_text().split()) - before, key=int)
        os.kill(int(keeper), signal.SIGKILL)
        wait(net, programs)
        assert [program.returncode for program in programs] == [-signal.SIGKILL]

    monkeypatch.setattr(Emulation, "wait", kill_hosts)
    done = command("emulate", str(live_file(tmp_path)), "--a", "sleep 60")
    assert done.exit_code == 2
    assert done.sentence == (
        "headgate: the hosts' processes were killed, by the system if memory was short, or by"
        " somebody; the run has no result: begin it again"
    )


def test_time_that_is_over_ends_programs() -> None:
    begun_s = time.monotonic()
    with headgate.emulate(dumbbell(duration="1 s")) as net:
        net.wait([net.start("a", "sleep 60")])
    assert time.monotonic() - begun_s < 10
    assert net.result.meta["live"]["ended_s"] == 1.0


def test_an_estimate_says_whether_it_fits() -> None:
    found = estimate(dumbbell("cubic", duration="2 s"))
    assert 0 < found.load < 0.5
    assert "it fits" in found.says()


def live_file(folder: Path) -> Path:
    file = folder / "live.toml"
    file.write_text(
        'duration = "20 s"\n[network]\nkind = "dumbbell"\nrate = "20 Mbit/s"\nrtt = "20 ms"\n'
        'buffer = "1 BDP"\n[[traffic]]\nkind = "live"\n'
    )
    return file


def test_the_command_runs_programs_and_says_how_they_did(tmp_path: Path) -> None:
    file = live_file(tmp_path)
    words = [
        "emulate",
        str(file),
        "--b",
        "sleep 0.5",
        "--at",
        "a=exit 0",
        "--out",
        str(tmp_path / "run"),
    ]
    done = command(*words)
    assert done.exit_code == 0, done.errors
    assert "packets read" in done.output
    assert (tmp_path / "run" / "live_flows.parquet").is_file()
    for wrong, says in (
        (["--c", "true"], "no such option"),
        (["--a"], "a command is missing"),
        (["--at", "a"], "write HOST=CMD"),
        ([], "there is no command"),
        (["--a", "true", "--mtu", "9"], "not allowed"),
        (["--a", "true", "--capture"], "needs a folder"),
        (["--a", "no-such -c b"], "host a: 'no-such -c b': there is no program 'no-such'; install"),
        (["--b", "true", "--at", "a=X=1 ./none &"], "there is no program './none'"),
        (["--a", "echo 'b"], """host a: "echo 'b" is no command: Unterminated quoted string"""),
    ):
        refused = command("emulate", str(file), *wrong)
        assert refused.exit_code == 2, wrong
        assert says in refused.sentence
        assert not refused.output
    failed = command("emulate", str(file), "--a", "exit 5", "--b", "(true)")
    assert failed.exit_code == 1
    assert failed.sentence == "headgate: host a: 'exit 5' ended with exit code 5"
    assert "it fits" in command("emulate", str(file), "--dry-run").output


@pytest.mark.parametrize("line", ["$SHELL -c true", "cd / && ls", "if true; then :; fi", "# no"])
def test_what_only_the_shell_can_tell_is_left_to_it(line: str) -> None:
    refuse_bad_command("a", line)


BY_A_USER = """
import headgate
from tests.hosts import LIVE
with headgate.emulate(headgate.dumbbell(rate="10 Mbit/s", rtt="2 ms", flows=[LIVE])) as net:
    net.run("a", "id -u; grep CapEff /proc/self/status", check=True)
print(net.result.meta["live"]["ended_s"] > 0)
"""


def test_root_is_not_needed_where_users_may_make_namespaces() -> None:
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv takes the rights of root away; it is part of util-linux")
    without = ["setpriv", "--bounding-set=-sys_admin,-net_admin", "--inh-caps=-all"]
    if os.geteuid() != 0:
        without = []
    done = subprocess.run(
        [*without, sys.executable, "-c", BY_A_USER], capture_output=True, text=True, check=False
    )
    if "cannot make a user namespace" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.stdout.splitlines()[0] == "0", done.stderr
    assert done.stdout.splitlines()[-1] == "True", done.stderr


HOLDS = """
import time, headgate
from tests.hosts import LIVE
scenario = headgate.dumbbell(rate="10 Mbit/s", rtt="2 ms", flows=[LIVE], duration="100 s")
with headgate.emulate(scenario) as net:
    net.start("a", "sleep 98765 & sleep 98765")
    net.start("b", "while true; do sleep 0.01; done")
    time.sleep(float(__import__("sys").argv[1]))
    print("ready", flush=True)
    time.sleep(100)
"""


def networks(of: set[int] | None = None) -> set[str]:
    """Network namespaces other than this one that processes are in."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        if of is None or int(process.name) in of:
            with suppress(OSError):
                found.add(os.readlink(process / "ns" / "net"))
    return found - {os.readlink("/proc/self/ns/net")}


def family(process: int) -> set[int]:
    """A process and all that come from it."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            words = path.read_text().rpartition(")")[2].split()
            parents[int(path.parent.name)] = int(words[1])
    found, size = {process}, 0
    while size < len(found):
        size = len(found)
        found |= {child for child, parent in parents.items() if parent in found}
    return found


def left_after_kill(wait_s: float) -> set[str]:
    """Kill a program with hosts; give what is left of its namespaces."""
    program = subprocess.Popen([sys.executable, "-c", HOLDS, "0.05"], stdout=subprocess.PIPE)
    assert program.stdout is not None
    assert program.stdout.readline() == b"ready\n"
    processes = family(program.pid)
    made = networks(processes)
    assert len(made) == 2
    program.kill()
    program.wait()
    for _ in range(100):
        running = {str(process) for process in processes if Path(f"/proc/{process}").exists()}
        left = running | (made & networks())
        if not left:
            break
        time.sleep(wait_s)
    return left


@pytest.mark.parametrize("times", [5, pytest.param(200, marks=pytest.mark.slow)])
def test_nothing_is_left_of_a_killed_program(times: int) -> None:
    for _ in range(times):
        assert left_after_kill(0.05) == set()
