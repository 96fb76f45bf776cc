"""`headgate design`: the files match the printed output, and other programs can read them."""

import contextlib
import csv
import json
import sys
from io import StringIO
from pathlib import Path
from unittest import mock

import numpy as np

from headgate.cli.main import main
from headgate.design import make_factorial
from headgate.design.factor import letter_factors, make_coded_factors
from headgate.design.generate import load_design

FIRST = Path(__file__).parents[2] / "examples" / "first.toml"
FACTORS = [
    "--factor=rate=network.rate:10 Mbit/s..1 Gbit/s (log)",
    "--factor=rtt=network.rtt:10 ms..100 ms",
    "--factor=cca=traffic.0.cca:reno..cubic",
]


def headgate(*arguments: object) -> str:
    out = StringIO()
    with (
        mock.patch.object(sys, "argv", ["headgate", *map(str, arguments)]),
        mock.patch.object(sys, "stdout", out),
        contextlib.suppress(SystemExit),
    ):
        main()
    return out.getvalue()


def test_show_reads_the_files_that_new_writes(tmp_path: Path) -> None:
    file = tmp_path / "d.toml"
    said = headgate("design", "new", file, "--scenario", FIRST, *FACTORS, "--runs", 4, "--json")
    new, shown = json.loads(said), json.loads(headgate("design", "show", file, "--json"))
    assert new["generating_words"] == shown["generating_words"] == ["rate rtt cca"]
    assert new["files"] == [str(file), str(file.with_suffix(".csv"))]
    rows = shown["sheet"]
    assert [row["run"] for row in rows] == [1, 2, 3, 4]
    assert {row["rate"] for row in rows} == {"10 Mbit/s", "1 Gbit/s"}
    scenarios = load_design(file).scenarios()
    for scenario, row in zip(scenarios, rows, strict=True):
        data = scenario.to_dict()
        assert data["network"]["rate"] == row["rate"]
        assert (data["traffic"][0].get("cca")) == row["cca"]


def test_the_csv_is_factor_names_and_signs(tmp_path: Path) -> None:
    file = tmp_path / "six.toml"
    headgate("design", "new", file, "--factors", 6, "--generators", "F=-ABCDE", "--replicates", 2)
    text = file.with_suffix(".csv").read_text()
    assert "# generating words, each I = -ABCDEF" in text
    rows = list(csv.DictReader(line for line in text.splitlines() if line[0] != "#"))
    assert list(rows[0]) == ["run", "standard", "replicate", *"ABCDEF"]
    assert len(rows) == 64
    design = make_factorial(make_coded_factors(letter_factors(6)), {"F": "-A B C D E"})
    for row in rows:
        coded = [int(row[name]) for name in "ABCDEF"]
        assert coded == design.matrix[int(row["standard"]) - 1].tolist()


def test_factors_keep_their_order_in_the_file(tmp_path: Path) -> None:
    """A short and a long table: their order decides which column each one has."""
    file = tmp_path / "d.toml"
    headgate("design", "new", file, *FACTORS)
    assert [f.name for f in load_design(file).design.factors] == ["rate", "rtt", "cca"]


def test_alias_lists_chains_and_draws_them(tmp_path: Path) -> None:
    said = json.loads(headgate("design", "alias", "2^(9-4)", "--out", tmp_path, "--json"))
    assert ["X1 X6", "X2 X7", "X3 X8", "X4 X9"] in said["chains"]
    assert said["clear_main_effects"] == [f"X{i}" for i in range(1, 10)]
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".png", ".svg"]
    assert "X1 X6 = X2 X7 = X3 X8 = X4 X9" in headgate("design", "alias", "2^(9-4)")


def test_show_says_what_the_deck_s_designs_are() -> None:
    said = headgate("design", "show", "2^(20-12)")
    assert "resolution IV" in said
    assert "4: 70, 6: 276, 8: 940, 10: 1432, 12: 1074, 14: 276, 16: 27" in said
    assert "20 of 20 main effects" in said
    assert "and 224 more runs: --all" in said
    assert len(headgate("design", "show", "2^(20-12)", "--all").splitlines()) == 5 + 1 + 256


def test_every_kind_can_be_written_and_shown(tmp_path: Path) -> None:
    for kind, extra in (
        ("plackett-burman", []),
        ("orthogonal-array", []),
        ("latin-hypercube", ["--runs", 10]),
        ("sobol", ["--runs", 8]),
    ):
        file = tmp_path / f"{kind}.toml"
        headgate("design", "new", file, *FACTORS[:2], "--kind", kind, *extra)
        shown = json.loads(headgate("design", "show", file, "--json"))
        assert shown["kind"] == kind
        assert len(shown["sheet"]) == shown["runs"] >= 4


def test_an_experiment_shows_itself_in_a_notebook() -> None:
    page = load_design("2^(3-1)")._repr_html_()
    assert page.count("<tr>") == 1 + 4
    assert "resolution III" in page


def test_foldover_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "d.toml"
    headgate("design", "new", file, "--factors", 7, "--runs", 8, "--foldover")
    made = load_design(file)
    assert (len(made.design), made.design.resolution) == (16, 4)
    assert np.array_equal(made.design.matrix[8:], -made.design.matrix[:8])


def test_power_says_how_many_replicates_show_an_effect() -> None:
    """2^(6-1), 2 of 5: by t with 10 degrees of freedom or those of all runs (by SciPy)."""
    said = headgate("design", "power", "2^(6-1)", "--effect", "2", "--deviation", "5")
    test, answer, head, *rows = said.splitlines()
    assert test.startswith('headgate experiment, kind = "two-level": t test by the residual')
    assert answer.startswith("8 replicates, 256 runs, show a main effect of 2 with a chance of 80")
    assert head.split() == ["replicates", "runs", "chance", "smallest", "effect"]
    assert [row.split()[:3] for row in rows[6:8]] == [["7", "224", "0.770"], ["8", "256", "0.822"]]
    assert rows[8].startswith("headgate analyse: t test by the residual of the model")
    assert rows[9].startswith("7 replicates, 224 runs, show a main effect of 2 with a chance of 80")
    assert [row.split()[2] for row in rows[16:18]] == ["0.787", "0.846"]
