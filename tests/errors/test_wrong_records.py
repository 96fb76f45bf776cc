"""Damaged files of a store are reported or made again; they never cause a traceback."""

import json
from pathlib import Path

import pytest

from headgate import Result, dumbbell
from headgate.data.folder import read_meta
from headgate.lab.campaign import Campaign, record_failure
from headgate.lab.jobs import Job
from headgate.lab.leases import Attempts, Leases
from headgate.lab.processes import Processes
from headgate.lab.scheduler import Scheduler
from headgate.lab.store import SUMMARY_FILE, Store, summary
from headgate.lab.view import Watcher

from .command import headgate

WRONG = (
    b"",
    b"{",
    b"[]",
    b"7",
    b"null",
    b'"text"',
    b"\xff\xfe",
    b"{}",
    b'{"run_id": 7}',
    b"[" * 100_000,
    b'{"how": "done", "at_s": 1e999}',
    b'{"run_id": "x", "owner": [], "since_s": {}, "labels": 3}',
    b'{"attempts": [{"by": 1}]}',
)


def jobs() -> list[Job]:
    made = dumbbell(rate="10 Mbit/s", rtt="20 ms", buffer="1 BDP", flows=["reno"])
    made = made.replaced({"duration": "2 s", "measure": {"series": "none"}})
    return [
        Job(made.model_copy(update={"seed": seed}), {"cca": "reno", "seed": seed})
        for seed in range(2)
    ]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of a campaign with one finished run, one leased run and one failed run."""
    folder = tmp_path_factory.mktemp("store")
    whole, other = jobs()
    Scheduler(Store(folder), executor=Processes(1)).run([whole], lambda _: None)
    Campaign.begin(Store(folder), "wrong", [whole, other], {other.id: 1.0})
    assert Leases(folder).take(other)
    Attempts(folder).begin(other.id)
    record_failure(folder, other, ValueError("no window"))
    return folder


RECORDS = ("campaigns/*/asked.json", "campaigns/*/end.json", "running/*", "failed/*.json",
           "attempts/*.json", f"runs/*/{SUMMARY_FILE}")  # fmt: skip


@pytest.mark.parametrize("pattern", RECORDS)
def test_a_record_of_another_shape_is_watched_without_a_traceback(
    store: Path, pattern: str
) -> None:
    if pattern.endswith("end.json"):
        for campaign in (store / "campaigns").iterdir():
            (campaign / "end.json").write_bytes(b"")
    files = list(store.glob(pattern))
    assert files
    before = {file: file.read_bytes() for file in files}
    for wrong in WRONG:
        for file in files:
            file.write_bytes(wrong)
        for option in ("--once", "--json"):
            done = headgate("watch", store, option)
            assert done.exit_code == 0 or "there is no campaign here" in done.sentence
        Store(store)
        assert not Leases(store).take(jobs()[1])
    for file, data in before.items():
        file.write_bytes(data)


@pytest.mark.parametrize("wrong", WRONG)
def test_a_run_of_another_shape_is_made_again(store: Path, wrong: bytes) -> None:
    (job, _) = jobs()
    file = store / "runs" / job.id / "run.json"
    digest = Result.read(file.parent).digest
    file.write_bytes(wrong)
    assert headgate("watch", store, "--once").exit_code == 0
    assert Store(store).read(job) is None
    Scheduler(Store(store), executor=Processes(1)).run([job], lambda _: None)
    assert Result.read(file.parent).digest == digest


def test_a_run_with_an_unreadable_cost_is_made_again(store: Path) -> None:
    from headgate.data.folder import write_folder

    (job, _) = jobs()
    folder = store / "runs" / job.id
    result = Result.read(folder)
    write_folder(folder, result.tables, {"headgate": "0", "packet_hops": "many"})
    assert Store(store).read(job) is None
    Scheduler(Store(store), executor=Processes(1)).run([job], lambda _: None)


def test_a_wrong_bit_in_a_summary_is_found_and_the_tables_are_asked(store: Path) -> None:
    (job, _) = jobs()
    folder = store / "runs" / job.id
    right = summary(folder)
    text = (folder / SUMMARY_FILE).read_text()
    meta = read_meta(folder)
    assert meta is not None
    hops = str(meta["packet_hops"])
    (folder / SUMMARY_FILE).write_text(text.replace(hops, "1" + hops))
    assert summary(folder) == right
    (folder / SUMMARY_FILE).unlink()
    assert summary(folder) == right
    assert json.loads(text.splitlines()[1])["packet_hops"] == right.packet_hops
    assert Watcher(store).look().done
