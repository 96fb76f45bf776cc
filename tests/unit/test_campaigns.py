"""Campaigns: shared stores, kills in the middle of a run, failures, shards, queries, the view."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import polars
import pytest
from typer.testing import CliRunner

from headgate import Result
from headgate.base import process
from headgate.base.errors import FailedRunsError, HeadgateError, StoreError
from headgate.cli.main import app
from headgate.engine.api import simulate
from headgate.engine.run import simulate as simulate_module
from headgate.engine.run.options import RunOptions
from headgate.engine.run.progress import Progress
from headgate.experiment.study import study
from headgate.lab import worker as worker_module
from headgate.lab.campaign import Campaign
from headgate.lab.jobs import Job
from headgate.lab.leases import Leases
from headgate.lab.scheduler import Scheduler
from headgate.lab.shard import Shard
from headgate.lab.store import Store
from headgate.lab.view import View, Watcher

from . import campaign_program
from .campaign_program import Threads
from .small_study import asked, digests, shrunk

#: An eighth of a CPU second, one and a quarter, and two and a half.
SHORT_S, MIDDLE_S, LONG_S = 60.0, 600.0, 1200.0


def program(folder: Path, runs: int, duration_s: float) -> subprocess.Popen[str]:
    command = [sys.executable, campaign_program.__file__, str(folder), str(runs), str(duration_s)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def until(there: Callable[[], object], process: subprocess.Popen[str], most_s: float = 60) -> None:
    end_s = time.monotonic() + most_s
    while not there():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end_s
        time.sleep(0.01)


def small(runs: int = 4) -> list[Job]:
    return campaign_program.jobs(runs, 5.0)


def order_of(folder: Path) -> worker_module.CampaignSpec:
    campaign = Campaign.begin(Store(folder), "", [], {})
    return worker_module.CampaignSpec(folder, campaign.name, "p")


def pooled(folder: Path, jobs: list[Job], workers: int = 2) -> Store:
    store = Store(folder)
    Scheduler(store, executor=Threads(workers)).run(jobs, lambda _: None, "small")
    return store


def read(folder: Path, job: Job) -> Result:
    found = Store(folder).read(job)
    assert found is not None
    return found


def test_a_run_killed_in_its_middle_goes_on_from_its_last_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with program(tmp_path, 1, MIDDLE_S) as process:
        until(lambda: list((tmp_path / "snapshots").glob("[!.]*")), process)
        process.kill()
    (job,) = campaign_program.jobs(1, MIDDLE_S)
    assert not (tmp_path / "runs" / job.id).exists()
    times_s: list[float] = []

    def watched(
        scenario: object, progress: Callable[[Progress], None], options: RunOptions
    ) -> Result:
        def report(now: Progress) -> None:
            times_s.append(now.time_s)
            progress(now)

        monkeypatch.setattr(simulate_module, "SLICE_S", 0.01)  # the first report comes soon
        return simulate(job.scenario, progress=report, options=options)

    monkeypatch.setattr(worker_module, "simulate", watched)
    pooled(tmp_path, [job])
    resumed = read(tmp_path, job)
    assert times_s[0] > 0.02 * MIDDLE_S  # a quarter of a second is a fifth of the run or so
    assert resumed.meta["resumed"]
    assert resumed.digest == job.scenario.run().digest
    assert not list((tmp_path / "snapshots").iterdir())


def test_a_damaged_snapshot_costs_its_run_only(tmp_path: Path) -> None:
    (job,) = small(1)
    store = Store(tmp_path)
    store.snapshot(job.id).parent.mkdir()
    store.snapshot(job.id).write_bytes(b"nonsense")
    pooled(tmp_path, [job])
    assert read(tmp_path, job).digest == job.scenario.run().digest


def test_ctrl_c_keeps_the_runs_in_hand(tmp_path: Path) -> None:
    with program(tmp_path, 2, LONG_S) as process:
        until(lambda: len(list(Leases(tmp_path).all())) == 2, process)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert "InterruptedRunError" in process.communicate(timeout=30)[1]
    assert len(list((tmp_path / "snapshots").iterdir())) == 2
    assert not list((tmp_path / "running").iterdir())
    assert Watcher(tmp_path).look().state == "stopped"


def test_two_campaigns_share_a_store_and_make_no_run_twice(tmp_path: Path) -> None:
    runs = 12
    both = [program(tmp_path, runs, SHORT_S) for _ in range(2)]
    made = [int(process.communicate(timeout=60)[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sum(made) == runs
    assert all(made), "one of them made all: they did not share"
    alone = campaign_program.jobs(runs, SHORT_S)[3]
    assert len(digests(tmp_path)) == runs
    assert digests(tmp_path)[alone.id] == alone.scenario.run().digest
    assert not list((tmp_path / "running").iterdir())
    assert not list((tmp_path / "drafts").iterdir())


def test_a_run_that_another_has_in_hand_is_left_to_it(tmp_path: Path) -> None:
    jobs = small(3)
    elsewhere, claims = Leases(tmp_path), Store(tmp_path)
    assert elsewhere.take(jobs[0])
    order = order_of(tmp_path)
    outcome = worker_module.Worker(order, claims).run_job(jobs[0])
    assert (outcome.there, outcome.failure) == (False, None)
    assert not digests(tmp_path)
    elsewhere.drop(jobs[0].id)
    assert worker_module.Worker(order, claims).run_job(jobs[0]).there
    assert set(digests(tmp_path)) == {jobs[0].id}


@pytest.mark.parametrize(
    ("owner", "age_s", "free"),
    [
        (f"{process.name_process(2**22 + 1)}:t:1", 0.0, True),  # no such process
        (process.here(), 0.0, False),
        ("elsewhere:1:1", 30.0, False),
        ("elsewhere:1:1", 90.0, True),  # silent for more than a minute
    ],
    ids=["gone here", "at work here", "heard elsewhere", "silent elsewhere"],
)
def test_a_claim_is_void_when_its_owner_is_gone(
    tmp_path: Path, owner: str, age_s: float, free: bool
) -> None:
    (job,) = small(1)
    Store(tmp_path)
    (tmp_path / "running").mkdir()
    file, at_s = tmp_path / "running" / job.id, time.time() - age_s
    file.write_text(json.dumps({"run_id": job.id, "owner": owner, "since_s": 0.0}))
    os.utime(file, (at_s, at_s))
    assert Leases(tmp_path).take(job) is free


@pytest.mark.parametrize("file", ["ports.parquet", "responses.parquet", "run.json"])
@pytest.mark.parametrize("place", [0.3, 0.6, 0.9])
def test_one_wrong_bit_is_found_and_the_run_made_again(
    tmp_path: Path, file: str, place: float, caplog: pytest.LogCaptureFixture
) -> None:
    jobs = small(2)
    pooled(tmp_path, jobs)
    before = digests(tmp_path)
    broken = tmp_path / "runs" / jobs[0].id / file
    data = bytearray(broken.read_bytes())
    data[int(place * len(data))] ^= 1
    broken.write_bytes(data)
    assert [Store(tmp_path).read(job) is None for job in jobs] == [True, False]
    assert jobs[0].id in caplog.text
    pooled(tmp_path, jobs)
    assert digests(tmp_path) == before


class _PanicError(BaseException):
    """As the engine's panic, which is no Exception."""


