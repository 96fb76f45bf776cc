"""Labels of tables are texts, and rows that an analysis leaves out are counted."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from headgate.cli.main import app
from headgate.figures.analysis import Frame, compute_main_effects
from headgate.figures.analysis.grid import compute_grid
from headgate.figures.analysis.notes import write_notes

SEEDS = [str(11400714819323198485 + k) for k in range(4)]


def write(path: Path, head: str, rows: list[tuple[object, ...]]) -> Path:
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def kernels(folder: Path) -> Path:
    """Goodput of three kernels, in which the name of one is a number's other spelling."""
    rows = product(zip(("6.1", "6.10", "6.6"), (90, 50, 70), strict=True), ("a", "b"), range(4))
    return write(
        folder / "kernels.csv",
        "kernel,buffer,goodput",
        [(kernel, buffer, mean + k / 10) for (kernel, mean), buffer, k in rows],
    )


def test_versions_that_are_equal_as_numbers_are_two_levels(tmp_path: Path) -> None:
    frame = Frame.of(kernels(tmp_path))
    levels = frame.levels("kernel")
    assert levels.names == ("6.1", "6.10", "6.6")
    assert levels.order == "alphabet"  # names, no quantities: neither is larger
    assert compute_main_effects(frame, ["kernel"], ["goodput"]).one("kernel", "goodput").p < 1e-20


def test_seeds_of_64_bits_stay_apart(tmp_path: Path) -> None:
    rows = [(cca, seed, k) for cca in ("a", "b") for k, seed in enumerate(SEEDS)]
    frame = Frame.of(write(tmp_path / "t.csv", "cca,seed,y", rows))
    assert [key for (key,) in frame.groups(["seed"])] == SEEDS
    frame.columns["condition"] = np.array(["one"] * len(rows))  # type: ignore[index]
    assert compute_grid(frame, ["y"], replicate="seed").runs.shape == (1, 2, 4, 1)
    typed = Frame.of({"seed": np.array(SEEDS, dtype=np.uint64), "y": [1.0] * 4})
    assert [key for (key,) in typed.groups(["seed"])] == SEEDS


def test_na_among_words_is_a_level_and_in_a_column_of_numbers_missing() -> None:
    words = Frame.of({"region": ["NA", "EU", "AS", ""], "y": [1, 2, 3, 4]})
    assert words.levels("region").names == ("AS", "EU", "NA")
    assert write_notes(words, ["region"], ["y"]) == [
        "region: 1 of 4 rows has no level; the main effects leave out this row.",
        "region: 'NA' is taken as a label; leave the cell empty if it is missing.",
    ]
    numbers = Frame.of({"x": ["NA", "1", "2", "n/a"], "y": [1, 2, 3, 4]})
    assert numbers.levels("x").names == ("1", "2")
    assert write_notes(numbers, ["x"], ["y"]) == [
        "x: 2 of 4 rows have no level; the main effects leave out these rows."
    ]


def test_rows_without_a_number_are_counted_by_response() -> None:
    frame = Frame.of({"x": ["a", "b"] * 2, "y": [1, "NA", "inf", 2], "z": [1, 2, 3, ""]})
    assert write_notes(frame, ["x"], ["y", "z"]) == [
        "Rows without a finite number are left out of the analyses of that response: y 2 of 4,"
        " z 1 of 4."
    ]
    assert write_notes(frame, ["x"], ["x"][:0]) == []


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (["low", "Low"], "'Low' and 'low'"),
        (["1", "1.0"], "'1' and '1.0'"),
        (["a b", "ab"], "'a b' and 'ab'"),
        (["+1", "-1"], None),
        (SEEDS, None),
    ],
)
def test_labels_that_differ_in_writing_only_are_named(labels: list[str], said: str | None) -> None:
    frame = Frame.of({"x": labels, "y": list(range(len(labels)))})
    wanted = (
        [f"x: {said} are different labels; write them alike if they are the same."] if said else []
    )
    assert write_notes(frame, ["x"], ["y"]) == wanted


def test_factors_that_mostly_change_together_are_named() -> None:
    """18, 2, 2 and 18 runs of four combinations: V is (18 18 - 2 2) / (20 20) = 0.8."""
    a = ["0"] * 20 + ["1"] * 20
    b = ["0"] * 18 + ["1"] * 2 + ["0"] * 2 + ["1"] * 18
    frame = Frame.of({"A": a, "B": b, "C": ["x", "y"] * 20, "y": list(range(40))})
    assert write_notes(frame, ["A", "B", "C"], ["y"]) == [
        "A and B mostly change together (Cramer's V 0.80; 2 to 18 runs of each combination of"
        " levels), so their effects are hard to separate."
    ]
    same = Frame.of({"A": a, "B": a, "y": list(range(40))})
    assert write_notes(same, ["A", "B"], ["y"]) == []  # the answer says that


def test_the_command_names_the_rows_it_leaves_out(tmp_path: Path) -> None:
    rows = [("a", 1), ("b", 2), ("a", 1.5), ("", 3), ("b", "NA"), ("b", 2.5)]
    file = write(tmp_path / "t.csv", "x,y", rows)
    asked = ["analyse", str(file), "--factors", "x", "--responses", "y"]
    done = CliRunner().invoke(app, asked, catch_exceptions=False)
    assert done.stdout.splitlines()[:2] == [
        "Note: x: 1 of 6 rows has no level; the main effects leave out this row.",
        "Note: Rows without a finite number are left out of the analyses of that response: y 1 of"
        " 6.",
    ]
    as_json = CliRunner().invoke(app, [*asked, "--json"], catch_exceptions=False)
    assert as_json.stdout.startswith("[")
    assert "Note: x: 1 of 6 rows" in as_json.stderr
    CliRunner().invoke(app, [*asked, "--out", str(tmp_path / "out")], catch_exceptions=False)
    page = (tmp_path / "out" / "report.html").read_text()
    assert "x: 1 of 6 rows has no level" in page


@pytest.mark.parametrize("names", [("run1", "run2"), ("Rep 1", "Rep 2"), ("seed_01", "seed_02")])
def test_replicates_in_columns_are_noticed(names: tuple[str, str]) -> None:
    """Each column by itself is one run per condition, so an effect may not be shown."""
    frame = Frame.of({"x": ["a", "b"] * 2, names[0]: [1, 2, 1.1, 2.2], names[1]: [1, 2.5, 1.2, 2]})
    (note,) = write_notes(frame, ["x"], names)
    assert note.startswith(f"{names[0]}, {names[1]} seem to be replicates of one response")
    assert "one row per run" in note


def test_numbered_responses_are_no_replicates() -> None:
    frame = Frame.of({"x": ["a", "b"] * 2, "y1": [1, 2, 1.1, 2.2], "y2": [1, 2.5, 1.2, 2]})
    assert not write_notes(frame, ["x"], ["y1", "y2"])
