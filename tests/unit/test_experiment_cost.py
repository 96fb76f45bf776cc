"""What an experiment costs beside the engine, told for a thousand runs of a quarter CPU second."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

RUNS, MOST = 40, 0.15
TEXT = """
replicates = 20
responses = ["goodput_bps", "mean_queue_packets", "avg(flows.mean_rtt_s)"]
[factors]
law = ["reno", "cubic"]
[scenario]
duration = "60 s"
network = {kind = "dumbbell", rate = "100 Mbit/s", rtt = "40 ms"}
traffic = [
  {kind = "flows", law = "reno", count = 4},
  {kind = "poisson", law = "reno", load = 0.05, size = "10 packets"},
]
measure = {warmup = "2 s", series = "none"}
"""


@pytest.mark.timing
def test_a_thousand_small_runs_cost_little_more_than_the_engine(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(TEXT)
    whole, again = used_s(tmp_path), used_s(tmp_path)
    made = [json.loads(path.read_text()) for path in tmp_path.glob("out/runs/*/run.json")]
    assert len(made) == RUNS
    engine_s = sum(run["cpu_s"] for run in made) / RUNS
    run_s = (whole - again) / RUNS - engine_s
    assert 1000 * run_s + again <= MOST * 1000 * engine_s


def used_s(folder: Path) -> float:
    """CPU time in user space of the command and all its processes."""
    program = [sys.executable, "-c", "from headgate.cli.main import main; main()", "experiment"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [*program, "run", folder / "small.toml", "--out", folder / "out"]
    subprocess.run(command, check=True, capture_output=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
