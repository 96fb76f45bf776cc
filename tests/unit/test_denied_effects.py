"""Effects that are not named: confounded factors, rounding, groups, and models too large."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from headgate.base.errors import AnalysisError
from headgate.figures.analysis import compute_main_effects
from headgate.figures.analysis.effect_sentences import write_sentences

RNG = np.random.default_rng(1)
A, B, C = np.array(list(product((0, 1), repeat=3)) * 2).T


def said(table: object, *factors: str, of: tuple[str, ...] = ("y",), **choices: Any) -> list[str]:
    return list(write_sentences(compute_main_effects(table, factors, of, **choices)))


def test_one_way_does_not_deny_what_it_shows_of_factors_that_change_together() -> None:
    table = {"A": A, "D": A, "B": B, "y": 3 * A + RNG.normal(0, 0.1, 16)}
    (sentence,) = said(table, "A", "D", "B", method="one-way")
    assert "y rises with A, by" in sentence
    assert "y rises with D, by" in sentence
    assert sentence.endswith("No effect on y is shown of B.")
    assert "together" not in sentence
    (together,) = said(table, "A", "D", "B")
    assert together.startswith("y depends on A or D, which always change together")


def test_one_way_compares_with_the_algorithm_before_beside_a_twin() -> None:
    """The model of all factors lacks the level means of the second twin."""
    names = np.array(["x", "y", "z"])[np.arange(12) % 3]
    table = {"other": np.char.upper(names), "cca": names,
             "y": np.arange(12) % 3 * 5 + RNG.normal(0, 0.1, 12)}  # fmt: skip
    found = compute_main_effects(table, ["other", "cca"], ["y"], method="one-way")
    (sentence,) = write_sentences(found, before=("cca", "x"))
    assert "compared with x (95 % each): y +" in sentence


#: A half fraction, I = ABC, with two copies of its column A.
HALF = np.array(list(product((-1, 1), repeat=2)) * 2).T
FRACTION = {"A": HALF[0] * HALF[1], "B": HALF[0], "C": HALF[1]}
FRACTION |= {"D": FRACTION["A"], "E": -FRACTION["A"]}


def test_factors_that_change_together_are_not_denied_if_they_are_confounded() -> None:
    (sentence,) = said(FRACTION | {"y": RNG.normal(size=8)}, *"ADEBC")
    assert sentence == (
        "The effect of B on y cannot be separated from that of A x C in this table. The effect of C"
        " on y cannot be separated from that of A x B in this table. The effect of A, D or E, which"
        " always change together, on y cannot be separated from that of B x C in this table."
    )
    assert "No effect" not in sentence


RESPONSES = tuple(f"y{k}" for k in range(5))


def test_many_responses_neither_deny_nor_omit_factors_that_no_test_separates() -> None:
    noise = {name: RNG.normal(size=8) for name in RESPONSES}
    assert said(FRACTION | noise, *"ADEBC", of=RESPONSES) == [
        "The effects of B cannot be separated from those of A x C in this table.",
        "The effects of C cannot be separated from those of A x B in this table.",
        "The effects of A, D or E cannot be separated from those of B x C in this table.",
    ]
    moved = {name: 3 * A + RNG.normal(0, 0.1, 16) for name in RESPONSES}
    assert said({"A": A, "D": A, "B": B, **moved}, "A", "D", "B", of=RESPONSES) == [
        "A or D, which always change together, acts on 5 of 5 responses: it raises y0, y1, y2, y3"
        " and y4.",
        "No effect on any of 5 responses is shown of B.",
    ]


SIX = {"A": [0, 0, 0, 1, 1, 1]}
STEPS = np.array([0, 8, -8, 16, 24, 8])


def test_values_that_differ_by_rounding_are_not_called_equal() -> None:
    (flat,) = said(SIX | {"y": 1e16 + STEPS}, "A")
    assert flat.endswith(
        "The values of y differ by less than 1e-13 of its size, as by rounding, so they count as"
        " equal."
    )
    (moved,) = said(SIX | {"y": 1e16 + STEPS + 1e16 * np.array(SIX["A"])}, "A")
    assert "y differs from the model by less than 1e-13 of its size, as by rounding" in moved
    (equal,) = said(SIX | {"y": [1, 1, 1, 2, 2, 2]}, "A")
    assert "the same y: nothing in it is random" in equal
    for sentence in (flat, moved):
        assert "random" not in sentence


def test_means_that_no_run_gives_are_not_numbers_in_a_sentence() -> None:
    """A and B change together in part, so no mean over their levels is known, and C acts."""
    table = {"A": list("bbcbbdbd"), "B": list("adbccbdb"), "C": list("yyxyyyxz")}
    y = [0.67, 82.4, 0.0, 0.28, 8.1e-7, 0.0, 6.3e-8, 0.0]
    sentence, *_ = said({**table, "y": y}, "A", "B", "C", method="main-effects")
    assert "nan" not in sentence
    assert sentence.startswith("y depends on C: the means at its levels are unknown in this table.")


def test_a_single_run_is_not_all_runs() -> None:
    table = {"A": ["a", "b"], "y": [2.0, np.nan]}
    assert said(table, "A", method="one-way")[0].startswith("y is 2 in the only run.")


def test_a_mean_of_zero_is_written_without_a_sign() -> None:
    """Least squares gives a level of zeros a mean of some -1e-17."""
    late = [0] * 20 + [0, 1, 0, 0, 0, 1, 1, 0, 1, 1] * 2 + [0] * 20
    names = ["cubic"] * 20 + ["bbr"] * 20 + ["reno"] * 20
    table = {"cca": names, "rtt": ([10] * 10 + [100] * 10) * 3, "late": late}
    found = compute_main_effects(table, ["cca", "rtt"], ["late"])
    (effect, _) = found.of_response("late", ())
    zero = next(one for one in effect.levels if one.level == "cubic")
    assert f"{zero.mean:.4g}" == "0"


@pytest.mark.parametrize("size", [1e-170, 1e-300])
def test_numbers_whose_squares_are_zero_are_refused(size: float) -> None:
    y = size * np.array([1, 1.1, 0.9, 3, 3.1, 2.9])
    with pytest.raises(
        AnalysisError, match="the numbers of y are below 1e-150, so their squares are zero"
    ):
        said(SIX | {"y": y}, "A")
    assert "y rises with A" in said(SIX | {"y": y / size * 1e-149}, "A")[0]
    assert said(SIX | {"y": np.zeros(6)}, "A") == ["y is 0 in all 6 runs."]


def test_the_correction_covers_the_tests_of_all_groups() -> None:
    """The p of one group is below 5 % by itself, and not after the correction for eight groups."""
    rng = np.random.default_rng(4)
    table = {"g": np.repeat(np.arange(8), 8), "A": np.tile([0, 1], 32), "y": rng.normal(size=64)}
    table["y"][:8] = [0, 1, 1, 2, 2, 3, 3, 5.5]
    found = compute_main_effects(table, ["A"], ["y"], by=["g"])
    p = {key: stats.ttest_ind(*(table["y"][rows][table["A"][rows] == a] for a in (0, 1))).pvalue
         for key, rows in found.table.groups.items()}  # fmt: skip
    least = min(p, key=lambda key: p[key])
    assert 0.05 / 8 < p[least] < 0.05
    assert found.p_corrected[least, ("A",), "y"] == pytest.approx(8 * p[least])
    assert not any(found.is_named(("A",), "y", group) for group in p)


def make_names(levels: int, rows: int) -> np.ndarray:
    return np.char.add("n", RNG.integers(0, levels, rows).astype(str))


def test_a_model_too_large_to_compute_omits_interactions_and_says_so() -> None:
    """44 x 44 columns of interactions in 3000 rows."""
    table = {name: make_names(45, 3000) for name in "ab"} | {"y": RNG.normal(size=3000)}
    found = compute_main_effects(table, ["a", "b"], ["y"])
    (sentence,) = write_sentences(found)
    assert sentence.endswith(
        "A model of y with interactions has 2025 columns for 3000 runs, which is too large to"
        " compute: the tests assume that no factors interact, and give no intervals."
    )
    effect = found.tested("a", "y")
    assert (effect.freedom, effect.error_freedom, effect.has_interval) == (44, 3000 - 89, False)
    many = {"a": table["a"], "b": table["b"]} | dict.fromkeys(RESPONSES, table["y"])
    assert said(many, "a", "b", of=RESPONSES)[-1] == (
        "For 5 of 5 responses a model with interactions is too large to compute: the tests assume"
        " that no factors interact, and give no intervals."
    )


def test_a_pair_too_large_to_compute_is_no_confounder() -> None:
    table = {name: make_names(45, 3000) for name in "abc"} | {"y": RNG.normal(size=3000)}
    (sentence,) = said(table, *"abc")
    assert "The 3000 runs are too few to separate interactions" in sentence


def test_main_effects_too_large_to_compute_are_refused() -> None:
    names = [f"n{row // 2}" for row in range(8000)]
    table = {"a": names, "y": RNG.normal(size=8000)}
    with pytest.raises(AnalysisError, match=r"^a has 4000 levels in 8000 rows, too many"):
        said(table, "a")
    seeds = {"a": [0, 1] * 4000, "seed": names, "y": table["y"]}
    with pytest.raises(AnalysisError, match=r"^the replicate has 4000 levels in 8000 rows"):
        said(seeds, "a", replicate="seed")
