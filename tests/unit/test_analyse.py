"""Main effects of tables that anyone made, against least squares and hand-made answers."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from headgate.cli.main import app
from headgate.figures.analysis import (
    AnalysisError,
    Frame,
    compute_influence,
    compute_main_effects,
    compute_ten_steps,
)
from headgate.figures.plots.style import save_figure
from headgate.stats.two_level import fit_full_model

RNG = np.random.default_rng(6)


def analyse(*arguments: str | Path) -> str:
    done = CliRunner().invoke(app, ["analyse", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def half_fraction() -> dict[str, np.ndarray]:
    """2^(6-1), X6 = X1 X2 X3 X4 X5; y = 50 + 4 X1 - 3 X2 X3 + noise of 1."""
    base = np.array(list(product((-1, 1), repeat=5)), dtype=float)
    table = {f"X{i + 1}": column for i, column in enumerate(base.T)}
    table["X6"] = base.prod(axis=1)
    noise = np.random.default_rng(1).normal(size=len(base))
    table["y"] = 50 + 4 * table["X1"] - 3 * table["X2"] * table["X3"] + noise
    return table


def unbalanced() -> dict[str, np.ndarray]:
    speed = np.array([10.0, 20.0, 40.0] * 7 + [10.0, 10.0])
    cca = np.array(["tcp", "fast"] * 11 + ["tcp"], dtype=object)
    y = speed + (cca == "tcp") + RNG.normal(size=23)
    y[[3, 8]] = np.nan
    return {"speed": speed, "cca": cca, "y": y}


def test_one_way_f_is_that_of_statsmodels_with_three_levels_and_holes() -> None:
    import pandas as pd
    import statsmodels.formula.api as smf
    from statsmodels.stats.anova import anova_lm

    table = unbalanced()
    found = compute_main_effects(table, ["speed", "cca"], ["y"])
    frame = pd.DataFrame(table).dropna()
    for factor in ("speed", "cca"):
        anova = anova_lm(smf.ols(f"y ~ C({factor})", frame).fit())
        effect = found.one(factor, "y")
        assert effect.f_ratio == pytest.approx(anova["F"].iloc[0], rel=1e-10)
        assert effect.p == pytest.approx(anova["PR(>F)"].iloc[0], rel=1e-8)
    means = frame.groupby("speed")["y"].mean()
    assert found.one("speed", "y").effect == pytest.approx(means[40.0] - means[10.0])


def test_the_full_model_takes_out_of_the_error_what_other_terms_explain() -> None:
    table = half_fraction()
    factors = [name for name in table if name != "y"]
    found = compute_main_effects(table, factors, ["y"])
    model = found.full[(), "y"]
    assert len(model.terms) == 6 + 15  # resolution VI: all clear of each other
    assert model.error_freedom == 32 - 1 - 21
    assert model.terms["X2", "X3"].effect == pytest.approx(-6, abs=0.8)  # four of its errors
    assert model.terms["X1",].effect == pytest.approx(found.one("X1", "y").effect)
    assert model.terms["X1",].f_ratio > 5 * found.one("X1", "y").f_ratio


def test_aliases_are_left_out_and_named() -> None:
    a, b = np.array([-1, 1, -1, 1.0]), np.array([-1, -1, 1, 1.0])
    model = fit_full_model({"a": a, "b": b, "c": a * b}, [1.0, 2.0, 4.0, 3.0])
    assert list(model.terms) == [("a",), ("b",), ("c",)]
    assert model.aliases == {("a", "b"): ("c",), ("a", "c"): ("b",), ("b", "c"): ("a",)}
    assert np.isnan(model.terms["a",].p)  # a saturated plan leaves nothing for the error


def test_q_values_are_those_of_benjamini_and_hochberg() -> None:
    table = half_fraction()
    found = compute_main_effects(table, [f"X{i}" for i in range(1, 7)], ["y"])
    p = sorted(effect.p for effect in found.of_response("y"))
    by_hand = min(p[i] * len(p) / (i + 1) for i in range(len(p)))
    assert min(found.q.values()) == pytest.approx(by_hand)


def test_groups_are_analysed_by_themselves() -> None:
    table = half_fraction()
    twice = {name: np.tile(column, 2) for name, column in table.items()}
    twice["period"] = np.repeat([1, 2], 32)
    twice["y"][32:] = table["y"] * table["X1"]
    found = compute_main_effects(twice, ["X1", "X2"], ["y"], by=["period"])
    alone = compute_main_effects(table, ["X1", "X2"], ["y"])
    assert found.one("X1", "y", ("1",)) == alone.one("X1", "y")
    assert found.psi(("1",)) == {"X1": 1.0, "X2": 0.0}
    said = compute_influence(found, alone)
    assert list(said.psi) == ["period 1", "period 2", "all"]
    half = (found.psi(("1",))["X1"] + found.psi(("2",))["X1"]) / 2
    assert said.average["X1"] == pytest.approx((half + 1.0) / 2)
    axis = said.figure({"X1": "network speed"}).axes[0]
    assert [label.get_text() for label in axis.get_xticklabels()] == ["network speed", "X2"]


def test_levels_are_ordered_by_meaning() -> None:
    frame = Frame("t", {
        "a": np.array(["high", "low"]), "b": np.array(["10", "9.0"]),
        "c": np.array(["tcp", "fast"]), "d": np.array([1, 1.5]),
    })  # fmt: skip
    names = [frame.levels(name).names for name in "abcd"]
    assert names == [("low", "high"), ("9.0", "10"), ("fast", "tcp"), ("1", "1.5")]


def test_constant_responses_have_no_effect_and_single_runs_no_test() -> None:
    found = compute_main_effects({"a": [0, 1, 0, 1], "y": [2.0] * 4}, ["a"], ["y"]).one("a", "y")
    assert (found.effect, found.p, found.stars) == (0.0, 1.0, "")
    alone = compute_main_effects({"a": [0, 1], "y": [2.0, 3.0]}, ["a"], ["y"]).one("a", "y")
    assert alone.effect == 1.0
    assert np.isnan(alone.p)


@pytest.mark.parametrize(
    ("table", "factors", "responses", "says"),
    [
        ({"a": [1, 2], "y": [1, 2]}, ["b"], ["y"], "there is no column 'b'"),
        ({"speed": [1, 2], "y": [1, 2]}, ["sped"], ["y"], "did you mean 'speed'"),
        ({"a": [1, 1], "y": [1, 2]}, ["a"], ["y"], "has '1' only; it takes two levels"),
        ({"a": [1, 2], "y": ["x", "2"]}, ["a"], ["y"], "'x' is no number"),
        ({"a": [1, 2], "y": ["", "NA"]}, ["a"], ["y"], "has no number in any row"),
        ({"a": [1, 2], "y": [1]}, ["a"], ["y"], "differ in length"),
        ({"a": [1, 2], "y": [1, 2]}, [], ["y"], "name one factor at least"),
        ({"a": [1, 2], "y": [1, 2]}, ["a"], ["a"], "named twice"),
    ],
)
def test_a_table_that_cannot_be_analysed_is_one_sentence(
    table: dict[str, list[object]], factors: list[str], responses: list[str], says: str
) -> None:
    with pytest.raises(AnalysisError, match=says):
        compute_main_effects(table, factors, responses)


def test_the_command_prints_one_object_a_factor_and_response(tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    lines = [
        "A,B,y,z",
        *(f"{a},{b},{a + 2 * b},NA" for a in (1, 2) for b in ("-1", "+1") for b in (int(b),)),
    ]
    file.write_text("\n".join(lines) + "\n4,,,\n")
    done = analyse(file, "--factors", "A,B", "--responses", "y", "--json")
    found = json.loads(done)
    assert [(one["factor"], one["response"]) for one in found] == [("A", "y"), ("B", "y")]
    assert {"effect", "relative_effect", "f", "p", "stars"} <= found[0].keys()
    assert found[1]["effect"] == 4.0
    assert found[1]["relative_effect"] == pytest.approx(100 * 4 / 1.5)


def test_the_command_prints_a_table_and_writes_pictures(tmp_path: Path) -> None:
    table = half_fraction()
    file, out = tmp_path / "runs.csv", tmp_path / "out"
    rows = zip(*table.values(), strict=True)
    file.write_text("\n".join(",".join(map(str, row)) for row in [tuple(table), *rows]))
    factors = ",".join(name for name in table if name != "y")
    done = analyse(file, "--factors", factors, "--responses", "y", "--out", out)
    assert "+**" in done
    assert "Psi x 100" in done
    assert {path.name for path in (out / "figures").iterdir()} >= {
        "main-effects.png",
        "significance.svg",
    }
    assert "Main effects" in (out / "report.html").read_text()


def test_the_ten_steps_find_planted_effects(tmp_path: Path) -> None:
    """y = 50 + 4 X1 - 3 X2 X3 and noise of 1: an effect's error is 2/sqrt 32 = 0.35."""
    table = half_fraction()
    steps = compute_ten_steps(table, [f"X{i}" for i in range(1, 7)], "y")
    assert steps.beyond_margin == [("X1",), ("X2", "X3")]
    assert steps.effects["X1",] == pytest.approx(8, abs=4 * 0.354)
    apart = steps.mean_at(("X1",), 1) - steps.mean_at(("X1",), -1)
    assert steps.effects["X1",] == pytest.approx(apart)
    assert steps.pseudo_error == pytest.approx(0.354, rel=0.5)
    assert steps.residual_sd[0] == pytest.approx(table["y"].std(ddof=1))
    assert steps.residual_sd[2] == pytest.approx(1.0, rel=0.3)
    assert steps.ordered[0] == table["y"].argmin()
    block = steps.block("X1")
    assert (len(block.low), block.agreeing, block.p) == (8, 8, 2 / 2**8)
    at = steps.fit_surface(np.array([1.0]), np.array([0.0]))[0] - steps.values.mean()
    assert at == pytest.approx(steps.effects["X1",] / 2)
    drawn = [save_figure(figure, tmp_path, name) for name, figure in steps.figures("y (s)").items()]
    assert len(drawn) == 10
    assert all(path.stat().st_size > 5000 for paths in drawn for path in paths)