@pytest.mark.parametrize("error", [ValueError("no window"), _PanicError("no window")])
def test_a_failed_run_is_reported_with_its_scenario_and_the_others_finish(
    tmp_path: Path, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = small(4)

    def failing(scenario: object, progress: object, options: RunOptions) -> Result:
        if scenario is jobs[1].scenario:
            raise error
        return simulate(scenario)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(worker_module, "simulate", failing)
        with pytest.raises(FailedRunsError, match="1 of 4 runs failed") as raised:
            pooled(tmp_path, jobs)
    assert "cca=both seed=1" in str(raised.value)
    assert "no window" in str(raised.value)
    assert set(digests(tmp_path)) == {job.id for job in jobs} - {jobs[1].id}
    view = Watcher(tmp_path).look()
    assert (view.state, view.done, [f.run_id for f in view.failed]) == ("failed", 3, [jobs[1].id])
    scenario = tmp_path / "failed" / f"{jobs[1].id}.toml"
    assert str(scenario) in str(raised.value)
    again = CliRunner().invoke(app, ["run", str(scenario), "--json"], catch_exceptions=False)
    pooled(tmp_path, jobs)
    assert digests(tmp_path)[jobs[1].id] == json.loads(again.stdout)["digest"]
    assert not list((tmp_path / "failed").iterdir())


def test_a_store_is_asked_in_one_line(tmp_path: Path) -> None:
    pooled(tmp_path, small(3))
    files = f"{tmp_path}/runs/*/ports.parquet"
    asked_duckdb = duckdb.sql(
        f"SELECT label_seed, max(utilisation) AS most FROM '{files}' GROUP BY 1 ORDER BY 1"
    ).fetchall()
    asked_polars = (
        polars.scan_parquet(files)
        .group_by("label_seed")
        .agg(polars.col("utilisation").max())
        .sort("label_seed")
        .collect()
        .rows()
    )
    own = [(n, job.scenario.run().ports["utilisation"].max()) for n, job in enumerate(small(3))]
    assert asked_duckdb == asked_polars == own


def test_labels_are_not_part_of_a_result(tmp_path: Path) -> None:
    (job,) = small(1)
    pooled(tmp_path, [job])
    read, made = Result.read(tmp_path / "runs" / job.id), job.scenario.run()
    for name, table in made.tables.items():
        assert read.tables[name].columns == table.columns


def test_shards_are_parts_and_their_union_is_the_whole() -> None:
    jobs = small(32)
    parts = [Shard(number, 3).of(jobs) for number in (1, 2, 3)]
    assert sorted(job.labels["seed"] for part in parts for job in part) == list(range(32))
    assert [len(part) for part in parts] == [11, 11, 10]
    evens = [sum(job.labels["seed"] % 2 == 0 for job in Shard(n, 2).of(jobs)) for n in (1, 2)]
    assert all(4 <= count <= 12 for count in evens)  # each shard contains both levels


def test_shards_with_separate_stores_are_united_by_copying_runs(tmp_path: Path) -> None:
    jobs = small(5)
    for number in (1, 2):
        pooled(tmp_path / str(number), list(Shard(number, 2).of(jobs)))
        shutil.copytree(tmp_path / str(number) / "runs", tmp_path / "runs", dirs_exist_ok=True)
    assert Store(tmp_path).missing(jobs) == []


def test_a_shard_is_a_command_and_the_last_one_completes_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "load", lambda _: shrunk(seeds=1))
    words = ["study", "tcp-replacements", "--out", str(tmp_path), "--json", "--shard"]
    for shard, there in (("1/2", 8), ("2/2", 16)):
        done = CliRunner().invoke(app, [*words, shard], catch_exceptions=False)
        said = json.loads(done.stdout.splitlines()[-1])
        assert said == {"shard": shard, "runs": 8, "folder": str(tmp_path)}
        assert len(digests(tmp_path)) == there
    assert not (tmp_path / "report.html").exists()
    assert Store(tmp_path).missing(list(asked(tmp_path, seeds=1).jobs.values())) == []


