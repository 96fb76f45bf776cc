"""Tables in other formats, with repeated rows, or without such a factor."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import duckdb
import numpy as np
import pytest
from typer.testing import CliRunner

from headgate.base.errors import AnalysisError, HeadgateError
from headgate.cli.main import app
from headgate.design.external import is_balanced, make_orthogonal_array
from headgate.design.file import DesignFile
from headgate.design.generate import make_design
from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.notes import write_notes
from headgate.figures.analysis.read import TextForm
from headgate.figures.report.about import read as read_about

from .test_design_kinds import leveled

EUROPEAN = "größe;zone;y\n0,5;a;1,25\n1,5;a;2,5\n0,5;b;keine\n1,5;b;4,75\n"


def test_decimal_commas_missing_words_and_encodings_are_read(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes(EUROPEAN.encode("cp1252"))
    frame = Frame.of(file, TextForm(",", ("keine",), "cp1252"))
    assert frame.numbers("y").tolist()[:2] == [1.25, 2.5]
    assert np.isnan(frame.numbers("y")[2])
    assert frame.levels("größe").names == ("0.5", "1.5")
    assert frame.levels("größe").order == "size"


def test_a_comma_parts_no_cells_where_it_is_the_decimal_mark(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("x;y\n1,5;2\n")
    assert list(Frame.of(file, TextForm(",")).columns) == ["x", "y"]
    assert list(Frame.of(file).columns) == ["x", "y"]  # more semicolons than commas in the head


def test_the_report_of_such_a_table_reads_the_same(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    rows = [(a, b, 1.5 * (a == "0,5") + k) for a, b, k in product(("0,5", "1,5"), "pq", (0, 0.25))]
    body = "".join(f"{a};{b};{str(y).replace('.', ',')}\n" for a, b, y in rows)
    file.write_bytes(("größe;zone;y\n" + body).encode("cp1252"))
    form = ("--decimal", ",", "--encoding", "cp1252")
    given = ["analyse", str(file), "--factors", "größe,zone", "--responses", "y", *form, "--json"]
    done = CliRunner().invoke(app, given, catch_exceptions=False)
    (row,) = (r for r in json.loads(done.stdout) if r["factor"] == "größe")
    assert (row["low"], row["high"], row["effect"]) == ("0.5", "1.5", pytest.approx(-1.5))


def test_a_report_reads_its_table_again_in_the_same_form(tmp_path: Path) -> None:
    """The folder contains the file as it was; `report.toml` describes its form."""
    file, out = tmp_path / "t.csv", tmp_path / "out"
    rows = "1;1,5\n2;2\n1;1,25\n2;fehlt\n1;1\n2;2,5\n"
    file.write_bytes(("größe;y\n" + rows).encode("cp1252"))
    form = ("--decimal", ",", "--encoding", "cp1252", "--missing", "fehlt")
    given = ["analyse", str(file), "--factors", "größe", "--responses", "y", *form]
    CliRunner().invoke(app, [*given, "--out", str(out)], catch_exceptions=False)
    assert (out / "t.csv").read_bytes() == file.read_bytes()
    about = read_about(out)
    assert (about.decimal, about.missing, about.encoding) == (",", ("fehlt",), "cp1252")
    found = about.read_table(out).numbers("y")
    np.testing.assert_equal(found, [1.5, 2, 1.25, np.nan, 1, 2.5])
    (out / "report.html").unlink()
    done = CliRunner().invoke(app, ["report", str(out)], catch_exceptions=False)
    assert done.exit_code == 0
    assert (out / "report.html").is_file()


def test_parquet_has_no_form_of_text(tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    duckdb.sql(f"COPY (SELECT 1 AS x, 2 AS y) TO '{file}'")
    with pytest.raises(AnalysisError, match="leave out decimal, missing and encoding"):
        Frame.of(file, TextForm(","))


@pytest.mark.parametrize(
    ("cell", "decimal", "said"),
    [
        ("1_0", ".", r"'1_0' is no number \(line 2\)"),
        ("1_0", ",", r"'1_0' is no number \(line 2\)"),
        ("1.000", ",", r"'1.000' is no number; with --decimal ',' a number contains no point"),
        ("1.000,5", ",", "'1.000,5' is no number; with --decimal ','"),
        ("1,5", ".", "'1,5' is no number; decimals follow a point"),
    ],
)
def test_only_the_decimal_mark_separates_digits(
    cell: str, decimal: str, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "t.csv"
    file.write_text(f"x;y\na;{cell}\nb;2\n")
    with pytest.raises(AnalysisError, match=said):
        Frame.of(file, TextForm(decimal)).numbers("y")


def test_typed_numbers_have_no_decimal_mark() -> None:
    assert Frame.of({"y": [np.float32(1.5), 2, "3.5"]}).numbers("y").tolist() == [1.5, 2, 3.5]


def test_labels_of_the_same_size_in_other_units_are_noted() -> None:
    frame = Frame.of({"rtt": ["10 ms", "0.01 s", "20 ms"], "y": [1.0, 2.0, 3.0]})
    assert write_notes(frame, ["rtt"], ["y"])[0] == (
        "rtt: '0.01 s' and '10 ms' are different labels; write them alike if they are the same."
    )
    other = Frame.of({"rtt": ["10 ms", "10 s", "20 ms"], "y": [1.0, 2.0, 3.0]})
    assert write_notes(other, ["rtt"], ["y"]) == []


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"decimal": ";"}, "decimal: ';' is neither '.' nor ','"),
        ({"encoding": "klingon"}, "encoding: 'klingon' is not known"),
    ],
)
def test_forms_that_there_are_none_are_refused(form: dict[str, str], said: str) -> None:
    with pytest.raises(AnalysisError, match=said):
        TextForm(**form)  # type: ignore[arg-type]


def test_a_cell_that_is_no_number_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("# made by hand\nx,y\n1,2\n\n2,#DIV/0!\n")
    with pytest.raises(AnalysisError, match=r"'#DIV/0!' is no number \(line 5\)"):
        Frame.of(file).numbers("y")
    with pytest.raises(AnalysisError, match=r"'#DIV/0!' is no number \(row 2\)"):
        Frame.of({"y": ["1", "#DIV/0!"]}).numbers("y")
    kept = Frame.of(file).only(np.array([1]))
    with pytest.raises(AnalysisError, match=r"\(line 5\)"):
        kept.numbers("y")


def test_a_column_that_numbers_the_rows_is_no_factor() -> None:
    runs = {"run": [str(i) for i in range(1, 201)], "y": np.arange(200.0)}
    with pytest.raises(AnalysisError, match="run has another level in each of 200 rows"):
        Frame.of(runs).levels("run")
    named = {"id": [f"r{i}" for i in range(12)], "y": np.arange(12.0)}
    with pytest.raises(AnalysisError, match="it names the rows"):
        Frame.of(named).levels("id")
    sampled = {"load": np.linspace(0.1, 0.9, 16), "y": np.arange(16.0)}
    assert len(Frame.of(sampled).levels("load").names) == 16


def test_copies_and_replicates_without_chance_are_noted() -> None:
    def noted(**columns: object) -> str:
        return " ".join(write_notes(Frame.of(columns), ["x"], ["y"]))

    assert "1 of 4 rows is a copy" in noted(x=["a", "b", "a", "b"], y=[1.0, 2.0, 1.0, 2.5])
    alike = noted(x=["a", "b"] * 2, seed=[1, 1, 2, 2], y=[1.0, 2.0, 1.0, 2.0])
    assert "The replicates of every condition have the same numbers" in alike
    assert "copy" not in alike
    assert not noted(x=["a", "b"] * 2, seed=[1, 1, 2, 2], y=[1.0, 2.0, 1.1, 2.0])
    assert not noted(x=["a", "b"], y=[1.0, 2.0])
    assert not noted(x=["a", "b"] * 8, y=[0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0, 0, 1, 0])
    lacking = noted(x=["a"] * 4 + ["b"] * 4, y=[1.0, 2.0, None, None, 3.0, 4.0, None, None])
    assert "copies" not in lacking


def make_fraction(**keys: object) -> np.ndarray:
    factors = {name: {"low": -1, "high": 1} for name in "ABCDE"}
    return make_design(
        DesignFile.from_dict({"factors": factors, "in_order": True, **keys})
    ).design.matrix


def test_a_foldover_that_repeats_its_runs_is_refused() -> None:
    even = {"generators": {"E": "A B C"}}  # I = A B C E: resolution IV
    with pytest.raises(HeadgateError, match="repeats the same 16 runs, since every defining word"):
        make_fraction(**even, foldover=True)
    with pytest.raises(HeadgateError, match="on A, B repeats the same 16 runs"):
        make_fraction(**even, foldover=["A", "B"])
    with pytest.raises(HeadgateError, match="since the design is full; ask for replicates"):
        make_fraction(foldover=True)
    for keys in ({**even, "foldover": ["A"]}, {"generators": {"E": "A B C D"}, "foldover": True}):
        matrix = make_fraction(**keys)
        assert len(np.unique(matrix, axis=0)) == len(matrix) == 32


def test_l18_is_taguchis() -> None:
    """One column of two levels and seven of three, every pair balanced (Phadke 1989)."""
    design, title = make_orthogonal_array(leveled(2, 3, 3, 3, 3, 3, 3, 3), "L18")
    assert title == "L18(2^1 3^7)"
    assert design.matrix.shape == (18, 8)
    assert [len(np.unique(column)) for column in design.matrix.T] == [2, *[3] * 7]
    assert is_balanced(np.round(design.matrix * 2 + 2).astype(np.int64))
    assert len(np.unique(design.matrix, axis=0)) == 18
    six, title = make_orthogonal_array(leveled(6, 3), "L18")
    assert title == "L18(3^6 6^1)"
    assert len(six) == 18
