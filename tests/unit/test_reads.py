"""The columns that an analysis reads of runs are stored, and give the same numbers again."""

from pathlib import Path

import numpy as np
import pytest

from headgate import Result
from headgate.base.errors import NotStoredError
from headgate.data.tables import Table, Words
from headgate.lab.packed import PackedRuns
from headgate.lab.reads import Reads


def make_run() -> Result:
    flows = Table(
        "flows",
        {
            "cca": Words.of(["reno", "bic", "reno"]),
            "sent": np.array([1.0, 2.0, 3.0]),
            "lost": np.array([0.0, 1.0, 0.0]),
            "rtt_s": np.array([0.1, 0.2, 0.3]),
        },
    )
    ports = Table("ports", {"link": Words.of(["a"]), "drops": np.array([7.0])})
    return Result({"flows": flows, "ports": ports}, {"labels": {"seed": 1}})


def columns_read(read: object) -> dict[str, tuple[str, ...]]:
    reads, run = Reads(), make_run()
    assert callable(read)
    read(reads.watch("a", run))
    trimmed = reads.trim("a", run)
    assert trimmed.meta == run.meta
    return {name: table.columns for name, table in trimmed.tables.items()}


@pytest.mark.parametrize(
    ("read", "columns"),
    [
        (lambda run: run.flows["sent"], {"flows": ("sent",)}),
        (lambda run: run.flows.where([0, 2])["lost"], {"flows": ("lost",)}),
        (
            lambda run: run.flows.where(run.flows["cca"] == "reno")["sent"],
            {"flows": ("cca", "sent")},
        ),
        (lambda run: run.flows.translate("cca", len), {"flows": ("cca",)}),
        (lambda run: run.flows.only(["rtt_s", "sent"]), {"flows": ("sent", "rtt_s")}),
        (lambda run: run.flows.labelled({"of": 1})["rtt_s"], {"flows": ("rtt_s",)}),
        (lambda run: run.flows.extended("other", {"x": np.ones(3)})["lost"], {"flows": ("lost",)}),
        (lambda run: "drops" in run.ports, {"ports": ("drops",)}),
        (lambda run: dict(run.ports), {"ports": ("link", "drops")}),
        (lambda run: run.ports.__arrow_c_stream__(), {"ports": ("link", "drops")}),
        (lambda run: len(run.flows), {"flows": ("cca",)}),  # a table without columns is empty
        (lambda run: run.meta["labels"], {}),
    ],
)
def test_the_columns_that_are_read_are_kept(read: object, columns: dict[str, object]) -> None:
    assert columns_read(read) == columns


def test_each_run_keeps_the_columns_that_were_read() -> None:
    reads, run = Reads(), make_run()
    assert reads.watch("a", run).flows["sent"].sum() == 6
    assert reads.watch("b", run).ports["drops"][0] == 7
    assert set(reads.trim("a", run).tables) == {"flows"}
    assert set(reads.trim("b", run).tables) == {"ports"}
    assert not reads.trim("c", run).tables


def test_a_missing_column_is_reported_with_its_place(tmp_path: Path) -> None:
    reads, run = Reads(), make_run()
    assert reads.watch("a", run).flows["sent"].sum() == 6
    packed = PackedRuns(tmp_path)
    packed.replace([{"a": reads.trim("a", run)}])
    stored = packed.read("a")
    assert stored is not None
    assert "ports" not in stored.tables
    place = f"{next(tmp_path.glob('*/runs.parquet')).parent}: stores no"
    with pytest.raises(NotStoredError, match=f"{place} table 'ports' of this run"):
        print(stored.ports)
    for asked in (stored, Reads().watch("a", stored)):  # also if reads are recorded
        with pytest.raises(NotStoredError, match=f"{place} column 'lost' of table 'flows'"):
            print(asked.flows.where([0])["lost"])


def test_runs_take_the_place_of_those_that_were_there(tmp_path: Path) -> None:
    packed, run = PackedRuns(tmp_path), make_run()
    packed.add({"old": run})
    of_one = sum(file.stat().st_size for file in tmp_path.rglob("*.parquet"))
    assert not packed.replace([{"a": run}, {"b": run}], most_bytes=of_one)
    assert ("old" in packed, len(packed)) == (True, 1)
    assert packed.replace([{"a": run}, {"b": run}], most_bytes=3 * of_one)
    assert len(packed) == 2
    assert packed.read("old") is None
    before = sorted(tmp_path.rglob("*"))
    packed.replace([{"a": run}, {"b": run}])
    assert sorted(tmp_path.rglob("*")) == before
