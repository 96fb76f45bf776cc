"""Limits of a table: interactions that were not run, or that equal each other, and more."""

import re
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from typer.testing import CliRunner

from headgate.base.errors import AnalysisError
from headgate.cli.main import app
from headgate.figures.analysis import compute_main_effects
from headgate.figures.analysis.effect_sentences import write_sentences
from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.notes import write_notes

Numbers = NDArray[np.float64]


def said(table: object, *factors: str, of: tuple[str, ...] = ("y",), **choices: Any) -> str:
    return " ".join(write_sentences(compute_main_effects(table, factors, of, **choices)))


def compare_models(y: Numbers, small: list[Numbers], large: list[Numbers]) -> float:
    """Return the p of the columns that a model adds to another, by least squares."""

    def fit(columns: list[Numbers]) -> tuple[float, int]:
        matrix = np.column_stack([np.ones(len(y)), *columns])
        left = y - matrix @ np.linalg.lstsq(matrix, y, rcond=None)[0]
        return float(left @ left), int(np.linalg.matrix_rank(matrix))

    (rest, rank), (error, full) = fit(small), fit(large)
    free = len(y) - full
    return float(stats.f.sf((rest - error) / (full - rank) / (error / free), full - rank, free))


def dummies(labels: NDArray[np.str_]) -> list[Numbers]:
    return [(labels == one).astype(float) for one in np.unique(labels)[1:]]


def test_a_missing_combination_does_not_hide_an_interaction() -> None:
    """With red, quic adds 20; with green, nothing; blue was never run with quic."""
    rng = np.random.default_rng(1)
    cells = [(a, b) for a in ("red", "green", "blue") for b in ("tcp", "quic")]
    cells.remove(("blue", "quic"))
    a, b = np.array([cell for cell in cells for _ in range(5)]).T
    y = 20.0 * ((a == "red") & (b == "quic")) + rng.normal(0, 1, len(a))
    table = {"A": a, "B": b, "y": y}
    found = compute_main_effects(table, ["A", "B"], ["y"])
    (pair,) = found.interactions("y")
    mains = [*dummies(a), *dummies(b)]
    products = [one * other for one in dummies(a) for other in dummies(b)]
    assert pair.freedom == 1
    assert pair.p == pytest.approx(compare_models(y, mains, mains + products))
    answer = said(table, "A", "B")
    assert "The effect of A on y depends on B: with B quic, +" in answer
    assert answer.endswith(
        "A blue was not run with B quic, so whether their effects depend on each other is tested"
        " only in part."
    )


def test_an_interaction_that_no_run_shows_takes_the_intervals_away() -> None:
    rng = np.random.default_rng(2)
    a, b = np.array([("x", "p"), ("x", "q"), ("z", "p")] * 6).T
    answer = said({"A": a, "B": b, "y": 9.0 * (a == "z") + rng.normal(size=18)}, "A", "B")
    assert answer.startswith("y is ")
    assert "(" not in answer.partition(".")[0]
    assert answer.endswith(
        "A z was not run with B q, so no test shows whether their effects depend on each other; the"
        " means presume that they do not, and get no intervals."
    )


#: Half of all combinations of four factors, I = ABCD, with two replicates.
HALF = np.array([row for row in product((-1.0, 1.0), repeat=4) if np.prod(row) > 0] * 2)
NAMES = "ABCD"


def make_half(effect: Numbers, seed: int) -> dict[str, Numbers]:
    noise = np.random.default_rng(seed).normal(size=len(HALF))
    return dict(zip(NAMES, HALF.T, strict=True)) | {"y": effect + noise}


def test_interactions_that_are_equal_are_tested_together() -> None:
    table = make_half(10 * HALF[:, 0] * HALF[:, 1], 3)
    found = compute_main_effects(table, list(NAMES), ["y"])
    assert not found.interactions("y")
    groups = {one.names: one for one in found.aliased("y")}
    assert set(groups) == {
        ("A x B", "C x D"), ("A x C", "B x D"), ("A x D", "B x C"),
    }  # fmt: skip
    mains = list(HALF.T)
    pairs = [HALF[:, i] * HALF[:, j] for i, j in combinations(range(4), 2)]
    others = [HALF[:, 0] * HALF[:, 2], HALF[:, 0] * HALF[:, 3]]
    expected = compare_models(table["y"], mains + others, mains + pairs)
    assert groups["A x B", "C x D"].p == pytest.approx(expected)
    assert said(table, *NAMES) == (
        "y depends on the interaction A x B or C x D, which this table cannot separate."
    )
    many = table | {f"y{k}": table["y"] for k in range(5)}
    assert said(many, *NAMES, of=tuple(f"y{k}" for k in range(5))).endswith(
        "Some responses depend on the interaction A x B or C x D, which this table cannot separate."
    )


