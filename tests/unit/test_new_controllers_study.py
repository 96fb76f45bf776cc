"""The study of Copa, Vivace, LEDBAT++ and GCC: its measures by hand, and every claim judged."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from headgate import Result
from headgate.claims.verdicts import Verdict
from headgate.experiment.runner import StudyOutcome, StudyRun, run_study
from headgate.experiment.study.study import load, plan_study
from headgate_studies.new_controllers.analysis import keep
from headgate_studies.new_controllers.measures import MEASURES

NAME = "new-controllers"
UNCHECKED = {"copa-plus-internet", "vivace-pcc"}
PARTS = {"alone", "lossy", "far", "spread", "beside", "clearing", "staggered", "changing"}


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> StudyOutcome:
    asked = plan_study(NAME, "quick", tmp_path_factory.mktemp("out"))
    times: dict[str, Any] = {part: {"duration": "5 s", "warmup": "2 s"} for part in PARTS}
    times |= {
        "changing": {"duration": "12 s", "warmup": "2 s"},
        "staggered": {"duration": "42 s", "warmup": "40 s"},
        "joins": {"duration": "75 s", "warmup": "0 s", "joins_s": 2},
        "drift": {"duration": "20 s", "warmup": "5 s"},
        "calls": {"duration": "60 s", "warmup": "20 s"},
        "ramp": {"duration": "15 s", "warmup": "5 s"},
    }
    settings = {**asked.setup.settings, **times, "rate": "10 Mbit/s"}
    small = replace(asked.setup, seeds=(1, 2), settings=settings)
    return run_study(StudyRun(asked.study, small, asked.folder, "quick"))


def _call(part: str, target: Any, received: Any) -> Result:
    """Make a result of a call with rows every 100 ms; only what the measures read."""
    t_s = 0.1 * np.arange(len(target))
    names = np.array(["one"] * len(target))
    series = {"t_s": t_s, "name": names, "target_bps": target, "received_bps": received}
    meta = {"labels": {"part": part}, "scenario": {"measure": {"warmup": "1 s"}, "duration": "9 s"}}
    made = SimpleNamespace(tables={"media_series": series}, meta=meta)
    return cast("Result", made)


def test_a_target_that_grows_by_8_percent_per_second_is_measured_so() -> None:
    t_s = 0.1 * np.arange(200)
    result = _call("ramp", 1e6 * 1.08**t_s, np.full(200, 1e6))
    assert MEASURES["growth_per_s"](result) == pytest.approx(0.08)
    assert MEASURES["grown"](result) == pytest.approx(1.08**19.9)


def test_a_fall_is_compared_with_the_rate_of_the_second_before() -> None:
    """Of three falls, one is within the warm-up of 1 s and one is of 4 %."""
    target = np.array([2e6] * 5 + [1e6] * 20 + [0.96e6] * 20 + [0.7e6] * 20)
    received = np.array([1e6] * 35 + [0.8e6] * 30)
    assert MEASURES["kept"](_call("calls", target, received)) == pytest.approx(0.7 / 0.8)


def test_a_flow_that_begins_first_is_not_the_one_under_test_by_that() -> None:
    """With seed 1 the flow under test starts first, with seed 4 it starts last."""
    study = load(NAME)
    jobs = study.jobs(study.setup(study.scale("standard")))
    for seed in (1, 4):
        scenario = jobs["beside", "vivace", 5.0, seed].scenario
        result = keep(scenario.varied({"duration": "12 s", "measure.warmup": "6 s"}).run())
        result.meta["labels"] = {"part": "beside"}
        (other,) = result.flows["delivered_packets"][result.flows["traffic"] == "other"]
        assert MEASURES["other_mbps"](result) == pytest.approx(other * 0.012 / 6)


def test_thinned_rows_of_a_call_give_the_same_measures() -> None:
    study = load(NAME)
    jobs = study.jobs(study.setup(study.scale("quick")))
    whole = jobs["calls", "draft", "nobody", 1].scenario.run()
    thin = keep(whole)
    for result in (whole, thin):
        result.meta["labels"] = {"part": "calls"}
    assert len(thin.tables["media_series"]) < 0.5 * len(whole.tables["media_series"])
    assert MEASURES["kept"](thin) == MEASURES["kept"](whole)


def test_staggered_flows_begin_ten_seconds_apart() -> None:
    study = load(NAME)
    jobs = study.jobs(study.setup(study.scale("quick")))
    traffic = jobs["staggered", "ledbat", 1].scenario.to_dict()["traffic"]
    starts = [float(one["start"].split()[0]) for one in traffic if one["kind"] == "flows"]
    assert [round(at // 10) for at in starts] == [0, 1, 2, 3]


def test_the_form_without_the_mode_is_copa() -> None:
    study = load(NAME)
    jobs = study.jobs(study.setup(study.scale("quick")))
    one = jobs["clearing", "copa-default", 6, 1, 1].scenario.to_dict()["traffic"][0]
    assert (one["cca"]["name"], one["cca"]["competes"]) == ("copa", "no")


def test_every_claim_is_judged(outcome: StudyOutcome) -> None:
    unchecked = {one.id for one in outcome.claims if one.verdict == Verdict.NOT_CHECKABLE}
    assert unchecked == UNCHECKED
    assert not [one.id for one in outcome.claims if one.verdict == Verdict.NOT_RUN]
    assert 15 <= len(outcome.claims) <= 30


def test_the_sentences_the_table_and_the_picture(outcome: StudyOutcome) -> None:
    assert len(outcome.analysis.sentences) == 3
    assert not [said for said in outcome.analysis.sentences if "nan" in said]
    (listing,) = outcome.analysis.tables
    assert len(listing.rows) == 4 * 2 * 2 * 2
    (picture,) = outcome.analysis.pictures
    assert len(picture.figure.axes) == 3


def test_all_python_of_the_study_is_450_lines() -> None:
    files = Path(load(NAME).folder).glob("*.py")
    assert sum(len(path.read_text().splitlines()) for path in files) <= 450
