"""Commands report long steps while they last, and do not wait for threads of algebra."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from headgate import dumbbell
from headgate.base import progress
from headgate.base.progress import count_slow_steps
from headgate.experiment.study.study import plan_study

from ..errors.command import headgate

FLOWS = {"flows": ["reno"], "rate": "5 Mbit/s", "rtt": "20 ms"}


def wait_for_words(capsys: pytest.CaptureFixture[str]) -> str:
    """Return the first output on stderr; without any, the time limit of tests stops this one."""
    while not (said := capsys.readouterr().err):
        time.sleep(0.01)
    return said


def test_a_slow_step_reports_its_progress(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "SILENT_S", 0.05)
    with count_slow_steps("plot", 2, "pictures") as step:
        assert "plot: 0 %, 0/2 pictures" in wait_for_words(capsys)
        step()
        assert "1/2 pictures" in capsys.readouterr().err


def test_a_fast_step_reports_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with count_slow_steps("plot", 2, "pictures") as step:
        step()
        step()
    assert capsys.readouterr().err == ""


def test_a_failure_ends_the_waiting(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="wrong"), count_slow_steps("plot", 2, "pictures"):
        raise ValueError("wrong")
    assert capsys.readouterr().err == ""


def test_plot_and_trace_say_how_far_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dumbbell(**FLOWS).save(tmp_path / "one.toml")  # type: ignore[arg-type]
    short = ("--set", 'duration="2 s"', "--trace", "flows=0")
    headgate("run", tmp_path / "one.toml", "--out", tmp_path / "out", *short)
    monkeypatch.setattr(progress, "SILENT_S", 0.0)
    plotted = headgate("plot", tmp_path / "out", "--only", "cwnd")
    assert "plot: " in plotted.errors
    assert "cwnd.png" in plotted.output
    traced = headgate("trace", tmp_path / "out", "--pcapng", "--csv")
    assert "kinds of files written" in traced.errors


def test_a_design_that_is_searched_for_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SILENT_S", 0.0)
    for words in (("show", "2^(23-16)"), ("alias", "2^(22-15)")):
        shown = headgate("design", *words)
        assert shown.exit_code == 0
        assert "design: 0 %, 0/1 designs found" in shown.errors
        assert "128 runs" in shown.output


def test_a_study_that_is_planned_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(progress, "SILENT_S", 0.0)
    count = len(plan_study("vcp", "quick", tmp_path).jobs)
    assert f"planning: 100 %, {count}/{count} runs" in capsys.readouterr().err


@pytest.mark.parametrize("chosen", [None, "3"])
def test_a_command_uses_one_thread_for_algebra_unless_asked(chosen: str | None) -> None:
    """A command sets the number before NumPy is imported, and keeps a number that the user set."""
    code = (
        "import os, sys, atexit; from headgate.cli.main import main; "
        "assert 'numpy' not in sys.modules; sys.argv = ['headgate', '--version']; "
        "atexit.register(lambda: print(os.environ['OPENBLAS_NUM_THREADS'])); main()"
    )
    environment = {k: v for k, v in os.environ.items() if k != "OPENBLAS_NUM_THREADS"}
    if chosen:
        environment["OPENBLAS_NUM_THREADS"] = chosen
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[-1] == (chosen or "1")
