"""Factors with too many levels for a mean at each: straight lines, and what they do not show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

from headgate.cli.main import app
from headgate.figures.analysis import compute_main_effects
from headgate.figures.analysis.effect_sentences import write_by_response, write_sentences
from headgate.figures.analysis.frame import Frame

#: Ten levels in 15 rows, two at the first and one at the last.
X = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 7, 8, 9])
NOISE = np.random.default_rng(1).normal(0, 0.3, len(X))
BENT = {"x": X, "y": (X - 4.5) ** 2 + NOISE}


def said(table: object, *factors: str, **choices: Any) -> str:
    return " ".join(write_sentences(compute_main_effects(table, factors, ["y"], **choices)))


def compute_f_over_levels() -> tuple[float, float]:
    found = stats.f_oneway(*(BENT["y"][x == X] for x in np.unique(X)))
    return float(found.statistic), float(found.pvalue)


def test_a_bend_that_no_line_shows_is_stated() -> None:
    assert compute_f_over_levels()[1] < 0.001
    assert said(BENT, "x") == (
        "No effect on y is shown of x along a straight line, but the means at its levels differ"
        " (p < 0.001)."
    )
    row = next(compute_main_effects(BENT, ["x"], ["y"]).rows())
    line = stats.linregress(X, BENT["y"])
    assert (row["straight_line"], row["df"], row["error_df"]) == (True, 1, 13)
    assert row["p"] == pytest.approx(line.pvalue)


def test_the_test_of_levels_leaves_out_what_other_factors_explain() -> None:
    """Without the shift of z the levels explain all but the noise; z is no part of the error."""
    z = np.array([0, 1] * 7 + [0])
    table = {"x": X, "z": z, "y": BENT["y"] + 1000 * z}
    assert "along a straight line, but the means at its levels differ" in said(table, "x", "z")
    assert next(compute_main_effects(table, ["x"], ["y"]).rows())["p_one_way"] > 0.5


def test_a_line_without_a_bend_and_noise_are_denied_as_a_line() -> None:
    noise = np.random.default_rng(6).normal(size=len(X))
    assert said({"x": X, "y": noise}, "x") == "No effect on y is shown of x along a straight line."
    once = {"x": np.arange(12) ** 2, "y": noise[:12]}
    assert said(once, "x") == "No effect on y is shown of x along a straight line."
    many = {"x": X} | {f"y{k}": np.random.default_rng(k).normal(size=len(X)) for k in range(5)}
    found = compute_main_effects(many, ["x"], [f"y{k}" for k in range(5)])
    assert list(write_sentences(found)) == [
        "No effect on any of 5 responses is shown of x along a straight line."
    ]


def test_a_sample_of_points_is_not_tested_by_its_levels() -> None:
    """Each level occurs at one point, so an F test of levels compares points."""
    rng = np.random.default_rng(3)
    points = np.repeat(rng.random((9, 2)), 3, axis=0)
    table = {
        "a": points[:, 0],
        "b": points[:, 1],
        "y": 9 * points[:, 0] + 0.01 * rng.normal(size=27),
    }
    found = compute_main_effects(table, ["a", "b"], ["y"])
    assert found.tested("b", "y").is_line
    assert found.one("b", "y").p < 1e-6
    assert np.isnan(found.p[(), ("b", "b"), "y"])
    assert "No effect on y is shown of b along a straight line." in said(table, "a", "b")


def test_one_way_compares_the_means_at_all_levels() -> None:
    """The degrees of freedom, F, means and numbers of runs are those of the levels."""
    f, p = compute_f_over_levels()
    found = compute_main_effects(BENT, ["x"], ["y"], method="one-way")
    row, effect = next(found.rows()), found.tested("x", "y")
    assert (row["df"], row["error_df"], row["straight_line"]) == (9, 5, False)
    assert (row["f"], row["p"]) == (pytest.approx(f), pytest.approx(p))
    assert [one.runs for one in effect.levels] == np.bincount(X).tolist()
    means = [BENT["y"][x == X].mean() for x in range(10)]
    assert [one.mean for one in effect.levels] == pytest.approx(means)
    assert "highest with 0 (20.43) or 9" in said(BENT, "x", method="one-way")


def test_one_way_states_that_a_factor_without_replicates_cannot_be_tested() -> None:
    table = {"x": np.arange(12) ** 2, "z": [0, 1] * 6, "y": NOISE[:12]}
    assert said(table, "x", "z", method="one-way") == (
        "No effect on y is shown of z. The effect of x on y cannot be tested: each run is at"
        " another level."
    )


def test_the_ends_of_a_line_count_their_own_runs() -> None:
    found = compute_main_effects(BENT, ["x"], ["y"])
    line = stats.linregress(X, BENT["y"])
    low, high = found.tested("x", "y").levels
    assert [(one.level, one.runs) for one in (low, high)] == [("0", 2), ("9", 1)]
    assert [low.mean, high.mean] == pytest.approx([line.intercept, line.intercept + 9 * line.slope])


def test_a_given_order_does_not_turn_a_line() -> None:
    table = {"x": X, "y": 2.0 * X + NOISE}
    frame = Frame.of(table).with_order({"x": [str(x) for x in range(9, -1, -1)]})
    found = compute_main_effects(frame, ["x"], ["y"])
    (sentence,) = write_sentences(found)
    assert sentence.startswith("y rises with x, by 17")
    assert "from 0 to 9 along a straight line" in sentence


def test_the_command_names_a_line_in_all_it_prints(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    y = 2.0 * X + NOISE
    file.write_text("x,y\n" + "".join(f"{a},{b}\n" for a, b in zip(X, y, strict=True)))
    words = ["analyse", str(file), "--factors", "x", "--responses", "y"]
    printed = CliRunner().invoke(app, words, catch_exceptions=False).stdout
    assert "ends of the straight line of y by x: 0: " in printed
    assert "mean y by x" not in printed
    (row,) = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert (row["straight_line"], row["df"], len(row["levels"])) == (True, 1, 2)
    assert row["answer"] == write_by_response(compute_main_effects(file, ["x"], ["y"]))["y"]
