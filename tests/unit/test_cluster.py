"""A campaign on Dask workers that are killed, stopped and added: the same digests, all there."""

import gc
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dask
import pytest
from distributed import Client, LocalCluster
from distributed.utils import LoopRunner

from headgate.base.errors import FailedRunsError, HeadgateError, StoreError
from headgate.base.progress import Show
from headgate.lab import scheduler as pool_module
from headgate.lab.campaign import Campaign
from headgate.lab.cluster import Cluster, Profile, wait_for_file
from headgate.lab.jobs import Job, program
from headgate.lab.leases import Lease, Leases
from headgate.lab.scheduler import CampaignProgress, IdleWatch, Scheduler
from headgate.lab.store import Store
from headgate.lab.worker import CampaignSpec, run_job

from . import cluster_program
from .campaign_program import Threads, jobs
from .small_study import digests

WORKERS = 3
RUN_S = 160.0  # simulated; a third of a CPU second


@pytest.fixture(scope="module")
def local() -> Iterator[LocalCluster]:
    """Three workers, each a separate process that is started again when it dies.

    Dask gives a run up after three deaths of its workers; here many more are wanted.
    """
    often = {"distributed.scheduler.allowed-failures": 100}
    quiet = {"distributed.worker.memory.terminate": False}
    with (
        dask.config.set(often | quiet),
        LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
    ):
        yield cluster


class Killer:
    """Kills workers in the middle of a run, without a warning, as long as another one works."""

    def __init__(self, cluster: LocalCluster, store: Path, most: int) -> None:
        self.cluster, self.store, self.most, self.killed = cluster, store, most, 0
        self.chance = random.Random(1)

    def __call__(self, _: CampaignProgress) -> None:
        found = map(worker_of, Leases(self.store).all())
        workers = {nanny.pid for nanny in self.cluster.workers.values()}
        at_work = [worker for worker in found if worker in workers]
        if len(at_work) > 1 and self.killed < self.most and self.chance.random() < 0.5:
            os.kill(self.chance.choice(at_work), signal.SIGKILL)
            self.killed += 1


def worker_of(lease: Lease) -> int:
    """Find the worker of Dask whose child holds this lease; 0 if the child has just ended."""
    try:
        stat = Path(f"/proc/{lease.owner.split(':')[1]}/stat").read_text()
    except OSError:
        return 0
    return int(stat.rpartition(")")[2].split()[1])


def campaign(
    cluster: LocalCluster, folder: Path, made: list[Job], show: Show = lambda _: None
) -> None:
    executor = Cluster(cluster.scheduler_address)
    Scheduler(Store(folder), executor=executor).run(made, show, "on a cluster")


def made_here(folder: Path, made: list[Job]) -> dict[str, str]:
    Scheduler(Store(folder), executor=Threads(2)).run(made, lambda _: None)
    return digests(folder)


def held_against_one_process(local: LocalCluster, tmp_path: Path, runs: int, most: int) -> int:
    """Run a campaign while workers are killed, and hold it to the same one on threads."""
    made, killer = jobs(runs, RUN_S), Killer(local, tmp_path / "cluster", most)
    campaign(local, tmp_path / "cluster", made, killer)
    assert digests(tmp_path / "cluster") == made_here(tmp_path / "threads", made)
    assert not list((tmp_path / "cluster").glob("failed/*"))
    return killer.killed


def test_workers_killed_at_random_change_nothing(local: LocalCluster, tmp_path: Path) -> None:
    assert held_against_one_process(local, tmp_path, runs=5, most=2) == 2


@pytest.mark.slow
def test_many_workers_killed_at_random_change_nothing(local: LocalCluster, tmp_path: Path) -> None:
    assert held_against_one_process(local, tmp_path, runs=60, most=25) >= 10


