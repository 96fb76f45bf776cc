"""Commands on a full disk: one sentence, and no part of a file."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.errors.command import headgate

from headgate import dumbbell

#: Mounts a small file system, runs a command, and lists the files that are left with their sizes.
PROGRAM = """
import json, subprocess, sys
from pathlib import Path
size, folder, *command = sys.argv[1:]
subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder], check=True)
done = subprocess.run(command, capture_output=True, text=True)
files = {path.name: path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()}
print(json.dumps([done.returncode, done.stderr, files]))
"""
OWN_MOUNTS = ["unshare", "--user", "--map-root-user", "--mount"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    asked = dumbbell(rate="2 Mbit/s", rtt="20 ms", flows=["reno"], duration="2 s")
    asked.run(out=folder / "made")
    return folder / "made"


def run_on_full_disk(folder: Path, *command: str | Path) -> tuple[int, str, dict[str, int]]:
    if subprocess.run([*OWN_MOUNTS, "true"], check=False, capture_output=True).returncode:
        pytest.skip("needs user namespaces with separate mounts")
    words = [*OWN_MOUNTS, sys.executable, "-c", PROGRAM, "8k", folder, sys.executable, "-m"]
    done = subprocess.run([*words, "headgate", *command], check=True, capture_output=True)
    code, errors, files = json.loads(done.stdout)
    return code, errors, files


@pytest.mark.parametrize("words", [("export", "--csv"), ("plot", "--only", "rtt,cwnd")])
def test_a_full_disk_is_one_sentence_and_leaves_no_part_of_a_file(
    words: tuple[str, ...], run: Path, tmp_path: Path
) -> None:
    (name, *options), out = words, ("--out", tmp_path / "full")
    (tmp_path / "full").mkdir()
    code, errors, files = run_on_full_disk(tmp_path / "full", name, run, *out, *options)
    *before, says = errors.splitlines()
    assert code == 2
    assert re.fullmatch(r"headgate: .* cannot be written(: | \()No space left on device\)?", says)
    assert not [line for line in before if "Traceback" in line]
    assert headgate(name, run, "--out", tmp_path / "whole", *options).exit_code == 0
    whole = {path.name: path.stat().st_size for path in (tmp_path / "whole").iterdir()}
    assert files.items() < whole.items()
