"""A test that hangs or takes its process down fails alone, and the other tests go on."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIMIT_S = 4
PASSING = "import pytest\n@pytest.mark.parametrize('n', range(4))\ndef test_passes(n): pass\n"
BAD = {
    "waits": "time.sleep(600)",
    "ignores_signals": "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM}), time.sleep(99)",
    "kills_its_process": "os.kill(os.getpid(), signal.SIGKILL)",
}


def suite(folder: Path) -> None:
    """Write files that pass, and after them one whose tests do not."""
    shutil.copy(ROOT / "tests" / "conftest.py", folder)
    for number in range(4):
        (folder / f"test_{number}.py").write_text(PASSING)
    tests = [f"def test_{name}(): {work}\n" for name, work in {**BAD, "after": "pass"}.items()]
    (folder / "test_bad.py").write_text("import os, signal, time\n" + "".join(tests))


def test_a_test_that_hangs_or_crashes_fails_alone(tmp_path: Path) -> None:
    suite(tmp_path)
    config = [
        "-c",
        str(ROOT / "pyproject.toml"),
        "--rootdir",
        str(tmp_path),
        "-p",
        "no:cacheprovider",
    ]
    words = ["-q", "-n", "2", "--dist", "loadfile", "--timeout", str(LIMIT_S)]
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *config, *words, str(tmp_path)],
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "3 failed, 17 passed" in ended.stdout, ended.stdout + ended.stderr
    assert f"Timeout (>{LIMIT_S}.0s)" in ended.stdout
    assert ended.stdout.count("Not properly terminated") == 2
    assert "test_ignores_signals" in ended.stderr  # the stacks of a test that is ended