def test_a_worker_that_hangs_is_not_waited_for(
    local: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "QUIET_S", 2.0)
    with Client(local.scheduler_address) as client:  # others may have been killed before
        client.wait_for_workers(2, timeout=120)
    made = jobs(1, 5 * RUN_S)
    stopped: list[int] = []

    def stop_its_worker(_: object) -> None:
        leases = list(Leases(tmp_path).all())
        if leases and not stopped:
            stopped.append(int(leases[0].owner.split(":")[1]))
            os.kill(stopped[0], signal.SIGSTOP)

    try:
        store = Store(tmp_path)
        Scheduler(store, executor=Cluster(local.scheduler_address)).run(made, stop_its_worker)
        assert store.read(made[0]).digest == made[0].scenario.run().digest
        assert stopped
    finally:
        for process in stopped:
            os.kill(process, signal.SIGKILL)


def test_workers_that_join_take_part(tmp_path: Path) -> None:
    """A campaign that begins without any worker waits for one."""
    made = jobs(3, 10.0)
    with LocalCluster(
        n_workers=0, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster:
        joined = threading.Timer(1.0, cluster.scale, [1])
        joined.start()
        campaign(cluster, tmp_path, made)
        joined.join()
    assert set(digests(tmp_path)) == {job.id for job in made}


def test_a_scheduler_file_will_do(local: LocalCluster, tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    with Client(local.scheduler_address) as client:
        client.write_scheduler_file(str(file))
    made = jobs(2, 10.0)
    Scheduler(Store(tmp_path / "s"), executor=Cluster(str(file))).run(made, lambda _: None)
    assert set(digests(tmp_path / "s")) == {job.id for job in made}


def test_a_failed_run_on_a_cluster_is_reported(local: LocalCluster, tmp_path: Path) -> None:
    whole, *_ = jobs(1, 10.0)
    broken = Job(whole.scenario.model_copy(update={"traffic": ()}), {"cca": "none"})
    broken.__dict__["id"] = "0" * 16
    with pytest.raises(FailedRunsError, match="1 of 2 runs failed"):
        campaign(local, tmp_path, [whole, broken])
    assert set(digests(tmp_path)) == {whole.id}


def test_a_worker_of_another_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HeadgateError, match="give both the same version"):
        run_job(CampaignSpec(tmp_path, "c", "headgate 0"), jobs(1, 1.0)[0])


def test_a_worker_that_does_not_see_the_store_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"does not see .*use --shard"):
        run_job(CampaignSpec(tmp_path / "not here", "c", program()), jobs(1, 1.0)[0])
    store = Store(tmp_path)
    seen = Campaign.begin(store, "", jobs(1, 1.0), {})
    assert run_job(CampaignSpec(tmp_path, seen.name, program()), jobs(1, 1.0)[0]).there


