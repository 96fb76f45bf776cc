"""The cost of an experiment beyond the engine, for a thousand runs of a quarter CPU second."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

MOST = 0.15
TEXT = """
responses = ["goodput_bps", "mean_queue_packets", "avg(flows.mean_rtt_s)"]
[factors]
cca = ["reno", "cubic"]
[scenario]
duration = "160 s"
network = {kind = "dumbbell", rate = "100 Mbit/s", rtt = "40 ms"}
traffic = [
  {kind = "flows", cca = "reno", count = 4},
  {kind = "poisson", cca = "reno", load = 0.05, size = "10 packets"},
]
measure = {warmup = "2 s", series = "none"}
"""


@pytest.mark.timing
def test_a_thousand_small_runs_cost_little_more_than_the_engine(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(TEXT)
    few, many = (used_s(tmp_path, replicates) for replicates in (20, 40))
    cpu_s = [json.loads(path.read_text())["cpu_s"] for path in tmp_path.glob("40/runs/*/run.json")]
    engine_s = sum(cpu_s) / len(cpu_s)
    run_s = (many - few) / (len(cpu_s) - 40)
    once_s = few - 40 * run_s  # processes begun, pictures, the page
    assert 1000 * run_s + once_s <= (1 + MOST) * 1000 * engine_s


def used_s(folder: Path, replicates: int) -> float:
    """CPU time in user space of the command and all its processes."""
    program = [sys.executable, "-c", "from headgate.cli.main import main; main()", "experiment"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [*program, "run", folder / "small.toml", "--set", f"replicates={replicates}"]
    subprocess.run([*command, "--out", folder / f"{replicates}"], check=True, capture_output=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
