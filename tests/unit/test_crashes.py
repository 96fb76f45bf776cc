"""Runs that take their process down: set aside with the cause, and the others are made."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from headgate import dumbbell
from headgate.base import process as lock_module
from headgate.base.errors import CrashedRunError, FailedRunsError, HeadgateError
from headgate.base.process import here
from headgate.lab import child as child_module
from headgate.lab import leases as leases_module
from headgate.lab import scheduler as scheduler_module
from headgate.lab.campaign import read_failures, record_failure
from headgate.lab.child import Child, Children, DiedError
from headgate.lab.cluster import Cluster
from headgate.lab.jobs import Job
from headgate.lab.leases import Attempts, Leases
from headgate.lab.processes import Processes
from headgate.lab.scheduler import Executor, Scheduler
from headgate.lab.store import Store
from headgate.lab.view import Watcher
from headgate.lab.worker import JobOutcome
from headgate.plugin import code_files

from .campaign_program import Threads
from .small_study import digests

CCAS = Path(__file__).parent / "ccas"
SEGFAULT = "crashed its process 2 times: was killed by SIGSEGV"


def job(cca: object, seed: int = 1, duration: str = "4 s") -> Job:
    flow = {"cca": str(cca)} if isinstance(cca, Path) else str(cca)
    scenario = dumbbell(rate="100 Mbit/s", rtt="20 ms", buffer="1 BDP", flows=[flow])
    made = scenario.replaced({"duration": duration, "seed": seed, "measure": {"series": "none"}})
    return Job(made, {"cca": getattr(cca, "stem", cca), "seed": seed})


def crashing() -> Job:
    return job(CCAS / "crash.c")


def whole(count: int = 2) -> list[Job]:
    return [job("reno", seed) for seed in range(count)]


def held_to(folder: Path, jobs: list[Job], executor: Executor, bad: Job, says: str) -> None:
    """Run a campaign with a bad run, and hold it to the others and to what it says."""
    with pytest.raises(FailedRunsError, match=f"1 of {len(jobs)} runs failed") as raised:
        Scheduler(Store(folder), executor=executor).run(jobs, lambda _: None)
    assert says in str(raised.value)
    assert raised.value.exit_code == 1
    others = {one.id: one.scenario.run().digest for one in jobs if one is not bad}
    assert digests(folder) == others
    assert list(read_failures(folder)) == [bad.id]
    assert Watcher(folder).look().state == "failed"
    assert not list((folder / "running").iterdir())


def test_a_failure_is_kept_where_no_memory_is_left_to_write_its_scenario(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_out(*_: object) -> None:
        raise MemoryError

    bad = job("reno")
    monkeypatch.setattr(type(bad.scenario), "save", run_out)
    failure = record_failure(tmp_path, bad, ValueError("why"))
    assert read_failures(tmp_path) == {bad.id: failure}
    assert failure.error == "ValueError: why"


def test_an_algorithm_that_crashes_costs_its_run_only(tmp_path: Path) -> None:
    bad = crashing()
    held_to(tmp_path, [bad, *whole()], Processes(2), bad, SEGFAULT)


def test_an_algorithm_that_ends_its_process_is_reported(tmp_path: Path) -> None:
    bad = job(CCAS / "leaves.py")
    held_to(tmp_path, [bad, *whole(1)], Processes(1), bad, "ended with exit code 0")


def test_a_worker_of_dask_outlives_a_crash(tmp_path: Path) -> None:
    (tmp_path / "local.toml").write_text('engine = "local"\njobs = 1\n')
    bad = crashing()
    executor = Cluster(str(tmp_path / "local.toml"))
    held_to(tmp_path / "store", [bad, *whole(1)], executor, bad, SEGFAULT)


def test_two_campaigns_set_the_same_run_aside_and_make_the_others_once(tmp_path: Path) -> None:
    bad, others = crashing(), whole(4)

    def start() -> str:
        try:
            Scheduler(Store(tmp_path), executor=Processes(1)).run([*others, bad], lambda _: None)
        except FailedRunsError as error:
            return str(error)
        return ""

    with ThreadPoolExecutor(2) as executor:
        messages = [made.result() for made in [executor.submit(start) for _ in range(2)]]
    assert all(SEGFAULT in one for one in messages)
    assert set(digests(tmp_path)) == {one.id for one in others}


def test_deaths_that_a_killed_campaign_saw_do_not_count_for_the_next(tmp_path: Path) -> None:
    (good,) = whole(1)
    attempts = Attempts(tmp_path)
    for number in range(leases_module.DEATHS):
        attempts.note_death(good.id, f"process {number}", "was killed by SIGKILL")
    Scheduler(Store(tmp_path), executor=Processes(1)).run([good], lambda _: None)
    assert set(digests(tmp_path)) == {good.id}
    assert not attempts.find_unfinished()


def test_runs_that_are_lost_with_everything_count_until_they_get_on(tmp_path: Path) -> None:
    attempts, snapshot = Attempts(tmp_path), tmp_path / "snapshots" / "run"
    for _ in range(leases_module.LOSSES - 1):
        attempts.begin("run")
    snapshot.parent.mkdir()
    snapshot.touch()
    for _ in range(leases_module.LOSSES):
        attempts.begin("run")
    with pytest.raises(CrashedRunError, match="the campaign died"):
        attempts.begin("run")


def test_what_was_lost_with_everything_is_tried_last(tmp_path: Path) -> None:
    jobs = whole(3)
    Attempts(tmp_path).begin(jobs[0].id)
    Scheduler(Store(tmp_path), executor=Processes(1)).run(jobs, lambda _: None)
    made = sorted((tmp_path / "runs").iterdir(), key=lambda run: run.stat().st_mtime_ns)
    assert [run.name for run in made] == [jobs[1].id, jobs[2].id, jobs[0].id]


def test_an_attempt_is_on_the_disk_before_it_starts(tmp_path: Path) -> None:
    long = job("reno", duration="9000 s")

    def look(_: object) -> None:
        leases = list(Leases(tmp_path).all())
        if any(lease.share for lease in leases):
            assert Attempts(tmp_path).find_unfinished() == {long.id}
            os.kill(int(leases[0].owner.split(":")[1]), signal.SIGKILL)

    with pytest.raises(FailedRunsError, match=r"SIGKILL \(by the system, if memory was short"):
        Scheduler(Store(tmp_path), executor=Processes(1)).run([long], look)


def test_an_algorithm_that_may_not_run_here_may_not_run_in_a_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(code_files, "_by_file", {})
    code_files.name_in_file(str(CCAS / "leaves.py"), "plan.toml")
    made = job(CCAS / "leaves.py")
    monkeypatch.setattr(code_files, "_by_hand", set())  # not the user, but a file named it
    with pytest.raises(FailedRunsError, match=r"plan.toml names this algorithm.*--trust"):
        Scheduler(Store(tmp_path / "s"), executor=Processes(1)).run([made], lambda _: None)


def test_a_child_that_dies_is_reported_and_replaced() -> None:
    children = Children()
    with pytest.raises(DiedError, match="exit code 7"):
        children.call(os._exit, 7)
    with pytest.raises(DiedError, match="SIGABRT"):
        children.call(os.abort)
    assert children.call(os.getpid) != os.getpid()
    children.close()


def test_an_error_of_a_child_is_raised_here() -> None:
    child = Child()
    with pytest.raises(HeadgateError, match="there is no such file"):
        child.call(_refuse)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        child.call(divmod, 1, 0)
    assert child.call(divmod, 7, 2) == (3, 1)
    child.close()


def _refuse() -> None:
    raise HeadgateError("there is no such file")


def test_a_child_ends_with_its_caller_also_in_the_middle_of_a_call() -> None:
    code = (
        "import time; from headgate.lab.child import Child; one = Child();"
        "print(one.name, flush=True); one.call(time.sleep, 600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as caller:
        assert caller.stdout is not None
        child = int(caller.stdout.readline().split(":")[1])
        caller.kill()
    end_s = time.monotonic() + 30
    while Path(f"/proc/{child}").exists() and time.monotonic() < end_s:
        time.sleep(0.05)
    assert not Path(f"/proc/{child}").exists()


def test_a_child_whose_caller_was_killed_has_no_traceback() -> None:
    """Its caller is gone by the time of the answer, which its listener has not seen yet."""
    code = """
