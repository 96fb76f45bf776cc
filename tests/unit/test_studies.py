"""The frame of studies: plans, claims, verdicts."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from headgate.base.errors import HeadgateError
from headgate.claims.claim import Claim
from headgate.claims.verdicts import Estimate, judge
from headgate.engine.api import Result
from headgate.experiment.estimates import add_interval_by_seed, estimate_mean, estimate_mean_ratio
from headgate.experiment.packages import find_studies
from headgate.experiment.runs import NotRunError, Runs, scale_name
from headgate.experiment.study.claims import read_claims
from headgate.experiment.study.study import load
from headgate.stats.intervals import compute_mean_interval


def claim(**changes: object) -> Claim:
    given = {"id": "x", "statement": "s", "source": "p", "published": 2.0, "measure": "m"}
    return Claim(**{**given, "tolerance": "+- 5 %", **changes})


def test_a_finding_gets_the_interval_of_its_seeds() -> None:
    study = load("fast")
    runs = Runs(study.setup(study.scale("quick").model_copy(update={"seeds": 3})), {})
    made = add_interval_by_seed(lambda runs: Estimate(ours=float(np.mean(runs.setup.seeds))), runs)
    assert made.ours == 2
    assert made.ci == pytest.approx(compute_mean_interval([1.0, 2.0, 3.0])[1:])
    assert add_interval_by_seed(lambda _: Estimate(ours=1), runs.only(2)).ci is None


def test_an_interval_by_seed_takes_off_the_bias_of_few() -> None:
    """The square of a mean of 1, 2, 6: single seeds give 13.7, all of them 9."""
    values = {1: 1.0, 2: 2.0, 3: 6.0}
    study = load("fast")
    runs = Runs(study.setup(study.scale("quick").model_copy(update={"seeds": 3})), {})
    made = add_interval_by_seed(
        lambda runs: Estimate(ours=float(np.mean([values[s] for s in runs.setup.seeds])) ** 2), runs
    )
    # three times the square of all less twice that of two: means of 4, 3.5 and 1.5
    assert made.ours == 9.0
    assert made.ci == pytest.approx(compute_mean_interval([-5.0, 2.5, 22.5])[1:])


def test_a_run_without_replicates_has_no_interval_by_seed() -> None:
    """Equal values of different runs are a sample; the same run again is none."""
    study = load("fast")
    setup = study.setup(study.scale("quick").model_copy(update={"seeds": 3}))
    result = Result({}, {})
    runs = Runs(setup, {("once",): result, **{("often", seed): result for seed in setup.seeds}})

    def read_one(runs: Runs) -> Estimate:
        return Estimate(ours=float(runs["once",] is result))

    def read_replicates(runs: Runs) -> Estimate:
        return Estimate(ours=float(len(runs.replicates("often")) > 0))

    once, often = (add_interval_by_seed(each, runs) for each in (read_one, read_replicates))
    assert (once.ci, once.sample) == (None, None)
    assert often.ci == (1.0, 1.0)
    assert often.sample is not None
    assert often.sample.count == 3


def test_an_interval_by_seed_counts_the_replicates_that_are_read() -> None:
    """A part of three replicates in a study of six: Student's interval of three values.

    Beside six of another part, the variance of three is too large by (n - 1)/n k/(k - 1) = 5/4,
    and there are two degrees of freedom.
    """
    study = load("fast")
    setup = study.setup(study.scale("quick").model_copy(update={"seeds": 6}))
    values = [3.0, 5.0, 10.0]
    few = {("few", seed): Result({}, {"x": x}) for seed, x in enumerate(values, 1)}
    many = {("many", seed): Result({}, {"x": 1.0}) for seed in setup.seeds}

    def add(*parts: str) -> Callable[[Runs], Estimate]:
        def make(runs: Runs) -> Estimate:
            means = [np.mean([run.meta["x"] for run in runs.replicates(one)]) for one in parts]
            return Estimate(ours=float(sum(means)))

        return make

    runs = Runs(setup, few | many)
    alone = add_interval_by_seed(add("few"), runs)
    assert alone.sample is not None
    assert alone.ci is not None
    assert (alone.ours, alone.sample.count) == (6.0, 3)
    assert alone.ci == pytest.approx(compute_mean_interval(values)[1:])
    both = add_interval_by_seed(add("few", "many"), runs)
    assert both.sample is not None
    assert (both.ours, both.sample.count) == (7.0, 3)
    half = (alone.ci[1] - 6.0) * (5 / 4) ** 0.5
    assert both.ci == pytest.approx((7.0 - half, 7.0 + half))


def test_a_condition_without_runs_is_not_part_of_the_scale() -> None:
    study = load("fast")
    runs = Runs(study.setup(study.scale("quick")), {})
    with pytest.raises(NotRunError, match="the run bursts bic 1 is not part of this scale"):
        runs.replicates("bursts", "bic")


def test_an_interval_by_seed_reaches_to_its_finding() -> None:
    study = load("fast")
    runs = Runs(study.setup(study.scale("quick").model_copy(update={"seeds": 3})), {})
    made = add_interval_by_seed(lambda runs: Estimate(ours=len(runs.setup.seeds) / 10), runs)
    assert (made.ours, made.ci) == (0.3, (0.3, pytest.approx(0.5)))


def test_a_value_without_a_number_decides_nothing() -> None:
    made = estimate_mean([0.76, float("nan")])
    assert (made.ours, made.ci, made.decided) == (0.76, None, False)
    assert made.note == "1 of 2 replicates have no number"
    made = estimate_mean_ratio([0.0, 0.9, 1.1], "conditions")
    assert (made.ci, made.decided) == (None, False)
    assert estimate_mean_ratio([1.0, 4.0], "conditions").ours == pytest.approx(2.0)


def test_a_run_that_a_scale_lacks_is_one_sentence() -> None:
    study = load("tcp-replacements")
    runs = Runs(study.setup(study.scale("quick")), {})
    with pytest.raises(NotRunError, match=r"the run here reno 1 is not part"):
        runs.replicates("here", "reno")
    with pytest.raises(NotRunError, match="no algorithm 'nobody'"):
        runs.setup.has("reno", "nobody")


def test_not_checkable_names_the_missing_part() -> None:
    row = judge(claim(tolerance=None, missing="the levels"), {}, "quick")
    assert row.verdict == "not checkable"
    assert "the levels" in row.note


@pytest.mark.parametrize(
    "changes",
    [{"tolerance": "about 5"}, {"tolerance": None}, {"published": "more", "tolerance": "+- 5 %"}],
)
def test_claims_that_cannot_be_judged_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="tolerance"):
        claim(**changes)


def test_claims_of_a_study_have_different_ids(tmp_path: Path) -> None:
    entry = (
        '[[claim]]\nid="a"\nstatement="s"\nsource="p"\npublished=1\nmeasure="m"\ntolerance=">= 1"\n'
    )
    (tmp_path / "claims.toml").write_text(entry * 2)
    with pytest.raises(HeadgateError, match="same id"):
        read_claims(tmp_path / "claims.toml")


#: Studies with so large a full scale that its scenarios take minutes to make.
VAST = {"senders", "vcp"}


@pytest.mark.parametrize("name", find_studies())
def test_every_shipped_study_is_whole(name: str) -> None:
    study = load(name)
    assert study.spec.name == name
    assert study.claims
    assert {"quick", "standard", "full"} <= set(study.spec.scales)
    scales = {*study.spec.scales} - ({"full"} if name in VAST else set())
    for scale in sorted(scales):
        jobs = study.jobs(study.setup(study.scale(scale)))
        assert len(jobs) >= 4
        assert all(tuple(job.labels.values()) == key for key, job in jobs.items())


def test_first_study_has_the_designs_of_its_scales() -> None:
    study = load("tcp-replacements")
    quick, standard = (study.design(study.scale(name)) for name in ("quick", "standard"))
    assert (len(quick), quick.resolution) == (8, None)
    assert (len(standard), standard.resolution) == (32, 6)


def test_a_fraction_is_the_full_scale_made_smaller() -> None:
    study = load("tcp-replacements")
    for text in ("0.1", "1/10"):
        assert study.scale(text).size == pytest.approx(0.1 * study.scale("full").size)
    assert scale_name("0.1") == "full"


@pytest.mark.parametrize("scale", ["0", "2", "-1", "1/0", "big"])
def test_wrong_scales_are_one_sentence(scale: str) -> None:
    with pytest.raises(HeadgateError, match="quick, standard, full"):
        load("tcp-replacements").scale(scale)


def test_unknown_studies_are_one_sentence() -> None:
    with pytest.raises(HeadgateError, match="tcp-replacements"):
        load("tcp-replacement")
