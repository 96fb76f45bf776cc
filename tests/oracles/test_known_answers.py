"""Analyses held to answers that others printed; sources are in `data/README.md`."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

from headgate.cli.main import app
from headgate.figures.analysis import (
    compute_components,
    compute_correlations,
    compute_main_effects,
    compute_ranks,
    compute_ten_steps,
)
from headgate.figures.analysis.clusters import tree
from headgate.stats.intervals import (
    compute_student_p,
    compute_student_quantile,
    correct_by_false_discovery,
    correct_by_holm,
)
from headgate.stats.outliers import compute_critical_value, compute_grubbs_p

DATA = Path(__file__).parent / "data" / "statistics"


def table(name: str) -> dict[str, list[str]]:
    with (DATA / name).open() as file:
        rows = list(csv.DictReader(file))
    return {key: [row[key] for row in rows] for key in rows[0]}


# --- one-way analysis of variance: NIST's reference data sets -------------------------------------


def certified(name: str) -> tuple[dict[str, list[str]], float, float]:
    """Read a file of NIST's StRD: its data, the certified F and R squared."""
    text = (DATA / f"{name}.dat").read_text()
    f_ratio = re.search(r"^Between \w+ .* (\S+)$", text, re.MULTILINE)
    share = re.search(r"Certified R-Squared (\S+)", text)
    assert f_ratio
    assert share
    rows = [line.split() for line in text.splitlines()[60:]]
    columns = {"group": [row[0] for row in rows], "y": [row[1] for row in rows]}
    return columns, float(f_ratio[1]), float(share[1])


@pytest.mark.parametrize("name", ["SiRstv", "SmLs01", "AtmWtAg", "SmLs04", "SmLs07"])
def test_one_way_f_is_the_certified_one(name: str) -> None:
    """But for 20 roundings of the data, each a double's spacing at their mean over their spread."""
    columns, f_ratio, share = certified(name)
    values = np.array(columns["y"], dtype=float)
    of = [values[np.array(columns["group"]) == group] for group in set(columns["group"])]
    within = np.sqrt(sum(((one - one.mean()) ** 2).sum() for one in of) / (len(values) - len(of)))
    kept = 20 * np.spacing(values.mean()) / within
    found = compute_main_effects(columns, ["group"], ["y"])
    assert found.one("group", "y").f_ratio == pytest.approx(f_ratio, rel=kept)
    if len(of) == 2:
        assert found.full[(), "y"].r_squared == pytest.approx(share, rel=kept)


