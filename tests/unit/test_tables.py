"""Tables: Polars, pandas and DuckDB read them, numbers without a copy, with what they mean."""

import duckdb
import nanoarrow
import numpy as np
import pandas
import polars
import pytest

from headgate.columns import TABLES
from headgate.errors import HeadgateError
from headgate.tables import Table, Words


def table() -> Table:
    return Table(
        "flows",
        {
            "law": Words.of(["reno", "ﬂow é", "", "reno"]),
            "start_s": np.array([0.5, 1.0, np.nan, np.inf]),
            "size_packets": np.array([1, 2, 3, 2**63], np.uint64),
        },
    )


def test_columns_are_numpy() -> None:
    assert table()["law"].tolist() == ["reno", "ﬂow é", "", "reno"]
    assert table()["size_packets"].dtype == np.uint64
    assert len(table()) == 4
    assert table().columns == ("law", "start_s", "size_packets")


def test_polars_reads_the_same_memory() -> None:
    ours = table()
    frame = polars.DataFrame(ours)
    assert frame["law"].to_list() == ours["law"].tolist()
    assert frame["start_s"].to_numpy().ctypes.data == ours["start_s"].ctypes.data


def test_duckdb_reads_it_by_its_name() -> None:
    ours = table()
    rows = duckdb.sql("SELECT law, size_packets FROM ours WHERE start_s < 2").fetchall()
    assert rows == [("reno", 1), ("ﬂow é", 2)]
    assert len(ours) == 4


def test_pandas_takes_the_columns_as_they_are() -> None:
    ours = table()
    frame = ours.to_pandas()
    assert np.shares_memory(frame["start_s"].to_numpy(), ours["start_s"])
    assert isinstance(frame, pandas.DataFrame)
    assert frame["law"].tolist() == table()["law"].tolist()
    assert frame["size_packets"].dtype == np.uint64


def test_meaning_travels_with_the_columns() -> None:
    schema = nanoarrow.c_schema(table())
    metadata = {child.name: dict(child.metadata) for child in schema.children}
    assert metadata["start_s"][b"unit"] == b"s"
    assert table().unit("size_packets") == "packets"
    assert "SYN" in table().definition("start_s")


def test_empty_tables_are_tables() -> None:
    empty = table().where(np.zeros(4, bool))
    assert len(empty) == 0
    assert polars.DataFrame(empty).shape == (0, 3)
    assert polars.DataFrame(Table("flows", {"law": Words([], [])})).shape == (0, 1)


def test_rows_are_chosen_by_a_mask() -> None:
    chosen = table().where(table()["law"] == "reno")
    assert chosen["size_packets"].tolist() == [1, 2**63]


def test_an_unknown_column_is_named_with_the_known_ones() -> None:
    with pytest.raises(HeadgateError, match="flows: there is no column 'cwnd'; columns: law"):
        table()["cwnd"]


def test_every_column_of_every_table_has_a_unit_and_a_definition() -> None:
    for name, columns in TABLES.items():
        assert len({column.name for column in columns}) == len(columns), name
        for column in columns:
            assert column.definition.endswith((".", ")")), column
            words = column.name in {"traffic", "law", "class", "source", "receiver", "status",
                                    "link", "from", "to", "of", "name"}  # fmt: skip
            assert (column.unit == "") == words, column
            for suffix, unit in (("_s", "s"), ("_bps", "bit/s"), ("_bytes", "B")):
                if column.name.endswith(suffix):
                    assert column.unit == unit, column


def test_tables_show_themselves_in_a_notebook() -> None:
    assert "<th" in table()._repr_html_()
    assert "start_s [s]" in repr(table())
