"""User-defined code of a campaign on workers with another home, other files and no permission."""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from headgate import Experiment, dumbbell
from headgate.base.errors import CcaError, HeadgateError
from headgate.experiment.responses import MEASURED, Response, keep
from headgate.lab.campaign import Campaign
from headgate.lab.jobs import Job, program
from headgate.lab.store import Store
from headgate.lab.worker import CampaignSpec
from headgate.plugin import code_files

MINE = """
class Mine:
    def on_ack(self, ack, path, window):
        left = window.slow_start(ack.acked)
        window.cwnd += left / window.cwnd

    def on_congestion(self, event, path, window):
        window.ssthresh = max(event.in_flight / 2, 2.0)
"""
WORST = "def worst(result):\n    return float(max(result.flows['mean_rtt_s']))\n"
EXPERIMENT = """
responses = ["goodput_bps"]

[factors]
cca = ["reno", "./mine.py:Mine"]

[scenario]
duration = "1 s"
network = { kind = "dumbbell", rate = "10 Mbit/s", rtt = "20 ms", buffer = "1 BDP" }
traffic = [{ kind = "flows", cca = "reno" }]
"""
#: The part of a worker on another machine: a program without any record of the campaign.
WORKER = """
import pickle, sys
from headgate.base.errors import HeadgateError
from headgate.lab.worker import run_job
spec, job = pickle.load(sys.stdin.buffer)
try:
    outcome = run_job(spec, job)
    print("there" if outcome.there else outcome.failure)
except HeadgateError as error:
    print(error)
"""
Work = Callable[[Job], str]


@pytest.fixture(autouse=True)
def lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user who has allowed nothing yet, in a process that has read nothing."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("_by_file", "_permitted", "_imported"):
        monkeypatch.setattr(code_files, name, {})
    monkeypatch.setattr(code_files, "_by_hand", set())
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "worst.py").write_text(WORST)
    (tmp_path / "exp.toml").write_text(EXPERIMENT)


@pytest.fixture
def work(tmp_path: Path) -> Work:
    """Make a run as a worker with an empty home does."""

    def make(job: Job, text: str | None = MINE, function: Response | None = None) -> str:
        store = Store(tmp_path / "out")
        name = Campaign.begin(store, "", [job], {job.id: 1.0}).name
        kept = keep((function,), "large") if function else None
        spec = CampaignSpec(store.folder, name, program(), kept)
        assert job.id  # as the scheduler does, before it hands the job out
        sent = pickle.dumps((spec, job))
        mine = tmp_path / ("worst.py" if function else "mine.py")
        if text is None:
            mine.unlink()
        else:
            mine.write_text(text)
        home = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "another home")}
        words = [sys.executable, "-c", WORKER]
        done = subprocess.run(words, input=sent, stdout=subprocess.PIPE, env=home, check=True)
        return done.stdout.decode()

    return make


def trusted_job(tmp_path: Path) -> Job:
    planned = Experiment.load(tmp_path / "exp.toml", trust=True).plan_runs(tmp_path / "out")
    return next(job for job in planned.jobs.values() if job.labels["cca"] == "Mine")


def named_job(tmp_path: Path) -> Job:
    flows = [f"{tmp_path / 'mine.py'}:Mine"]
    made = dumbbell(rate="10 Mbit/s", rtt="20 ms", buffer="1 BDP", flows=flows, duration="1 s")
    made.run()
    return Job(made, {"cca": "Mine"})


@pytest.mark.parametrize("job_of", [trusted_job, named_job])
def test_workers_run_what_the_campaign_permits(
    job_of: Callable[[Path], Job], work: Work, tmp_path: Path
) -> None:
    assert work(job_of(tmp_path)).strip() == "there"


@pytest.mark.parametrize("job_of", [trusted_job, named_job])
@pytest.mark.parametrize(
    ("text", "says"),
    [(MINE.replace("/ 2", "/ 3"), "is another version"), (None, "there is no such file")],
)
def test_workers_without_the_same_file_are_refused(
    job_of: Callable[[Path], Job], text: str | None, says: str, work: Work, tmp_path: Path
) -> None:
    said = work(job_of(tmp_path), text)
    assert said.startswith("worker ")
    assert says in said
    assert "need the same file at the same path" in said
    assert "--trust" not in said
    assert not list((tmp_path / "out" / "runs").iterdir())


def test_a_run_of_another_scenario_is_not_stored(work: Work, tmp_path: Path) -> None:
    job = named_job(tmp_path)
    job.__dict__["identity"] = "0" * 64
    assert "has made another run than the campaign asks for" in work(job)
    assert not list((tmp_path / "out" / "runs").iterdir())


@pytest.mark.parametrize("text", [WORST.replace("max", "2 * max"), None])
def test_a_function_in_another_version_measures_nothing(
    text: str | None, work: Work, tmp_path: Path
) -> None:
    job, source = named_job(tmp_path), f"{tmp_path / 'worst.py'}:worst"
    code_files.name_by_hand(source)
    worst = Response("worst", source=source)
    assert worst.check() == frozenset()
    assert work(job, text, worst).strip() == "there"
    result = Store(tmp_path / "out").read(job)
    assert result is not None
    assert result.meta[MEASURED] == {}
    assert "flows" in result.tables  # the campaign measures it from the tables


def test_a_process_keeps_the_version_that_it_works_for(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    code_files.import_notes((frozenset([str(mine)]), (), ((str(mine), "0" * 64),)))
    with pytest.raises(CcaError, match="is another version"):
        code_files.require_trust("algorithm", "mine.py:Mine", str(mine), "1" * 64)
    with pytest.raises(HeadgateError, match="is another version"):
        code_files.require_version(str(mine))
