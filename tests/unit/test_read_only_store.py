"""A store that cannot be written: its complete runs are read and reported."""

import subprocess
import sys
from pathlib import Path

import pytest

from . import campaign_program, small_study

READ_ONLY = "mount --bind {0} {0} && mount -o remount,bind,ro {0} && exec {1}"


def namespaces() -> bool:
    """Whether a user of this system may mount in a private namespace."""
    done = subprocess.run(["unshare", "-Urm", "true"], check=False, capture_output=True)
    return done.returncode == 0


@pytest.mark.skipif(not namespaces(), reason="needs user namespaces")
def test_a_complete_campaign_on_a_read_only_store_makes_nothing(tmp_path: Path) -> None:
    campaign_program.run(tmp_path, 2, 5.0)
    program = f"{sys.executable} {campaign_program.__file__} {tmp_path} 2 5.0"
    command = ["unshare", "-Urm", "sh", "-c", READ_ONLY.format(tmp_path, program)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr
    more = subprocess.run([*command[:-1], command[-1].replace(" 2 5.0", " 3 5.0")],
                          check=False, capture_output=True, text=True)  # fmt: skip
    assert "cannot be written: Read-only file system" in more.stderr


@pytest.mark.slow
@pytest.mark.skipif(not namespaces(), reason="needs user namespaces")
def test_a_complete_campaign_on_a_read_only_store_is_reported_apart(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "kept", tmp_path / "elsewhere"
    elsewhere.mkdir()
    program = f"{sys.executable} {small_study.__file__} {folder}"
    subprocess.run(program.split(), check=True, capture_output=True)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    done = subprocess.run(
        ["unshare", "-Urm", "sh", "-c", READ_ONLY.format(folder, program)],
        cwd=elsewhere,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "cannot be written; the report is in out/kept-report" in done.stderr
    assert (elsewhere / "out" / "kept-report" / "report.html").is_file()
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
