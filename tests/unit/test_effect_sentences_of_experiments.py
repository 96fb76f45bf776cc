"""The sentence on effects names what is shown, with an interval if there is one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from headgate.design.factor import Factor
from headgate.experiment.findings import sentences
from headgate.experiment.tables import MeasuredRuns
from headgate.figures.analysis import Frame
from headgate.figures.analysis.effect_sentences import write_sentences as say_table
from headgate.figures.analysis.part import PeriodAnalysis
from headgate.figures.analysis.phrases import phrases
from headgate.figures.analysis.roles import Roles
from headgate.figures.analysis.whole import TableAnalysis
from headgate.figures.report.html import Codes

from .planted_experiment import measured

LEVELS = {"rtt": ("10 ms", "40 ms"), "queue": ("drop_tail", "fq-codel"), "cca": ("cubic", "bbr3")}


def chance(levels: Mapping[str, object], replicate: int) -> float:
    """No effect at all: the same numbers whatever the levels, in another order."""
    place = sum(str(level) in {of[1] for of in LEVELS.values()} for level in levels.values())
    return 10 + float(np.random.default_rng([place, replicate, len(str(levels))]).normal())


def only_rtt(levels: Mapping[str, object], replicate: int) -> float:
    return chance(levels, replicate) + 20.0 * (levels["rtt"] == "40 ms")


def said(found: MeasuredRuns) -> str:
    return next(one for one in sentences(found) if "moved most" in one or "No main" in one)


def test_chance_alone_names_no_factor() -> None:
    found = measured(LEVELS, {"y": (chance, "lower")}, replicates=5)
    assert said(found) == (
        "No main effect on y is shown; shown after a correction for all tests: 0 of 3 main effects"
        " and 0 of 3 interactions, by t tests over 5 replicates."
    )


def test_both_ends_have_one_unit_although_an_interval_reaches_a_larger_one() -> None:
    def wide(levels: Mapping[str, object], replicate: int) -> float:
        return 0.3 + 0.1 * (levels["rtt"] == "40 ms") + (0.07, -0.07)[replicate]

    found = measured(LEVELS, {"t": (wide, "lower")}, replicates=2)
    found = replace(found, responses=(replace(found.responses[0], unit="s"),))
    assert found.mean("t", 0)[2] > 0.9
    (ends,) = [one for one in sentences(found) if "at the other end" in one]
    assert re.search(r": 300 ms.*it is 400 ms", ends)


@pytest.mark.parametrize("replicates", [1, 3])
def test_a_response_of_one_value_has_neither_best_nor_worst(replicates: int) -> None:
    def lost(levels: Mapping[str, object], replicate: int) -> float:
        missing = levels["cca"] == "bbr3" and levels["queue"] == "drop_tail"
        return float("nan") if missing else 0.0

    always = measured(LEVELS, {"y": (lambda *_: 0.0, "lower")}, replicates=replicates)
    assert "y is 0 in every run." in sentences(always)
    assert not [one for one in sentences(always) if "other end" in one or "effect" in one]
    first, second = sentences(measured(LEVELS, {"y": (lost, "")}, replicates=replicates))[:2]
    assert "lacks a value" in first
    assert second == "y is 0 in every run with a value."


def test_a_factor_that_moves_a_response_is_named_with_its_interval() -> None:
    found = measured(LEVELS, {"y": (only_rtt, "lower")}, replicates=5)
    text = said(found)
    assert text.startswith("y is moved most by rtt: from 10 ms to 40 ms it changes by +")
    assert "shown after a correction for all tests: 1 of 3 main effects" in text
    (effect,) = found.shown["y"]
    assert effect.factors == ("rtt",)
    assert effect.low < 20 < effect.high


def test_other_shown_effects_are_named_after_the_largest() -> None:
    def both(levels: Mapping[str, object], replicate: int) -> float:
        return only_rtt(levels, replicate) + 10.0 * (levels["cca"] == "bbr3")

    found = measured(LEVELS, {"y": (both, "lower")}, replicates=6)
    assert re.search(r"; the next is cca, cubic to bbr3: \+[\d.]+ \([^)]+\)\.$", said(found))


def test_the_named_factor_is_not_called_the_largest_if_another_is_larger() -> None:
    """The queue moves y by 263 with much noise; the algorithm moves it by 30, in two ways."""

    def turned(levels: Mapping[str, object], replicate: int) -> float:
        noise = (0, 90, 700)[replicate] * (levels["queue"] == "fq-codel")
        way = {"10 ms": 15, "40 ms": -15}[str(levels["rtt"])]
        way *= 1 if levels["cca"] == "bbr3" else -1
        return 60 + noise + way + chance(levels, replicate) / 9

    found = measured(LEVELS, {"y": (turned, "lower")}, replicates=3)
    text = next(one for one in sentences(found) if " is moved " in one)
    assert re.match("y is moved by (cca|rtt), and not one way: from ", text)
    assert "moved most" not in " ".join(sentences(found))
    assert re.search(
        r": 0 of 3 main effects .*; a larger change is not shown:"
        r" queue, drop_tail to fq-codel: \+2\d\d \([-+\d,]+ to [-+\d,]+\)\.$",
        text,
    )


def test_single_runs_have_no_interval_and_the_sentence_says_so() -> None:
    found = measured(LEVELS, {"y": (only_rtt, "lower")}, replicates=1)
    assert said(found).endswith(
        "; with one run of each condition no interval can be given, and this may be chance."
    )


def test_an_effect_confounded_with_another_in_a_fraction_has_no_interval() -> None:
    """Half of eight combinations: rtt is the product of the other two."""
    half = measured(
        LEVELS, {"y": (only_rtt, "lower")}, replicates=5,
        keep=lambda of: sum(of[name] == LEVELS[name][1] for name in LEVELS) % 2 == 1,
    )  # fmt: skip
    assert "moved most by rtt (or by queue x cca, which this design cannot distinguish: no" in said(
        replace(half, paired=False)
    )
    rows = half.effects
    place = rows["factors"].tolist().index("rtt")
    assert rows["confounded_with"][place] == "queue x cca"
    assert np.isnan(rows["low"][place])
    assert rows["shown"][place] == 1


def test_a_level_is_written_as_tables_write_it() -> None:
    found = measured(
        {"loss": (0.0, 0.01), "cca": ("cubic", "bbr3")},
        {"y": (lambda of, k: (5 + 0.01 * k) * (of["loss"] == 0.01) + 0.01 * k, "lower")},
    )
    text = " ".join(sentences(found))
    assert "loss 0, cca" in text
    assert "from 0 to 0.01" in text


@pytest.mark.parametrize("coded", [0.807314, -0.3, 0.1234567])
def test_a_sampled_quantity_has_the_digits_that_it_was_given(coded: float) -> None:
    """91.3291 ms is not 91.329099999999997 ms."""
    level = str(Factor("rtt", "", "rtt", "10 ms", "100 ms").level(coded))
    number = level.removesuffix(" ms")
    assert len(number.replace(".", "")) <= 6
    assert float(number) == pytest.approx(55 + 45 * coded, rel=1e-5)


def test_a_replicated_sample_has_a_slope_for_each_quantity() -> None:
    """Twelve conditions of three runs, each with a different value of every quantity."""
    rng = np.random.default_rng(4)
    rtt, loss = rng.permutation(12) * 8.0 + 10, rng.permutation(12) / 1000
    y = np.repeat(3 * rtt, 3) + rng.normal(size=36)
    table = {
        "rtt": [f"{value:g} ms" for value in np.repeat(rtt, 3)],
        "loss": np.repeat(loss, 3), "y": y,
    }  # fmt: skip
    roles = Roles(responses=("y",), factors=("rtt", "loss"))
    (text,) = say_table(PeriodAnalysis(Frame.of(table), roles).main_effects)
    assert text.startswith("y rises with rtt, by 26")
    assert "from 10 ms to 98 ms along a straight line." in text
    assert "No effect on y is shown of loss along a straight line." in text
    assert "change together" not in text


def test_two_numbers_that_change_together_in_three_conditions_are_not_separated() -> None:
    table = {"a": [1, 2, 3] * 4, "b": [1, 4, 9] * 4, "y": np.arange(12.0) % 3}
    roles = Roles(responses=("y",), factors=("a", "b"))
    (text,) = say_table(PeriodAnalysis(Frame.of(table), roles).main_effects)
    assert "which always change together in this table" in text


def test_a_level_that_is_a_condition_stays_a_level_in_sentences() -> None:
    """With one factor beside the algorithm, 10 is a condition, and no part of the number 10.63."""
    table = {
        "x1": [10, 20] * 4, "cca": ["cubic", "cubic", "bbr3", "bbr3"] * 2, "y": np.arange(8.0),
    }  # fmt: skip
    roles = Roles(responses=("y",), factors=("x1",), cca="cca")
    said = "y rises with x1, by 9 (7.588 to 10.63) from 10 to 20"
    assert str(Codes.of(TableAnalysis(Frame.of(table), roles)).explain(said)) == said
    assert str(Codes({"10": "ten"}).explain("10.63 or 2.10")) == "10.63 or 2.10"


def test_a_row_without_a_level_is_of_no_condition() -> None:
    table = {
        "x1": ["a", "b", "", "b"], "x2": ["c", "c", "d", "d"], "cca": ["cubic", "bbr3"] * 2,
        "y": np.arange(4.0),
    }  # fmt: skip
    part = PeriodAnalysis(Frame.of(table), Roles(responses=("y",), factors=("x1", "x2"), cca="cca"))
    assert not part.has_cells
    assert set(phrases(part.frame, part.roles)) == {"a c", "b c", "b d"}


def bbr3_is_lower(levels: Mapping[str, object], replicate: int) -> float:
    return only_rtt(levels, replicate) - 5.0 * (levels["cca"] == "bbr3")


def by_algorithm(found: MeasuredRuns) -> list[str]:
    return [one for one in sentences(found) if one.startswith("y by algorithm: ")]


def test_the_algorithms_have_a_sentence_if_no_other_names_them() -> None:
    found = measured(LEVELS, {"y": (bbr3_is_lower, "lower")}, replicates=5)
    assert "; the next is cca, cubic to bbr3: -" in said(found)
    assert not by_algorithm(found)
    (text,) = by_algorithm(measured(LEVELS, {"y": (only_rtt, "lower")}, replicates=5))
    assert text.startswith("y by algorithm: no change from cubic to bbr3 is shown: ")
    assert not by_algorithm(measured(LEVELS, {"y": (bbr3_is_lower, "lower")}, replicates=1))


def test_a_change_that_only_the_correction_leaves_unshown_is_called_so() -> None:
    """Its interval, which is of this change alone, excludes zero."""
    found = measured(LEVELS, {"y": (bbr3_is_lower, "lower")}, replicates=5)
    hidden = replace(found)
    object.__setattr__(hidden, "shown", {"y": []})
    (text,) = [one for one in sentences(hidden) if " by algorithm: " in one]
    assert text.startswith(
        "y by algorithm: no change from cubic to bbr3 is shown after the correction for all tests: "
    )


def test_a_factor_is_named_by_its_title() -> None:
    found = measured(LEVELS, {"y": (only_rtt, "lower")}, replicates=5)
    titled = tuple(replace(one, title="round-trip time") for one in found.factors)
    assert "y is moved most by round-trip time (rtt): from 10 ms" in said(
        replace(found, factors=titled)
    )