@pytest.mark.parametrize("name", ["SiRstv", "AtmWtAg"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_command_takes_the_columns_as_nist_prints_them(
    name: str, end: str, tmp_path: Path
) -> None:
    """The data part of the file, cells between blanks, below a line of names."""
    lines = (DATA / f"{name}.dat").read_text().splitlines()
    names = lines[59].removeprefix("Data:")
    file = tmp_path / "as printed.txt"
    file.write_bytes(end.join(["# NIST/ITL StRD", "", names, *lines[60:], ""]).encode())
    factor, response = names.split()
    asked = ["--factors", factor, "--responses", response, "--json"]
    done = CliRunner().invoke(app, ["analyse", str(file), *asked])
    assert done.exit_code == 0, done.output
    (found,) = json.loads(done.stdout)
    assert found["f"] == pytest.approx(certified(name)[1], rel=1e-7)
    assert (found["factor"], found["response"]) == (factor, response)


def test_three_levels_are_those_of_r() -> None:
    """R prints F = 7.2061 and p = 0.001753 for the breaks of warp at three tensions."""
    found = compute_main_effects(DATA / "warpbreaks.csv", ["tension"], ["breaks"]).one(
        "tension", "breaks"
    )
    assert found.f_ratio == pytest.approx(7.2061, abs=5e-5)
    assert found.p == pytest.approx(0.001753, abs=5e-7)
    assert found.stars == "**"


# --- two-level factorials -------------------------------------------------------------------------


FACTORS = ["speed", "rate", "grit", "direction", "batch"]


def printed_squares() -> tuple[dict[tuple[str, ...], float], float, float]:
    """Return printed sums of squares of at most two factors, of the rest, and of all."""
    rows = table("ceramic_anova.csv")
    squares = dict(zip(rows["term"], map(float, rows["sum_of_squares"]), strict=True))
    of = {tuple(term.split(":")): square for term, square in squares.items()}
    kept = {term: of[term] for term in of if len(term) < 3 and term != ("residuals",)}
    return kept, sum(of.values()) - sum(kept.values()), sum(of.values())


def test_the_full_model_is_the_table_of_the_handbook() -> None:
    """Sums of squares are printed whole, half a unit wrong at most; eleven make the error."""
    squares, error, _ = printed_squares()
    model = compute_main_effects(DATA / "ceramic.csv", FACTORS, ["strength"]).full[(), "strength"]
    assert set(model.terms) == set(squares)
    assert model.error_freedom == 16
    for term, square in squares.items():
        wrong = 0.5 / square + 5.5 / error
        assert model.terms[term].f_ratio == pytest.approx(square / (error / 16), rel=wrong)
        assert abs(model.terms[term].effect) == pytest.approx(np.sqrt(square / 8), rel=wrong)


def test_the_command_gives_what_the_handbooks_table_says() -> None:
    """One factor in the model, all others in the error: 30 degrees of freedom."""
    names = ["--factors", ",".join(FACTORS), "--responses", "strength", "--model", "one-way"]
    done = CliRunner().invoke(app, ["analyse", str(DATA / "ceramic.csv"), *names, "--json"])
    assert done.exit_code == 0, done.output
    squares, _, whole = printed_squares()
    for one in json.loads(done.stdout):
        square = squares[one["factor"],]
        rest = whole - square
        wrong = 0.5 / square + 13 / rest  # 26 numbers, half a unit each
        assert one["f"] == pytest.approx(square / (rest / 30), rel=wrong)
        assert abs(one["effect"]) == pytest.approx(np.sqrt(square / 8), rel=wrong)
        assert one["relative_effect"] == pytest.approx(100 * abs(one["effect"]) / 546.8959)
        assert one["stars"] == ("**" if one["factor"] == "direction" else "")


def test_the_ten_steps_of_a_textbooks_process_development() -> None:
    """Box, Hunter and Hunter's 2^4; coefficients (half the effects) and S^2 = 39/11 as printed."""
    runs = np.arange(16)
    columns = {name: 2.0 * (runs >> bit & 1) - 1 for bit, name in enumerate("ABCD")}
    columns["y"] = np.array([71, 61, 90, 82, 68, 61, 87, 80, 61, 50, 89, 83, 59, 51, 85, 78.0])
    steps = compute_ten_steps(columns, list("ABCD"), "y")
    assert {"".join(term): effect / 2 for term, effect in steps.effects.items()} == pytest.approx({
        "A": -4, "B": 12, "C": -1.125, "D": -2.75, "AB": 0.5, "AC": 0.375, "AD": 0.0,
        "BC": -0.625, "BD": 2.25, "CD": -0.125,
    })  # fmt: skip
    assert ["".join(term) for term in list(steps.effects)[:4]] == ["B", "A", "D", "BD"]
    assert steps.residual_sd[4] ** 2 == pytest.approx(39 / 11)


def test_lenths_margin_of_a_textbooks_filtration_rate() -> None:
    """Montgomery's 2^4: of all 15 contrasts, those of three and four factors are chance, too."""
    runs = np.arange(16)
    columns = {name: 2.0 * (runs >> bit & 1) - 1 for bit, name in enumerate("ABCD")}
    columns["y"] = np.array([45, 71, 48, 65, 68, 60, 80, 65, 43, 100, 45, 104, 75, 86, 70, 96.0])
    steps = compute_ten_steps(columns, list("ABCD"), "y")
    assert len(steps.contrasts) == len(steps.half_normal) == 15
    assert steps.contrasts["A", "B", "C"] == pytest.approx(1.875)
    assert steps.contrasts["A", "B", "C", "D"] == pytest.approx(1.375)
    assert steps.pseudo_error == pytest.approx(2.625)
    assert steps.margin == pytest.approx(6.75, abs=0.005)
    assert ["".join(term) for term in steps.beyond_margin] == ["A", "AC", "AD", "D", "C"]


# --- outliers -------------------------------------------------------------------------------------


def test_critical_values_of_grubbs_are_the_printed_ones() -> None:
    """Both columns are two-sided, for 3 to 30 values; one in the last of three decimals."""
    rows = table("grubbs.csv")
    for column, level in (("five_percent", 0.05), ("one_percent", 0.01)):
        found = [compute_critical_value(int(count), level) for count in rows["count"]]
        assert found == pytest.approx([float(cell) for cell in rows[column]], abs=1e-3)


def test_the_handbooks_uranium_is_an_outlier() -> None:
    """G = 2.4687 against 2.032, which is one-sided at 5 %, so two-sided at 10 %."""
    values = np.array([199.31, 199.53, 200.19, 200.82, 201.92, 201.95, 202.18, 245.57])
    place, g, p = compute_grubbs_p(values)
    assert (place, g) == (7, pytest.approx(2.4687, abs=1e-4))
    assert compute_critical_value(8, 0.10) == pytest.approx(2.032, abs=5e-4)
    assert p < 0.05


# --- clusters, components, ranks, many tests ------------------------------------------------------


def test_average_linkage_joins_at_the_heights_that_r_gives() -> None:
    """Five ribosomal RNAs: joined at 17, 22, 28 and 33.

    The printed distances are laid out as points by classical scaling and turned until every
    coordinate is equally spread, so that dividing by it changes all distances alike.
    """
    apart = np.zeros((5, 5))
    apart[np.triu_indices(5, 1)] = [17, 21, 31, 23, 30, 34, 21, 28, 39, 43]
    apart += apart.T
    centred = np.eye(5) - 1 / 5
    sizes, axes = np.linalg.eigh(-centred @ apart**2 @ centred / 2)
    assert sizes[0] == pytest.approx(0, abs=1e-9)  # four axes hold all distances
    points = axes[:, 1:] * np.sqrt(sizes[1:])
    turn = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]) / 2
    points = points @ turn
    spread = points.std(axis=0, ddof=1)
    assert spread == pytest.approx(spread[0])
    found = tree(tuple("abcde"), tuple("wxyz"), points)
    assert found.linkage[:, 2] * spread[0] == pytest.approx([17, 22, 28, 33])
    assert found.groups(25 / 33) == (("a", "b", "e"), ("c",), ("d",))


