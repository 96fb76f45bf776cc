"""`headgate conform FILE:NAME --as ROLE`: right algorithms pass, and each wrong one is found."""

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from headgate.base.errors import HeadgateError
from headgate.cli.main import app
from headgate_studies.conform.report import BBR, CASES, judge, run_suite, subjects

from ..arch.repository import ROOT

CUBIC = ROOT / "examples" / "ccas" / "cubic.py"
CCAS = Path(__file__).parent / "ccas"
FASTER = "self.w_est += self.alpha() * acked / window.cwnd"
KEEP_UP = "if self.curve(elapsed_s) < self.w_est:"

#: A small wrong change of a right algorithm, and the case that must find it.
WRONG_CUBICS = {
    "keeps too little on a loss": ("self.BETA * event", "0.5 * event", "cubic-beta"),
    "keeps too much on a loss": ("self.BETA * event", "0.8 * event", "cubic-beta"),
    "halves after a time-out": (
        "self.BETA * event.in_flight",
        "(0.5 if event.cause == TIMEOUT else self.BETA) * event.in_flight",
        "cubic-timeout",
    ),
    "no fast convergence": ("* (1 + self.BETA) / 2", "", "cubic-fast-convergence"),
    "fast convergence of the paper of 2008": (
        "* (1 + self.BETA) / 2", "* (2 - self.BETA) / 2", "cubic-fast-convergence"),
    "a curve half as steep": ("C = 0.4", "C = 0.2", "cubic-curve"),
    "a curve twice as steep": ("C = 0.4", "C = 0.8", "cubic-curve"),
    "a square curve": (") ** 3 +", ") ** 2 +", "cubic-curve"),
    "K of another beta": (" / self.C) ** (1 / 3)", " / self.C) ** (1 / 3) * 0.8", "cubic-curve"),
    "no limit of the target": (", 1.5 * window.cwnd)", ", 9e9)", "cubic-target-limit"),
    "no Reno-friendly region": (KEEP_UP, "if False:", "cubic-reno-friendly"),
    "Reno's own increase": (FASTER, "self.w_est += acked / window.cwnd", "cubic-reno-friendly"),
    "alpha of the beta that is lost": ("3 * (1 - self.BETA) / (1 + self.BETA)",
        "3 * self.BETA / (2 - self.BETA)", "cubic-reno-friendly"),
    "alpha that never becomes 1": ("1.0 if self.w_est >= self.prior else ", "", "cubic-reno-alpha"),
    "no threshold at all": ("window.ssthresh =", "_ =", "cubic-beta"),
    "no slow start limit": ("left = window.slow_start(ack.acked)",
        "window.cwnd += 2 * ack.acked; left = 0.0", "slow-start-doubles"),
}  # fmt: skip
WRONG_RENOS = {
    "keeps too much on a loss": ("/ 2.0", "/ 1.25", "reno-halves"),
    "keeps too little on a loss": ("/ 2.0", "/ 4.0", "reno-halves"),
    "adds two segments": ("+= left / window.cwnd", "+= 2 * left / window.cwnd", "reno-avoidance"),
    "adds half a segment": ("+= left / window.cwnd", "+= left / window.cwnd / 2", "reno-avoidance"),
    "never leaves slow start": ("+= left / window.cwnd", "+= left", "reno-avoidance"),
    "starts slowly": ("window.slow_start(ack.acked) if window.slow_starts() else ", "",
                      "reno-slow-start"),
    "a threshold of one segment": (", 2.0)", ", 1.0)", "threshold-floor"),
}  # fmt: skip


def change(source: Path, old: str, new: str, folder: Path) -> Path:
    text = source.read_text(encoding="utf-8")
    assert old in text
    path = folder / source.name
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def conform(*words: str) -> Result:
    return CliRunner().invoke(app, ["conform", "--workers", "1", *words])


def test_a_right_cubic_passes_and_the_last_line_counts() -> None:
    done = conform(f"{CUBIC}:Cubic", "--as", "cubic")
    assert done.exit_code == 0, done.output
    about = [case for case in CASES if not case.only or case.only == ("cubic",)]
    applied = [case for case in about if not case.built_in_only]
    last = f"Cubic as cubic: {len(applied)} hold, 0 fail, 11 not applicable"
    assert done.stdout.splitlines()[-1] == f"{CUBIC}:{last}"
    assert last in (ROOT / "docs" / "reference" / "conformance.md").read_text(encoding="utf-8")
    assert "hystart-leaves, hystart-saves are not applicable: the test sets slow_st" in done.stdout
    assert not any(case.id in done.stdout for case in CASES if case not in about)


