"""Ctrl-C ends a run with one sentence; the same command goes on and ends with the same digest."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

from .test_wrong_scenarios import GOOD

HEADGATE = Path(sys.executable).with_name("headgate")


def test_ctrl_c_and_the_same_command(tmp_path: Path) -> None:
    path, out = tmp_path / "s.toml", tmp_path / "run"
    path.write_text(GOOD.replace('"2 s"', '"120 s"'))
    command = [HEADGATE, "run", path, "--set", 'network.rate="500 Mbit/s"', "--out", out, "--json"]
    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert run.stderr is not None
    run.stderr.readline()  # the first report: the run is under way
    time.sleep(0.1)
    run.send_signal(signal.SIGINT)
    errors = run.stderr.read()
    assert run.wait(30) == 1
    assert "Traceback" not in errors
    assert "the same command goes on from there" in errors.splitlines()[-1]
    assert (out / "snapshot.bin").is_file()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    whole = subprocess.run(
        [*command[:-2], tmp_path / "whole", "--json"], check=True, capture_output=True, text=True
    )
    assert json.loads(done.stdout)["digest"] == json.loads(whole.stdout)["digest"]
