"""Screening designs, samples, levels with units, and the sheet of runs."""

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headgate.base.errors import HeadgateError
from headgate.design import Factor, make_factorial
from headgate.design.external import (
    make_orthogonal_array,
    make_plackett_burman,
    sample_latin_hypercube,
    sample_sobol,
)
from headgate.design.factor import letter_factors, make_coded_factors
from headgate.design.file import DesignFile
from headgate.design.generate import make_design
from headgate.design.named import make_named_design
from headgate.design.sheet import CENTRE, lay_out_sheet

RATE = Factor("rate", "", "network.rate", "10 Mbit/s", "1 Gbit/s", "log")


def leveled(*counts: int) -> list[Factor]:
    return [
        Factor(f"X{i}", "", f"x{i}", 0, n - 1, levels=tuple(range(n)) if n > 2 else ())
        for i, n in enumerate(counts, 1)
    ]


def test_plackett_burman_of_twelve_runs() -> None:
    """A Hadamard matrix of order 12; each main effect lies 1/3 in every interaction without it.

    Plackett and Burman 1946; Lin and Draper 1992 for the projections.
    """
    design = make_plackett_burman(make_coded_factors(letter_factors(11)))
    full = np.column_stack([np.ones(12, dtype=int), design.matrix])
    assert np.array_equal(full.T @ full, 12 * np.eye(12))
    assert abs(np.linalg.det(full)) == pytest.approx(12**6)
    mixed = design.correlate_effects()
    for row, effect in enumerate(mixed.effects[:11]):
        for column, other in enumerate(mixed.effects[11:], 11):
            share = 0.0 if effect[0] in other else 1 / 3
            assert mixed.values[row, column] == pytest.approx(share)


@given(st.integers(1, 60))
@settings(max_examples=20, deadline=None)
def test_plackett_burman_is_orthogonal_for_any_number_of_factors(count: int) -> None:
    matrix = make_plackett_burman(
        make_coded_factors([f"X{i}" for i in range(count)])
    ).matrix.astype(int)
    assert np.array_equal(matrix.T @ matrix, len(matrix) * np.eye(count))
    assert not matrix.sum(axis=0).any()


@pytest.mark.parametrize("counts", [(3, 3, 3, 3), (6, 3, 3), (2, 3, 3, 2), (4, 4, 2), (5, 5)])
def test_orthogonal_arrays_have_every_pair_of_levels_equally_often(counts: tuple[int]) -> None:
    design, title = make_orthogonal_array(leveled(*counts))
    assert title.startswith(f"L{len(design)}(")
    levels = np.array([list(design.settings(run).values()) for run in range(len(design))])
    for i, j in combinations(range(len(counts)), 2):
        _, often = np.unique(levels[:, [i, j]], axis=0, return_counts=True)
        assert len(often) == counts[i] * counts[j]
        assert len(set(often.tolist())) == 1


def test_an_array_can_be_named_and_the_wrong_one_of_pydoe_is_left_out() -> None:
    assert len(make_orthogonal_array(leveled(3, 3), "l27")[0]) == 27
    assert make_orthogonal_array(leveled(3, 3), "L9")[1] == "L9(3^4)"
    with pytest.raises(HeadgateError, match="L64 has no columns for 30 of 2 levels"):
        make_orthogonal_array(leveled(*[2] * 30), "L64")  # pydoe's is not balanced


def test_a_latin_hypercube_has_one_point_in_every_stratum() -> None:
    design = sample_latin_hypercube(make_coded_factors(letter_factors(4)), 25, seed=3)
    strata = np.floor((design.matrix + 1) / 2 * 25).astype(int)
    assert all(sorted(column) == list(range(25)) for column in strata.T)
    again = sample_latin_hypercube(make_coded_factors(letter_factors(4)), 25, seed=3)
    assert np.array_equal(design.matrix, again.matrix)
    assert not np.array_equal(
        design.matrix, sample_latin_hypercube(design.factors, 25, seed=4).matrix
    )


