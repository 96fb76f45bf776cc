"""The command line answers at once: heavy libraries are imported in functions."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from headgate.base.optional import EXTRAS
from headgate.cli.doctor import FRAMES

HEADGATE = Path(sys.executable).with_name("headgate")
HEAVY = (
    "dask",
    "distributed",
    "duckdb",
    "matplotlib",
    "networkx",
    "numpy",
    "pandas",
    "pydoe",
    "scipy",
    "statsmodels",
)


def cpu_of_children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def help_cpu_s() -> float:
    before_s = cpu_of_children_s()
    keeps_bytecode = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
    subprocess.run([HEADGATE, "--help"], check=True, capture_output=True, env=keeps_bytecode)
    return cpu_of_children_s() - before_s


@pytest.mark.timing
def test_help_takes_less_than_0_3_cpu_seconds() -> None:
    help_cpu_s()  # the first start may compile bytecode
    assert min(help_cpu_s() for _ in range(5)) < 0.3


def imports(*command: str | Path) -> set[str]:
    """Give every module that a command imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *command],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


def test_help_imports_no_heavy_library() -> None:
    assert not imports(HEADGATE, "--help") & set(HEAVY)


def test_the_list_of_studies_draws_nothing() -> None:
    found = imports(HEADGATE, "study", "list")
    assert "headgate.experiment.study.study" in found
    assert not found & {"matplotlib", "pandas", "scipy", "dask"}


def test_the_doctor_imports_no_optional_library() -> None:
    found = imports(HEADGATE, "doctor")
    assert {"headgate._native", "matplotlib"} <= found
    assert not found & {*FRAMES, *(library for of in EXTRAS.values() for library in of)}
    assert not found & {"networkx", "duckdb"}


def test_a_process_for_runs_imports_nothing_that_analyses_or_draws() -> None:
    found = imports("-c", "import headgate.lab.child, headgate.lab.worker")
    assert "headgate.lab.worker" in found
    assert found & set(HEAVY) <= {"numpy", "duckdb"}
