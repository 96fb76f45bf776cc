"""Findings in words: they state what the numbers show, and nothing if there is no effect."""

from collections.abc import Iterable

import numpy as np

from headgate.figures.analysis import (
    compute_biplots,
    compute_clusters,
    compute_condition_responses,
    compute_correlations,
    compute_ranks,
)
from headgate.figures.analysis import findings as said
from headgate.figures.analysis.influence import of_rows

from .planted import CCAS, Planted


def sentences(found: Iterable[said.Finding]) -> list[str]:
    return [one.sentence for one in found]


def test_influence_names_responses_that_move_and_those_that_do_not() -> None:
    found = of_rows({"1": [0.2, 0.9, 0.0]}, ["X1", "X2", "X3"], [["1"]])
    assert sentences(said.of_influence(found)) == [
        "The factors with effects on most responses are X2 90 %, X1 20 % (Psi, the share of"
        " responses with a shown effect, averaged over 1).",
        "No response shows an effect of X3.",
    ]


def test_outliers_are_compared_with_chance() -> None:
    made = Planted(conditions=20, responses=10)
    made.shifts[..., 2, :3] = 60.0
    first, second = sentences(
        said.of_outliers(compute_condition_responses(made.table(), made.names))
    )
    assert "of 200 cells (a response under a condition) by the" in first
    assert first.endswith("spread of replicates; chance alone gives 10.")
    assert second.startswith("60 of these outliers are at least 10 % of the mean away: fast in 60")


def test_less_than_one_outlier_by_chance_is_no_0() -> None:
    """5 % of 8 cells are 0.4."""
    made = Planted(conditions=4, responses=2)
    (first, *_) = sentences(said.of_outliers(compute_condition_responses(made.table(), made.names)))
    assert first.endswith("chance alone gives 0.4.")


def test_without_planted_effects_no_algorithm_is_an_outlier() -> None:
    made = Planted(conditions=20, responses=10)
    _, second = sentences(said.of_outliers(compute_condition_responses(made.table(), made.names)))
    assert second == "None of these outliers is 10 % of the mean or more away."


def test_clusters_name_the_algorithm_that_is_alone() -> None:
    made = Planted(conditions=4, responses=10)
    made.shifts[:, :, 2] = 20.0
    assert sentences(said.of_clusters(compute_clusters(made.table(), made.names))) == [
        "The algorithm that differs most from the others: fast in 4 of 4 conditions."
    ]
    same = {"condition": ["a"] * 3, "cca": ["p", "q", "r"], "y": [1.0] * 3}
    assert sentences(said.of_clusters(compute_clusters(same, ["y"]))) == [
        "Under 1 of 1 conditions all algorithms give the same numbers."
    ]


def test_ranks_biplots_and_correlations_say_their_numbers() -> None:
    made = Planted(conditions=12, responses=2, sigma=0.1)
    made.shifts[..., 2, 0] = 30.0
    table = made.table()
    table["y2"] = table["y1"] / np.where(np.asarray(table["cca"]) == "fast", 2.0, 1.0)
    rank = sentences(said.of_ranks(compute_ranks(table, ["y1"])))[0]
    assert rank.startswith(f"In y1, fast ranks highest: 7.0 of {len(CCAS)} on average")
    assert rank.endswith("(Friedman's test: p < 0.001).")
    beside = sentences(said.of_biplots(compute_biplots(table, "y1", "y2")))
    assert beside == ["Flows get more than competing TCP flows (95 %): fast 2.00 times."]
    rng = np.random.default_rng(1)
    a, c = rng.normal(size=(2, 50))
    together = sentences(
        said.of_correlations(compute_correlations({"a": a, "b": -a, "c": c}, ["a", "b", "c"]))
    )
    assert together == [
        "3 responses show 2 behaviours (|r| above 0.65); these groups change together: a, b."
    ]


def test_many_throughputs_are_counted_in_one_sentence() -> None:
    made = Planted(conditions=12, responses=6)
    made.shifts[:, :, 1, :5] = 30.0
    (one,) = sentences(said.of_ranks(compute_ranks(made.table(), made.names)))
    assert "in 5 of 6 throughputs" in one or "in 6 of 6 throughputs" in one
    assert "ctcp in 5" in one