def test_sobol_points_are_balanced_in_every_dyadic_part() -> None:
    """A (t, m, s)-net: 2^5 points put one in each 1/32 of a factor, and one in each 4 x 8 cell."""
    design = sample_sobol(make_coded_factors(letter_factors(2)), 32, seed=1)
    shares = (design.matrix + 1) / 2
    for column in shares.T:
        assert sorted(np.floor(32 * column).astype(int)) == list(range(32))
    cells = np.floor(4 * shares[:, 0]) * 8 + np.floor(8 * shares[:, 1])
    assert len(set(cells.tolist())) == 32


def test_samples_of_words_take_each_in_turn() -> None:
    cca = Factor("cca", "", "traffic.0.cca", "reno", "fast", levels=("reno", "cubic", "fast"))
    design = sample_latin_hypercube([cca, RATE], 9)
    ccas = [design.settings(run)["traffic.0.cca"] for run in range(9)]
    assert sorted(ccas) == ["cubic"] * 3 + ["fast"] * 3 + ["reno"] * 3


def test_levels_between_low_and_high_have_their_unit() -> None:
    assert RATE.level(-1) == "10 Mbit/s"
    assert RATE.level(1) == "1 Gbit/s"
    assert RATE.level(0) == "100 Mbit/s"  # the geometric mean
    delay = Factor("delay", "", "network.rtt", "10 ms", "90 ms")
    assert delay.level(0) == "50 ms"
    assert delay.level(-0.5) == "30 ms"
    assert Factor("n", "", "n", 2, 9).level(0) == 5.5
    assert Factor("n", "", "n", 2, 9, whole=True).level(0.5) == 7  # 7.25
    assert Factor("n", "", "n", "2 packets", "9 packets", whole=True).level(0.5) == "7 packets"
    assert Factor("share", "", "s", 0.25, 1.0).level(0) == 0.625
    assert Factor("b", "", "b", "0.5 BDP", "1 BDP").level(0) == "0.75 BDP"


@pytest.mark.parametrize(("low", "high"), [("reno", "fast"), ("10 ms", "1 BDP"), (False, True)])
def test_no_level_between_words_or_different_units(low: object, high: object) -> None:
    with pytest.raises(HeadgateError, match="factor f: there is no level between"):
        Factor("f", "", "f", low, high).level(0)


def test_a_logarithmic_scale_is_above_zero() -> None:
    with pytest.raises(HeadgateError, match="scale 'log' needs levels above zero"):
        Factor("t", "", "t", "0 s", "2 s", "log").level(0)


def test_a_sheet_lists_every_run_once_in_random_order() -> None:
    design, _ = make_named_design("2^(6-1)")
    made = lay_out_sheet(design, seed=1, name="a")
    assert sorted(row.standard for row in made.rows) == list(range(1, 33))
    order = [row.standard for row in made.rows]
    assert order != sorted(order)
    assert order == [row.standard for row in lay_out_sheet(design, seed=1, name="a").rows]
    assert order != [row.standard for row in lay_out_sheet(design, seed=1, name="b").rows]
    assert order != [row.standard for row in lay_out_sheet(design, seed=2, name="a").rows]
    assert [row.standard for row in lay_out_sheet(design, in_order=True).rows] == list(range(1, 33))


def test_centre_points_and_replicates() -> None:
    design = make_factorial([RATE, Factor("rtt", "", "network.rtt", "10 ms", "90 ms")])
    made = lay_out_sheet(design, replicates=2, centre_points=3)
    assert len(made) == 2 * 4 + 3
    centre = next(row for row in made.rows if row.standard == CENTRE)
    assert made.settings(centre) == {"network.rate": "100 Mbit/s", "network.rtt": "50 ms"}
    assert sum(row.replicate == 2 and row.standard != CENTRE for row in made.rows) == 4


@pytest.mark.parametrize("levels", [("reno", "cubic", "vegas"), (1, 2, 3)])
def test_a_list_of_levels_has_no_centre(levels: tuple[Any, ...]) -> None:
    listed = Factor("cca", "", "cca", levels[0], levels[-1], levels=levels)
    design = make_orthogonal_array([listed, *leveled(3)])[0]
    with pytest.raises(HeadgateError, match=r"factor cca: .* no centre; give it low and high"):
        lay_out_sheet(design, centre_points=1)


