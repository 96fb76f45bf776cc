"""Code that only a file names runs once its user has allowed it, and nothing else asks."""

import hashlib
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from headgate import Result, Scenario, dumbbell
from headgate.base.errors import UntrustedCcaError
from headgate.plugin import code_files
from headgate.scenario.toml import write_toml

from ..errors.command import headgate

CCAS = Path(__file__).parent / "ccas"
CCA = """
from pathlib import Path
Path(__file__).with_name("it-ran").touch()

class Mine:
    def on_ack(self, ack, path, window):
        window.slow_start(ack.acked)

    def on_congestion(self, event, path, window):
        window.ssthresh = max(event.in_flight / 2, 2.0)
"""


@pytest.fixture(autouse=True)
def lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user who has allowed nothing yet, in a process that has read nothing."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(code_files, "_by_hand", set())
    monkeypatch.setattr(code_files, "_by_file", {})


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """A folder as a stranger sends it: a scenario, and the algorithm that it names."""
    (tmp_path / "mine.py").write_text(CCA)
    path = tmp_path / "s.toml"
    write_toml(
        {
            "duration": "1 s",
            "network": {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "40 ms"},
            "traffic": [{"kind": "flows", "cca": "mine.py:Mine"}],
        },
        path,
    )
    return path


def ran(scenario: Path) -> bool:
    mark = scenario.with_name("it-ran")
    there = mark.exists()
    mark.unlink(missing_ok=True)
    for name in [name for name in sys.modules if name.startswith("headgate_own_mine_")]:
        del sys.modules[name]  # a new process would run the file again
    return there


def sha256(scenario: Path) -> str:
    return hashlib.sha256(scenario.with_name("mine.py").read_bytes()).hexdigest()


def test_the_identity_of_a_scenario_runs_nothing(scenario: Path) -> None:
    loaded = Scenario.load(scenario)
    (cca,) = loaded.plan()[0]["laws"]
    assert (cca["name"], cca["own"]) == ("Mine", sha256(scenario))
    assert loaded.identity()
    assert not ran(scenario)


def test_an_algorithm_that_only_the_file_names_is_refused_with_its_hash(scenario: Path) -> None:
    done = headgate("run", scenario)
    assert done.exit_code == 2
    assert (
        f"{scenario} names this algorithm, which is code (SHA-256 {sha256(scenario)})"
        in done.sentence
    )
    assert done.sentence.endswith("allow it with --trust")
    with pytest.raises(UntrustedCcaError):
        Scenario.load(scenario).run()
    with pytest.raises(UntrustedCcaError):
        Scenario.load(scenario).replaced({"duration": "0.6 s"}).run()
    assert not ran(scenario)


def test_check_looks_at_the_scenario_without_its_algorithm(scenario: Path) -> None:
    done = headgate("check", scenario)
    assert done.exit_code == 0
    assert f"{scenario} is valid" in done.output
    assert f"algorithm Mine (SHA-256 {sha256(scenario)[:16]}...): not checked" in done.output
    assert not ran(scenario)
    assert "mine.py:Mine can be loaded" in headgate("check", scenario, "--trust").output
    assert ran(scenario)


def test_allowed_code_is_remembered_until_it_changes(scenario: Path) -> None:
    assert headgate("run", scenario, "--trust").exit_code == 0
    assert ran(scenario)
    assert code_files.list_file().read_text().split() == [
        sha256(scenario),
        str(scenario.with_name("mine.py")),
    ]
    checked = subprocess.run(["sha256sum", "-c", code_files.list_file()], check=False)
    assert checked.returncode == 0
    assert headgate("run", scenario).exit_code == 0
    assert ran(scenario)
    scenario.with_name("mine.py").write_text(f"{CCA}\n# another day\n")
    assert headgate("run", scenario).exit_code == 2
    assert not ran(scenario)


@pytest.mark.parametrize("named", [("--cca", "{}:Mine"), ("--set", "traffic.0.cca={}:Mine")])
def test_code_that_the_user_names_never_asks(named: tuple[str, str], scenario: Path) -> None:
    cca = scenario.with_name("mine.py")
    for text in (CCA, f"{CCA}\n# edited\n"):
        cca.write_text(text)
        assert headgate("run", scenario, named[0], named[1].format(cca)).exit_code == 0
        assert ran(scenario)
    assert not code_files.list_file().exists()


