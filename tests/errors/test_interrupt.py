"""Ctrl-C ends a run with one sentence; the same command resumes it, with the same digest."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from headgate.base.errors import InterruptedRunError

from .command import headgate
from .test_wrong_experiments import RIGHT
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
    assert "the same command resumes it" in errors.splitlines()[-1]
    assert (out / "snapshot.bin").is_file()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    whole = subprocess.run(
        [*command[:-2], tmp_path / "whole", "--json"], check=True, capture_output=True, text=True
    )
    assert json.loads(done.stdout)["digest"] == json.loads(whole.stdout)["digest"]


@pytest.mark.parametrize(
    ("stopped", "said"),
    [
        (InterruptedRunError("stopped with 1 of 2 runs"), "headgate: stopped with 1 of 2 runs"),
        (KeyboardInterrupt(), "headgate: stopped"),
    ],
)
@pytest.mark.parametrize(
    "command", ["experiment run small.toml", "study tcp-red", "reproduce --run"]
)
def test_ctrl_c_in_a_command_is_one_sentence(
    command: str,
    stopped: BaseException,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stop(*_: Any) -> None:
        raise stopped

    monkeypatch.setattr("headgate.experiment.runner.run_study", stop)
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(RIGHT)
    done = headgate(*command.split())
    assert done.exit_code == 1
    assert done.sentence == said


def test_ctrl_c_while_an_experiment_runs(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(RIGHT.replace('"2 s"', '"20000 s"'))
    command = [HEADGATE, "experiment", "run", path, "--out", tmp_path / "out", "--workers", "1"]
    run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    limit = time.monotonic() + 60
    while not any(tmp_path.glob("out/running/*")):
        assert time.monotonic() < limit
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    errors = run.communicate(timeout=60)[1]
    assert run.returncode == 1
    assert "Traceback" not in errors
    assert "the same command resumes it" in errors.splitlines()[-1]
