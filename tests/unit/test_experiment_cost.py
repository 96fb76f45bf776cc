"""The cost of an experiment beyond the engine, for a thousand runs of a quarter CPU second."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

MOST = 0.05
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
    spend(tmp_path, 1)  # compiles bytecode
    few, many = spend(tmp_path, 10), spend(tmp_path, 110)
    run_s = (many["beside_s"] - few["beside_s"]) / (many["runs"] - few["runs"])
    once_s = few["beside_s"] - few["runs"] * run_s  # processes begun, pictures, the page
    assert run_s + once_s / 1000 <= MOST * many["engine_s"] / many["runs"]


def spend(folder: Path, replicates: int) -> Mapping[str, float]:
    """CPU seconds of the engine, and of the command and all its processes beside it."""
    (folder / "small.toml").write_text(TEXT)
    program = [sys.executable, "-c", "from headgate.cli.main import main; main()", "experiment"]
    command = [*program, "run", folder / "small.toml", "--set", f"replicates={replicates}"]
    out, keeps_bytecode = folder / f"{replicates}", os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, "--out", out], check=True, capture_output=True, env=keeps_bytecode)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    all_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    cpu_s = [json.loads(path.read_text())["cpu_s"] for path in out.glob("runs/*/run.json")]
    return {"runs": len(cpu_s), "engine_s": sum(cpu_s), "beside_s": all_s - sum(cpu_s)}