def test_blocks_are_parted_by_the_sign_of_an_effect() -> None:
    """2^3 in two blocks by ABC: all main effects and pairs are free of blocks (BHH, chapter 5)."""
    made = lay_out_sheet(make_factorial(make_coded_factors(letter_factors(3))), blocks=["ABC"])
    assert not made.blocks
    for block in (1, 2):
        rows = [row.coded for row in made.rows if row.block == block]
        assert len({np.prod(coded) for coded in rows}) == 1
        assert len(rows) == 4
        assert not np.sum(rows, axis=0).any()
    four = lay_out_sheet(make_factorial(make_coded_factors(letter_factors(3))), blocks=["AB", "AC"])
    assert {row.block for row in four.rows} == {1, 2, 3, 4}
    assert four.blocks == {"A B": ["AB"], "A C": ["AC"], "B C": ["BC"]}


def test_a_design_gives_scenarios_that_are_valid() -> None:
    from headgate import Scenario

    base = Scenario.load(Path(__file__).parents[2] / "examples" / "first.toml")
    cca = Factor("cca", "", "traffic.0.cca", "reno", "cubic")
    design = make_factorial([RATE, cca])
    made = design.scenarios(base)
    assert [s.to_dict()["network"]["rate"] for s in made] == ["10 Mbit/s", "1 Gbit/s"] * 2
    assert len({s.identity() for s in made}) == 4
    repeated = lay_out_sheet(design, replicates=2).scenarios(base)
    assert sorted(s.seed for s in repeated) == [1] * 4 + [2] * 4


@pytest.mark.parametrize(
    ("setting", "low", "said"),
    [
        ("network.speed", "1 Mbit/s", "this is not a key here"),
        ("traffic.7.cca", "reno", "'7' is not a place in a list of 2"),
        ("network.rtt", "10", "'10' has no unit"),
        ("traffic.0.cca", "renoo", "renoo"),
    ],
)
def test_a_factor_that_does_not_fit_is_one_sentence(setting: str, low: str, said: str) -> None:
    from headgate import Scenario

    base = Scenario.load(Path(__file__).parents[2] / "examples" / "first.toml")
    design = make_factorial([Factor("f", "", setting, low, "2 s")])
    with pytest.raises(HeadgateError, match=f"^factor f, {setting} = {low!r}: .*{said}"):
        design.scenarios(base)


@pytest.mark.parametrize(
    ("runs", "said"), [(0, "at least one run"), (24, "write 16 or 32")], ids=["none", "not 2^m"]
)
def test_wrong_sizes_of_samples_are_one_sentence(runs: int, said: str) -> None:
    with pytest.raises(HeadgateError, match=f"runs = {runs}: .*{said}"):
        sample_sobol(make_coded_factors(letter_factors(2)), runs)


@pytest.mark.parametrize("kind", ["sobol", "latin-hypercube", "random"])
def test_samples_between_whole_numbers_are_fractions_unless_the_scenario_takes_none(
    kind: str,
) -> None:
    base = {
        "duration": "1 s",
        "network": {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "20 ms"},
        "traffic": [{"kind": "flows", "cca": "reno", "count": 2}],
    }
    file = DesignFile.from_dict({
        "kind": kind, "runs": 16, "scenario": base,
        "factors": {
            "loss": {"setting": "network.loss", "low": 0, "high": 1},
            "flows": {"setting": "traffic.0.count", "low": 1, "high": 9},
            "buffer": {"setting": "network.buffer", "low": "4 packets", "high": "40 packets"},
        },
    })  # fmt: skip
    made = make_design(file)
    rows = made.rows()
    assert all(0 < row["loss"] < 1 and isinstance(row["loss"], float) for row in rows)
    assert len({row["loss"] for row in rows}) == 16
    assert all(isinstance(row["flows"], int) for row in rows)
    assert len({row["flows"] for row in rows}) > 4


@pytest.mark.parametrize("kind", ["sobol", "latin-hypercube"])
def test_samples_without_a_scenario_are_points_of_the_cube(kind: str) -> None:
    factors = {name: {"low": -1, "high": 1} for name in "ABC"}
    made = make_design(DesignFile.from_dict({"kind": kind, "runs": 8, "factors": factors}))
    shown = np.array([[row[name] for name in "ABC"] for row in made.rows()])
    assert np.sort(shown, axis=0) == pytest.approx(np.sort(made.design.matrix, axis=0), abs=1e-5)
    assert len(np.unique(shown)) == 24
