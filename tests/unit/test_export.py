"""Exported tables: the same figures, of one run or of many, and nothing that a cell computes."""

import csv
import json
from pathlib import Path

import duckdb
import numpy as np
import polars
import pytest
from tests.errors.command import headgate

from headgate import Result, Scenario
from headgate.data.tables import Table, Words
from headgate.engine.api import simulate
from headgate.lab.jobs import Job
from headgate.lab.store import Store

SMALL = {
    "duration": "2 s",
    "network": {"kind": "dumbbell", "rate": "5 Mbit/s", "rtt": "20 ms"},
    "traffic": [{"kind": "flows", "cca": "reno", "size": "20 packets", "count": 2}],
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Scenario.from_dict(SMALL).run().write(tmp_path_factory.mktemp("run") / "one")


@pytest.fixture
def study(tmp_path: Path) -> Path:
    store = Store(tmp_path / "study")
    for cca in ("reno", "cubic", "=cmd|x"):
        scenario = Scenario.from_dict(SMALL).replaced({"cca": cca.replace("=cmd|x", "bic")})
        store.write(Job(scenario, {"cca": cca}), simulate(scenario))
    return tmp_path / "study"


def test_csv_and_parquet_have_the_figures_of_the_run(run: Path, tmp_path: Path) -> None:
    done = headgate("export", run, "--csv", "--parquet", "--out", tmp_path, "--json")
    paths = [Path(path) for path in json.loads(done.output)]
    flows = Result.read(run).flows
    read = polars.read_parquet(tmp_path / "flows.parquet")
    assert read.columns == list(flows)
    with (tmp_path / "flows.csv").open() as file:
        rows = list(csv.DictReader(file))
    for name in flows:
        assert read[name].to_list() == flows.to_polars()[name].to_list()
        if isinstance(flows[name][0], np.floating):
            assert [float(row[name] or "nan") for row in rows] == pytest.approx(
                flows[name].tolist(), nan_ok=True, rel=1e-15
            )
    tables = {path.stem for path in run.glob("*.parquet")}
    assert {path.name for path in paths} == {f"{t}.{k}" for t in tables for k in ("csv", "parquet")}


def test_parquet_keeps_descriptions_of_columns(run: Path, tmp_path: Path) -> None:
    headgate("export", run, "--parquet", "--table", "flows", "--out", tmp_path)
    found = duckdb.sql(f"FROM parquet_kv_metadata('{tmp_path}/flows.parquet')").fetchall()
    about = {key: json.loads(value) for _, key, value in found if key == b"goodput_bps"}
    assert about[b"goodput_bps"]["unit"] == "bit/s"


def test_of_many_runs_each_row_says_whose_it_is(study: Path) -> None:
    done = headgate("export", study, "--csv", "--table", "flows")
    assert done.output.split() == [str(study / "export" / "flows.csv")]
    with (study / "export" / "flows.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * len(list((study / "runs").iterdir()))
    assert {row["cca"] for row in rows} == {"reno", "cubic", "bic"}
    assert len({row["run_id"] for row in rows}) == len(rows) / 2


def test_a_label_that_a_spreadsheet_would_compute_is_written_as_text(
    study: Path, tmp_path: Path
) -> None:
    headgate("export", study, "--csv", "--parquet", "--table", "flows", "--out", tmp_path)
    with (tmp_path / "flows.csv").open() as file:
        assert {row["label_cca"] for row in csv.DictReader(file)} == {"reno", "cubic", "'=cmd|x"}
    kept = set(polars.read_parquet(tmp_path / "flows.parquet")["label_cca"])
    assert kept == {"reno", "cubic", "=cmd|x"}


def test_runs_that_kept_other_tables_are_exported_too(study: Path, tmp_path: Path) -> None:
    store = Store(study)
    other = Scenario.from_dict(SMALL).replaced({"seed": 9})
    kept = Result({"mine": Table("mine", {"y": np.array([1.5]), "w": Words.of(["a"])})}, {})
    kept.meta |= simulate(other).meta
    store.write(Job(other, {"cca": "reno"}), kept)
    headgate("export", study, "--csv", "--table", "mine", "--out", tmp_path)
    with (tmp_path / "mine.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert (row["y"], row["w"], row["label_cca"]) == ("1.5", "a", "reno")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("{run}",), "export: give --csv, --parquet, or both"),
        (("{run}", "--csv", "--table", "flow"), "contains no table 'flow'; did you mean 'flows'?"),
        (("{run}", "--csv", "--table", "xyzzy"), "contains no table 'xyzzy'; there are flows"),
        (("{here}", "--csv"), "holds neither a run (run.json) nor finished runs of a study (runs)"),
        (("{here}/none", "--csv"), "holds neither a run"),
        (("{run}", "--csv", "--out", "{here}/file"), "cannot be written"),
    ],
)
def test_a_mistake_is_one_sentence(
    words: tuple[str, ...], says: str, run: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    done = headgate("export", *(word.format(run=run, here=tmp_path) for word in words))
    assert done.exit_code == 2
    assert says in done.sentence


def test_a_damaged_run_is_not_exported(study: Path) -> None:
    broken = next((study / "runs").glob("*/flows.parquet"))
    broken.write_bytes(broken.read_bytes()[:-20])
    done = headgate("export", study, "--csv")
    assert done.exit_code == 2
    assert "its checksum does not fit" in done.sentence