def test_an_algorithm_in_the_user_s_own_program_never_asks(scenario: Path) -> None:
    cca = f"{scenario.with_name('mine.py')}:Mine"
    network = dumbbell(rate="10 Mbit/s", rtt="40 ms", flows=[{"cca": cca}])
    assert network.run("1 s").digest
    assert ran(scenario)


def test_checking_an_algorithm_by_its_name_never_asks(scenario: Path) -> None:
    assert headgate("check", f"{scenario.with_name('mine.py')}:Mine").exit_code == 0


def test_the_scenario_of_a_stored_run_asks(scenario: Path, tmp_path: Path) -> None:
    Scenario.load(scenario, trust=True).run().write(tmp_path / "run")
    code_files.list_file().unlink()
    code_files._by_file.clear()  # another process
    ran(scenario)
    with pytest.raises(UntrustedCcaError, match="a stored run names this algorithm"):
        Result.read(tmp_path / "run").scenario.run()
    assert not ran(scenario)


def test_nothing_takes_an_address_from_a_number() -> None:
    from headgate import _native

    with pytest.raises(TypeError):
        _native.OwnCode.compiled("x", 4096, None)


@pytest.mark.parametrize(
    "package", ["pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"]
)
def test_no_file_is_read_as_a_pickle(package: str) -> None:
    import headgate

    sources = sorted(Path(headgate.__file__).parent.rglob("*.py"))
    readers = [path.name for path in sources if f"import {package}" in path.read_text()]
    # over a pipe between a campaign and the processes that make its runs, plans among them
    assert readers == (["child.py", "jobs.py"] if package == "pickle" else [])
    assert not [path for path in sources if "allow_pickle=True" in path.read_text()]


# Algorithms that end the process, or do not come back
# ---------------------------------------------------

PROGRAM = [str(Path(sys.executable).with_name("headgate"))]


def started(scenario: Path, cca: str) -> "subprocess.Popen[str]":
    command = [*PROGRAM, "run", str(scenario), "--cca", f"{CCAS / 'wrong.py'}:{cca}"]
    return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_an_algorithm_that_ends_the_process_is_reported(scenario: Path) -> None:
    process = started(scenario, "Exits")
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert not output
    assert (
        "a user-defined algorithm ended the process with 0; `headgate check` finds the call"
        in errors
    )


def test_ctrl_c_ends_an_algorithm_that_does_not_come_back(scenario: Path) -> None:
    process = started(scenario, "Loops")
    await_child(process.pid)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert (
        "stopped in your own code, which did not return; the last saved state, if any, is kept"
        in errors
    )


#: Own code ends its process before anybody waits for that, beside a thread that takes signals, and
#: may leave a process that keeps what it has inherited.
ENDS_EARLY = """
import os, sys, threading, time
from headgate.plugin import guard
from headgate.plugin.ccas import CCA

threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
wait = guard._wait
guard._wait = lambda *given: (time.sleep(0.5), wait(*given))
with guard.run_watched([("own.py:Own", CCA)]):
    if "leaves" in sys.argv and not os.fork():
        time.sleep(60)
    os._exit(3)
"""


@pytest.mark.parametrize("how", ["plain", "leaves"])
def test_user_code_that_ends_early_is_reported_on_a_busy_machine(how: str) -> None:
    command = [sys.executable, "-c", ENDS_EARLY, how]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as process:
        try:
            process.wait(timeout=20)
            assert process.returncode == 1
        finally:
            with suppress(ProcessLookupError):  # unless one was left behind
                os.killpg(process.pid, signal.SIGKILL)
        assert process.stderr is not None
        assert b"a user-defined algorithm ended the process with 3" in process.stderr.read()


#: On a system without these calls of Linux's, own code runs in the process itself.
ELSEWHERE = """
import os, signal, sys
sys.platform = "darwin"
del os.fork, signal.sigtimedwait
from headgate.plugin import guard
from headgate.plugin.ccas import CCA
before = os.getpid()
with guard.run_watched([("own.py:Own", CCA)]):
    print("same" if os.getpid() == before else "another")
"""


def test_user_code_runs_unwatched_if_the_calls_for_it_are_missing() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.stdout, done.stderr, done.returncode) == ("same\n", "", 0)


def await_child(parent: int) -> None:
    """Wait until the child has used some CPU time, and so is in its loop."""
    import time

    children = Path(f"/proc/{parent}/task/{parent}/children")
    while True:
        for child in children.read_text().split():
            ticks = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[11]
            if int(ticks) > os.sysconf("SC_CLK_TCK"):
                return
        time.sleep(0.05)
