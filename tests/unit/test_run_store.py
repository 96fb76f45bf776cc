"""The store and the pool: nothing finished is lost, nothing is made twice."""

import errno
import logging
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import headgate
from headgate import Result
from headgate.base import process
from headgate.base.errors import InterruptedRunError, StoreError
from headgate.base.progress import clock, show_progress
from headgate.base.units import PS_PER_S
from headgate.data.tables import TABLES, Table
from headgate.engine.run import progress as run_progress
from headgate.engine.run.options import RunOptions
from headgate.engine.run.progress import Progress, StopRunError
from headgate.lab import store as store_module
from headgate.lab import worker as worker_module
from headgate.lab.jobs import Job
from headgate.lab.order import order_jobs, weigh_jobs
from headgate.lab.scheduler import CampaignProgress, Scheduler
from headgate.lab.store import Store

from .campaign_program import Threads

DEAD_PROCESS = 2**22 + 1  # above the largest process number of Linux


def result(of: Any) -> Result:
    tables = {name: Table(name, {"x": np.arange(3.0)}) for name in TABLES}
    known = {"digest": "d", "packet_hops": 7, "cpu_s": 0.1}
    return Result(tables, {**known, "identity": of.identity()})


def read(job: Job, folder: Path) -> Result:
    found = Store(folder).read(job)
    assert found is not None
    return found


def jobs(count: int, durations_s: Sequence[int] = ()) -> list[Job]:
    return [make_job(n, s) for n, s in zip(range(count), durations_s or [1] * count, strict=True)]


def make_job(number: int, duration_s: int) -> Job:
    real = headgate.dumbbell(
        rate="10 Mbit/s", rtt="20 ms", flows=["reno"], duration=f"{duration_s} s"
    )
    scenario: Any = SimpleNamespace(
        identity=lambda: f"scenario {number}",
        duration=duration_s * PS_PER_S,
        own_code=list,
        plan=real.plan,
    )
    return Job(scenario)


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Replace the engine by one that answers at once; the list grows by one for each run."""
    calls: list[object] = []

    def simulate(
        scenario: object, progress: Callable[[Progress], None], options: RunOptions
    ) -> Result:
        progress(Progress(1.0, 2.0, 10, 10.0, 1.0))
        calls.append(scenario)
        return result(scenario)

    monkeypatch.setattr(worker_module, "simulate", simulate)
    return calls


def test_finished_runs_are_skipped(tmp_path: Path, simulated: list[object]) -> None:
    Scheduler(Store(tmp_path), executor=Threads(2)).run(jobs(3), lambda _: None)
    Scheduler(Store(tmp_path), executor=Threads(2)).run(jobs(5), lambda _: None)
    assert len(simulated) == 5


def test_results_come_back_as_they_were(tmp_path: Path, simulated: list[object]) -> None:
    (job,) = jobs(1)
    Scheduler(Store(tmp_path), executor=Threads(1)).run([job], lambda _: None)
    store = Store(tmp_path)
    assert store.missing([job]) == []
    assert read(job, tmp_path).ports["x"].tolist() == [0, 1, 2]
    assert read(job, tmp_path).meta["packet_hops"] == 7


@pytest.mark.parametrize("file", ["ports.parquet", "responses.parquet", "run.json"])
def test_damaged_runs_are_named_and_made_again(
    tmp_path: Path, simulated: list[object], caplog: pytest.LogCaptureFixture, file: str
) -> None:
    Scheduler(Store(tmp_path), executor=Threads(1)).run(jobs(3), lambda _: None)
    broken = tmp_path / "runs" / jobs(3)[1].id / file
    broken.write_bytes(broken.read_bytes()[:10])
    with caplog.at_level(logging.WARNING, logger="headgate"):
        assert [Store(tmp_path).read(job) is None for job in jobs(3)] == [False, True, False]
    Scheduler(Store(tmp_path), executor=Threads(1)).run(jobs(3), lambda _: None)
    assert len(simulated) == 4
    assert len(caplog.messages) == 1
    assert jobs(3)[1].id in caplog.messages[0]


def test_half_written_runs_of_killed_processes_are_swept(tmp_path: Path) -> None:
    dead = [f"0123456789abcdef@{process.name_process(DEAD_PROCESS)}:t:1"]
    alive = [f"0123456789abcdef@{process.here()}", f"0@elsewhere:{DEAD_PROCESS}:1"]
    for name in (*dead, *alive):
        (tmp_path / "drafts" / name).mkdir(parents=True)
    Store(tmp_path)
    assert sorted(path.name for path in (tmp_path / "drafts").iterdir()) == sorted(alive)


def test_a_draft_whose_process_dies_during_a_campaign_is_swept(
    tmp_path: Path, simulated: list[object]
) -> None:
    """A campaign that is started right after a kill may begin before the killed process is gone."""
    dying = subprocess.Popen(["sleep", "60"])
    draft = tmp_path / "drafts" / f"0123456789abcdef@{process.name_process(dying.pid)}:t:1"
    draft.mkdir(parents=True)
    store = Store(tmp_path)
    assert draft.exists()
    dying.kill()
    dying.wait()
    Scheduler(store, executor=Threads(1)).run(jobs(1), lambda _: None)
    assert simulated
    assert not draft.exists()


def test_leftovers_of_a_kill_beside_a_finished_run_are_removed(
    tmp_path: Path, simulated: list[object]
) -> None:
    """As after a kill between the run's last rename and the removal of what it needed."""
    (done, other) = jobs(2)
    Scheduler(Store(tmp_path), executor=Threads(1)).run([done], lambda _: None)
    ended = [tmp_path / kind / done.id for kind in ("running", "snapshots")]
    ended += [tmp_path / "attempts" / f"{done.id}.json", tmp_path / "failed" / f"{done.id}.toml"]
    kept = [tmp_path / "snapshots" / other.id, tmp_path / "attempts" / f"{other.id}.json"]
    draft = f".end.json@{process.name_process(DEAD_PROCESS)}:t:1"
    (tmp_path / "campaigns" / "killed").mkdir()
    for path in (*ended, *kept, tmp_path / "campaigns" / "killed" / draft):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    Store(tmp_path)
    assert not [path for path in ended if path.exists()]
    assert all(path.exists() for path in kept)
    assert not list((tmp_path / "campaigns" / "killed").iterdir())


