"""Runs without a value of a response: counted in a sentence, in effects and in claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from headgate.claims.claim import Claim
from headgate.data.tables import Table, Words
from headgate.experiment import claims
from headgate.experiment.effects import paired_effects
from headgate.experiment.findings import sentences
from headgate.experiment.tables import MeasuredRuns

from .planted_experiment import measured

LEVELS = {"buffer": ("1", "2", "3"), "cca": ("cubic", "bbr3")}


def grow(levels: Mapping[str, object], replicate: int) -> float:
    """Return 10 times the buffer, 1 more for bbr3, and small noise."""
    place = [*(of.index(str(levels[name])) for name, of in LEVELS.items()), replicate]
    noise = float(np.random.default_rng(place).normal(scale=0.01))
    return 10.0 * float(str(levels["buffer"])) + (levels["cca"] == "bbr3") + noise


def with_gaps(*gaps: tuple[str, str, int], replicates: int = 4) -> MeasuredRuns:
    """Return the experiment without the values of some (buffer, cca, replicate)."""

    def plant(levels: Mapping[str, object], replicate: int) -> float:
        key = (levels["buffer"], levels["cca"], replicate)
        return np.nan if key in gaps else grow(levels, replicate)

    return measured(LEVELS, {"y": (plant, "higher")}, replicates)


NONE_AT_3 = with_gaps(
    *(("3", "cubic", k) for k in range(4)), *(("3", "bbr3", k) for k in range(3)), ("2", "cubic", 3)
)


def test_a_sentence_counts_runs_without_a_value() -> None:
    assert next(iter(sentences(NONE_AT_3))) == (
        "y lacks a value in 8 of 24 runs (4 of 4 with buffer 3, cca cubic; 3 of 4 with buffer 3,"
        " cca bbr3; 1 of 4 with buffer 2, cca cubic); its means and effects are those of the other"
        " runs."
    )
    assert not any("lacks a value" in one for one in sentences(with_gaps()))
    every = with_gaps(*((b, c, 0) for b in LEVELS["buffer"] for c in LEVELS["cca"]))
    assert "; others under 3 more conditions);" in next(iter(sentences(every)))


def test_runs_that_were_not_made_are_not_counted() -> None:
    digests = NONE_AT_3.digests.copy()
    digests[np.isnan(NONE_AT_3.values["y"])] = ""
    found = replace(NONE_AT_3, digests=digests)
    assert not any("lacks a value" in one for one in sentences(found))


def test_a_pair_without_a_value_is_left_out_of_its_effect() -> None:
    """The pair at buffer 3 lacks cubic: cca keeps two pairs of three, and their replicates."""
    effects = {(e.factors, e.steps): e for e in NONE_AT_3.effects_by_response["y"]}
    cca = effects[("cca",), ((-1.0, 1.0),)]
    y = NONE_AT_3.values["y"]
    assert (len(cca.pairs), cca.absent, cca.replicates) == (2, 1, 3)
    labels = NONE_AT_3.labels
    rows = {(b, c): i for i, (b, c) in enumerate(zip(labels["buffer"], labels["cca"], strict=True))}
    changes = [y[rows[b, "bbr3"]] - y[rows[b, "cubic"]] for b in ("1", "2")]
    assert cca.effect == pytest.approx(np.mean(changes, axis=0)[:3].mean())
    assert effects[("buffer",), ((-1.0, 0.0),)].absent == 0
    last = effects[("buffer",), ((-1.0, 1.0),)]  # one pair, in one replicate
    assert (last.absent, last.replicates, last.has_interval) == (1, 1, False)


def test_a_replicate_is_not_the_mean_of_other_pairs() -> None:
    """Pairs differ by 1 and 101: a mean of one of them would be another effect."""
    coded = np.array([(a, b) for b in (-1.0, 1.0) for a in (-1.0, 1.0)])
    values = np.array([[0.0, 0, 0], [1, 1, 1], [0, 0, 0], [101, np.nan, 101]])
    (a, *_) = paired_effects(["a", "b"], coded, values)
    assert (a.effect, a.replicates, a.absent) == (51.0, 2, 0)


def test_effects_that_cannot_be_tested_are_counted() -> None:
    text = next(one for one in sentences(NONE_AT_3) if "moved most" in one)
    assert (
        "shown after a correction for all tests: 2 of 3 main effects (1 cannot be tested) and 0 of"
        " 2 interactions (1 cannot be tested)" in text
    )
    assert "cca, cubic to bbr3" in text
    assert text.endswith("over 2 of 3 pairs of conditions and 3 of 4 replicates.")
    whole = next(one for one in sentences(with_gaps()) if "moved most" in one)
    assert "3 of 3 main effects and 0 of 2 interactions" in whole
    assert "cannot be tested" not in whole
    assert "pairs of conditions" not in whole


def test_the_replicates_that_are_left_are_counted() -> None:
    """One of 24 runs lacks a value, so that one of four replicates does not count."""
    said = list(sentences(with_gaps(("3", "bbr3", 2))))
    assert any("; the next are" in one and ", over 3 of 4 replicates" in one for one in said)
    assert not any("replicates" in one for one in sentences(with_gaps()))

    def flat(levels: Mapping[str, object], replicate: int) -> float:
        gap = (levels["buffer"], levels["cca"], replicate) == ("3", "bbr3", 2)
        rng = np.random.default_rng([replicate, len(str(levels)), int(str(levels["buffer"]))])
        return np.nan if gap else 10.0 + float(rng.normal())

    found = measured(LEVELS, {"y": (flat, "higher")}, 4)
    text = next(one for one in sentences(found) if "No main effect" in one)
    assert text.endswith("by t tests over 3 to 4 replicates.")


def test_too_few_values_are_not_one_run_of_each_condition() -> None:
    """Each condition gives a value in one of its four replicates."""
    conditions = [(b, c) for b in LEVELS["buffer"] for c in LEVELS["cca"]]
    found = with_gaps(*((b, c, k) for b, c in conditions for k in range(1, 4)))
    text = next(one for one in sentences(found) if "moved most" in one)
    assert text.endswith("; too few runs give a value for an interval, and this may be chance.")


def test_an_effect_without_any_pair_is_said_to_be_unknown() -> None:
    every = [(b, c, k) for b in LEVELS["buffer"] for c in LEVELS["cca"] for k in range(4)]
    found = with_gaps(*(one for one in every if one[:2] != ("1", "cubic")))
    assert "No main effect on y can be computed: too few runs give a value." in sentences(found)


def test_replicates_that_are_the_same_run_are_not_tested() -> None:
    found = measured(LEVELS, {"y": (lambda of, _: grow(of, 0), "higher")}, 3)
    same = replace(found, digests=np.repeat(found.digests[:, :1], 3, axis=1))
    text = next(one for one in sentences(same) if "moved most" in one)
    assert "correction" not in text


@pytest.mark.parametrize(
    ("value", "kept", "note"),
    [
        ("avg(Y)", "", "y lacks a value in 2 of 6 rows, which SQL leaves out"),
        ("avg(y)", "cca = 'reno'", "y lacks a value in 1 of 3 rows, which SQL leaves out"),
        ("SELECT avg(y) FROM runs", "", "y lacks a value in 2 of 6 rows, which SQL leaves out"),
        ("avg(y)", "cca = 'bbr3'", "y lacks a value in 1 of 3 rows, which SQL leaves out"),
        ("avg(z)", "", ""),
        ("count(*)", "", ""),
    ],
)
def test_a_claim_says_which_values_it_does_not_read(value: str, kept: str, note: str) -> None:
    runs = Table(
        "runs",
        {
            "cca": Words.of(["reno", "bbr3"] * 3), "replicate": np.repeat([1, 2, 3], 2),
            "y": np.array([1.0, np.nan, np.nan, 2.0, 3.0, 4.0]), "z": np.arange(6.0),
        },
    )  # fmt: skip
    claim = Claim(id="c", statement="s", value=value, where=kept, tolerance=">= 0")
    noted = claims.estimate(claim, runs).note
    assert (note in noted) if note else noted == ""
