"""Commands import nothing from the folder in which a stranger's files are."""

import subprocess
import sys
from pathlib import Path

import pytest

from headgate.base.process import keep_working_folder_out, python_command, user_environment
from headgate.scenario.toml import write_toml

PROGRAM = str(Path(sys.executable).with_name("headgate"))
#: Modules that a process for runs, for SQL or for pictures imports early.
NAMES = (
    "json", "pickle", "signal", "struct", "subprocess", "threading", "queue", "multiprocessing",
    "duckdb", "numpy", "nanoarrow", "pydantic", "matplotlib", "scipy", "headgate", "runpy",
)  # fmt: skip
EXPERIMENT = {
    "responses": ["goodput_bps"],
    "where": "rtt_s > 0",
    "factors": {"network.rtt": ["10 ms", "20 ms"]},
    "scenario": {
        "duration": "0.3 s",
        "network": {"kind": "dumbbell", "rate": "1 Mbit/s", "rtt": "40 ms"},
        "traffic": [{"kind": "flows", "cca": "reno"}],
    },
}


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """A stranger's folder, with files that are called like modules."""
    write_toml(EXPERIMENT, tmp_path / "e.toml")
    for name in NAMES:
        text = f"from pathlib import Path\nPath('ran-{name}').touch()\n"
        (tmp_path / f"{name}.py").write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        ["experiment", "check", "e.toml"],
        ["experiment", "run", "e.toml", "--dry-run"],
        ["experiment", "run", "e.toml", "--workers", "2"],
    ],
)
def test_modules_in_the_working_folder_do_not_run(command: list[str], theirs: Path) -> None:
    done = subprocess.run(
        [PROGRAM, *command], cwd=theirs, capture_output=True, text=True, check=False, timeout=300
    )
    assert not list(theirs.glob("ran-*"))
    assert done.returncode == 0, done.stderr


def test_every_python_process_is_started_by_one_function() -> None:
    import headgate

    sources = Path(headgate.__file__).parent.rglob("*.py")
    starts = {path.name for path in sources if "[sys.executable" in path.read_text()}
    assert starts == {"process.py", "machine.py"}  # the latter isolates it: -I -S
    assert python_command("-c", "pass") == [sys.executable, "-P", "-c", "pass"]


def test_a_program_of_the_user_has_the_user_s_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    keep_working_folder_out()
    assert "PYTHONSAFEPATH" not in user_environment()
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    keep_working_folder_out()
    assert user_environment()["PYTHONSAFEPATH"] == "1"
