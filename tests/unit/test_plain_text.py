"""Printed tables: the columns that carry information, within the width of the terminal."""

import numpy as np
import pytest

from headgate.base.plain_text import format_table


@pytest.fixture(autouse=True)
def room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")


def test_constant_columns_are_printed_below_the_table() -> None:
    columns = {
        "cca": np.array(["reno", "fast"]),
        "class": np.array(["", ""]),
        "queue": np.array(["red", "red"]),
        "rate_bps": np.array([1e7, 123456789.6]),
        "fct_s": np.array([np.nan, np.nan]),
    }
    assert format_table("t", columns, 2).splitlines() == [
        "t",
        "cca    rate_bps",
        "reno   10000000",
        "fast  123456790",
        "in every row: queue = red",
    ]


def test_one_row_is_shown_as_it_is() -> None:
    columns = {"cca": np.array(["reno"]), "loss": np.array([0.00012345678])}
    assert format_table("t", columns, 1) == "t\ncca         loss\nreno  0.00012346"


def test_columns_without_room_are_named_and_rows_beyond_ten_counted() -> None:
    columns = {f"column_{n}": np.arange(12) + n for n in range(9)}
    lines = format_table("t", columns, 12).splitlines()
    assert lines[1] == "column_0  column_1  column_2  column_3"
    assert lines[2:12] == ["  ".join(f"{row + n:>8}" for n in range(4)) for row in range(10)]
    assert lines[12:] == [
        "and 2 more rows",
        "more columns: column_4, column_5,",
        "  column_6, column_7, column_8",
    ]
    assert all(len(line) <= 40 for line in lines)


def test_a_column_that_is_wider_than_the_room_is_shown_all_the_same() -> None:
    assert "x" * 60 in format_table("t", {"cca": np.array(["x" * 60])}, 1)


def test_an_empty_table_has_its_columns() -> None:
    columns = {"cca": np.array([], dtype=str), "loss": np.array([])}
    assert format_table("t", columns, 0) == "t\ncca  loss"
