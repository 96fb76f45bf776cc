"""Verdicts: an interval on one side of every bound decides, one that holds both sides does not."""

import numpy as np
import pytest

from headgate.claims.claim import Claim, Correction, read_bounds
from headgate.claims.verdicts import (
    Estimate,
    JudgedClaim,
    Sample,
    Verdict,
    count_differences,
    judge,
    lies_within,
    tally,
)
from headgate.experiment.estimates import estimate_mean


def claim(**changes: object) -> Claim:
    given = {"id": "x", "statement": "s", "source": "p", "published": 2.0, "measure": "m"}
    return Claim(**{**given, "tolerance": "+- 5 %", **changes})


def verdict(low: float, high: float, **changes: object) -> Verdict:
    found = Estimate(ours=(low + high) / 2, ci=(low, high))
    return judge(claim(**changes), {"x": found}, "quick").verdict


def test_what_is_not_a_number_is_not_shown_as_one() -> None:
    judged = judge(
        claim(missing="its data", tolerance=None), {"x": Estimate(ours=float("nan"))}, "quick"
    )
    assert (judged.verdict, judged.ours, judged.ci) == (Verdict.NOT_CHECKABLE, None, None)


def test_differences_are_counted_by_origin() -> None:
    def differs(whose: str) -> JudgedClaim:
        return judge(claim(whose=whose), {"x": Estimate(ours=9.0)}, "quick")

    holds = judge(claim(whose="ours"), {"x": Estimate(ours=2.0)}, "quick")
    assert count_differences([holds]) == "There are no differences"
    different = [differs(whose) for whose in ("source", "model", "source", "")]
    assert count_differences([holds, *different]) == (
        "4 differences: 2 in the source, 1 in a model, 1 unexplained"
    )


@pytest.mark.parametrize(
    ("ours", "tolerance", "inside"),
    [
        (0.75, ">= 0.75", True),
        (0.74, ">= 0.75", False),
        (0.1, "<= 0.10", True),
        (2.1, "+- 5 %", True),
        (2.11, "+- 5 %", False),
        (2.04, "+- 0.05", True),
        (1.94, "+- 0.05", False),
    ],
)
def test_tolerances(ours: float, tolerance: str, inside: bool) -> None:
    assert lies_within((ours, ours), read_bounds(tolerance, 2.0)) is inside


def test_verdicts() -> None:
    assert judge(claim(), {"x": Estimate(ours=2.0)}, "quick").verdict == Verdict.HOLDS
    assert judge(claim(), {"x": Estimate(ours=3.0)}, "quick").verdict == Verdict.DIFFERS
    assert judge(claim(), {}, "quick").verdict == Verdict.NOT_RUN
    assert judge(claim(scales=("full",)), {"x": Estimate(ours=2.0)}, "quick").verdict == "not run"


def test_corrected_claims_are_held_to_the_correction() -> None:
    instead = Correction(statement="t", published=3.0, tolerance="+- 1 %")
    assert (
        judge(claim(corrected=instead), {"x": Estimate(ours=3.0)}, "quick").verdict == "corrected"
    )
    assert judge(claim(corrected=instead), {"x": Estimate(ours=4.0)}, "quick").verdict == "differs"


def test_a_difference_is_explained_and_a_correction_is_said() -> None:
    instead = Correction(statement="t", published=3.0, tolerance="+- 1 %")
    explained = claim(corrected=instead, why="because", whose="model")
    differs = judge(explained, {"x": Estimate(ours=9.0, note="n")}, "quick")
    assert (differs.note, differs.reason, differs.whose) == ("n. because", "because", "model")
    holds = judge(explained, {"x": Estimate(ours=2.0, note="n")}, "quick")
    assert (holds.note, holds.reason, holds.whose) == ("n", "", "")
    assert judge(explained, {"x": Estimate(ours=3.0)}, "quick").note == "t"
    assert not judge(explained, {"x": Estimate(ours=2.0)}, "quick").note


@pytest.mark.parametrize(
    ("interval", "tolerance", "expected"),
    [
        ((1.95, 2.05), "+- 5 %", "holds"),
        ((1.95, 2.15), "+- 5 %", "undecided"),
        ((1.5, 2.5), "+- 5 %", "undecided"),
        ((2.11, 2.5), "+- 5 %", "differs"),
        ((0.8, 1.0), ">= 0.75", "holds"),
        ((0.7, 1.0), ">= 0.75", "undecided"),
        ((0.1, 0.74), ">= 0.75", "differs"),
        ((0.0, 0.1), "<= 0.1", "holds"),
    ],
)
def test_the_interval_decides(interval: tuple[float, float], tolerance: str, expected: str) -> None:
    assert verdict(*interval, tolerance=tolerance) == expected