def test_equal_interactions_of_noise_are_rarely_named() -> None:
    named = sum(
        "interaction" in said(make_half(np.zeros(len(HALF)), seed), *NAMES) for seed in range(100)
    )
    assert named <= 12  # of 100 tables, 5 expected of all tests together


def test_factors_that_change_together_share_the_blame_for_an_interaction() -> None:
    a, c = np.array(list(product((0, 1), repeat=2)) * 6).T
    y = 10.0 * a * c + np.random.default_rng(4).normal(size=len(a))
    answer = said({"A": a, "B": a, "C": c, "y": y}, "A", "B", "C")
    assert "The effect of A or B on y depends on C" in answer
    assert "on average over the levels of A or B" in answer


def test_three_factors_that_act_together_are_noticed() -> None:
    a, b, c = np.array(list(product((-1, 1), repeat=3)) * 4).T
    noise = np.random.default_rng(5).normal(size=len(a))
    answer = said({"A": a, "B": b, "C": c, "y": 10.0 * a * b * c + noise}, "A", "B", "C")
    assert "differ from the model of y (p < 0.001)" in answer
    assert "as if three factors act together" in answer
    assert "differ" not in said({"A": a, "B": b, "C": c, "y": 10.0 * a * b + noise}, "A", "B", "C")
    additive = said({"A": a, "B": b, "C": c, "y": 10.0 * a * b + noise}, "A", "B", "C",
                    method="main-effects")  # fmt: skip
    assert "as if factors interact" in additive


@pytest.mark.parametrize(("few", "many", "wide"), [(5, 1, "few"), (1, 5, "many")])
def test_unequal_variation_is_noticed(few: int, many: int, wide: str) -> None:
    rng = np.random.default_rng(6)
    y = np.concatenate([rng.normal(0, few, 12), rng.normal(0, many, 40)])
    answer = said({"A": np.repeat(["few", "many"], [12, 40]), "y": y}, "A")
    narrow = "many" if wide == "few" else "few"
    found = re.search(rf"Runs with A {wide} vary (\S+) times as much as .* A {narrow}: the", answer)
    assert found
    assert 3 < float(found[1]) < 8
    assert "the tests and intervals of y use the variation of each level's runs." in answer


def test_a_level_without_variation_is_named() -> None:
    y = np.concatenate([np.zeros(8), np.random.default_rng(3).normal(2, 1, 8)])
    answer = said({"A": np.repeat(["calm", "busy"], 8), "y": y}, "A")
    assert "Runs with A busy vary, and those with A calm do not: the tests" in answer


def test_equal_variation_is_rarely_doubted() -> None:
    rng = np.random.default_rng(7)
    labels = np.repeat(["few", "many"], [6, 40])
    doubted = sum("vary" in said({"A": labels, "y": rng.normal(size=46)}, "A") for _ in range(200))
    assert doubted <= 18  # at 5 %, 10 expected


def test_many_responses_keep_the_limits_of_each() -> None:
    rng = np.random.default_rng(8)
    x = np.arange(12.0)
    bent = (x - 5.5) ** 2
    table: dict[str, Any] = {"x": np.repeat(x, 2)[:23]}
    table |= {f"y{k}": rng.normal(size=23) for k in range(4)}
    table["y4"] = np.repeat(bent, 2)[:23] + rng.normal(0, 0.1, 23)
    answer = said(table, "x", of=tuple(f"y{k}" for k in range(5)), method="interactions")
    assert "means of y4 at its levels differ" in answer or "x acts on 1 of 5 responses" in answer
    outlier = {"A": np.tile([0, 1], 20)} | {f"y{k}": rng.normal(size=40) for k in range(5)}
    outlier["y2"][3] = 99
    assert "For 1 of 5 responses (y2) one run is an outlier" in said(
        outlier, "A", of=tuple(f"y{k}" for k in range(5))
    )


def test_rows_of_one_run_are_no_independent_runs() -> None:
    """Six runs with 50 samples each, three of each algorithm."""
    run = np.repeat(np.arange(6), 50)
    table = {"run": run, "algo": np.array(["x", "y"])[run % 2], "y": np.arange(300.0)}
    with pytest.raises(AnalysisError, match="several rows share a label of run"):
        said(table, "algo", replicate="run")
    alone = {"run": np.arange(6), "algo": ["x", "y"] * 3, "y": [1.0, 5, 2, 6, 3, 7]}
    assert "y is 4" in said(alone, "algo", replicate="run")