def test_full_disk_is_one_sentence_and_keeps_finished_runs(
    tmp_path: Path, simulated: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    Scheduler(Store(tmp_path), executor=Threads(1)).run(jobs(2), lambda _: None)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(store_module, "fill_folder", full)
    with pytest.raises(StoreError, match=r"No space left on device.*2 stored runs are kept"):
        Scheduler(Store(tmp_path), executor=Threads(1)).run(jobs(4), lambda _: None)
    assert len(Store(tmp_path).missing(jobs(4))) == 2
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_interrupt_keeps_finished_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = threading.Event()

    def simulate(
        scenario: SimpleNamespace,
        progress: Callable[[Progress], None],
        options: RunOptions,
    ) -> Result:
        if scenario.identity() != "scenario 0":
            started.set()
            try:
                while True:
                    progress(Progress(1.0, 2.0, 10, 10.0, 1.0))
            except StopRunError:
                raise InterruptedRunError("stopped") from None
        return result(scenario)

    def interrupt(standing: CampaignProgress) -> None:
        if standing.finished == 1 and started.is_set():
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(worker_module, "simulate", simulate)
    with pytest.raises(InterruptedRunError, match="stopped with 1 of 3 runs"):
        Scheduler(Store(tmp_path), executor=Threads(1)).run(jobs(3), interrupt)
    assert [job.id for job in Store(tmp_path).missing(jobs(3))] == [j.id for j in jobs(3)[1:]]


def test_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be made"):
        Store(tmp_path / "file")


def test_plain_progress_is_a_line_per_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress("study") as show:
        for finished in range(101):
            show(CampaignProgress(100, finished=finished, due_hops=200, made_hops=2 * finished))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 11
    assert lines[5].startswith("study: 50 %, 50/100 runs, ")
    assert "packet-hops/s" in lines[5]


def test_remaining_time_is_counted_in_work() -> None:
    """10 of 110 hops take a minute, so the rest takes ten; two of four runs were there."""
    begun_s = time.monotonic() - 60
    standing = CampaignProgress(
        4, skipped=2, finished=1, due_hops=110, made_hops=10, started_s=begun_s
    )
    assert standing.eta_s == pytest.approx(600, rel=0.01)
    assert standing.share == pytest.approx(0.5 + 0.5 * 10 / 110)
    assert CampaignProgress(2, skipped=2).share == 1


def test_runs_begin_in_the_order_of_a_campaign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []
    made = jobs(7, (1, 3, 2, 4, 6, 5, 7))

    def simulate(scenario: SimpleNamespace, **_: object) -> Result:
        if any(scenario is job.scenario for job in made):  # not a thread of an earlier test
            begun.append(scenario.duration)
        return result(scenario)

    monkeypatch.setattr(worker_module, "simulate", simulate)
    Scheduler(Store(tmp_path), executor=Threads(1)).run(made, lambda _: None)
    assert begun == [job.scenario.duration for job in order_jobs(made, weigh_jobs(made))]


def test_a_long_run_is_never_silent_for_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = 0.0
    monkeypatch.setattr(run_progress.time, "perf_counter", lambda: now_s)
    with run_progress.show_progress("run") as report:
        for second in range(1000):
            now_s = float(second)
            report(Progress(second / 100, 1000.0, second, 1.0, 1.0))
    times = [line.split()[1] for line in capsys.readouterr().err.splitlines()]
    assert times == ["0.0", "3.0", "6.0", "9.0"]


@pytest.mark.parametrize(("seconds", "text"), [(5, "0:05"), (65, "1:05"), (3700, "1:01:40")])
def test_clock(seconds: float, text: str) -> None:
    assert clock(seconds) == text
