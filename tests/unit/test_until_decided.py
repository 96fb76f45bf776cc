"""Replicates until every claim is decided: the rule on planted values, and a whole experiment."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from headgate import Experiment, Table
from headgate.base.errors import HeadgateError, ScenarioError
from headgate.claims.claim import Claim, read_bounds
from headgate.claims.verdicts import Verdict, judge, lies_within
from headgate.design import Factor
from headgate.experiment.claims import Until, decide, estimate, is_fixed
from headgate.experiment.responses import Response
from headgate.experiment.tables import MeasuredRuns
from headgate.stats.sequential import Looks

BASE = {
    "duration": "3 s",
    "network": {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "20 ms", "buffer": "1 BDP"},
    "traffic": [{"kind": "poisson", "cca": "cubic", "load": 0.6, "size": "20 packets"}],
}


def claim(tolerance: str = ">= 0", **changes: Any) -> Claim:
    given = {"id": "x", "statement": "s", "source": "p", "published": 1.0, "measure": "m"}
    return Claim(**{**given, "tolerance": tolerance, "value": "avg(y)", **changes})


@pytest.mark.parametrize(
    ("tolerance", "allowed"),
    [(">= 0.5", (0.5, np.inf)), ("<= 2", (-np.inf, 2)), ("+- 10 %", (0.9, 1.1)), ("+- 2", (-1, 3))],
)
def test_a_tolerance_is_two_bounds(tolerance: str, allowed: tuple[float, float]) -> None:
    assert read_bounds(tolerance, 1.0) == pytest.approx(allowed)


@pytest.mark.parametrize(
    ("interval", "decided"),
    [((0.91, 1.0), True), ((1.2, 1.3), True), ((0.0, 0.8), True), ((0.8, 1.0), False),
     ((1.0, 1.2), False), ((0.5, 1.5), False)],
)  # fmt: skip
def test_decided_is_on_one_side_of_every_bound(
    interval: tuple[float, float], decided: bool
) -> None:
    assert (lies_within(interval, (0.9, 1.1)) is not None) is decided


def test_the_first_look_that_decides_is_kept() -> None:
    looks = Looks((4, 8, 16))
    values = [1.0, 1.001, 0.999, 1.0, *([-9.0] * 12)]
    found = decide(claim(), values, looks)
    assert found.decided
    assert found.ours == pytest.approx(1.0)  # later values change nothing
    assert found.ci == looks.compute_interval(values[:4])
    assert found.note == "decided at look 1 of 3, with 4 replicates"


def test_the_replicates_needed_to_decide_are_reported() -> None:
    values = np.random.default_rng(1).normal(0.2, 1.0, 8)
    found = decide(claim(), values.tolist(), Looks((4, 8)))
    assert not found.decided
    needed = int(found.note.split("some ")[1].split()[0])
    assert needed == pytest.approx(
        (Looks((4, 8)).bounds[-1] * values.std(ddof=1) / values.mean()) ** 2, abs=1
    )
    assert judge(claim(), {"x": found}, "full").verdict == Verdict.UNDECIDED


def test_a_replicate_without_a_value_decides_nothing() -> None:
    found = decide(claim(), [1.0, np.nan, 1.0, 1.0], Looks((4,)))
    assert not found.decided
    assert "no value" in found.note


def test_values_that_are_alike_in_different_runs_decide_nothing() -> None:
    """Four zeros of an event that comes in one of ten runs are seen in 66 % of trials."""
    found = decide(claim("<= 0.05"), [0.0] * 4, Looks((4, 8)))
    assert (found.decided, found.ours, found.ci) == (False, 0.0, None)
    assert found.note.startswith("undecided after 4 replicates: all replicates give the same value")
    judged = judge(claim("<= 0.05"), {"x": found}, "full")
    assert (judged.verdict, judged.detectable) == (Verdict.UNDECIDED, None)


def test_a_rare_event_is_seldom_held_for_none() -> None:
    looks = Until().plan()
    drawn = np.random.default_rng(6).random((2000, 32)) < 0.1
    found = [decide(claim("<= 0.05"), row.tolist(), looks) for row in drawn.astype(float)]
    wrong = np.mean([one.decided and one.ours <= 0.05 for one in found])
    assert wrong < 0.05


def test_one_and_the_same_run_decides_at_once() -> None:
    looks = Looks((4, 8))
    for value, verdict in ((1.0, Verdict.HOLDS), (-1.0, Verdict.DIFFERS), (0.0, Verdict.HOLDS)):
        runs = Table("runs", {"replicate": np.arange(4), "y": np.full(4, value)})
        for chosen in (looks, None):  # without looks too: there is no interval
            found = estimate(claim(), runs, chosen, same=True)
            assert found.decided
            assert found.ci is None
            assert "one and the same run" in found.note
            assert judge(claim(), {"x": found}, "full").verdict == verdict


@pytest.mark.parametrize(
    ("changes", "fixed"),
    [
        ({"where": "x = 1"}, True),
        ({"where": "x >= 1"}, False),
        ({}, False),
        ({"value": "SELECT avg(y) FROM runs WHERE x = 1"}, False),
    ],
)
def test_chance_in_other_conditions_does_not_affect_a_claim(
    changes: dict[str, str], fixed: bool
) -> None:
    """Runs at x = 1 are the same in all replicates, those at x = 2 are not."""
    values = np.array([[1.0, 1.0, 1.0], [1.0, 2.0, 3.0]])
    digests = np.array([["a", "a", "a"], ["b", "c", "d"]])
    coded, responses = np.array([[-1.0], [1.0]]), (Response("y"),)
    factors = (Factor("x", "", "x", 1, 2),)
    found = MeasuredRuns(factors, coded, (1, 2, 3), responses, {"y": values}, digests, paired=True)
    assert not found.same
    assert is_fixed(claim(**changes), found) is fixed


def share_decided(values: NDArray[np.float64], looks: Looks, tolerance: str) -> float:
    """Return the share of trials, a row each, that are decided at all."""
    return float(np.mean([decide(claim(tolerance), row.tolist(), looks).decided for row in values]))


@pytest.mark.parametrize("spending", ["obrien-fleming", "pocock"])
def test_a_claim_whose_truth_is_its_bound_is_seldom_decided(spending: Any) -> None:
    """Either verdict is wrong there: it may be given with probability alpha."""
    looks = Until(first=4, most=32, looks=4, spending=spending).plan()
    values = np.random.default_rng(4).normal(0.0, 1.0, (2000, 32))
    assert share_decided(values, looks, ">= 0") < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 2000)


def test_a_clear_claim_is_decided_early() -> None:
    looks = Until(first=4, most=32, looks=4).plan()
    values = np.random.default_rng(5).normal(3.0, 1.0, (200, 32))
    found = [decide(claim(), row.tolist(), looks) for row in values]
    assert all(one.decided and one.ours > 0 for one in found)
    assert np.mean(["32 replicates" in one.note for one in found]) < 0.05


# --- a whole experiment ---------------------------------------------------------------------------


def make(**changes: Any) -> Experiment:
    claims = [
        claim(id="flows", value="avg(afct_s)", tolerance="<= 10").model_dump(exclude_none=True),
        claim(
            id="never", value="avg(seed) * 0 + min(replicate % 2)", tolerance=">= 0.5"
        ).model_dump(exclude_none=True),
    ]
    keys = {"until": {"first": 3, "most": 6, "looks": 2}, "claims": claims, **changes}
    return Experiment(BASE, {"network.rtt": ["20 ms", "40 ms"]}, responses=["afct_s"], **keys)


def test_replicates_are_added_until_no_more_may_be(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    result = make().run(out=tmp_path, workers=1, until="decided")
    printed = capfd.readouterr().err
    assert "look 1 of 2, 3 replicates: 1 of 2 claims decided" in printed
    assert "look 2 of 2, 6 replicates: 1 of 2 claims decided" in printed
    verdicts = {one.id: (one.verdict, one.note) for one in result.claims}
    assert verdicts["flows"] == ("holds", "decided at look 1 of 2, with 3 replicates")
    assert verdicts["never"][0] == "undecided"
    assert len(result.runs) == 2 * 6
    assert json.loads((tmp_path / "claims.json").read_text())["claims"][1]["verdict"] == "undecided"


def test_it_stops_once_all_is_decided(tmp_path: Path) -> None:
    flows = make().definition.file.claims[0].model_dump(exclude_none=True)
    result = make(claims=[flows]).run(out=tmp_path, workers=1, until="decided")
    assert len(result.runs) == 2 * 3


def test_without_chance_the_first_look_decides(tmp_path: Path) -> None:
    flow = {"kind": "flows", "cca": "cubic"}
    base = {**BASE, "traffic": [flow]}
    said = claim(id="goodput", value="avg(goodput_bps)", tolerance=">= 1").model_dump(
        exclude_none=True
    )
    keys = {"until": {"first": 3, "most": 6, "looks": 2}, "claims": [said]}
    made = Experiment(base, {"network.rtt": ["20 ms", "40 ms"]}, **keys)
    result = made.run(out=tmp_path, workers=1, until="decided")
    assert len(result.runs) == 2 * 3
    (judged,) = result.claims
    assert judged.verdict == "holds"
    assert "one and the same run" in judged.note


def test_a_budget_ends_it(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    rule = {"first": 3, "most": 6, "looks": 2, "budget": "1 ms"}
    result = make(until=rule).run(out=tmp_path, workers=1, until="decided")
    assert len(result.runs) == 2 * 3
    assert "the budget ends before the next look" in capfd.readouterr().err


def test_without_claims_there_is_nothing_to_decide(tmp_path: Path) -> None:
    with pytest.raises(HeadgateError, match="there is no claim to be decided"):
        make(claims=[]).run(out=tmp_path, until="decided")


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"first": 8, "most": 4}, r"until\.most: 4 is less than the 8 of the first look"),
        ({"first": 1}, r"until\.first"),
        ({"alpha": 2}, r"until\.alpha"),
        ({"spending": "all"}, r"until\.spending"),
        ({"looks": 0}, r"until\.looks"),
        ({"budget": "2"}, r"until\.budget"),
        ({"replicates": 3}, r"until\.replicates"),
    ],
)
def test_wrong_rules_are_one_sentence(rule: dict[str, Any], said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        make(until=rule)