def test_rows_without_a_replicate_are_compared_with_no_other() -> None:
    rng = np.random.default_rng(9)
    seeds = np.repeat(np.arange(8), 2)
    paired = {
        "seed": [*map(str, seeds), *[""] * 12],
        "algo": np.array(["x", "y"])[np.arange(28) % 2],
        "y": np.concatenate([20.0 * seeds + 2.0 * (np.arange(16) % 2) + rng.normal(0, 0.2, 16),
                             rng.normal(0, 20, 12)]),
    }  # fmt: skip
    found = compute_main_effects(paired, ["algo"], ["y"], replicate="seed").tested("algo", "y")
    whole = {name: column[:16] for name, column in paired.items()}
    alone = compute_main_effects(whole, ["algo"], ["y"], replicate="seed").tested("algo", "y")
    assert (found.p, found.error_freedom) == (pytest.approx(alone.p), alone.error_freedom)
    frame = Frame.of(paired)
    assert "seed: 12 of 28 rows lack a label; they are compared with no other run." in write_notes(
        frame, ["algo"], ["y"], replicate="seed"
    )


def test_columns_with_one_short_name_are_told_apart() -> None:
    rng = np.random.default_rng(10)
    a, b = np.array(list(product((1, 2), repeat=2)) * 4).T
    table = {"client.buffer": a, "server.buffer": b,
             "delay (p50)": 5.0 * a + rng.normal(0, 0.1, 16), "delay (p99)": rng.normal(size=16),
             "wait (ms)": 3.0 * b + rng.normal(0, 0.1, 16)}  # fmt: skip
    answer = said(table, "client.buffer", "server.buffer",
                  of=("delay (p50)", "delay (p99)", "wait (ms)"))  # fmt: skip
    assert "delay (p50) rises with client buffer, by 4.998" in answer
    assert "No effect on delay (p99) is shown of client buffer or server buffer." in answer
    assert "ait rises with server buffer, by 3" in answer
    assert " p50 (" not in answer


def test_a_lost_row_of_a_pair_does_not_make_a_line_of_the_pairs() -> None:
    rng = np.random.default_rng(11)
    day = np.repeat(np.arange(10), 2)
    bent = 10.0 * np.sin(day)
    table = {"day": day, "algo": np.array(["x", "y"])[np.arange(20) % 2],
             "y": bent + 2.5 * (np.arange(20) % 2) + rng.normal(0, 0.5, 20)}  # fmt: skip
    lost = {name: column[:-1] for name, column in table.items()}
    for rows in (table, lost):
        assert "y is 2." in said(rows, "day", "algo")
    fewer = {name: column[[*range(0, 20, 2), 1, 3]] for name, column in table.items()}
    assert "differ (p = " not in said(fewer, "day", "algo") or (
        "which the tests of other factors count as error" in said(fewer, "day", "algo")
    )


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        (["0.5", "1", "10"], ("0.5", "1", "10")),
        ([".5", "1", "10"], (".5", "1", "10")),
        (["1M", "10k", "100k"], ("10k", "100k", "1M")),
        (["medium", "low", "high"], ("low", "medium", "high")),
    ],
)
def test_levels_with_an_order_are_sorted(labels: list[str], order: tuple[str, ...]) -> None:
    levels = Frame.of({"x": labels * 2}).levels("x")
    assert (levels.names, levels.ordered) == (order, True)


@pytest.mark.parametrize("labels", [["0,5", "1", "2"], ["0x00", "0x28"], ["0:15", "1:30"]])
def test_labels_that_only_begin_with_a_number_are_names(labels: list[str]) -> None:
    frame = Frame.of({"x": labels * 2})
    assert not frame.levels("x").ordered
    notes = write_notes(frame, ["x"], [])
    assert any("'0,5' is read as a name" in note for note in notes) == (labels[0] == "0,5")


@pytest.mark.parametrize(
    ("cell", "hint"),
    [
        ("5 %", "write the number alone"), ("true", "write 1 and 0"), ("-", "--missing '-'"),
        ("1,234,567", "without commas"), ("\N{MINUS SIGN}3", "minus sign as '-'"),
    ],
)  # fmt: skip
def test_a_cell_that_is_no_number_is_told_how_to_be_one(cell: str, hint: str) -> None:
    with pytest.raises(AnalysisError, match=hint):
        Frame.of({"y": ["1", cell]}).numbers("y")


def test_a_response_that_never_varies_is_said_to_be_constant() -> None:
    assert said({"A": [0, 0, 1, 1], "y": [7, 7, 7, 7]}, "A") == "y is 7 in all 4 runs."


def test_means_that_differ_in_sign_need_no_more_digits(tmp_path: Path) -> None:
    """A second between times since 1970 needs twelve digits, a change of sign four."""
    file = tmp_path / "t.csv"
    rows = [f"{a},{1_700_000_000 + a + noise},{(2 * a - 1) * 5 + noise}\n"
            for a in (0, 1) for noise in (0.01, 0.02, 0.03)]  # fmt: skip
    file.write_text("a,late,sign\n" + "".join(rows))
    done = CliRunner().invoke(
        app, ["analyse", str(file), "--factors", "a", "--responses", "late,sign"]
    )
    assert "mean late by a: 0: 1700000000.02 (" in done.output
    assert "mean sign by a: 0: -4.98 (" in done.output