HANDBOOK = np.array([
    [7, 4, 3], [4, 1, 8], [6, 3, 5], [8, 6, 1], [8, 5, 7],
    [7, 2, 9], [5, 3, 3], [9, 5, 8], [7, 4, 5], [8, 2, 2],
])  # fmt: skip


def test_components_are_those_of_the_handbook() -> None:
    """Eigenvalues and vectors as printed, to four decimals; the sign of a vector is free."""
    columns: dict[str, object] = {
        "condition": [f"c{i}" for i in range(10)],
        "cca": ["p"] * 10,
    } | dict(zip("abc", HANDBOOK.T, strict=True))
    found = compute_components(columns, list("abc"))
    assert 3 * found.shares == pytest.approx([1.7688, 0.9271, 0.3041], abs=5e-5)
    printed = [[0.6420, 0.6864, -0.3417], [0.3847, 0.0971, 0.9179], [-0.6632, 0.7207, 0.2017]]
    assert found.loadings == pytest.approx(np.array(printed), abs=5e-5)
    assert found.scores[0, :2] == pytest.approx([0.5148, -0.6308], abs=5e-5)
    correlated = compute_correlations(columns, list("abc"))
    assert correlated.r[0, 1:] == pytest.approx([0.6687, -0.1013], abs=5e-5)
    assert correlated.components[1] == pytest.approx(found.shares)


def test_friedmans_test_is_that_of_r() -> None:
    """Hollander and Wolfe's ways round first base: p = 0.003805, ties and all."""
    rows = table("rounding_times.csv")
    ways = [name for name in rows if name != "player"]
    columns = {
        "condition": rows["player"] * 3,
        "cca": [way for way in ways for _ in rows["player"]],
        "time": [cell for way in ways for cell in rows[way]],
    }
    found = compute_ranks(columns, ["time"])
    assert found.p["time"] == pytest.approx(0.003805, abs=5e-7)
    assert min(found.ccas, key=lambda way: found.ranks["time", way].mean) == "wide angle"


def test_fifteen_tests_leave_four() -> None:
    """The example of Benjamini and Hochberg (1995): nine are below 5 %, Bonferroni keeps three."""
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459,
         0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.000]  # fmt: skip
    found = correct_by_false_discovery(dict(enumerate(p)))
    assert sum(q <= 0.05 for q in found.values()) == 4
    assert found[3] == pytest.approx(0.0095 * 15 / 4)


def test_holm_keeps_those_that_fall_below_a_rising_bound() -> None:
    """Holm's steps: of fifteen 0.0001, 0.0004 and 0.0019 are below 0.05/15, /14 and /13."""
    p = [0.0095, 0.0001, 0.0019, 0.0004, *[0.03] * 11, float("nan")]
    found = correct_by_holm(dict(enumerate(p)))
    assert [key for key, one in found.items() if one < 0.05] == [1, 2, 3]
    assert found[2] == pytest.approx(0.0019 * 13)
    assert np.isnan(found[15])


def test_ps_of_student_and_corrected_ps_are_those_of_scipy() -> None:
    random = np.random.default_rng(3)
    for freedom in (1, 2, 5, 30, 1000, np.inf):
        for value in (0.0, 0.1, 1.0, 2.5, 10.0):
            wanted = 2 * stats.t.sf(value / 1.5, freedom)
            assert compute_student_p(value, 1.5, freedom) == pytest.approx(wanted, rel=1e-8)
        assert compute_student_quantile(0.975, freedom) == pytest.approx(
            stats.t.ppf(0.975, freedom)
        )
    p = random.uniform(size=40) ** 3
    found = correct_by_false_discovery(dict(enumerate([*p, float("nan")])))
    assert [found[place] for place in range(40)] == pytest.approx(stats.false_discovery_control(p))
    assert np.isnan(found[40])