def test_contrasts_that_are_no_effect_of_the_model_are_open_in_the_half_normal_plot() -> None:
    a, b, c = np.array(list(product((-1.0, 1.0), repeat=3))).T
    values = 10 + 5 * a + 3 * a * b * c
    steps = compute_ten_steps({"a": a, "b": b, "c": c, "y": values}, ["a", "b", "c"], "y")
    (ax,) = steps.figures()["08-half-normal"].axes
    opened = [line for line in ax.lines if line.get_fillstyle() == "none"]
    assert len(opened) == len(steps.contrasts) - len(steps.effects) == 1
    assert float(np.asarray(opened[0].get_ydata()).ravel()[0]) == pytest.approx(6.0)
    assert ax.get_xlabel().endswith("open: products of three or more factors")


def test_the_surface_of_the_ten_steps_goes_through_the_fitted_centre() -> None:
    """y = 10 + 5 a; without two of the six runs at the high level the mean is 9."""
    low_high = np.array([-1.0, 1.0])
    a, b = np.tile(np.repeat(low_high, 2), 3)[:-2], np.tile(low_high, 6)[:-2]
    steps = compute_ten_steps({"a": a, "b": b, "y": 10 + 5 * a}, ["a", "b"], "y")
    assert steps.values.mean() == pytest.approx(9)
    assert steps.fit_surface(np.zeros(1), np.zeros(1)) == pytest.approx(10)


