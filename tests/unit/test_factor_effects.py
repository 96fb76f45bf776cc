"""Sentences on factors: signs, levels, intervals, and effects that a design cannot separate."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

from headgate.cli.main import app
from headgate.figures.analysis import compute_main_effects
from headgate.figures.analysis.effect_sentences import write_sentences

RNG = np.random.default_rng(8)
Table = dict[str, list[object]]


def said(table: Table, *factors: str, **choices: object) -> str:
    return " ".join(write_sentences(compute_main_effects(table, factors, ["y"], **choices)))  # type: ignore[arg-type]


def grid(means: dict[tuple[str, ...], float], names: str, again: int, spread: float) -> Table:
    """Runs whose mean depends on the levels, with a fixed symmetric error."""
    errors = np.linspace(-spread, spread, again)
    rows = [(*levels, mean + e) for levels, mean in means.items() for e in errors]
    columns = list(zip(*rows, strict=True))
    return dict(zip([*names, "y"], map(list, columns), strict=True))


def test_names_have_no_sign_and_all_levels_are_named() -> None:
    """The means of three catalysts: the middle one in the alphabet is the highest."""
    table = grid({("A",): 1.04, ("B",): 1.55, ("C",): 1.07}, "c", 4, 0.05)
    effect = compute_main_effects(table, ["c"], ["y"]).tested("c", "y")
    assert effect.stars == "**"
    assert effect.sign == ""
    assert effect.freedom == 2
    assert np.isnan(effect.effect.value)
    assert [one.mean for one in effect.levels] == pytest.approx([1.04, 1.55, 1.07])
    assert effect.extremes(1) == ("B",)
    assert effect.extremes(-1) == ("A", "C")
    assert said(table, "c") == (
        "y depends on c: highest with B (1.55) and lowest with A (1.04) or C (1.07)."
    )


@pytest.mark.parametrize(
    ("means", "sign"),
    [((1, 2, 3), "+"), ((3, 2, 1), "\N{MINUS SIGN}"), ((1, 3, 2), ""), ((1, 1.001, 0.5), "")],
)
def test_numbers_have_a_sign_if_their_means_follow_them(
    means: tuple[float, ...], sign: str
) -> None:
    table = grid({(level,): m for level, m in zip("123", means, strict=True)}, "x", 4, 0.05)
    effect = compute_main_effects(table, ["x"], ["y"]).tested("x", "y")
    assert (effect.stars, effect.sign) == ("**", sign)


def test_a_factor_beside_a_large_one_is_judged_in_the_model() -> None:
    """The one-way test leaves the large factor in the error, and sees nothing."""
    means = {(s, t): 10.0 * (t == "hot") + 0.4 * (s == "on") for s in ("off", "on")
             for t in ("cold", "hot")}  # fmt: skip
    table = grid(means, "st", 5, 0.2)
    found = compute_main_effects(table, ["s", "t"], ["y"])
    assert found.one("s", "y").p > 0.8
    assert found.tested("s", "y").stars == "**"
    assert found.psi() == {"s": 1.0, "t": 1.0}
    assert "y rises with s, by 0.4 (" in said(table, "s", "t")
    one_way = compute_main_effects(table, ["s", "t"], ["y"], method="one-way")
    assert one_way.tested("s", "y").stars == ""
    assert one_way.psi() == {"s": 0.0, "t": 1.0}


def test_the_interval_of_an_effect_is_that_of_the_textbook() -> None:
    """Balanced 2 by 2 with five runs: difference of means, t with 16 degrees of freedom."""
    y = RNG.normal(size=20)
    a, b = np.repeat(["1", "2"], 10), np.tile(["1", "2"], 10)
    found = compute_main_effects({"a": a, "b": b, "y": y}, ["a", "b"], ["y"]).tested("a", "y")
    groups = [y[(a == i) & (b == j)] for i in "12" for j in "12"]
    error = np.sqrt(sum(((g - g.mean()) ** 2).sum() for g in groups) / 16)
    difference = y[a == "2"].mean() - y[a == "1"].mean()
    half = stats.t.ppf(0.975, 16) * error * np.sqrt(1 / 10 + 1 / 10)
    assert found.effect.value == pytest.approx(difference)
    assert (found.effect.low, found.effect.high) == pytest.approx(
        (difference - half, difference + half)
    )


def test_unequal_numbers_of_runs_give_no_stars_to_a_factor_without_effect() -> None:
    """18, 2, 2 and 18 runs: one-way, b seems to act like a; in the model it does not act."""
    a = np.repeat(["0", "0", "1", "1"], [18, 2, 2, 18])
    b = np.repeat(["0", "1", "0", "1"], [18, 2, 2, 18])
    y = 10.0 * (a == "1") + np.tile([-0.5, 0.5], 20)
    found = compute_main_effects({"a": a, "b": b, "y": y}, ["a", "b"], ["y"])
    assert found.one("b", "y").stars == "**"
    assert found.tested("b", "y").stars == ""
    assert found.tested("b", "y").effect.value == pytest.approx(0.0, abs=1e-9)
    assert "No effect on y is shown of b." in " ".join(write_sentences(found))


def test_columns_that_repeat_each_other_get_no_stars_and_one_sentence() -> None:
    table = grid({("0", "x"): 0.0, ("1", "z"): 9.0}, "ab", 5, 1.0)
    found = compute_main_effects(table, ["a", "b"], ["y"])
    assert [one.stars for one in found.of_response("y")] == ["", ""]
    assert said(table, "a", "b") == (
        "y depends on a or b, which always change together in this table, so their effects"
        " cannot be separated."
    )
    twin = found.tested("b", "y")
    assert [(one.level, one.mean) for one in twin.levels] == [("x", 0.0), ("z", 9.0)]
    assert np.isnan(twin.effect.low)


def test_an_effect_that_reverses_is_said_level_by_level() -> None:
    means = {("1", "p"): 0.0, ("2", "p"): 4.0, ("1", "q"): 4.0, ("2", "q"): 0.0}
    table = grid(means, "ab", 4, 0.5)
    text = said(table, "a", "b")
    assert text.startswith("The effect of a on y depends on b: with b p, +4 (+3.")
    assert "; with b q, \N{MINUS SIGN}4 (" in text
    assert "No effect" not in text  # of neither: both act, through each other


def test_without_an_error_nothing_is_shown_and_that_is_said() -> None:
    table = grid({("1", "1"): 1.0, ("2", "1"): 3.0, ("1", "2"): 2.0}, "ab", 1, 0.0)
    text = said(table, "a", "b")
    assert text == (
        "The 3 runs are too few to estimate an error of y: no effect can be shown, and there are no"
        " intervals."
    )


def test_one_run_of_each_combination_has_tests_but_no_intervals() -> None:
    """Three by four runs: the interaction is all that is left for the error."""
    means = {(a, b): 5.0 * int(a) + (int(a) * int(b)) % 3 / 10 for a, b in product("123", "1234")}
    table = grid(means, "ab", 1, 0.0)
    found = compute_main_effects(table, ["a", "b"], ["y"])
    effect = found.tested("a", "y")
    assert (effect.stars, effect.error_freedom) == ("**", 6)
    assert np.isnan(effect.effect.low)
    assert all(np.isnan(one.low) for one in effect.levels)
    assert "no intervals" in said(table, "a", "b")
    stated = compute_main_effects(table, ["a", "b"], ["y"], method="main-effects").tested("a", "y")
    assert stated.p == effect.p
    assert stated.effect.low < stated.effect.value < stated.effect.high


def test_a_factor_that_is_the_product_of_two_others_is_not_separated_from_them() -> None:
    """The fraction c = ab with three runs of each: y follows the product of a and b."""
    means = {(a, b, "1" if a == b else "0"): 3.0 * (a == b) for a, b in product("01", "01")}
    table = grid(means, "abc", 3, 0.3)
    found = compute_main_effects(table, ["a", "b", "c"], ["y"])
    assert found.tested("c", "y").stars == ""
    assert found.tested("c", "y").confounded == "a x b"
    text = said(table, "a", "b", "c")
    assert "The effect of c on y cannot be separated from that of a x b in this table." in text
    stated = compute_main_effects(table, ["a", "b", "c"], ["y"], method="main-effects")
    assert stated.tested("c", "y").stars == "**"


def test_what_runs_of_one_seed_share_is_no_error() -> None:
    seeds = [str(2**63 + k) for k in range(4)]
    rows = list(product("12", seeds))
    shared = dict(zip(seeds, (0.0, 10.0, 20.0, 30.0), strict=True))
    y = [shared[s] + (x == "2") + 0.05 * i for i, (x, s) in enumerate(rows)]
    table: Table = {"x": [x for x, _ in rows], "seed": [s for _, s in rows], "y": list(y)}
    assert compute_main_effects(table, ["x"], ["y"]).tested("x", "y").stars == ""
    assert (
        compute_main_effects(table, ["x"], ["y"], replicate="seed").tested("x", "y").stars == "**"
    )


def test_a_number_with_a_level_in_each_run_is_a_straight_line() -> None:
    from statsmodels.regression.linear_model import OLS

    x, y = RNG.uniform(0, 1, 30), RNG.normal(size=30)
    y = y + 4 * x
    fit = OLS(y, np.column_stack([np.ones(30), x])).fit()
    found = compute_main_effects({"x": x, "y": y}, ["x"], ["y"]).tested("x", "y")
    assert found.is_line
    assert found.p == pytest.approx(fit.pvalues[1], rel=1e-9)
    assert found.effect.value == pytest.approx(fit.params[1] * np.ptp(x))
    assert found.effect.low == pytest.approx(fit.conf_int()[1][0] * np.ptp(x))


def test_many_responses_are_said_factor_by_factor() -> None:
    table = grid({(a, b): 9.0 * (a == "2") for a, b in product("12", "12")}, "ab", 4, 0.5)
    names = [f"y{k}" for k in range(6)]
    for k, name in enumerate(names):
        table[name] = [(-1) ** k * float(y) for y in table["y"]]  # type: ignore[arg-type]
    found = list(write_sentences(compute_main_effects(table, ["a", "b"], names)))
    assert found == [
        "a acts on 6 of 6 responses: it raises y0, y2 and y4; it lowers y1, y3 and y5.",
        "No effect on any of 6 responses is shown of b.",
    ]


def test_algorithms_are_compared_with_the_one_before_and_the_page_has_its_title(
    tmp_path: Path,
) -> None:
    rows = [
        f"{buffer},{cca},{seed},{mean + (buffer == 'large') + seed + 0.01 * k}"
        for k, (buffer, (cca, mean), seed) in enumerate(
            product(("small", "large"), (("reno", 5), ("cubic", 8), ("bbr3", 6)), range(4))
        )
    ]
    file = tmp_path / "runs.csv"
    file.write_text("\n".join(["buffer,cca,seed,goodput", *rows]) + "\n")
    asked = ["analyse", str(file), "--factors", "buffer", "--responses", "goodput", "--cca", "cca",
             "--before", "reno", "--replicate", "seed", "--out", str(tmp_path / "out"),
             "--title", "Three algorithms", "--question", "Which algorithm has most?"]  # fmt: skip
    done = CliRunner().invoke(app, asked, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "goodput depends on cca: highest with cubic (" in done.stdout
    assert "; compared with reno (95 % each): bbr3 +1.0" in done.stdout
    assert ", cubic +3.0" in done.stdout
    page = (tmp_path / "out" / "report.html").read_text()
    assert "<title>Three algorithms</title>" in page
    assert "Which algorithm has most?" in page
    answer = page[page.index("<h2>Answer</h2>") : page.index('class="scope"')]
    assert "compared with reno" in answer
    assert "Psi" not in answer
    wrong = CliRunner().invoke(app, [*asked[:8], "--before", "vegas"])
    assert "'vegas' is none of the algorithms reno, cubic, bbr3" in str(wrong.exception)
