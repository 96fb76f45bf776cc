"""A store that cannot be written: what is complete is read and reported."""

import subprocess
import sys
from pathlib import Path

import pytest

from . import small_study

READ_ONLY = "mount --bind {0} {0} && mount -o remount,bind,ro {0} && exec {1}"


def namespaces() -> bool:
    """Whether a user of this system may mount in a namespace of their own."""
    done = subprocess.run(["unshare", "-Urm", "true"], check=False, capture_output=True)
    return done.returncode == 0


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
    assert "cannot be written; the report goes to out/kept-report" in done.stderr
    assert (elsewhere / "out" / "kept-report" / "report.html").is_file()
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
