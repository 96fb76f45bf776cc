"""The study of published tests of L4S: its rows, its distances by hand, and every claim judged."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headgate import Result, Table, Words
from headgate.claims.verdicts import Verdict
from headgate.experiment.runner import StudyOutcome, StudyRun, run_study
from headgate.experiment.runs import Runs
from headgate.experiment.study.study import load, plan_study
from headgate_studies.l4s_tests.findings import choose, count_close, distance, find_distance
from headgate_studies.l4s_tests.published import REPEATED, checked_rows, read_rows

NAME = "l4s-tests"
FORMS = ("tested", "today")


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> StudyOutcome:
    asked = plan_study(NAME, "quick", tmp_path_factory.mktemp("out"))
    short = {"duration": "7 s", "warmup": "6 s"}
    both = {"fairness": short, "shared": short}
    forms = {name: asked.setup.settings["forms"][name] for name in FORMS}
    settings = {**asked.setup.settings, **both, "forms": forms}
    small = replace(asked.setup, seeds=(1,), settings=settings)
    return run_study(StudyRun(asked.study, small, asked.folder, "quick"))


def test_all_published_rows_are_there() -> None:
    rows = list(read_rows().values())
    assert [sum(row.part == part for row in rows) for part in ("fairness", "shared")] == [192, 24]
    queues = [row.queue for row in rows if row.part == "fairness"]
    assert {queue: queues.count(queue) for queue in dict.fromkeys(queues)} == dict.fromkeys(
        ("dualpi2", "pfifo", "cnq_codel_af", "fq_codel"), 48
    )
    pairs = {row.flows[1::2] for row in rows if row.part == "fairness"}
    assert pairs == {(10, 10), (20, 10), (20, 20), (80, 20), (80, 80), (160, 10)}


def test_the_row_that_repeats_another_is_counted_once() -> None:
    rows = read_rows()
    assert rows[REPEATED].mbps == rows["50-pfifo-c10-p10"].mbps == (39.98, 7.55)
    alike = [row for row in rows.values() if row.mbps == rows[REPEATED].mbps]
    assert [row.row for row in alike if row.is_checked] == ["50-pfifo-c10-p10"]
    assert len(list(checked_rows("fairness"))) == 192 - 1


def test_only_the_row_that_repeats_another_is_not_checkable() -> None:
    assert [claim.id for claim in load(NAME).claims if claim.missing] == [REPEATED]


def test_every_row_with_prague_has_a_claim_for_each_form() -> None:
    ids = {claim.id for claim in load(NAME).claims}
    for row in [*checked_rows("fairness"), *checked_rows("shared")]:
        forms = {f"{row.row}-tested", f"{row.row}-today"} if row.has_prague else {row.row}
        assert forms <= ids


def test_the_larger_distance_of_both_flows_counts() -> None:
    """12.65 and 34.57 Mbit/s are published; 12.65 and 31.113 are 10 % off."""
    row = read_rows()["50-dualpi2-c10-p10"]
    assert distance((12.65, 0.9 * 34.57), row) == pytest.approx(0.1)
    assert distance((1.2 * 12.65, 34.57), row) == pytest.approx(0.2)


def _made(one_mbps: float, other_mbps: float) -> Result:
    names, goodput_bps = Words.of(["one", "other"]), 1e6 * np.array([one_mbps, other_mbps])
    return Result({"flows": Table("flows", {"traffic": names, "goodput_bps": goodput_bps})}, {})


def test_rates_are_means_over_replicates() -> None:
    """The mean of 11 and 14.3 Mbit/s is 12.65, and 34.57 is published beside it."""
    study = load(NAME)
    setup = replace(study.setup(study.scale("quick")), seeds=(1, 2))
    key = ("fairness", "50-dualpi2-c10-p10", "tested")
    runs = Runs(setup, {(*key, 1): _made(11.0, 34.57), (*key, 2): _made(14.3, 34.57)})
    found = find_distance(runs, row=key[1], form="tested")
    assert found.ours == pytest.approx(0, abs=1e-9)
    assert found.note == "12.7 and 34.6 Mbit/s, published 12.7 and 34.6"
    rows = choose("fairness", "dualpi2", prague=True, equal=True)
    assert count_close(runs, rows, "tested") == (1, 1)


def test_scenarios_are_those_of_the_tests() -> None:
    """A queue of 1,000 packets is 20 for each Mbit/s; without ECN only Prague is capable of it."""
    study = load(NAME)
    jobs = study.jobs(study.setup(study.scale("standard")))
    made = jobs["fairness", "50-pfifo-p20-c10", "tested", 1].scenario.to_dict()
    assert made["network"]["buffer"] == "1000 packets"
    one, other, ping = made["traffic"]
    assert (one["rtt"], other["rtt"], ping["name"]) == ("20 ms", "10 ms", "ping")
    assert one["cca"]["variant"] == "2020"
    assert (made["duration"], made["measure"]["warmup"]) == ("184 s", "124 s")
    apart = jobs["shared", "pie-5ms-reno-noecn", "today", 1].scenario.to_dict()
    assert [flow["transport"]["ecn"] for flow in apart["traffic"][:2]] == ["on", "off"]


def test_every_claim_is_judged(outcome: StudyOutcome) -> None:
    unchecked = [one.id for one in outcome.claims if one.verdict == Verdict.NOT_CHECKABLE]
    assert unchecked == [REPEATED]
    missing = {one.id for one in outcome.claims if one.verdict == Verdict.NOT_RUN}
    fast = {one.id for one in outcome.claims if one.id.startswith("50-")} - set(unchecked)
    read = {f"{name}-{form}" for name in ("prague-doubles", "beyond-round-trips") for form in FORMS}
    assert missing == fast | read  # at quick there are no rows of 50 Mbit/s


def test_the_answers_and_their_picture(outcome: StudyOutcome) -> None:
    assert [said.partition(":")[0] for said in outcome.sentences[:2]] == [
        "Rows within 10 % with the Prague of the tests",
        "Rows within 10 % with today's Prague",
    ]
    (picture,) = outcome.analysis.pictures
    assert [ax.get_title(loc="left") for ax in picture.figure.axes[:5]] == [
        "DualPI2", "FQ-CoDel", "CNQ-CodelAF", "drop-tail", "one queue, classic ECN"
    ]  # fmt: skip


def test_all_python_of_the_study_is_450_lines() -> None:
    files = Path(load(NAME).folder).glob("*.py")
    assert sum(len(path.read_text().splitlines()) for path in files) <= 450
