"""Finished runs packed into a few files: they are read back unchanged, in any pieces."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headgate import Scenario
from headgate.base.errors import StoreError
from headgate.base.process import here
from headgate.data.columns import Column
from headgate.data.parquet import read_columns
from headgate.data.tables import Table
from headgate.engine.api import Result
from headgate.lab.packed import PackedRuns


def make_runs(ccas: tuple[str, ...] = ("reno", "cubic"), **changes: Any) -> dict[str, Result]:
    plain = {
        "duration": "2 s",
        "network": {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "40 ms", "buffer": "0.5 BDP"},
        **changes,
    }
    scenarios = [
        Scenario.from_dict({**plain, "traffic": [{"kind": "flows", "cca": cca, "count": 2}]})
        for cca in ccas
    ]
    return {scenario.identity(): scenario.run() for scenario in scenarios}


def assert_same(found: Result | None, made: Result) -> None:
    assert found is not None
    assert found.meta == made.meta
    assert list(found.tables) == list(made.tables)
    for name, table in made.tables.items():
        assert found.tables[name].columns == table.columns
        for column in table:
            assert np.array_equal(
                found.tables[name][column], table[column], equal_nan=_is_float(table[column])
            ), (name, column)


def _is_float(column: Any) -> bool:
    return bool(column.dtype.kind == "f")


def test_runs_come_back_as_they_were(tmp_path: Path) -> None:
    made = make_runs()
    assert PackedRuns(tmp_path).add(made) == 2
    packed = PackedRuns(tmp_path)
    assert len(packed) == 2
    for identity, result in made.items():
        assert identity in packed
        assert_same(packed.read(identity), result)
    assert packed.read("0" * 64) is None


def test_pieces_are_added_and_never_changed(tmp_path: Path) -> None:
    first, second = make_runs(), make_runs(("cubic", "bbr"))
    PackedRuns(tmp_path).add(first)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.parquet")}
    packed = PackedRuns(tmp_path)
    assert packed.add(second) == 1  # cubic is there
    assert packed.add(second) == 0
    assert {path: path.read_bytes() for path in before} == before
    again = PackedRuns(tmp_path)
    for identity, result in (second | first).items():
        assert_same(again.read(identity), result)


def test_a_run_without_a_requested_column_is_added_again(tmp_path: Path) -> None:
    made = make_runs(("reno",))
    ((identity, whole),) = made.items()
    part = Result({"flows": whole.tables["flows"]}, dict(whole.meta))

    def has_ports(result: Result) -> bool:
        return "ports" in result.tables

    packed = PackedRuns(tmp_path)
    assert packed.add({identity: part}) == 1
    assert packed.read(identity, has_ports) is None
    assert packed.add(made) == 0
    assert packed.add(made, has_ports) == 1
    assert len(packed) == 1
    assert_same(PackedRuns(tmp_path).read(identity, has_ports), whole)


def test_pieces_take_the_place_of_others_if_they_are_small_enough(tmp_path: Path) -> None:
    packed = PackedRuns(tmp_path)
    packed.add(first := make_runs(("reno",)))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.parquet")}
    others = [make_runs(("cubic",)), make_runs(("bbr",))]

    def write_while_small() -> Iterator[dict[str, Result]]:
        yield others[0]
        pytest.fail("a part is made after the limit is exceeded")

    assert not packed.replace(write_while_small(), most_bytes=1)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.parquet")} == before
    assert not packed.replace([first, *others], most_bytes=1)
    assert set(tmp_path.rglob("*.parquet")) == set(before)
    assert packed.replace(others, most_bytes=10_000_000)
    assert not [identity for identity in first if identity in packed]
    for part in others:
        for identity, result in part.items():
            assert_same(packed.read(identity), result)


def test_tables_of_several_forms_are_stored_in_several_files(tmp_path: Path) -> None:
    made = make_runs() | make_runs(measure={"series": "none", "flows": "none"})
    PackedRuns(tmp_path).add(made)
    packed = PackedRuns(tmp_path)
    for identity, result in made.items():
        assert_same(packed.read(identity), result)


def columns_of(path: Path) -> set[str]:
    return set(read_columns(path))


def test_columns_that_follow_from_others_take_no_room_and_come_back(tmp_path: Path) -> None:
    made = make_runs()
    PackedRuns(tmp_path).add(made)
    (classes,) = tmp_path.rglob("classes.parquet")
    assert not {"mean_fct_s", "rate_packets_s", "mean_rtt_s"} & columns_of(classes)
    assert {"fct_sum_s", "timed", "cca", "period"} <= columns_of(classes)
    for identity, result in made.items():
        assert_same(PackedRuns(tmp_path).read(identity), result)


def test_a_column_that_differs_from_its_formula_is_stored(tmp_path: Path) -> None:
    ((identity, result),) = make_runs(("reno",)).items()
    classes = result.tables["classes"]
    other = np.nextafter(classes["mean_rtt_s"], np.inf)
    changed = Table("classes", {**{name: classes[name] for name in classes}, "mean_rtt_s": other})
    mine = Result({**result.tables, "classes": changed}, dict(result.meta))
    PackedRuns(tmp_path).add({identity: mine})
    (stored,) = tmp_path.rglob("classes.parquet")
    assert "mean_rtt_s" in columns_of(stored)
    assert_same(PackedRuns(tmp_path).read(identity), mine)


def test_a_column_left_out_is_formed_as_it_was_stored_not_as_it_is_today(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_runs(("reno",))
    PackedRuns(tmp_path).add(made)
    monkeypatch.setattr(Table, "about", lambda _, name: Column(name, "", "", "timed / timed"))
    assert_same(PackedRuns(tmp_path).read(next(iter(made))), next(iter(made.values())))


def test_pieces_that_leave_no_column_out_have_no_list_of_them(tmp_path: Path) -> None:
    ((identity, result),) = make_runs(("reno",)).items()
    plain = Result({"windows": result.tables["windows"].only(["count"])}, dict(result.meta))
    PackedRuns(tmp_path).add({identity: plain})
    assert not list(tmp_path.rglob("formed.parquet"))
    assert_same(PackedRuns(tmp_path).read(identity), plain)


def test_a_damaged_piece_is_refused(tmp_path: Path) -> None:
    made = make_runs(("reno",))
    PackedRuns(tmp_path).add(made)
    path = next(tmp_path.rglob("flows.parquet"))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(StoreError, match="is not as it was written; take it from elsewhere"):
        PackedRuns(tmp_path).read(next(iter(made)))


def test_an_invalid_piece_is_refused(tmp_path: Path) -> None:
    (tmp_path / "piece").mkdir()
    (tmp_path / "piece" / "runs.parquet").write_text("no Parquet")
    with pytest.raises(StoreError, match=r"runs\.parquet: cannot be read"):
        PackedRuns(tmp_path).read("0" * 64)


def test_a_draft_of_a_killed_process_is_removed(tmp_path: Path) -> None:
    left = tmp_path / here().replace(str(os.getpid()), "999999999")
    left = left.with_name(f".draft@{left.name}")
    left.mkdir()
    (left / "runs.parquet").write_text("half")
    assert len(PackedRuns(tmp_path)) == 0
    PackedRuns(tmp_path).add(make_runs(("reno",)))
    assert not left.exists()
    assert len(PackedRuns(tmp_path)) == 1