def test_contrasts_of_the_ten_steps_are_one_less_than_the_conditions() -> None:
    """A fraction without some of its runs, and with others twice, has still all its contrasts."""
    whole = half_fraction()
    kept = np.r_[np.arange(3, 32), 5, 6]
    table = {name: np.asarray(column)[kept] for name, column in whole.items()}
    steps = compute_ten_steps(table, [f"X{i}" for i in range(1, 7)], "y")
    assert len(steps.contrasts) == 29 - 1
    assert steps.contrasts["X1",] == steps.effects["X1",]
    assert list(map(abs, steps.contrasts.values())) == sorted(
        map(abs, steps.contrasts.values()), reverse=True
    )


def test_the_ten_steps_say_what_factors_are_and_a_rate_stays_above_zero() -> None:
    table = half_fraction()
    table["y"] = np.where(table["y"] > table["y"].mean(), table["y"], 0.0)
    names = [f"X{i}" for i in range(1, 7)]
    drawn = compute_ten_steps(table, names, "y").figures("y", {"X1": "network speed"})
    assert {figure.get_supxlabel() for figure in drawn.values()} == {"X1: network speed"}
    colours = drawn["10-contour"].axes[0].collections[0]
    assert colours.levels[0] == 0.0
    table["y"] = np.zeros(len(table["y"]))
    assert len(compute_ten_steps(table, names, "y").figures()) == 10