import os, sys
from multiprocessing import Pipe
from headgate.lab import child
ours, theirs = Pipe()
child._listen = lambda pipe, calls: calls.put(b"")
child._answer = lambda call: ours.close()
ours.send(sys.path)
child.serve(os.dup(theirs.fileno()))
"""
    ended = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=120
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_run_that_hangs_is_ended_and_goes_on_in_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases_module, "STUCK_LOOKS", 3)
    long, stopped = job("reno", duration="6000 s"), set[int]()

    def stop_once(_: object) -> None:
        for lease in Leases(tmp_path).all():
            if not stopped and lease.share:
                stopped.add(int(lease.owner.split(":")[1]))
                os.kill(*stopped, signal.SIGSTOP)

    Scheduler(Store(tmp_path), executor=Processes(1)).run([long], stop_once)
    assert stopped
    assert set(digests(tmp_path)) == {long.id}


def test_a_lease_is_renewed_while_a_run_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases_module, "BEAT_S", 0.01)
    monkeypatch.setattr(leases_module, "STUCK_LOOKS", 3)
    leases, (one,) = Leases(tmp_path), whole(1)
    assert leases.take(one)
    is_stuck = Leases(tmp_path).watch(one.id)
    with leases.renewing(one.id):
        for _ in range(10):
            assert not is_stuck(here())
            time.sleep(0.1)
    assert [is_stuck(here()) for _ in range(4)][-1]
    assert not any(Leases(tmp_path).watch(one.id)("another") for _ in range(10))


def test_a_process_that_does_not_start_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_module, "START_S", 0.0)
    with pytest.raises(HeadgateError, match=r"a process for runs has not started in 0 s"):
        Child()


class _Mute(Threads):
    """Makes runs, and never says so."""

    def submit(self, job: Job, *, copy: bool = False) -> Future[JobOutcome]:
        super().submit(job, copy=copy)
        return Future()


def test_a_run_that_is_stored_is_done_also_where_the_answer_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler_module, "LOST_S", 0.1)
    made = whole(2)
    Scheduler(Store(tmp_path), executor=_Mute(1)).run(made, lambda _: None)
    assert set(digests(tmp_path)) == {one.id for one in made}


def test_a_lock_that_is_not_given_back_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock_module, "WAIT_S", 0.1)
    with lock_module.exclusive(tmp_path / "lock"):  # noqa: SIM117 - the second cannot be had
        with pytest.raises(lock_module.HeldError), lock_module.exclusive(tmp_path / "lock"):
            pass


def test_a_damaged_lease_holds_nobody_up(tmp_path: Path) -> None:
    """Empty, no record, a share beyond the whole, a time to come, a link that leads nowhere."""
    made, leases = whole(5), tmp_path / "running"
    leases.mkdir()
    owner = '"owner": "other:1:2:3", "since_s": 0'
    texts = [
        "",
        "\0\xff{",
        f'{{"run_id": "x", {owner}, "share": 1e300}}',
        f'{{"run_id": "x", {owner}}}',
    ]
    now_s = time.time()
    for one, text, ahead_s in zip(made, texts, [-3600, -3600, -3600, 3600], strict=False):
        (leases / one.id).write_text(text, encoding="latin-1")
        os.utime(leases / one.id, (now_s + ahead_s, now_s + ahead_s))
    (leases / made[4].id).symlink_to("/nowhere/at/all")
    Scheduler(Store(tmp_path), executor=Processes(1)).run(made, lambda _: None)
    assert set(digests(tmp_path)) == {one.id for one in made}
