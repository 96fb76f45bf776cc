"""Tables: Polars, pandas and DuckDB read them, numbers without a copy, with what they mean."""

import re
from pathlib import Path

import duckdb
import nanoarrow
import numpy as np
import pandas
import polars
import pytest

import headgate
from headgate.base.errors import HeadgateError
from headgate.data import parquet
from headgate.data.columns import TABLES
from headgate.data.folder import find_run
from headgate.data.parquet import read_columns, write_table
from headgate.data.tables import LazyTables, Table, Words
from headgate.experiment.responses import select_period
from headgate.figures.report.make import write_tables

#: A class of tables that does not say how to ask for one; `LazyTables` itself does.
TABLES_BY_READING = re.compile(r"class (?!LazyTables)\w+\(Mapping\[str, Table\]\)")


def table() -> Table:
    return Table(
        "flows",
        {
            "cca": Words.of(["reno", "ﬂow é", "", "reno"]),
            "start_s": np.array([0.5, 1.0, 4.0, np.inf]),
            "size_packets": np.array([1, 2, 3, 2**63], np.uint64),
            "fct_receiver_s": np.array([1.0, np.nan, 3.0, np.nan]),
        },
    )


def test_columns_are_numpy() -> None:
    assert table()["cca"].tolist() == ["reno", "ﬂow é", "", "reno"]
    assert table()["size_packets"].dtype == np.uint64
    assert len(table()) == 4
    assert table().columns == ("cca", "start_s", "size_packets", "fct_receiver_s")


def test_polars_reads_the_same_memory() -> None:
    ours = table()
    frame = polars.DataFrame(ours)
    assert frame["cca"].to_list() == ours["cca"].tolist()
    assert frame["start_s"].to_numpy().ctypes.data == ours["start_s"].ctypes.data


def test_duckdb_reads_it_by_its_name() -> None:
    ours = table()
    rows = duckdb.sql("SELECT cca, size_packets FROM ours WHERE start_s < 2").fetchall()
    assert rows == [("reno", 1), ("ﬂow é", 2)]
    assert len(ours) == 4


def test_pandas_takes_the_columns_as_they_are() -> None:
    ours = table()
    frame = ours.to_pandas()
    assert np.shares_memory(frame["start_s"].to_numpy(), ours["start_s"])
    assert isinstance(frame, pandas.DataFrame)
    assert frame["cca"].tolist() == table()["cca"].tolist()
    assert frame["size_packets"].dtype == np.uint64


def test_missing_values_are_null_for_every_reader(tmp_path: Path) -> None:
    ours = table()
    assert np.isnan(ours["fct_receiver_s"]).tolist() == [False, True, False, True]
    assert duckdb.sql("SELECT avg(fct_receiver_s), count(fct_receiver_s) FROM ours").fetchall() == [
        (2.0, 2)
    ]
    assert ours.to_polars()["fct_receiver_s"].to_list() == [1.0, None, 3.0, None]
    assert polars.DataFrame(ours)["fct_receiver_s"].mean() == 2.0
    assert ours.to_pandas()["fct_receiver_s"].mean() == 2.0
    write_table(tmp_path / "flows.parquet", ours)
    assert polars.read_parquet(tmp_path / "flows.parquet")["fct_receiver_s"].null_count() == 2
    mean = f"SELECT avg(fct_receiver_s) FROM '{tmp_path}/flows.parquet'"
    assert duckdb.sql(mean).fetchall() == [(2.0,)]


def test_each_of_many_rows_keeps_its_values() -> None:
    for rows in (1, 7, 8, 9, 1000):
        values = np.where(np.arange(rows) % 3 == 1, np.nan, np.arange(rows) / 2)
        read = polars.DataFrame(Table("t", {"y": values}))["y"]
        assert read.is_null().to_numpy().tolist() == np.isnan(values).tolist()
        assert read.drop_nulls().to_list() == values[~np.isnan(values)].tolist()