def test_a_right_reno_passes_in_python_and_c() -> None:
    for name in ("reno.py:Reno", "reno.c:reno"):
        done = conform(str(CCAS / name), "--as", "reno")
        assert done.exit_code == 0, done.output
        assert " as reno: " in done.stdout.splitlines()[-1]


@pytest.mark.parametrize("wrong", WRONG_CUBICS)
def test_a_wrong_cubic_fails_at_its_case(wrong: str, tmp_path: Path) -> None:
    old, new, case = WRONG_CUBICS[wrong]
    path = change(CUBIC, old, new, tmp_path)
    assert case in list_failures(f"{path}:Cubic", "cubic")


@pytest.mark.parametrize("wrong", WRONG_RENOS)
def test_a_wrong_reno_fails_at_its_case(wrong: str, tmp_path: Path) -> None:
    old, new, case = WRONG_RENOS[wrong]
    path = change(CCAS / "reno.py", old, new, tmp_path)
    assert case in list_failures(f"{path}:Reno", "reno")


def list_failures(name: str, role: str) -> list[str]:
    return [one.case.id for one in run_suite(subjects([name], role)) if one.word == "fails"]


def test_a_failure_shows_the_values_and_the_section(tmp_path: Path) -> None:
    path = change(CUBIC, "self.BETA * event", "0.5 * event", tmp_path)
    done = conform(f"{path}:Cubic", "--as", "cubic")
    assert done.exit_code == 1
    says = next(line for line in done.stdout.splitlines() if "cubic-beta: " in line)
    assert "expected 0.7 of the data in flight (to 2%); got 0.50" in says
    assert says.endswith("RFC 9438 §4.6: On a loss the threshold is 0.7 of what was in flight")
    assert ":Cubic as cubic: " in done.stdout.splitlines()[-1]
    records = json.loads(conform(f"{path}:Cubic", "--as", "cubic", "--json").stdout)
    assert {record["role"] for record in records} == {"cubic"}


def test_without_a_role_one_is_proposed() -> None:
    done = conform(f"{CUBIC}:Cubic")
    advice, last = done.stdout.splitlines()[-2:]
    assert "--as cubic adds the cases of cubic" in advice
    assert last.endswith("15 hold, 0 fail, 0 not applicable")
    assert "--as" not in conform("cubic", "--case", "cubic-*").stdout


def test_cases_of_bbr_need_an_estimate_that_only_built_in_algorithms_report() -> None:
    [own] = subjects([f"{CUBIC}:Cubic"], "bbr3")
    judged = [judge(case, own) for case in BBR]
    assert {one.word for one in judged} == {"not applicable"}
    assert "bandwidth estimate" in judged[0].reason


def test_a_built_in_algorithm_can_be_tested_as_another() -> None:
    assert list_failures("scalable", "reno") == ["reno-halves", "reno-timeout", "reno-avoidance"]


def test_a_run_without_the_event_of_a_case_fails_with_a_sentence() -> None:
    [own] = subjects([f"{CCAS / 'reno.py'}:Reno"], "dctcp")
    [case] = [case for case in CASES if case.id == "dctcp-first-mark"]
    finding = judge(case, own).finding
    assert finding is not None
    assert not finding.holds
    assert finding.observed == "the threshold was set 0 times, not 1"


def test_cases_are_chosen_by_pattern() -> None:
    done = conform("cubic", "--case", "cubic-*", "--json")
    cases = {record["case"] for record in json.loads(done.stdout)}
    assert cases == {case.id for case in CASES if case.id.startswith("cubic-")}
    with pytest.raises(HeadgateError, match="no case has such a name; there are rto-initial"):
        run("cubic", "--case", "cubik-*")


def run(*words: str) -> None:
    done = conform(*words)
    assert isinstance(done.exception, Exception)
    raise done.exception


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--as", "cubic"], "--as cubic: name the algorithm to test"),
        (["reno", "--as", "cubik"], "--as: 'cubik' is not a congestion .*did you mean 'cubic'"),
        (["reno", "--repeats", "3"], "--repeats: is an option of --kernel"),
        (["reno", "--out", f"x{os.sep}y"], "--out: is an option of --kernel"),
    ],
)
def test_wrong_options_are_refused(words: list[str], says: str) -> None:
    with pytest.raises(HeadgateError, match=says):
        run(*words)
