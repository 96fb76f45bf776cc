"""The study of smaller networks: its runs, its ratios by hand, and its whole analysis."""

import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from headgate.base.errors import HeadgateError
from headgate.experiment.study.study import Study, load
from headgate_studies.nist_scale.analysis import as_toml, sort_responses
from headgate_studies.nist_scale.sizes import NAMES, Ratio, Sizes, difference, share

from .made_runs import assert_stored_suffices
from .study_findings import findings_of

CONDITIONS = ("heavy, short buffers", "heavy, long buffers")


@pytest.fixture(scope="module")
def study() -> Study:
    return load("nist-scale")


@pytest.fixture(scope="module")
def tiny(study: Study) -> Sizes:
    """Run two sizes and two algorithms, five simulated seconds each."""
    setup = study.setup(study.spec.scales["quick"])
    settings = {**setup.settings, "sizes": ["1/100", "1/200"], "duration": "5 s"}
    setup = replace(setup, settings=settings, ccas=("reno", "fast"))
    return Sizes(setup, {key: job.scenario.run() for key, job in study.jobs(setup).items()})


def made_up(tiny: Sizes, response: str, by_size: dict[str, list[float]]) -> Sizes:
    """Return runs that measured just this, under every condition and algorithm."""
    values = {
        (condition, size, cca): {name: np.ones(2) for name in NAMES}
        | {response: np.array(by_size[size])}
        for condition in tiny.conditions
        for size in tiny.sizes
        for cca in tiny.ccas
    }

    class MadeUp(Sizes):
        measured = property(lambda _: values)  # type: ignore[assignment]

    return MadeUp(tiny.setup, tiny.results)


def test_sizes_are_fractions() -> None:
    assert share("1/40") == 0.025
    assert share(0.1) == 0.1
    for wrong in ("0", "2", "1/0", "small"):
        with pytest.raises(HeadgateError, match=r"sizes: .* such as '1/20'"):
            share(wrong)


def test_stored_columns_suffice_for_the_claims(study: Study, tiny: Sizes, tmp_path: Path) -> None:
    assert_stored_suffices(study, tiny, tmp_path)


def test_runs_of_a_condition_differ_in_their_size_alone(study: Study) -> None:
    made = study.jobs(study.setup(study.spec.scales["quick"]))
    small, large = (made["light", size, "reno", 1].scenario.to_dict() for size in ("1/40", "1/10"))
    users = [one["traffic"][0].pop("users") for one in (small, large)]
    receivers = [one["traffic"][0].pop("receivers") for one in (small, large)]
    rates = [one["network"].pop("rate") for one in (small, large)]
    assert users == [round(27_800 * 2 / 3 / 40), round(27_800 * 2 / 3 / 10)]
    assert receivers == [695, 2780]
    assert rates == ["720 Mbit/s", "2.88 Gbit/s"]
    assert [one.pop("title") for one in (small, large)] == [
        "MesoNet 1b, size 0.025, reno",
        "MesoNet 1b, size 0.1, reno",
    ]
    assert small == large


def test_a_ratio_and_its_interval_by_hand() -> None:
    """One group on each side: Welch's interval of the difference of logarithms."""
    one, other = np.log([1.0, 1.2, 1.1]), np.log([2.0, 2.5, 2.2, 2.4])
    found = difference([one], [other])
    expected = stats.ttest_ind(one, other, equal_var=False)
    low, high = np.exp(expected.confidence_interval(0.95))
    assert found.value == pytest.approx(np.exp(one.mean() - other.mean()))
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_one_replicate_leaves_the_interval_open() -> None:
    found = difference([np.log([2.0])], [np.log([1.0])])
    assert (found.low, found.high) == (0.0, np.inf)
    assert found.value == pytest.approx(2.0)
    assert not found.beyond(0.0)


def test_what_groups_differ_by_makes_no_width() -> None:
    same = [np.zeros(3), np.full(3, 5.0)]
    assert difference(same, same) == Ratio(1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("ratio", "within", "beyond"),
    [
        (Ratio(1.0, 0.95, 1.05), True, False),
        (Ratio(1.0, 0.80, 1.25), False, False),
        (Ratio(1.5, 1.2, 1.9), False, True),
        (Ratio(0.5, 0.4, 0.6), False, True),
    ],
)
def test_near_and_far(ratio: Ratio, within: bool, beyond: bool) -> None:
    assert (ratio.within(0.1), ratio.beyond(0.1)) == (within, beyond)


@pytest.mark.parametrize(
    ("small", "sort"), [([1.0, 1.01], "kept"), ([2.0, 2.1], "moved"), ([0.5, 2.0], "untold")]
)
def test_responses_are_sorted(tiny: Sizes, small: list[float], sort: str) -> None:
    of = made_up(tiny, "y16", {"1/200": small, "1/100": [1.0, 1.01]})
    assert "y16" in getattr(sort_responses(of, "1/200"), sort)
    written = tomllib.loads(as_toml(of))
    assert "y16" in written["sizes"]["1/200"][sort]
    assert written["largest"] == "1/100"


def test_a_power_of_the_size_is_found(tiny: Sizes) -> None:
    of = made_up(tiny, "y16", {"1/200": [2**0.5, 2**0.5], "1/100": [1.0, 1.0]})
    assert findings_of("nist-scale", of)["root-delay-grows"].ours == pytest.approx(-0.5)


def test_the_real_thing_finds_every_claim_and_draws_every_picture(
    study: Study, tiny: Sizes
) -> None:
    made = study.analyse(tiny)
    assert set(made.findings) == {claim.id for claim in study.claims}
    assert all(np.isfinite(finding.ours) for finding in made.findings.values())
    # two replicates: no verdict rests on a number without its interval
    assert all(finding.ci is not None for finding in made.findings.values())
    assert [picture.name for picture in made.pictures] == ["preserved", "sizes", "contrasts"]
    assert len(made.data[0]) == len(tiny.results)
    assert 0.01 < tiny.measured[CONDITIONS[1], "1/100", "reno"]["utilisation"].mean() < 1
