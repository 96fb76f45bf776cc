"""CPU seconds of whole commands with their children, as `docs/reference/speed.md` promises."""

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.timing

ROOT = Path(__file__).parents[2]
EXPERIMENT = """
replicates = 5
responses = ["goodput_bps", "mean_queue_packets", "loss_rate", "jain"]
[factors]
"network.rtt" = ["10 ms", "20 ms", "40 ms", "80 ms"]
"network.buffer" = ["0.25 BDP", "0.5 BDP", "1 BDP", "2 BDP", "4 BDP"]
cca = ["reno", "cubic", "bbr3"]
[scenario]
duration = "10 s"
network = {kind = "dumbbell", rate = "20 Mbit/s", rtt = "40 ms"}
traffic = [
  {kind = "flows", cca = "cubic", count = 2},
  {kind = "poisson", cca = "cubic", load = 0.05, size = "10 packets"},
]
measure = {warmup = "2 s", series = "none"}
"""


def used_s(*words: str | Path) -> float:
    """CPU seconds of a command and of all processes that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    keeps_bytecode = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-m", "headgate", *map(str, words)]
    subprocess.run(command, check=True, capture_output=True, env=keeps_bytecode)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def least_s(*words: str | Path) -> float:
    """The least of some calls, after one that may compile bytecode and fill caches."""
    used_s(*words)
    return min(used_s(*words) for _ in range(3))


def forget(out: Path) -> None:
    """Remove the records by which a report is known to be current."""
    for record in (".answer.json", ".report.json"):
        (out / record).unlink()


def test_the_doctor_takes_a_second() -> None:
    assert least_s("doctor") <= 1.0


def test_two_pictures_take_two_seconds(tmp_path: Path) -> None:
    run = tmp_path / "run"
    used_s("run", ROOT / "examples" / "first.toml", "--out", run)
    assert least_s("plot", run, "--only", "throughput,queue") <= 2.0


def test_an_experiment_of_300_runs_takes_ten_seconds_and_two_if_unchanged(tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(EXPERIMENT)
    words = ("experiment", "run", tmp_path / "e.toml", "--out", tmp_path / "out")
    used_s(*words)
    assert len(list(tmp_path.glob("out/runs/*/run.json"))) == 300
    assert least_s(*words) <= 2.0
    forget(tmp_path / "out")
    assert used_s(*words) <= 10.0


def test_the_estimate_of_an_experiment_takes_two_seconds(tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(EXPERIMENT)
    words = ("experiment", "run", tmp_path / "e.toml", "--out", tmp_path / "out", "--dry-run")
    assert least_s(*words) <= 2.0


def test_a_study_of_stored_results_takes_forty_seconds_and_two_if_unchanged(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "studies" / "results" / "nist-1b", tmp_path / "results" / "nist-1b")
    words = ("study", "nist-1b", "--scale", "standard", "--out", tmp_path / "out")
    words = (*words, "--results", tmp_path / "results")
    used_s(*words)
    assert not list(tmp_path.glob("out/runs/*"))
    assert least_s(*words) <= 2.0
    forget(tmp_path / "out")
    assert used_s(*words) <= 40.0
    assert json.loads((tmp_path / "out" / "claims.json").read_text())["study"] == "nist-1b"
