"""The campaign of faults finds nothing; docs/reference/reliability.md shows its table."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FAULTS = Path(__file__).with_name("faults.py")


def missing() -> str:
    """Name what this system lacks for it."""
    tools = [tool for tool in ("cc", "unshare", "mount") if shutil.which(tool) is None]
    if tools:
        return f"needs {', '.join(tools)}"
    done = subprocess.run(["unshare", "-Urm", "true"], check=False, capture_output=True)
    return "needs user namespaces" if done.returncode else ""


@pytest.mark.slow
def test_no_fault_loses_anything_or_makes_it_twice() -> None:
    if lacks := missing():
        pytest.skip(lacks)
    done = subprocess.run([sys.executable, FAULTS], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