@contextmanager
def scheduler_process(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a scheduler of Dask without workers, and kill it at the end."""
    file = folder / "scheduler.json"
    words = ["-m", "distributed.cli.dask_scheduler", "--port", "0", "--dashboard-address", ":0"]
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "2 s"}),
        subprocess.Popen(
            [sys.executable, *words, "--scheduler-file", str(file)], stderr=subprocess.DEVNULL
        ) as scheduler,
    ):
        try:
            while not file.exists():
                assert scheduler.poll() is None
                time.sleep(0.05)
            yield scheduler
        finally:
            scheduler.kill()


def test_the_file_of_a_scheduler_that_is_starting_is_waited_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A study that starts right after its scheduler finds no file, or an incomplete one."""
    path = tmp_path / "scheduler.json"
    threading.Timer(0.2, lambda: path.write_text('{"address": ')).start()
    threading.Timer(0.6, lambda: path.write_text('{"address": "tcp://127.0.0.1:9"}')).start()
    wait_for_file(str(path))
    assert json.loads(path.read_text())
    wait_for_file(str(path))
    assert [text.partition(": ")[2] for text in caplog.messages] == [
        "waiting up to 30 s for the scheduler's file"
    ]


def test_a_scheduler_that_writes_no_file_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headgate.lab.cluster.FILE_S", 0.2)
    with pytest.raises(HeadgateError, match="there is no such file"):
        wait_for_file(str(tmp_path / "scheduler.json"))


def test_a_scheduler_that_dies_is_one_sentence(tmp_path: Path) -> None:
    with scheduler_process(tmp_path) as scheduler:
        executor = Cluster(str(tmp_path / "scheduler.json"))
        with pytest.raises(HeadgateError, match="the same command resumes it"):
            Scheduler(Store(tmp_path), executor=executor).run(
                jobs(2, 100 * RUN_S), lambda _: scheduler.kill()
            )


def test_an_address_without_a_scheduler_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headgate.lab.cluster.CONNECT_S", 0.5)
    with pytest.raises(HeadgateError, match=r"tcp://127.0.0.1:9: there is no scheduler"):
        Cluster("tcp://127.0.0.1:9")
    with pytest.raises(HeadgateError, match="there is no scheduler"):
        Cluster("nonsense")


def test_a_client_without_a_scheduler_is_closed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that the garbage collector closes can stop the start of the next cluster."""
    monkeypatch.setattr("headgate.lab.cluster.CONNECT_S", 0.5)
    before = {id(one) for one in clients_in_use()}
    for address in ("tcp://127.0.0.1:9", "nonsense"):
        with pytest.raises(HeadgateError, match="there is no scheduler"):
            Cluster(address)
        assert not [one for one in clients_in_use() if id(one) not in before]


def clients_in_use() -> list[Client]:
    found = (one for one in gc.get_objects() if type(one) is Client)
    return [one for one in found if one.status not in ("closed", "newly-created")]


def test_a_scheduler_that_does_not_answer_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headgate.lab.cluster.ANSWER_S", 1.0)
    monkeypatch.setattr("headgate.lab.cluster.CONNECT_S", 5.0)
    with scheduler_process(tmp_path) as scheduler:
        executor = Cluster(str(tmp_path / "scheduler.json"))
        with pytest.raises(HeadgateError, match="the same command resumes it"):
            Scheduler(Store(tmp_path), executor=executor).run(
                jobs(2, RUN_S), lambda _: scheduler.send_signal(signal.SIGSTOP)
            )


def test_workers_of_this_machine_that_do_not_come_are_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headgate.lab.cluster.START_S", 1.0)
    monkeypatch.setattr(LocalCluster, "scale", lambda *_, **__: None)
    profile = tmp_path / "local.toml"
    profile.write_text('engine = "local"\noptions = { processes = false }\n')
    with pytest.raises(HeadgateError, match="no worker of the cluster was there for 1 s"):
        Scheduler(Store(tmp_path), executor=Cluster(str(profile))).run(jobs(1, 1.0), lambda _: None)


def test_a_campaign_that_nobody_works_on_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("headgate.lab.scheduler.WARN_S", 0.0)
    watch = IdleWatch(float("inf"))
    for workers, at_work in [(0, False), (0, False), (2, True), (2, False), (2, False)]:
        time.sleep(0.001)
        watch.look(workers, at_work=at_work)
    first, second = [record.getMessage() for record in caplog.records]
    assert first.startswith("the cluster has had no worker for 0 s; the campaign waits for one")
    assert second.startswith("none of 2 workers has worked on the campaign for 0 s: they may be")


def test_a_worker_of_this_process_does_not_count_its_memory(tmp_path: Path) -> None:
    """Dask would pause it indefinitely if anything else here took the memory of one core."""
    (tmp_path / "local.toml").write_text('engine = "local"\noptions = { processes = false }\n')
    cluster = Profile.load(tmp_path / "local.toml").start()
    with cluster, Client(cluster) as client:
        client.wait_for_workers(1, timeout=60)
        (worker,) = cluster.workers.values()
        assert worker.memory_manager.memory_limit is None


def test_a_local_profile_runs_a_campaign(tmp_path: Path) -> None:
    profile = tmp_path / "local.toml"
    profile.write_text('engine = "local"\njobs = 1\noptions = { processes = false }\n')
    made = jobs(2, 10.0)
    Scheduler(Store(tmp_path), executor=Cluster(str(profile))).run(made, lambda _: None)
    assert set(digests(tmp_path)) == {job.id for job in made}


@pytest.fixture
def starved(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Let an event loop of Dask be late for each delay in the list."""
    late: list[float] = []
    start = LoopRunner._start_unlocked

    def sometimes(self: LoopRunner) -> None:
        assert not late or not late.pop()
        start(self)

    monkeypatch.setattr(LoopRunner, "_start_unlocked", sometimes)
    return late


def test_a_busy_machine_gets_another_try(starved: list[float], tmp_path: Path) -> None:
    profile = tmp_path / "local.toml"
    profile.write_text('engine = "local"\noptions = { processes = false }\n')
    starved.append(10.0)
    executor = Cluster(str(profile))
    executor.close()
    assert not starved


@pytest.mark.parametrize("address", ["local.toml", "tcp://127.0.0.1:9"])
def test_a_machine_that_is_too_busy_is_one_sentence(
    starved: list[float], tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "local.toml").write_text('engine = "local"\n')
    starved += [10.0, 10.0, 10.0]
    with pytest.raises(HeadgateError, match=r"not started in 10 s, .*try again later"):
        Cluster(address)
    assert len(starved) == 1


def test_ctrl_c_reaches_workers_of_this_machine_as_the_end_of_the_campaign(tmp_path: Path) -> None:
    """A terminal sends it to all of them."""
    program = [sys.executable, cluster_program.__file__, str(tmp_path)]
    with subprocess.Popen(
        program, start_new_session=True, stderr=subprocess.PIPE, text=True
    ) as process:
        while not any(lease.share for lease in Leases(tmp_path).all()):
            assert process.poll() is None
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        errors = process.communicate(timeout=60)[1]
    assert errors.splitlines()[-1].startswith("headgate: stopped with 0 of 2 runs")
    assert "Traceback" not in errors
    assert list((tmp_path / "snapshots").glob("[!.]*"))
    assert not list((tmp_path / "running").iterdir())


def test_a_profile_of_slurm_asks_for_jobs_as_written(tmp_path: Path) -> None:
    text = 'engine = "slurm"\njobs = 20\n[options]\nqueue = "short"\ncores = 8\nmemory = "16 GB"\n'
    (tmp_path / "slurm.toml").write_text(text + 'walltime = "02:00:00"\n')
    profile = Profile.load(tmp_path / "slurm.toml")
    with profile.make_cluster() as cluster:
        script = cluster.job_script()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler  # Ctrl-C is still ours
    assert "#SBATCH -p short" in script
    assert "#SBATCH --cpus-per-task=8" in script
    assert "#SBATCH -t 02:00:00" in script


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('engine = "torque"', "engine: 'torque' is not allowed; it must be"),
        ('engine = "slurm"\njobs = 0', "jobs: 0 is not allowed; it must be greater"),
        (
            'engine = "slurm"\nqueue = "short"',
            "queue: this is not a key here",
        ),
        ("engine =", "this is not TOML"),
    ],
)
def test_a_wrong_profile_is_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "p.toml").write_text(text)
    with pytest.raises(HeadgateError, match=says):
        Profile.load(tmp_path / "p.toml")
    with pytest.raises(HeadgateError, match="there is no such file"):
        Profile.load(tmp_path / "none.toml")


def test_wrong_options_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text('engine = "slurm"\n[options]\ncores = 1\n')
    with pytest.raises(HeadgateError, match="engine slurm: "):
        Cluster(str(tmp_path / "p.toml"))
