"""Options of `headgate analyse`: none is ignored, and each names what it allows."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headgate.base.errors import AnalysisError
from headgate.cli.main import app
from headgate.cli.options import split_names

TABLE = "A,B,y\n" + "".join(f"{a},{b},{a + 3 * b + k}\n" for a in (0, 1) for b in (0, 1)
                           for k in (0, 0.25, 0.5))  # fmt: skip


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "t.csv"
    file.write_text(TABLE)
    return file


def refusal(*words: object) -> str:
    done = CliRunner().invoke(app, ["analyse", *map(str, words)])
    assert isinstance(done.exception, AnalysisError), done.output
    assert not done.stdout
    return str(done.exception)


OF_FACTORS = ["--factors", "--by", "--cca", "--condition", "--replicate", "--before"]


@pytest.mark.parametrize("option", [*OF_FACTORS, "--model"])
@pytest.mark.parametrize("report", [True, False])
def test_the_analysis_of_a_design_refuses_options_of_factors(
    option: str, report: bool, table: Path, tmp_path: Path
) -> None:
    value = "interactions" if option == "--model" else "nosuch"
    out = ["--out", tmp_path / "out"] * report
    said = refusal(table, "--design", "no.toml", "--responses", "y", option, value, *out)
    assert said.startswith(f"{option}: ")
    assert not (tmp_path / "out").exists()


def test_options_of_another_analysis_are_refused(table: Path) -> None:
    given = [table, "--factors", "A,B", "--responses", "y"]
    assert refusal(*given, "--lower", "y") == ("--lower: only the analysis of a --design uses it")
    for option in ("--condition", "--title", "--question"):
        said = f"{option}: only the report (--out) uses it"
        assert refusal(*given, option, "A") == said
        assert refusal(table, "--design", "d.toml", "--responses", "y", "--title", "A") == (
            "--title: only the report (--out) uses it"
        )


@pytest.mark.parametrize("option", ["--by", "--cca", "--replicate", "--condition"])
def test_an_unknown_column_is_refused(option: str, table: Path, tmp_path: Path) -> None:
    given = [table, "--factors", "A,B", "--responses", "y", "--out", tmp_path / "out"]
    assert "there is no column 'nosuch'" in refusal(*given, option, "nosuch")


def test_an_unknown_model_is_refused_with_the_known_ones(table: Path) -> None:
    words = ["analyse", str(table), "--factors", "A", "--responses", "y", "--model", "two-way"]
    command = [sys.executable, "-m", "headgate", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        "headgate: analyse: --model: 'two-way' is not one of 'interactions', 'main-effects',"
        " 'one-way'\n"
    )


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("A, B", ("A", "B")),
        ('"A,B", C', ("A,B", "C")),
        ('"5"" disk, new",y', ('5" disk, new', "y")),
        ('5" disk,y', ('5" disk', "y")),
        ("", ()),
        (" , ", ()),
    ],
)
def test_quotes_enclose_a_name_with_a_comma(text: str, names: tuple[str, ...]) -> None:
    assert split_names(text) == names


def test_a_column_with_a_comma_in_its_name_is_a_factor_and_a_response(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(TABLE.replace("A,B,y", '"A,1",B,"y,z"'))
    words = ["analyse", file, "--factors", '"A,1",B', "--responses", '"y,z"', "--json"]
    done = CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)
    rows = json.loads(done.stdout)
    assert [(row["factor"], row["response"]) for row in rows] == [("A,1", "y,z"), ("B", "y,z")]
    assert rows[1]["effect"] == pytest.approx(3.0)
