"""The study of starvation: the range of delays, the jitter, and every claim judged."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headgate.claims.verdicts import Verdict
from headgate.experiment.runner import StudyOutcome, StudyRun, run_study
from headgate.experiment.runs import Runs
from headgate.experiment.study.study import load, plan_study
from headgate_studies.starvation.findings import delay_range_s, ratios


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> StudyOutcome:
    asked = plan_study("starvation", "quick", tmp_path_factory.mktemp("out"))
    short = {"duration": "6 s", "warmup": "2 s"}
    settings = {**asked.setup.settings, "alone": short, "pairs": short, "rates_mbps": [10]}
    small = replace(asked.setup, seeds=(1, 2), settings=settings)
    return run_study(StudyRun(asked.study, small, asked.folder, "quick"))


def _run(*keys: tuple[str | int | float, ...]) -> Runs:
    study = load("starvation")
    setup = replace(study.setup(study.scale("quick")), seeds=(1,))
    setup = replace(setup, settings={**setup.settings, "rates_mbps": [10]})
    jobs = study.jobs(setup)
    return Runs(setup, {key: jobs[key].scenario.run() for key in keys})


def test_the_range_of_vegas_is_a_few_packets() -> None:
    """Vegas keeps 2 to 4 packets in the queue; one takes 1.2 ms at 10 Mbit/s.

    Reno's window falls from 6 BDP, 40 ms of path and 200 ms of queue, to 3 BDP: 80 ms of queue.
    """
    runs = _run(("alone", "vegas", 10), ("alone", "reno", 10))
    assert delay_range_s(runs, "vegas", 10) <= 4 * 1.2e-3
    assert delay_range_s(runs, "reno", 10) == pytest.approx(0.2 - 0.08, abs=0.015)


def test_without_jitter_both_round_trips_are_equal() -> None:
    runs = _run(("pairs", "bbr", 10, "data", 0.0, 1))
    (result,) = runs.results.values()
    assert result.flows["min_rtt_s"] == pytest.approx(0.04, abs=5e-3)
    (ratio,) = ratios(runs, "bbr", 10, "data", 0.0)
    assert ratio < 3


def test_jitter_delays_one_direction_of_one_flow() -> None:
    """Jitter of up to 100 ms in order: the path of `one` is slower by nearly all of it."""
    runs = _run(*(("pairs", "bbr", 10, side, 100.0, 1) for side in ("data", "acks")))
    for result in runs.results.values():
        slow, fast = result.flows["mean_rtt_s"]
        assert 0.06 < slow - fast < 0.12
        links = result.meta["scenario"]["network"]["links"]
        forward, reverse = links[0].get("impairments", []), links[0]["reverse"]["impairments"]
        assert bool(forward) != bool(reverse)
        assert not links[1].get("impairments")


def test_every_claim_is_judged(outcome: StudyOutcome) -> None:
    not_run = {one.note for one in outcome.claims if one.verdict == Verdict.NOT_RUN}
    assert not_run <= {"no jitter of this scale is up to twice the range"}


def test_each_algorithm_has_a_row_and_a_claim(outcome: StudyOutcome) -> None:
    ccas = load("starvation").setup(load("starvation").scale("quick")).ccas
    (listing,) = outcome.analysis.tables
    assert sorted(row[0] for row in listing.rows) == sorted(ccas)
    assert {f"{cca}-safe" for cca in ccas} <= {one.id for one in outcome.claims}
    ranges = np.array([row[2] for row in listing.rows])
    assert (np.diff(ranges) >= 0).all()  # from the least range on
    assert [picture.name for picture in outcome.analysis.pictures] == ["starvation"]


def test_all_python_of_the_study_is_300_lines() -> None:
    files = Path(load("starvation").folder).glob("*.py")
    assert sum(len(path.read_text().splitlines()) for path in files) <= 300
