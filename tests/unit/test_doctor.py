"""`headgate doctor`: each check reports its finding, or the use of a missing part and a fix."""

import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from tests.errors.command import headgate

from headgate.base.errors import EngineMissingError
from headgate.base.optional import EXTRAS
from headgate.cli import doctor

NEEDED = {"Python", "engine", "pictures"}


@pytest.fixture(scope="module")
def found() -> dict[str, doctor.CheckResult]:
    return {one.name: one for one in doctor.examine(Path())}


def test_everything_that_is_asked_for_is_examined(found: dict[str, doctor.CheckResult]) -> None:
    assert set(found) == NEEDED | {
        *(f"extra {name}" for name in EXTRAS),
        *("pandas", "polars", "xarray", "C compiler", "Rust"),
        *("Chromium", "user namespaces", "TUN", "user-mode Linux", "cores", "memory", "disk"),
    }
    assert {name for name, one in found.items() if one.needed} == NEEDED
    assert all(
        found[name].works for name in [*NEEDED, "extra jit", "extra report", "pandas", "cores"]
    )
    assert all(one.works or one.remedy for one in found.values())
    assert all(one.detail for one in found.values())


def test_extras_have_purposes() -> None:
    assert set(doctor.PURPOSES) == set(EXTRAS)


def test_an_extra_names_its_libraries_or_its_purpose(
    found: dict[str, doctor.CheckResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found["extra jit"].detail == f"numba {metadata.version('numba')}"
    monkeypatch.setitem(sys.modules, "numba", None)
    one = doctor._extra("jit")
    assert not one.works
    assert "numba" in one.detail
    assert one.remedy == (
        "for your algorithms in Python at full speed (@jit): pip install 'headgate[jit]'"
    )


def test_a_library_without_its_dependencies_does_not_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "frail.py").write_text("import none_such")
    monkeypatch.syspath_prepend(tmp_path)
    one = doctor._frame("frail", full=True)
    assert not one.works
    assert one.detail == "No module named 'none_such'"
    assert doctor._frame("frail").detail == "frail"  # without metadata, only the module is found


@pytest.mark.parametrize(
    ("requires", "detail"),
    [
        ("numpy", "frail 1.5"),
        ('none-such>=2; extra == "more"', "frail 1.5"),
        ("none-such>=2", "frail 1.5 requires none-such>=2, which is not installed"),
        ("numpy<1", f"frail 1.5 requires numpy<1, and {metadata.version('numpy')} is installed"),
        ("middle[deep]", "middle 2 requires none-such, which is not installed"),
    ],
)
def test_dependencies_are_compared_without_an_import(
    requires: str, detail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "frail.py").write_text("raise AssertionError('imported')")
    needs = {"frail-1.5": requires, "middle-2": 'none-such; extra == "deep"'}
    for name, needed in needs.items():
        folder = tmp_path / f"{name}.dist-info"
        folder.mkdir()
        head = "Metadata-Version: 2.1\nName: {}\nVersion: {}\n".format(*name.split("-"))
        (folder / "METADATA").write_text(f"{head}Requires-Dist: {needed}\n")
    monkeypatch.syspath_prepend(tmp_path)
    doctor._read_metadata.cache_clear()
    one = doctor._frame("frail")
    assert (one.works, one.detail) == (detail == "frail 1.5", detail)


def test_libraries_leave_ctrl_c_as_it_was() -> None:
    """dask_jobqueue's handler would end `headgate doctor` with exit code 0, without a word."""
    code = (
        "import signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from headgate.cli import doctor; from headgate.base import optional\n"
        "assert all(doctor._extra(name, full=True).works for name in optional.EXTRAS)\n"
        "signal.raise_signal(signal.SIGINT)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1:] == ["KeyboardInterrupt"]


@pytest.mark.parametrize(
    ("script", "works", "detail"),
    [
        ("echo 'rustc 1.85.0 (abc)'", True, "rustc 1.85.0 (abc)"),
        ("echo 'rustc 1.84.9 (abc)'", False, "rustc 1.84.9 (abc)"),
        ("echo rustc", False, "rustc"),
        ("echo 'no toolchain' >&2; exit 1", False, "no toolchain"),
        (None, False, "rustc: No such file or directory"),
    ],
)
def test_a_compiler_is_asked_for_its_version(
    script: str | None, works: bool, detail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if script:
        (tmp_path / "rustc").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "rustc").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    one = doctor._rust()
    assert (one.works, one.detail) == (works, detail)


def test_a_full_disk_and_little_memory_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "LEAST_DISK_BYTES", 10**18)
    monkeypatch.setattr("headgate.engine.run.memory.free_bytes", lambda: 5_000_000)
    assert not doctor._disk(tmp_path).works
    assert (doctor._memory().works, doctor._memory().detail) == (False, "0.0 GB free")


def test_a_broken_engine_is_all_that_ends_with_2(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise EngineMissingError("the engine is not built")

    monkeypatch.setattr(
        doctor, "_namespaces", lambda: doctor.CheckResult("user namespaces", False, "-")
    )
    assert headgate("doctor", "--json").exit_code == 0
    monkeypatch.setattr("headgate.engine.build.dumbbell", refuse)
    done = headgate("doctor")
    assert done.exit_code == 2
    assert "engine           BROKEN   the engine is not built" in done.output
    assert "run `make setup` in the clone" in done.output


def test_machines_read_it(found: dict[str, doctor.CheckResult]) -> None:
    rows = json.loads(headgate("doctor", "--json").output)
    assert [row["name"] for row in rows] == list(found)
    assert set(rows[0]) == {"name", "works", "detail", "remedy", "needed"}