@pytest.mark.parametrize("hole", ["NULL::DOUBLE", "'nan'::DOUBLE"])
def test_missing_numbers_come_back_as_nan_from_files_new_and_old(hole: str, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    values = f"(VALUES (1.5::DOUBLE, 'a'), ({hole}, NULL)) AS t(y, word)"
    duckdb.sql(f"COPY (SELECT * FROM {values}) TO '{path}' (FORMAT parquet)")
    columns = read_columns(path)
    assert columns["y"].dtype == np.float64
    assert not np.ma.isMA(columns["y"])
    assert columns["y"][0] == 1.5
    assert np.isnan(columns["y"][1])
    assert columns["word"].texts().tolist() == ["a", ""]


def test_missing_cells_of_a_report_are_empty_and_null(tmp_path: Path) -> None:
    rows = [{"y": 1.0, "z": None, "w": "a"}, {"y": float("nan"), "z": 2, "w": None}]
    write_tables({"t": rows}, tmp_path)
    assert (tmp_path / "t.csv").read_text().splitlines() == ["y,z,w", "1.0,,a", ",2,"]
    read = polars.read_parquet(tmp_path / "t.parquet")
    assert read["y"].to_list() == [1.0, None]
    assert read["z"].to_list() == [None, 2.0]
    assert read["w"].to_list() == ["a", ""]


def test_meaning_travels_with_the_columns() -> None:
    schema = nanoarrow.c_schema(table())
    metadata = {child.name: dict(child.metadata) for child in schema.children}
    assert metadata["start_s"][b"unit"] == b"s"
    assert table().unit("size_packets") == "packets"
    assert "SYN" in table().definition("start_s")


def test_empty_tables_are_tables() -> None:
    empty = table().where(np.zeros(4, bool))
    assert len(empty) == 0
    assert polars.DataFrame(empty).shape == (0, 4)
    assert polars.DataFrame(Table("flows", {"cca": Words([], [])})).shape == (0, 1)


def test_differences_of_counts_may_be_negative() -> None:
    counts = Table("ports", {name: np.array([3, 1], np.uint64) for name in ("arrivals", "drops")})
    assert np.diff(counts["arrivals"]).tolist() == [-2]
    frame = counts.to_pandas()
    assert (frame["arrivals"] - frame["drops"] - 1).tolist() == [-1, -1]
    run = headgate.dumbbell(rate="10 Mbit/s", rtt="20 ms", flows=["reno"]).run("1 s", seed=1)
    kinds = {column.dtype.kind for each in run.tables.values() for column in dict(each).values()}
    assert kinds == {"f", "i", "U"}


def test_rows_are_chosen_by_a_mask() -> None:
    chosen = table().where(table()["cca"] == "reno")
    assert chosen["size_packets"].tolist() == [1, 2**63]


def test_an_unknown_column_is_named_with_the_known_ones() -> None:
    with pytest.raises(HeadgateError, match="flows: there is no column 'cwnd'; columns: cca"):
        table()["cwnd"]


def test_to_ask_for_a_table_that_a_run_lacks_is_no_error(tmp_path: Path) -> None:
    scenario = headgate.dumbbell(rate="1 Mbit/s", rtt="10 ms", flows=["reno"], duration="2 s")
    result = scenario.run(out=tmp_path / "run")
    stored, _ = find_run(tmp_path / "run")
    for tables in (result.tables, stored, select_period(stored, 1)):
        assert isinstance(tables, LazyTables)
        assert "media" not in tables
        assert tables.get("media") is None
        assert "responses" in tables
        assert len(tables.get("responses") or ()) == 1


def test_no_tables_of_a_run_raise_when_asked_whether_there_is_one() -> None:
    """`Mapping` asks by reading, so tables whose reading can fail are `LazyTables`."""
    modules = Path(headgate.__file__).parent.rglob("*.py")
    assert not [module for module in modules if TABLES_BY_READING.search(module.read_text())]


def test_every_column_of_every_table_has_a_unit_and_a_definition() -> None:
    for name, columns in TABLES.items():
        assert len({column.name for column in columns}) == len(columns), name
        for column in columns:
            assert column.definition.endswith((".", ")")), column
            words = column.name in {"traffic", "cca", "transport", "class", "source", "receiver",
                                    "status", "link", "from", "to", "of", "name"}  # fmt: skip
            assert (column.unit == "") == words, column
            for suffix, unit in (("_s", "s"), ("_bps", "bit/s"), ("_bytes", "B")):
                if column.name.endswith(suffix):
                    assert column.unit == unit, column


def test_tables_show_themselves_in_a_notebook() -> None:
    assert "<th" in table()._repr_html_()


def test_a_printed_table_shows_numbers() -> None:
    assert repr(table()).splitlines() == [
        "flows: 4 rows, 4 columns (headgate describe flows)",
        "cca    start_s         size_packets  fct_receiver_s",
        "reno       0.5                    1               1",
        "ﬂow é        1                    2",
        "             4                    3               3",
        "reno       inf  9223372036854775808",
    ]


def test_words_are_translated_once_each() -> None:
    asked: list[str] = []

    def measure(word: str) -> int:
        asked.append(word)
        return len(word)

    table = Table("t", {"a": Words.of(["one", "three", "one"]), "b": np.array(["x", "xx", "x"])})
    assert table.translate("a", measure).tolist() == [3, 5, 3]
    assert asked == ["one", "three"]
    assert table.translate("b", len).tolist() == [1, 2, 1]
    assert len(Table("t", {"a": Words.of([])}).translate("a", len)) == 0


def test_a_large_file_is_read_column_by_column(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    links = Table(
        "links", {"from": Words.of(["a", "b", "a"]), 'of "x"': np.array([1.0, np.nan, 3])}
    )
    write_table(tmp_path / "links.parquet", links)
    at_once = read_columns(tmp_path / "links.parquet")
    monkeypatch.setattr(parquet, "LARGE_FILE_BYTES", 0)
    alone = read_columns(tmp_path / "links.parquet")
    assert list(alone) == list(at_once) == list(links)
    assert alone["from"].texts().tolist() == at_once["from"].texts().tolist() == ["a", "b", "a"]
    np.testing.assert_array_equal(alone['of "x"'], at_once['of "x"'])


def test_words_are_joined_and_compacted() -> None:
    joined = Words.join([Words.of(["a", "b"]), Words.of([]), Words.of(["b", "c"])])
    assert joined.texts().tolist() == ["a", "b", "b", "c"]
    assert joined.words == ("a", "b", "c")
    last = joined[3:].compact()
    assert (last.texts().tolist(), last.words) == (["c"], ("c",))
    assert Words.of([]).compact().words == ()
    assert Words.of(["a" * 1000]).nbytes > 1000
