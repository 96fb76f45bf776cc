"""Tables in memory: masked cells, times, ordered categories, and objects that are no table."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas
import polars
import pytest
from scipy import stats

from headgate.base.errors import AnalysisError
from headgate.figures.analysis import (
    compute_bars,
    compute_biplots,
    compute_condition_responses,
    compute_correlations,
    compute_grid,
    compute_main_effects,
    compute_ranks,
    compute_ten_steps,
)
from headgate.figures.analysis.frame import Frame
from headgate.stats import (
    compare_groups,
    compute_change,
    compute_difference_interval,
    compute_main_effect,
    compute_mean_interval,
)

BEFORE, AFTER = [10.1, 9.8, 10.3, 9.9], [15.2, 14.9, 15.1, 15.4]
Columns = dict[str, Any]


def masked(values: list[Any], *hidden: int) -> np.ma.MaskedArray[Any, Any]:
    """Return values under a mask; the hidden ones are far from the others."""
    return np.ma.masked_array(values, [place in hidden for place in range(len(values))])


def one(table: object, factor: str = "cca", response: str = "t", **choices: Any) -> dict[str, Any]:
    (row,) = compute_main_effects(table, [factor], [response], **choices).rows()
    return row


def test_nulls_of_a_database_are_missing_cells() -> None:
    """F of two groups is the square of t of the known values."""
    known = duckdb.sql(
        "SELECT * FROM (VALUES ('reno', 10.1), ('reno', NULL), ('reno', 9.8), ('fast', 15.2),"
        " ('fast', 14.9), (NULL, 900.0)) AS runs(cca, t)"
    )
    assert known is not None
    t = stats.ttest_ind([10.1, 9.8], [15.2, 14.9]).statistic
    for table in (known, known.fetchnumpy()):
        row = one(table)
        assert (row["runs"], row["left_out"]) == (4, 2)
        assert row["f"] == pytest.approx(t**2)


@pytest.mark.parametrize("dtype", [float, int, object])
def test_masked_responses_are_missing_in_every_type(dtype: type) -> None:
    values: Any = masked([1, 2, 3, 4, 10**6, 10**6], 4, 5).astype(dtype)
    table = {"cca": list("ababab"), "t": values}
    assert one(table)["effect"] == pytest.approx(1.0)


def test_masked_labels_are_missing_levels() -> None:
    table = {"cca": masked(["a", "b", "a", "b", "c"], 4), "t": [1.0, 2.0, 1.1, 2.1, 900.0]}
    found = compute_main_effects(table, ["cca"], ["t"])
    assert found.table.levels["cca"].names == ("a", "b")
    times = np.array(["2026-01-01", "2026-01-02", "2026-01-03"], "datetime64[ns]")
    labels = Frame.of({"day": np.ma.masked_array(times, [False, False, True])}).labels("day")
    assert labels == [*Frame.of({"day": times}).labels("day")[:2], ""]


def grid_table(y: Any) -> Columns:
    return {
        "condition": ["c", "c", "c", "d", "d", "d", "e", "e", "e"],
        "cca": ["p", "q", "r"] * 3,
        "y": y,
        "z": [1.0, 2.0, 4.0, 2.0, 3.5, 1.0, 5.0, 6.0, 7.0],
    }


ENTRIES: dict[str, Any] = {
    "grid": lambda table: compute_grid(table, ["y"]).of("y"),
    "responses": lambda table: sorted(map(str, compute_condition_responses(table, ["y"]).rows())),
    "correlations": lambda table: compute_correlations(table, ["y", "z"]).r,
    "ranks": lambda table: list(compute_ranks(table, ["y"]).rows()),
    "bars": lambda table: list(map(str, compute_bars(table, "y", "z", 20.0).rows())),
    "biplots": lambda table: list(map(str, compute_biplots(table, "y", "z").rows())),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_analysis_takes_a_mask_for_a_missing_cell(entry: str) -> None:
    values = [3.0, 4.0, 5.0, 2.0, 9.0, 1.0, 7.0, 8.0, 1e6]
    hidden = ENTRIES[entry](grid_table(masked(values, 8)))
    empty = ENTRIES[entry](grid_table([*values[:-1], None]))
    np.testing.assert_equal(hidden, empty)


def test_the_ten_steps_take_a_mask_for_a_missing_cell() -> None:
    table = {"A": [0, 1] * 4 + [0], "B": [0, 0, 1, 1] * 2 + [1], "y": [*range(8), 1e6]}
    steps = compute_ten_steps(table | {"y": masked(table["y"], 8)}, ["A", "B"], "y")
    assert steps.ordered.tolist() == list(range(8))


def test_statistics_take_a_mask_for_a_missing_value() -> None:
    hidden = masked([*BEFORE, 1e6], 4)
    assert compute_mean_interval(hidden) == compute_mean_interval(BEFORE)
    assert compute_difference_interval(hidden, AFTER) == compute_difference_interval(BEFORE, AFTER)
    assert np.isnan(compute_change(hidden, [*AFTER, 1.0]).share)
    codes = [-1, 1, -1, 1, 1]
    assert compute_main_effect("A", codes, hidden) == compute_main_effect("A", codes[:4], BEFORE)
    with pytest.raises(AnalysisError, match="finite numbers"):
        compare_groups({"a": hidden, "b": AFTER})


TIMES = np.array([1, 2, 1, 2], "timedelta64[s]")


@pytest.mark.parametrize(
    "column",
    [
        *(TIMES.astype(f"timedelta64[{unit}]") for unit in ("ns", "us", "ms", "s")),
        *((np.datetime64("2026-01-01") + TIMES).astype(f"datetime64[{u}]") for u in ("ns", "s")),
        np.ma.masked_array(TIMES.astype("timedelta64[ns]"), [False, True, False, False]),
        pandas.Series(TIMES.astype("timedelta64[ns]")),
        pandas.Series(TIMES.astype("timedelta64[ns]")).astype(object),
        polars.Series(TIMES.astype("timedelta64[us]")),
    ],
)
def test_a_response_of_times_is_refused_in_every_unit_and_library(column: Any) -> None:
    with pytest.raises(AnalysisError, match=r"t is a response, but '.*' is no number; give times"):
        one({"cca": ["a", "b"] * 2, "t": column})


def test_the_order_of_categories_is_that_of_the_levels() -> None:
    """Without it, `big` is first by the alphabet, and the effect gets no sign."""
    sizes = pandas.Categorical(["mid", "little", "big"] * 4, ["little", "mid", "big"], ordered=True)
    y = [2.0, 1.0, 3.0, 2.1, 1.1, 3.1, 1.9, 0.9, 2.9, 2.0, 1.0, 3.0]
    table = pandas.DataFrame({"size": sizes, "y": y})
    found = compute_main_effects(table, ["size"], ["y"])
    assert found.levels() == ["size: low is little, then mid, high is big"]
    effect = found.tested("size", "y")
    assert effect.sign == "+"
    assert effect.effect.value == pytest.approx(2.0)
    ordered = Frame.of(table).with_order({"size": ["big", "mid", "little"]}).levels("size")
    assert (ordered.names, ordered.order) == (("big", "mid", "little"), "given")
    plain = table.assign(size=table["size"].cat.as_unordered())
    assert compute_main_effects(plain, ["size"], ["y"]).tested("size", "y").sign == ""


@pytest.mark.parametrize(
    ("source", "got"),
    [
        (None, "None"),
        (np.zeros((4, 2)), "a ndarray"),
        ([{"cca": "a", "t": 1.0}], "a list"),
        (3.5, "a float"),
        (iter(()), "a tuple_iterator"),
    ],
)
def test_an_object_that_is_no_table_is_refused_with_what_is_allowed(
    source: object, got: str
) -> None:
    says = f"^a table is a CSV or Parquet file, a data frame, or a mapping .*; got {got}$"
    with pytest.raises(AnalysisError, match=says):
        one(source)


def test_a_column_called_name_does_not_name_the_table() -> None:
    with pytest.raises(AnalysisError, match=r"^table: there is no column 'z'"):
        one(pandas.DataFrame({"name": ["a", "b"], "t": [1.0, 2.0]}), "z")


@pytest.mark.parametrize("method", ["two-way", "", "One-Way"])
def test_an_unknown_method_is_refused_with_what_is_allowed(method: str) -> None:
    says = f"^method: {method!r} is none of interactions, main-effects, one-way$"
    with pytest.raises(AnalysisError, match=says):
        one({"cca": ["a", "b"] * 2, "t": [1.0, 2.0, 1.1, 2.1]}, method=method)


@pytest.mark.parametrize(
    ("coded", "said"),
    [
        ([0, 1, 0, 1], r"from -1 \(low\) to \+1 \(high\); got 0, 1$"),
        ([-1, 2, -1, 2], "got -1, 2$"),
        ([-1, -1, -1, -1], "got -1$"),
        ([np.nan] * 4, "got none$"),
        ([-1, 1, -1], r"^A: levels of the shape \(3,\) and responses of the shape \(4,\)"),
    ],
)
def test_other_codes_of_levels_are_refused(coded: list[float], said: str) -> None:
    with pytest.raises(AnalysisError, match=said):
        compute_main_effect("A", coded, [1.0, 2.0, 1.1, 2.2])


def test_pairs_without_a_partner_are_refused() -> None:
    with pytest.raises(AnalysisError, match="the same number of values on both sides; got 4 and 3"):
        compute_change(BEFORE, AFTER[:3])