def test_a_copy_that_was_slower_leaves_no_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (job,) = small(1)
    store = Store(tmp_path)
    monkeypatch.setattr(worker_module, "POLL_S", 0.0)
    monkeypatch.setattr(simulate_module, "SLICE_S", 0.0)
    slower = worker_module.Worker(order_of(tmp_path), Store(tmp_path))

    def overtaken(
        scenario: object, progress: Callable[[Progress], None], options: RunOptions
    ) -> Result:
        if not store.has(job.id):
            store.write(job, job.scenario.run())
        return simulate(job.scenario, progress=progress, options=options)

    monkeypatch.setattr(worker_module, "simulate", overtaken)
    outcome = slower.run_job(job, copy=True)
    assert (outcome.there, outcome.wall_s) == (True, 0.0)
    assert not list((tmp_path / "snapshots").iterdir())


@pytest.mark.parametrize("text", ["", "0/2", "3/2", "1", "a/b", "1/0", "-1/2"])
def test_a_wrong_shard_is_one_sentence(text: str) -> None:
    with pytest.raises(HeadgateError, match="write the shard and the number of shards"):
        Shard.read(text)


def watched(folder: Path) -> View:
    return Watcher(folder).look()


def test_a_campaign_is_watched_from_another_process(tmp_path: Path) -> None:
    with program(tmp_path, 3, LONG_S) as process:
        until(lambda: any(lease.share for lease in Leases(tmp_path).all()), process)
        view = watched(tmp_path)
        assert (view.title, view.state, view.total, view.done) == ("campaign", "running", 3, 0)
        assert len(view.running) == 2
        assert view.running[0].labels["cca"] == "both"
        assert view.packet_hops > 0
        assert view.hops_per_s == pytest.approx(view.packet_hops / view.elapsed_s)
        share = sum(lease.share for lease in view.running)
        assert view.eta_s == pytest.approx(view.elapsed_s * (3 - share) / share)
        process.kill()
    view = watched(tmp_path)
    assert (view.state, view.running, view.eta_s) == ("silent", (), None)


