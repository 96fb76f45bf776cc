"""The conformance suite: every algorithm holds to what it has to, and the cases can fail."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headgate.cli.main import app
from headgate_studies.conform.case import Case, Subject, equal, near
from headgate_studies.conform.report import CASES, judge, run_suite, subjects


def pairs() -> list[tuple[Case, Subject]]:
    return [(case, cca) for cca in subjects() for case in CASES if case.applies(cca)]


@pytest.mark.parametrize(
    ("case", "subject"), pairs(), ids=lambda item: getattr(item, "id", getattr(item, "name", ""))
)
def test_the_algorithm_follows_the_standard(case: Case, subject: Subject) -> None:
    finding = case.check(subject)
    assert finding.holds, f"{case.source}: expected {finding.expected}; got {finding.observed}"


def find(case: str) -> Case:
    return next(known for known in CASES if known.id == case)


@pytest.mark.parametrize(
    ("case", "cca"),
    [("dctcp-first-mark", "reno"), ("dctcp-loss", "scalable"), ("dctcp-no-drops", "reno")],
)
def test_an_algorithm_of_other_rules_fails(case: str, cca: str) -> None:
    [subject] = subjects([cca], "dctcp")
    assert judge(find(case), subject).word == "fails"


def test_figures_and_counts_are_compared() -> None:
    assert near(1.01, 1.0, 0.02, "s").holds
    assert not near(1.03, 1.0, 0.02, "s").holds
    assert equal({"timeouts": 0.0}, {"timeouts": 0}).holds
    assert not equal({"timeouts": 1.0}, {"timeouts": 0}).holds


def test_every_case_names_its_section_and_has_a_unique_name() -> None:
    assert len({case.id for case in CASES}) == len(CASES)
    assert all("§" in case.source for case in CASES)


def test_a_case_that_does_not_apply_states_the_reason() -> None:
    verdicts = {verdict.case.id: verdict for verdict in run_suite(subjects(["fast"]))}
    assert verdicts["loss-window"].word == "does not apply"
    assert "ns-2" in verdicts["loss-window"].reason


def test_a_user_defined_algorithm_is_held_to_the_same_cases() -> None:
    own = Path(__file__).parent / "ccas" / "reno.py"
    done = CliRunner().invoke(app, ["conform", f"{own}:Reno", "--json"])
    words = [record["verdict"] for record in json.loads(done.stdout)]
    assert done.exit_code == 0
    assert words.count("holds") == sum(not case.only for case in CASES)


def test_the_command_prints_for_machines() -> None:
    done = CliRunner().invoke(app, ["conform", "reno", "--json"])
    records = json.loads(done.stdout)
    assert done.exit_code == 0
    assert {record["cca"] for record in records} == {"reno"}
    assert {record["verdict"] for record in records} == {"holds", "does not apply"}


def test_every_test_case_of_the_bbr_draft_is_listed() -> None:
    sections = [case.source for case in CASES if case.source.startswith("draft-ietf-ccwg-bbr")]
    assert sections == [f"draft-ietf-ccwg-bbr §A.{number}" for number in range(1, 23)]


def test_a_case_that_cannot_be_tried_is_shown_with_its_reason() -> None:
    left_out = [case for case in CASES if case.left_out]
    assert [case.source[-5:] for case in left_out] == ["§A.18", "§A.19"]
    [bbr3] = subjects(["bbr3"])
    judged = [judge(case, bbr3) for case in left_out]
    assert {verdict.word for verdict in judged} == {"not applicable"}
    assert all("spurious" in verdict.reason for verdict in judged)


@pytest.mark.parametrize(
    "case",
    ["bbr-up-plateau", "bbr-up-loss", "bbr-probe-rtt-skipped", "bbr-rate-down", "bbr-policer"],
)
def test_version_1_does_not_do_what_is_asked_of_version_3(case: str) -> None:
    assert "bbr" in find(case).exempt
    [version_1] = subjects(["bbr"])
    assert not find(case).check(version_1).holds


def test_a_wrong_gain_or_bound_fails() -> None:
    [bbr3] = subjects(["bbr3"])
    for case, wrong in (
        ("bbr-down-time", {"probe_wait_s": 3.5}),
        ("bbr-probe-rtt", {"probe_rtt_interval_s": 7.0}),
        ("bbr-drain-inflight", {"pacing_margin": 0.1}),
    ):
        assert judge(find(case), bbr3.having(**wrong)).word == "fails"
