"""A store of ten thousand runs: the cost of starting on it and of looking at it."""

import os
import sys
from pathlib import Path

import pytest

from headgate.experiment.experiment import Experiment
from headgate.lab.campaign import Campaign
from headgate.lab.jobs import Job
from headgate.lab.order import weigh_jobs
from headgate.lab.scheduler import Scheduler
from headgate.lab.store import Store

from . import campaign_program
from .campaign_program import Threads
from .taken import taken

RUNS = 10_000
MOST_CPU_S, MOST_BYTES = 2.0, 200e6
START = (
    "import sys; from pathlib import Path; from headgate.lab.jobs import Job;"
    "from headgate.lab.store import Store; jobs = [Job(None) for _ in range({runs})];"
    "[one.__dict__.update(id=f'{{n:016x}}') for n, one in enumerate(jobs)];"
    "sys.exit(len(Store(Path(sys.argv[1])).missing(jobs)))"
)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten thousand copies of one run, each with a separate identity."""
    folder = tmp_path_factory.mktemp("large")
    (first,) = campaign_program.jobs(1, 1.0)
    store = Store(folder)
    Scheduler(store, executor=Threads(1)).run([first], lambda _: None)
    files = list((folder / "runs" / first.id).iterdir())
    jobs = [Job(first.scenario, first.labels) for _ in range(RUNS)]
    for number, job in enumerate(jobs):
        job.__dict__["id"] = f"{number:016x}"
        run = folder / "runs" / job.id
        run.mkdir()
        for file in files:
            os.link(file, run / file.name)
    Campaign.begin(store, "large", jobs, weigh_jobs(jobs))
    return folder


@pytest.mark.timing
def test_a_start_takes_two_seconds(large: Path) -> None:
    took = taken(sys.executable, "-c", START.format(runs=RUNS), large)
    assert took.code == 0
    assert took.cpu_s <= MOST_CPU_S
    assert took.peak_bytes <= MOST_BYTES


@pytest.mark.timing
def test_a_look_takes_two_seconds(large: Path) -> None:
    took = taken(Path(sys.executable).with_name("headgate"), "watch", large, "--once")
    assert took.code == 0
    assert took.cpu_s <= MOST_CPU_S
    assert took.peak_bytes <= MOST_BYTES


LARGE = """
replicates = 50
responses = ["goodput_bps"]
[scenario]
duration = "1 s"
network = { kind = "dumbbell", rate = "2 Mbit/s", rtt = "20 ms", buffer = "1 BDP" }
traffic = [{ kind = "flows", cca = "reno" }]
[factors]
"network.rtt" = [RTTS]
"network.buffer" = ["1 BDP", "2 BDP", "3 BDP", "4 BDP", "5 BDP"]
cca = ["reno", "cubic"]
"""


@pytest.mark.timing
def test_an_experiment_that_is_finished_takes_three_seconds(tmp_path: Path) -> None:
    """Its second start reads ten thousand runs, and draws and writes nothing."""
    rtts = ", ".join(f'"{10 + n} ms"' for n in range(20))
    (tmp_path / "large.toml").write_text(LARGE.replace("RTTS", rtts))
    out = tmp_path / "out"
    asked = Experiment.load(tmp_path / "large.toml").plan_runs(out)
    first, *others = asked.jobs.values()
    store = Store(out)
    Scheduler(store, keep=asked.study.keep, executor=Threads(1)).run([first], lambda _: None)
    files = list((out / "runs" / first.id).iterdir())
    for job in others:
        (out / "runs" / job.id).mkdir()
        for file in files:
            os.link(file, out / "runs" / job.id / file.name)
    words = ("-m", "headgate", "experiment", "run", tmp_path / "large.toml", "--out", out)
    assert taken(sys.executable, *words).code == 0
    again = taken(sys.executable, *words)
    assert again.code == 0
    assert again.cpu_s <= 3.0
    assert again.peak_bytes <= 150e6