@pytest.mark.parametrize(
    ("table", "factors", "says"),
    [
        ({"a": [1, 2], "y": [1, 2]}, ["a"], "name two factors at least"),
        ({"a": [1, 2, 3], "b": [1, 2, 2], "y": [1, 2, 3]}, ["a", "b"], "a has 3 levels"),
        (
            {"a": [1, 2, 2], "b": [1, 2, 1], "y": [None, 2, 3]},
            ["a", "b"],
            "a does not vary where y",
        ),
    ],
)
def test_the_ten_steps_refuse_other_designs(
    table: dict[str, list[object]], factors: list[str], says: str
) -> None:
    with pytest.raises(AnalysisError, match=says):
        compute_ten_steps(table, factors, "y")


# --- which level is low ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low_to_high", "order"),
    [
        (("20 ms", "100 ms"), "size"),
        (("20 ms", "100 ms", "1 s"), "size"),
        (("900 kbit/s", "10 Mbps", "1 Gbit/s"), "size"),
        (("500 kB", "1 MB", "1 MiB"), "size"),
        (("0", "5 ms", "infinite"), "size"),
        (("0.5 BDP", "2 BDP", "10 BDP"), "size"),
        (("5 %", "10 %"), "size"),
        (("9 packets", "10 packets"), "size"),
        (("-1", "0.5", "1000"), "size"),
        (("5", "20", "inf"), "size"),
        (("Off", "on"), "words"),
        (("bic", "reno", "tcp"), "alphabet"),
        (("1 BDP", "100 packets"), "alphabet"),
        (("10 ms", "3"), "alphabet"),
    ],
)
def test_levels_come_by_their_size(low_to_high: tuple[str, ...], order: str) -> None:
    for first in (low_to_high, low_to_high[::-1]):
        levels = Frame("t", {"x": np.array(first, dtype=object)}).levels("x")
        assert levels.names == low_to_high
        assert levels.order == order


def test_the_longer_delay_is_the_high_level() -> None:
    table = {"delay": ["20 ms", "100 ms"] * 4, "rtt": [21.0, 101.0] * 4}
    effect = compute_main_effects(table, ["delay"], ["rtt"]).one("delay", "rtt")
    assert effect.effect == 80.0
    assert effect.sign == "+"


def test_levels_are_printed_low_before_high(tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    rows = product(("100 ms", "20 ms"), ("reno", "bic"), ("3", "1", "2"))
    file.write_text("delay,cca,n,y\n" + "".join(f"{d},{w},{n},{d[:3]}\n" for d, w, n in rows))
    printed = analyse(file, "--factors", "delay,cca,n", "--responses", "y").splitlines()
    assert printed[:3] == [
        "delay: low is 20 ms, high is 100 ms",
        "cca: bic, reno (names, without an order)",
        "n: low is 1, then 2, high is 3",
    ]
    assert printed[4].split() == ["y", "+**", ".", "."]


@pytest.mark.parametrize("option", ["--cca", "--replicate"])
def test_a_column_that_is_not_there_is_refused_also_without_a_report(
    option: str, tmp_path: Path
) -> None:
    file = tmp_path / "t.csv"
    file.write_text("x,y,Rule\n-1,1,a\n1,2,a\n-1,3,b\n1,5,b\n")
    asked = ["analyse", str(file), "--factors", "x", "--responses", "y", option, "rule"]
    done = CliRunner().invoke(app, asked)
    assert isinstance(done.exception, AnalysisError)
    assert "there is no column 'rule'; did you mean 'Rule'?" in str(done.exception)
