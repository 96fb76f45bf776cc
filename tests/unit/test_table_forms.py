"""Tables in other formats, with repeated rows, or without such a factor."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

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
