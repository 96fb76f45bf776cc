"""The conformance suite: every law holds to what it has to, and the cases can fail."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headgate.cli.main import app
from headgate.conform.case import Case, equal, near
from headgate.conform.suite import CASES, run_suite, subjects
from headgate.conform.trial import Subject


def pairs() -> list[tuple[Case, Subject]]:
    return [(case, law) for law in subjects() for case in CASES if case.applies(law.name)]


@pytest.mark.parametrize(
    ("case", "subject"), pairs(), ids=lambda item: getattr(item, "id", getattr(item, "name", ""))
)
def test_the_law_does_what_the_standard_says(case: Case, subject: Subject) -> None:
    finding = case.check(subject)
    assert finding.holds, f"{case.source}: expected {finding.expected}; got {finding.observed}"


def find(case: str) -> Case:
    return next(known for known in CASES if known.id == case)


@pytest.mark.parametrize(
    ("case", "law"),
    [("dctcp-first-mark", "reno"), ("dctcp-loss", "scalable"), ("dctcp-no-drops", "reno")],
)
def test_a_law_of_other_rules_fails(case: str, law: str) -> None:
    [subject] = subjects([law])
    assert not find(case).check(subject).holds


def test_figures_and_counts_are_compared() -> None:
    assert near(1.01, 1.0, 0.02, "s").holds
    assert not near(1.03, 1.0, 0.02, "s").holds
    assert equal({"timeouts": 0.0}, {"timeouts": 0}).holds
    assert not equal({"timeouts": 1.0}, {"timeouts": 0}).holds


def test_every_case_names_its_section_and_has_a_name_of_its_own() -> None:
    assert len({case.id for case in CASES}) == len(CASES)
    assert all("§" in case.source for case in CASES)


def test_what_does_not_apply_says_why() -> None:
    verdicts = {verdict.case.id: verdict for verdict in run_suite(subjects(["fast"]))}
    assert verdicts["loss-window"].word == "does not apply"
    assert "ns-2" in verdicts["loss-window"].reason


def test_a_law_of_the_users_own_is_held_to_the_same_cases() -> None:
    own = Path(__file__).parent / "laws" / "reno.py"
    done = CliRunner().invoke(app, ["conform", f"{own}:Reno", "--json"])
    words = [record["verdict"] for record in json.loads(done.stdout)]
    assert done.exit_code == 0
    assert words.count("holds") == sum(not case.only for case in CASES)


def test_the_command_prints_for_machines() -> None:
    done = CliRunner().invoke(app, ["conform", "reno", "--json"])
    records = json.loads(done.stdout)
    assert done.exit_code == 0
    assert {record["law"] for record in records} == {"reno"}
    assert {record["verdict"] for record in records} == {"holds", "does not apply"}
