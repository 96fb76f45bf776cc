"""The study of mixes: its models by hand, its mixes, and every claim judged."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headgate.claims.verdicts import Verdict
from headgate.experiment.runner import StudyOutcome, StudyRun, run_study
from headgate.experiment.study.study import load, plan_study
from headgate_studies.mix.theory import MEAN_WINDOW, derive, find_stop, ware

UNCHECKED = {"model-of-mishra", "fluid-model"}


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> StudyOutcome:
    asked = plan_study("mix", "quick", tmp_path_factory.mktemp("out"))
    short = {"duration": "6 s", "warmup": "2 s"}
    places = {name: {**one, **short} for name, one in asked.setup.settings["places"].items()}
    plans = [
        {**plan, "switched": sorted({*plan["switched"][:2], *plan["switched"][-2:]})}
        for plan in asked.setup.settings["plans"]
    ]
    settings = {**asked.setup.settings, "places": places, "plans": plans}
    small = replace(asked.setup, seeds=(1, 2), settings=settings)
    return run_study(StudyRun(asked.study, small, asked.folder, "quick"))


def test_the_equations_of_ware_by_hand() -> None:
    """10 Mbit/s and 40 ms are 33.3 packets. With 32 BDP: p = 1/2 - 1/64 - 4/1066.7."""
    expected = (0.5 + 1 / 64 + 4 / (32 * 100 / 3)) * (1 - (1.28 + 0.2 + 0.04) / 10)
    assert ware(10e6, 0.04, 32, 1) == pytest.approx(expected)
    assert ware(10e6, 0.04, 1, 4) == pytest.approx(1 - (0.04 + 0.2 + 0.04) / 10)  # p < 0


def test_our_model_is_the_fixed_point_of_the_in_flight_limit() -> None:
    """In flight when the buffer is full: twice the rate times the round trip in ProbeRTT."""
    buffer, switched, bdp = 4.0, 10, 1000 / 3
    share = derive(100e6, 0.04, buffer, switched) / (1 - (0.16 + 0.2 + 0.04) / 10)
    # the mean share gives the share of CUBIC when the buffer is full
    peak = (1 - share) / (1 - share + MEAN_WINDOW * share)
    in_flight = (1 - peak) * (1 + buffer)
    round_trip = MEAN_WINDOW * peak * (1 + buffer) + 4 * switched / bdp
    assert in_flight == pytest.approx(2 * (1 - peak) * round_trip)
    assert derive(100e6, 0.04, 1.0, 1) == pytest.approx(1 - 0.28 / 10)


@pytest.mark.parametrize(
    ("switched", "stayed", "share"),
    [
        ([0, 0.4, 1.0], [1.0, 0.6, 0], 0.0),  # the first to switch gets 0.4 in place of 0.5
        ([0, 0.6, 0.7], [1.0, 0.4, 0], 0.5),  # the second would get 0.35 in place of 0.4
        ([0, 0.7, 1.0], [1.0, 0.3, 0], 1.0),
    ],
)
def test_two_flows_stop_switching_by_hand(
    switched: list[float], stayed: list[float], share: float
) -> None:
    assert find_stop([0, 1, 2], np.array(switched), np.array(stayed)) == share


def test_switching_stops_at_a_share_that_does_not_depend_on_the_number() -> None:
    """If switched flows together always get 0.4, it stops at 40 of 100: 0.4/41 < 0.6/60."""
    counts = [0, 1, 99, 100]
    rates = np.array([0, 0.4, 0.4, 1.0])
    assert find_stop(counts, rates, 1 - rates) == 0.4


def test_every_mix_has_all_flows_and_occurs_once() -> None:
    study = load("mix")
    jobs = study.jobs(study.setup(study.scale("standard")))
    for (_, place, cca, switched, stayed, *_), job in jobs.items():
        found: Counter[str] = Counter()
        for item in job.scenario.to_dict()["traffic"]:
            if item["kind"] == "flows":
                found[str(item["cca"])] += item.get("count", 1)
        assert found == +Counter({str(cca): switched}) + Counter({"cubic": stayed}), place
        assert (cca == "cubic") == (switched == 0)


def test_spread_round_trips_belong_to_both_algorithms() -> None:
    study = load("mix")
    jobs = study.jobs(study.setup(study.scale("quick")))
    scenario = jobs["mixes", "50 flows", "bbr", 25, 25, 4.0, "spread", 1].scenario.to_dict()
    counts = {
        (item["cca"], item["rtt"]): item["count"]
        for item in scenario["traffic"]
        if item["kind"] == "flows"
    }
    assert sorted(counts.values()) == [8, 8, 8, 8, 9, 9]
    assert {rtt for _, rtt in counts} == {"20 ms", "40 ms", "80 ms"}


def test_every_claim_is_judged(outcome: StudyOutcome) -> None:
    unchecked = {one.id for one in outcome.claims if one.verdict == Verdict.NOT_CHECKABLE}
    assert unchecked == UNCHECKED
    assert not [one.id for one in outcome.claims if one.verdict == Verdict.NOT_RUN]


def test_the_answer_and_its_picture(outcome: StudyOutcome) -> None:
    bbr, bbr3, *_ = outcome.sentences
    assert bbr.startswith("Of 50 flows, switching to BBR stops at ")
    assert bbr3.startswith("Of 50 flows, switching to BBRv3 stops at ")
    assert [picture.name for picture in outcome.analysis.pictures] == ["mix"]
    (panels,) = [picture.figure.axes for picture in outcome.analysis.pictures]
    assert [ax.get_title(loc="left") for ax in panels] == [
        "Switching to BBR stops at",
        "Switching to BBRv3 stops at",
        "BBR beside CUBIC, 50 flows",
        "BBRv3 beside CUBIC, 50 flows",
    ]


def test_all_python_of_the_study_is_300_lines() -> None:
    files = Path(load("mix").folder).glob("*.py")
    assert sum(len(path.read_text().splitlines()) for path in files) <= 300