def test_a_finished_campaign_has_figures_by_algorithm(finished: Path) -> None:
    view = watched(finished)
    assert (view.state, view.done, view.total, view.failed) == ("done", 16, 16, ())
    assert [row["cca"] for row in view.figures] == ["ctcp", "fast", "reno", "scalable"]
    assert [row["runs"] for row in view.figures] == [4] * 4
    runs = [Result.read(run) for run in (finished / "runs").iterdir()]
    reno = [r.responses["y1"].mean() for r in runs if r.meta["labels"]["cca"] == "reno"]
    assert view.figures[2]["sources sending"] == pytest.approx(sum(reno) / 4)
    assert view.packet_hops == sum(result.meta["packet_hops"] for result in runs)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("watched")
    jobs = list(asked(folder, seeds=1).jobs.values())
    Scheduler(Store(folder), executor=Threads(2)).run(jobs, lambda _: None, "tcp-replacements")
    return folder


def test_watch_shows_it_once_as_text_or_json(finished: Path) -> None:
    def said(option: str) -> str:
        done = CliRunner().invoke(app, ["watch", str(finished), option], catch_exceptions=False)
        assert done.exit_code == 0
        return done.stdout

    text = said("--once")
    assert "16 of 16 runs done, 0 running, 0 failed" in text
    assert "scalable" in text
    shown = json.loads(said("--json"))
    assert (shown["state"], shown["done"], len(shown["figures"])) == ("done", 16, 4)


def test_there_is_nothing_to_watch_in_another_folder(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no campaign here"):
        watched(tmp_path)


def test_a_new_lease_is_whole_from_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If it were empty after a kill, the next campaign would wait a minute for its owner."""
    (job,) = small(1)

    def kill(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", kill)
        with pytest.raises(KeyboardInterrupt):
            Leases(tmp_path).take(job)
    assert not list((tmp_path / "running").iterdir())
    assert Leases(tmp_path).take(job)
    assert not Leases(tmp_path).take(job)


def test_a_file_system_without_hard_links_has_leases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    (job,) = small(1)
    assert Leases(tmp_path).take(job)
    assert not Leases(tmp_path).take(job)
    (lease,) = Leases(tmp_path).all()
    assert lease.run_id == job.id


def test_the_time_left_of_a_watched_campaign_counts_work(tmp_path: Path) -> None:
    """One run of four is done, and the other three are 299 times the work."""
    jobs = small(4)
    Scheduler(Store(tmp_path), executor=Threads(1)).run(jobs[:1], lambda _: None)
    due = {jobs[0].id: 1.0, jobs[1].id: 99.0, jobs[2].id: 100.0, jobs[3].id: 100.0}
    shutil.rmtree(tmp_path / "campaigns")
    Campaign.begin(Store(tmp_path), "", jobs, due)
    view = watched(tmp_path)
    assert view.eta_s is not None
    assert view.eta_s == pytest.approx(299 * view.elapsed_s)
