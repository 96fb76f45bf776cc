"""One folder holds one run. An unwritable folder is reported before the run or costs no result."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from headgate import Result, Scenario, dumbbell
from headgate.base.errors import StoreError
from headgate.base.process import HeldError, here, hold_lock, name_process
from headgate.data import folder as folder_module
from headgate.data.folder import LOCK_FILE, hold_for_run
from headgate.data.parquet import Rows
from headgate.engine.api import UnstoredError, simulate

from .command import headgate

HEADGATE = Path(sys.executable).with_name("headgate")


def scenario(folder: Path) -> Path:
    path = folder / "scenario.toml"
    dumbbell(rate="10 Mbit/s", rtt="20 ms", buffer="1 BDP", flows=["reno"]).replaced(
        {"duration": "2 s"}
    ).save(path)
    return path


def begun(folder: Path, out: Path) -> subprocess.Popen[str]:
    """Start a run that takes minutes, and come back when it is at work."""
    words = ["run", str(scenario(folder)), "--set", "duration=9000 s", "--out", str(out)]
    process = subprocess.Popen([str(HEADGATE), *words], stderr=subprocess.PIPE, text=True)
    while not (out / LOCK_FILE).exists() or not (out / LOCK_FILE).read_text():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    return process


def test_a_second_run_is_refused_before_it_starts_and_the_owner_is_named(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with begun(tmp_path, out) as first:
        done = headgate("run", scenario(tmp_path), "--out", out)
        assert done.exit_code == 2
        assert f"another run is at work in it (process {first.pid} on " in done.sentence
        assert "since 20" in done.sentence
        first.kill()
    assert (out / LOCK_FILE).exists()  # nobody could remove it
    assert headgate("run", scenario(tmp_path), "--out", out).exit_code == 0
    assert not (out / LOCK_FILE).exists()


def test_of_many_that_want_a_dead_owner_s_folder_one_has_it(tmp_path: Path) -> None:
    (tmp_path / LOCK_FILE).write_text(f"{name_process(2**22 + 1)}\ndead\n")
    inside, most, refused = [0], [0], [0]
    start = threading.Barrier(8)

    def want() -> None:
        start.wait()
        for _ in range(50):
            try:
                with hold_for_run(tmp_path):
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                    inside[0] -= 1
            except StoreError:
                refused[0] += 1

    threads = [threading.Thread(target=want) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most[0] == 1
    assert refused[0] < 8 * 50


@pytest.mark.parametrize(
    ("owner", "free"), [(name_process(2**22 + 1), True), (here(), False)], ids=["gone", "alive"]
)
def test_where_the_file_system_knows_no_locks_the_name_decides(
    owner: str, free: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*_: object) -> None:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr("headgate.base.process.fcntl.flock", unknown)
    (tmp_path / "lock").write_text(f"{owner}\nsomebody\n")
    taken = nullcontext() if free else pytest.raises(HeldError, match="somebody")
    with taken, hold_lock(tmp_path / "lock", "we"):
        assert free


def test_an_unwritable_folder_is_reported_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        pytest.fail("the run was begun")

    def read_only(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("headgate.engine.run.simulate._Run", never)
    monkeypatch.setattr("headgate.data.folder.hold_lock", read_only)
    done = headgate("run", scenario(tmp_path), "--out", tmp_path / "run")
    assert done.exit_code == 2
    assert done.sentence.endswith("run: cannot be written: Read-only file system")
    assert not (tmp_path / "run").exists()


def full_at(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the disk be full when one table of a run is written."""
    plain: Callable[[Rows, Path], None] = folder_module.write_rows

    def write(rows: Rows, path: Path) -> None:
        if name in path.name:
            raise StoreError(f"{path.parent}: cannot be written: No space left on device")
        plain(rows, path)

    monkeypatch.setattr(folder_module, "write_rows", write)


def test_a_run_that_cannot_be_stored_prints_its_tables_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full_at("responses", monkeypatch)
    done = headgate("run", scenario(tmp_path), "--out", tmp_path / "run")
    assert done.exit_code == 2
    assert done.sentence.endswith("cannot be written: No space left on device")
    assert "Flows by algorithm" in done.output
    assert "Result:" not in done.output
    assert not (tmp_path / "run").exists()
    with pytest.raises(UnstoredError) as raised:
        simulate(Scenario.load(scenario(tmp_path)), tmp_path / "run")
    assert len(raised.value.result.flows)


def test_a_result_that_cannot_be_written_over_another_leaves_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "run"
    assert headgate("run", scenario(tmp_path), "--out", out).exit_code == 0
    result = Result.read(out)
    full_at("windows", monkeypatch)
    with pytest.raises(StoreError, match="No space left"):
        result.write(out)
    assert Result.read(out).digest == result.digest
    assert not [path for path in out.iterdir() if path.name.startswith(".")]


def test_files_are_on_the_disk_before_they_get_their_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files, then names, then the folder; run.json after all tables; then the folder's own name."""
    done: list[tuple[str, str]] = []
    plain_flush, plain_replace = folder_module.flush, Path.replace

    def flush(path: Path) -> None:
        done.append(("flush", path.name))
        plain_flush(path)

    def replace(self: Path, target: Path) -> Path:
        done.append(("name", target.name))
        return plain_replace(self, target)

    assert headgate("run", scenario(tmp_path), "--out", tmp_path / "first").exit_code == 0
    result = Result.read(tmp_path / "first")
    monkeypatch.setattr(folder_module, "flush", flush)
    monkeypatch.setattr(Path, "replace", replace)
    folder_module.write_folder(tmp_path / "run", result.tables, result.meta)
    named = [name for what, name in done if what == "name"]
    assert named[-1] == "run.json"
    assert len(named) == len(result.tables) + 1
    first = done.index(("name", named[0]))
    assert sorted(name.split("@")[0] for _, name in done[:first]) == sorted(f".{n}" for n in named)
    assert done[-4:] == [
        ("flush", "run"),
        ("name", "run.json"),
        ("flush", "run"),
        ("flush", tmp_path.name),
    ]
