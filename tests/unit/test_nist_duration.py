"""The study of shortened runs: its runs, its ratios by hand, and its whole analysis."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headgate.base.units import parse_time_ps
from headgate.experiment.study.study import Study, load
from headgate_studies.nist_duration import findings
from headgate_studies.nist_duration.findings import GROWING, NAMES, PUBLISHED, SHORT, Durations

from .made_runs import assert_stored_suffices


@pytest.fixture(scope="module")
def study() -> Study:
    return load("nist-duration")


@pytest.fixture(scope="module")
def tiny(study: Study) -> Durations:
    """Run both experiments at a hundredth of their size, for 5 s and 10 s, under two algorithms."""
    setup = study.setup(study.spec.scales["quick"])
    durations = {name: {SHORT: "5 s", PUBLISHED: "10 s"} for name in ("1b", "2a")}
    settings = {**setup.settings, "durations": durations, "size": 0.01}
    setup = replace(setup, settings=settings, ccas=("reno", "fast"))
    return Durations(setup, {key: job.scenario.run() for key, job in study.jobs(setup).items()})


def made_up(tiny: Durations, response: str, by_key: dict[tuple[str, str, str], float]) -> Durations:
    """Return runs that measured just this; every other response is one everywhere."""
    made = Durations(tiny.setup, tiny.results)
    made.__dict__["measured"] = {
        key: dict.fromkeys(NAMES, 1.0) | {response: value} for key, value in by_key.items()
    }
    return made


def test_stored_columns_suffice_for_the_claims(
    study: Study, tiny: Durations, tmp_path: Path
) -> None:
    assert_stored_suffices(study, tiny, tmp_path)


def test_runs_differ_in_their_duration_alone(study: Study) -> None:
    made = study.jobs(study.setup(study.spec.scales["standard"]))
    short, whole = (
        made["2a", length, "fast", 1].scenario.to_dict() for length in (SHORT, PUBLISHED)
    )
    assert [parse_time_ps(one["duration"]) for one in (short, whole)] == [
        parse_time_ps("100 s"),
        parse_time_ps("60 min"),
    ]
    users = [[group.get("users") for group in one["traffic"]] for one in (short, whole)]
    assert users[0] == users[1]  # when jumbo files come follows the periods
    assert short["network"] == whole["network"]


def test_each_experiment_has_the_size_of_its_standard_scale(study: Study) -> None:
    """Of 26,085 sources of 2a at most, 13,042; 1b whole."""
    made = study.jobs(study.setup(study.spec.scales["standard"]))
    for experiment, of_all in (("1b", 1.0), ("2a", 0.5)):
        standard = load(f"nist-{experiment}").spec.scales["standard"]
        assert standard.size == of_all
        traffic = made[experiment, SHORT, "reno", 1].scenario.to_dict()["traffic"]
        users = sum(group.get("users", 0) for group in traffic)
        whole = {"1b": 27_800, "2a": 26_085}[experiment]
        assert users == pytest.approx(of_all * whole, rel=0.01)


def test_counts_are_per_second(tiny: Durations) -> None:
    """Twice the time makes twice the count and the same rate, but for how the network fills."""
    for name in ("y3", "y6"):
        assert name in GROWING
        assert 0.3 < tiny.ratio(name, "1b", "reno") < 1.5
    result = tiny["1b", SHORT, "reno", 1]
    sources, period_s = float(result.responses["sources"][1]), 1.0
    completed = float(result.responses["flows_completed"][1]) / sources / period_s
    assert tiny.measured["1b", SHORT, "reno"]["y6"] == pytest.approx(completed, rel=0.01)


def test_findings_by_hand(tiny: Durations) -> None:
    rates = {
        ("1b", SHORT, "reno"): 0.02, ("1b", PUBLISHED, "reno"): 0.02,
        ("1b", SHORT, "fast"): 0.05, ("1b", PUBLISHED, "fast"): 0.04,
        ("2a", SHORT, "reno"): 0.03, ("2a", PUBLISHED, "reno"): 0.02,
        ("2a", SHORT, "fast"): 0.02, ("2a", PUBLISHED, "fast"): 0.04,
    }  # fmt: skip
    made = made_up(tiny, "y10", rates)
    assert findings.farthest(made, response="y10").ours == pytest.approx(0.5)
    # FAST over TCP: 2.5 for 2 in 1b, 2/3 for 2 in 2a.
    kept = findings.contrast_kept(made, response="y10", cca="fast")
    assert kept.ours == pytest.approx(2 / 3, abs=1e-3)
    signs = findings.same_signs(made)
    assert signs.ours == pytest.approx(0.5)


def test_the_real_thing_finds_every_claim_and_draws_its_picture(
    study: Study, tiny: Durations
) -> None:
    made = study.analyse(tiny)
    assert set(made.findings) == {claim.id for claim in study.claims}
    assert all(np.isfinite(finding.ours) for finding in made.findings.values())
    assert [picture.name for picture in made.pictures] == ["preserved"]
    assert len(made.sentences) == len(tiny.experiments)