def test_a_correction_needs_the_whole_interval_too() -> None:
    instead = Correction(statement="t", published=3.0, tolerance="+- 10 %")
    assert verdict(2.9, 3.1, corrected=instead) == "corrected"
    assert verdict(2.9, 3.5, corrected=instead) == "undecided"
    assert verdict(4.0, 4.1, corrected=instead) == "differs"
    assert verdict(2.0, 3.1, corrected=instead) == "undecided"


def test_power_is_half_of_the_interval() -> None:
    found = Estimate(ours=1.0, ci=(0.8, 1.1))
    assert judge(claim(), {"x": found}, "quick").detectable == pytest.approx(0.15)
    assert judge(claim(), {"x": Estimate(ours=1.0)}, "quick").detectable is None


def test_what_would_decide_is_said_with_its_cost() -> None:
    found = Estimate(ours=2.2, ci=(1.9, 2.5), sample=Sample(count=4))
    said = judge(claim(tolerance="<= 2.1"), {"x": found}, "quick", cpu_s=7200).note
    # half a width of 0.3 must come down to 0.1: nine times as many replicates
    assert said == (
        "Over 4 replicates; about 36 (18 CPU hours) would decide it with the same centre and spread"
    )


def test_no_larger_sample_is_asked_for_than_there_can_be() -> None:
    """The conditions of a design are fixed; and a centre at the bound asks for no number."""
    over = {"ours": 2.2, "ci": (1.9, 2.5)}
    conditions = Estimate(**over, sample=Sample(count=32, unit="conditions"))
    said = judge(claim(tolerance="<= 2.1"), {"x": conditions}, "quick", cpu_s=7200).note
    assert said == "The interval over 32 conditions contains the bound"
    close = Estimate(**over, sample=Sample(count=4))
    said = judge(claim(tolerance="<= 2.19"), {"x": close}, "quick", cpu_s=7200).note
    assert (
        said
        == "The interval over 4 replicates contains the bound, and its centre is close to the bound"
    )


def test_a_wrong_verdict_is_as_rare_as_the_interval_promises() -> None:
    """At the bound itself either verdict is wrong in no more than 2.5 % of samples, by Student."""
    rng = np.random.default_rng(7)
    verdicts = [
        judge(
            claim(tolerance=">= 0"), {"x": estimate_mean(rng.normal(0, 1, 5).tolist())}, "q"
        ).verdict
        for _ in range(4000)
    ]
    for wrong in ("holds", "differs"):
        assert verdicts.count(Verdict(wrong)) / len(verdicts) == pytest.approx(0.025, abs=0.008)


def test_verdicts_are_counted_in_a_sentence() -> None:
    holds, differs, missing = (
        judge(claim(), found, "quick")
        for found in ({"x": Estimate(ours=2.0)}, {"x": Estimate(ours=3.0)}, {})
    )
    said = "4 published claims: 2 hold, 1 differs, 1 was not run"
    assert tally([holds, differs, missing, holds]) == said
    assert tally([holds]) == "1 published claim holds"
    assert tally([holds.model_copy(update={"source": ""})] * 2) == "2 claims: 2 hold"


@pytest.mark.parametrize("source", ["ours", "ours: a reason", "derived: a model", "derived, again"])
def test_a_claim_of_ours_is_not_a_published_one(source: str) -> None:
    published = judge(claim(), {"x": Estimate(ours=2.0)}, "quick")
    own = published.model_copy(update={"source": source})
    assert tally([own, own]) == "2 claims: 2 hold"
    assert tally([own, published, own]) == "3 claims (1 published): 3 hold"
    assert tally([published.model_copy(update={"source": "Derivation 2004"})]) == (
        "1 published claim holds"
    )


@pytest.mark.parametrize(("count", "decided"), [(2, False), (5, False), (6, True)])
def test_a_few_conditions_with_one_value_decide_nothing(count: int, decided: bool) -> None:
    """By the sign test six conditions on one side of a bound give p = 0.03, five give 0.06."""
    found = estimate_mean([0.9] * count, unit="conditions")
    assert (found.decided, found.ours) == (decided, pytest.approx(0.9))
