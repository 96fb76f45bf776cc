"""The study of RFC 9438: its tables by formula, its derivations, and every claim judged."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headgate.claims.verdicts import Verdict
from headgate.experiment.runner import StudyOutcome, StudyRun, run_study
from headgate.experiment.study.study import load, plan_study

NAME = "cubic-rfc9438"
UNCHECKED = {"paired-bdp20", "paired-bdp40"}
PARTS = ("queue", "share", "loss", "join", "trips", "tests")


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> StudyOutcome:
    asked = plan_study(NAME, "quick", tmp_path_factory.mktemp("out"))
    given = asked.setup.settings
    times = {part: {**given[part], "duration": "6 s", "warmup": "2 s"} for part in PARTS}
    times["join"] = {"duration": "70 s", "warmup": "0 s", "joins_s": 2}
    places = {name: {**one, "rate": "5 Mbit/s"} for name, one in given["places"].items()}
    settings = {**given, **times, "places": places, "least_p": 1e-3, "losses": [1e-6, 1e-5]}
    small = replace(asked.setup, seeds=(1, 2), settings=settings)
    return run_study(StudyRun(asked.study, small, asked.folder, "quick"))


def test_the_tables_follow_from_the_formulas() -> None:
    """Windows of 1.2/sqrt(p), 0.12/p^0.835 (RFC 3649) and 1.054 (RTT/p)^0.75 (RFC 9438)."""
    for row in load(NAME).spec.fixed["windows"]:
        p, rtt_s = row["p"], row["rtt_ms"] / 1e3
        reno = 1.2 / p**0.5
        assert row["reno"] == pytest.approx(reno, rel=0.01)
        assert row["cubic"] == pytest.approx(max(reno, 1.054 * (rtt_s / p) ** 0.75), rel=0.01)
        assert row["hstcp"] == pytest.approx(max(reno, 0.12 / p**0.835), rel=0.04)


def test_the_derived_queue_is_that_of_a_window_counted_out() -> None:
    """Reno's window grows by one a round trip, whose length is proportional to the window."""
    bdp, buffer = 1000, 4.0
    top = bdp * (1 + buffer)
    window = np.arange(top / 2, top)
    mean = (window * window).sum() / window.sum()
    assert mean / bdp - 1 == pytest.approx(7 * (1 + buffer) / 9 - 1, rel=1e-3)
    # CUBIC's window is C (t - K)^3 + w_max from 0 to K = (0.3 w_max / C)^(1/3)
    t = np.linspace(0, 1, 10_001)
    cubic = 1 - 0.3 * (1 - t) ** 3
    assert np.trapezoid(cubic, t) == pytest.approx((3 + 0.7) / 4, rel=1e-6)


def test_losses_are_at_equal_distances() -> None:
    study = load(NAME)
    jobs = study.jobs(study.setup(study.scale("quick")))
    scenario = jobs["windows", "cubic", 100, 1e-3, 38].scenario.to_dict()
    assert scenario["network"]["lose"][:3] == [1000, 2000, 3000]
    # 15 losses at 38 packets a round trip of 0.1 s take 39.5 s
    assert scenario["duration"].startswith("39.47")


def test_the_mean_window_without_loss_of_time_is_the_tables(outcome: StudyOutcome) -> None:
    """At p = 1e-3 the mean of the sawtooth of Reno is 38 packets."""
    (table,) = (table for table in outcome.analysis.data if table.name == "windows")
    rows = {
        (cca, p): window
        for cca, p, window in zip(
            table["cca"].tolist(), table["p"].tolist(), table["mean_window"].tolist(), strict=True
        )
    }
    assert rows["reno", 1e-3] == pytest.approx(38, rel=0.1)


def test_every_claim_is_judged(outcome: StudyOutcome) -> None:
    unchecked = {one.id for one in outcome.claims if one.verdict == Verdict.NOT_CHECKABLE}
    assert unchecked == UNCHECKED
    assert not [one.id for one in outcome.claims if one.verdict == Verdict.NOT_RUN]


def test_the_answers_and_their_picture(outcome: StudyOutcome) -> None:
    issues = [said.partition(":")[0] for said in outcome.sentences[:4]]
    assert issues == ["Issue 89", "Issue 92", "Issue 93", "Issue 96"]
    assert not [said for said in outcome.sentences if "nan" in said]
    (picture,) = outcome.analysis.pictures
    titles = [ax.get_title(loc="left") for ax in picture.figure.axes]
    assert [title.partition(":")[0] for title in titles] == issues


def test_all_python_of_the_study_is_300_lines() -> None:
    files = Path(load(NAME).folder).glob("*.py")
    assert sum(len(path.read_text().splitlines()) for path in files) <= 300
