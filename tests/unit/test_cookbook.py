"""Recipes of the cookbook are short and run unchanged, here at their smallest size.

They use the package that runs the tests, or the package in the environment HEADGATE_VENV if it is
set: `make wheel` sets it to a new environment that contains only the wheel.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "cookbook.md"
RECIPE = re.compile(r"^## ([^\n]+)\n(?:(?!\n## ).)*?```(sh|python)\n(.*?)```", re.M | re.S)
RECIPES = {name: (language, text) for name, language, text in RECIPE.findall(PAGE.read_text())}
VENV = os.environ.get("HEADGATE_VENV")
BINARIES = f"{VENV}/bin" if VENV else sysconfig.get_path("scripts")
PYTHON = f"{BINARIES}/python" if VENV else sys.executable

#: Replacements that make each recipe small; each text must occur in its recipe.
SHORT_RUN = ("run two.toml", "run two.toml --set duration='6 s'")
SMALLEST = {
    "Compare two algorithms": [SHORT_RUN],
    "A grid with intervals": [("60 s", "2 s"), ("replicates=5", "replicates=2")],
    "Your question in NIST's form": [("run mine.toml\n", "run mine.toml --shard 1/96\n")],
    "Your own algorithm in NIST's experiment 1b": [("nist-1b", "nist-1b --shard 1/96")],
    "Your own queue discipline": [("60 s", "2 s")],
    "Video on a connection that pauses": [("60 s", "9 s")],
    "A trace in tshark, Wireshark and qvis": [
        SHORT_RUN,
        ("tshark -r", "ls"),
        ("-q -z conv,tcp", ""),
    ],
    "Tables as CSV, in pandas": [SHORT_RUN],
    "A network in GraphML, with your own traffic": [("60 s", "5 s")],
    "In a notebook": [("30 s", "2 s")],
    "On a cluster": [("replacements", "replacements --shard 1/48")],
}


def test_recipes_are_short() -> None:
    assert len(RECIPES) == PAGE.read_text().count("\n## ") == 11
    for language, text in RECIPES.values():
        lines = [line for line in text.splitlines() if line.strip()]
        assert len(lines) <= (3 if language == "sh" else 10)


def run(name: str, text: str, folder: Path) -> None:
    """Run a recipe as a user would, and end what it left in the background."""
    language, _ = RECIPES[name]
    path = f"{BINARIES}{os.pathsep}{os.environ['PATH']}"
    log, script = folder / "log", folder / "recipe.py"
    script.write_text(text)
    with log.open("w") as output:
        program = subprocess.Popen(
            ["bash", "-ec", text] if language == "sh" else [PYTHON, script],
            cwd=folder,
            env=os.environ | {"PATH": path, "MPLBACKEND": "agg"},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = program.wait()
        finally:
            with contextlib.suppress(ProcessLookupError):  # nothing was left
                os.killpg(program.pid, signal.SIGTERM)
    assert not code, log.read_text()
    assert "phase effects" not in log.read_text()


def prepare(name: str, folder: Path) -> None:
    """Write the file that several recipes have from the first one."""
    if name in ("A trace in tshark, Wireshark and qvis", "Tables as CSV, in pandas"):
        run("Compare two algorithms", "headgate init --from dumbbell two.toml", folder)


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_runs_at_its_smallest(name: str, tmp_path: Path) -> None:
    _, text = RECIPES[name]
    for whole, small in SMALLEST[name]:
        assert whole in text
        text = text.replace(whole, small)
    prepare(name, tmp_path)
    run(name, text, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_runs_unchanged(name: str, tmp_path: Path) -> None:
    _, text = RECIPES[name]
    if "tshark" in text and not shutil.which("tshark"):
        pytest.skip("tshark is missing: apt install tshark")
    prepare(name, tmp_path)
    run(name, text, tmp_path)
