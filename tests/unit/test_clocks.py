"""Machines that share a store and not the time: nothing is made twice, nothing alive is swept."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from headgate.base import process
from headgate.engine.run.progress import Progress, StopRunError
from headgate.lab.campaign import Campaign, list_campaigns
from headgate.lab.leases import SILENT_S, Leases
from headgate.lab.records import Clock
from headgate.lab.store import Store
from headgate.lab.view import Watcher

from . import campaign_program
from .small_study import digests

AHEAD_S = (3600.0, -3600.0, 86_400.0, -86_400.0)
ELSEWHERE = "elsewhere:1:1:another-space:token:1"
#: The kernel's own times of files stay as they are: they are those of the file system.
FAKETIME = ["faketime", "-f"]
OWN_PROCESSES = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]


@pytest.fixture(params=AHEAD_S)
def apart(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    right = time.time
    monkeypatch.setattr(time, "time", lambda: right() + request.param)


def made(command: list[str], folder: Path, ahead_s: float, runs: int) -> subprocess.Popen[str]:
    words = [sys.executable, campaign_program.__file__, str(folder), str(runs), "60", str(ahead_s)]
    kept = os.environ | {"NO_FAKE_STAT": "1"}
    return subprocess.Popen([*command, *words], stdout=subprocess.PIPE, text=True, env=kept)


def held_together(folder: Path, machines: list[tuple[list[str], float]], runs: int) -> None:
    """Run a campaign on several machines at once, and hold it to one that was made alone."""
    programs = [made(command, folder, ahead_s, runs) for command, ahead_s in machines]
    counts = [int(program.communicate(timeout=300)[0]) for program in programs]
    assert sum(counts) == runs
    whole = digests(folder)
    assert len(whole) == runs
    alone = campaign_program.jobs(runs, 60.0)[0]
    assert whole[alone.id] == alone.scenario.run().digest
    assert not list((folder / "running").iterdir())


def test_two_machines_an_hour_apart_make_no_run_twice(tmp_path: Path) -> None:
    held_together(tmp_path, [([], 3600.0), ([], 0.0)], 8)


@pytest.mark.slow
@pytest.mark.parametrize("ahead", ["+1h", "+1d"])
def test_two_machines_make_no_run_twice_with_all_their_clocks_apart(
    tmp_path: Path, ahead: str
) -> None:
    if shutil.which("faketime") is None:
        pytest.skip("needs `faketime` (Debian's package of that name)")
    held_together(tmp_path, [([*FAKETIME, ahead], 0.0), ([], 0.0)], 24)


@pytest.mark.slow
def test_machines_of_one_name_do_not_take_each_other_for_dead(tmp_path: Path) -> None:
    if subprocess.run([*OWN_PROCESSES, "true"], check=False, capture_output=True).returncode:
        pytest.skip("needs user namespaces with separate processes")
    held_together(tmp_path, [(OWN_PROCESSES, 0.0), (OWN_PROCESSES, 3600.0)], 24)


def test_a_clock_is_that_of_the_store(tmp_path: Path, apart: None) -> None:
    (tmp_path / "file").touch()
    clock = Clock(tmp_path)
    assert abs(clock.age_s((tmp_path / "file").stat())) < 60
    assert not [path for path in tmp_path.iterdir() if path.name != "file"]


def test_a_claim_is_as_old_as_its_file(tmp_path: Path, apart: None) -> None:
    (job, other) = campaign_program.jobs(2, 1.0)
    Store(tmp_path)
    assert Leases(tmp_path).take(job)
    path = tmp_path / "running" / job.id
    path.write_text(path.read_text().replace(process.here(), ELSEWHERE))
    assert not Leases(tmp_path).take(job)
    (tmp_path / "now").touch()
    silent_s = (tmp_path / "now").stat().st_mtime - SILENT_S - 5
    os.utime(path, (silent_s, silent_s))
    assert Leases(tmp_path).take(job)
    assert Leases(tmp_path).take(other)
    assert all(abs(claim.for_s) < 60 for claim in Leases(tmp_path).all())


def test_an_owner_that_was_taken_for_dead_stops(tmp_path: Path) -> None:
    (job,) = campaign_program.jobs(1, 1.0)
    Store(tmp_path)
    owner = Leases(tmp_path)
    assert owner.take(job)
    path = tmp_path / "running" / job.id
    taken = path.read_text().replace(process.here(), ELSEWHERE)
    path.write_text(taken)
    owner._beaten_s[job.id] -= 2
    with pytest.raises(StopRunError):
        owner.note(job.id, Progress(1.0, 2.0, 1, 1.0, 1.0))
    owner.drop(job.id)
    assert path.read_text() == taken


def test_a_live_draft_is_not_swept(tmp_path: Path, apart: None) -> None:
    draft = tmp_path / "drafts" / f"0@{ELSEWHERE}"
    draft.mkdir(parents=True)
    Store(tmp_path)
    assert draft.exists()


def test_the_time_of_a_campaign_is_the_store_s(tmp_path: Path, apart: None) -> None:
    campaign = Campaign.begin(Store(tmp_path), "apart", campaign_program.jobs(1, 1.0), {})
    assert [one.name for one in list_campaigns(tmp_path)] == [campaign.name]
    assert 0 <= Watcher(tmp_path).look().elapsed_s < 60


def test_only_processes_of_this_space_are_known_to_be_dead() -> None:
    gone = process.name_process(2**22 + 1)
    assert process.is_dead(gone)
    host, number, start, space = gone.split(":")
    assert not process.is_dead(f"{host}:{number}:{start}:another:token:1")
    assert not process.is_dead(f"{host}:{number}:1")  # as an earlier version named them
    assert not process.is_dead(process.here())
    reused = process.name_process(os.getpid()).split(":")
    assert process.is_dead(":".join([reused[0], reused[1], "1", space]))
    assert not process.is_dead("")


def test_a_claim_that_is_just_being_made_is_held_and_not_shown(tmp_path: Path) -> None:
    (job,) = campaign_program.jobs(1, 1.0)
    Store(tmp_path)
    (tmp_path / "running").mkdir()
    (tmp_path / "running" / job.id).touch()
    assert not Leases(tmp_path).take(job)
    assert not list(Leases(tmp_path).all())
