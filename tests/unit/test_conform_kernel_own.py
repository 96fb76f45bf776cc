"""`headgate conform FILE:NAME --as ROLE --kernel`: a kernel beside a user-defined algorithm."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.hosts import require_hosts
from typer.testing import CliRunner

from headgate.base.errors import HeadgateError
from headgate.cli.main import app
from headgate.engine.live.hosts import EmulationError
from headgate_studies.conform.kernel import command
from headgate_studies.conform.kernel.cases import KernelCase, list_cases
from headgate_studies.conform.kernel.comparison import Comparison, agree
from headgate_studies.conform.kernel.path import for_ours, for_real_hosts, simulate
from headgate_studies.conform.kernel.suite import Kernel, select

from ..arch.repository import ROOT
from .test_conform_kernel import ALONE, outcome

OWN = f"{ROOT / 'examples' / 'ccas' / 'cubic.py'}:Cubic"
LINUX = Kernel("host", "6.1", ("cubic", "reno"), ())


def conform(*words: str) -> Exception:
    done = CliRunner().invoke(app, ["conform", *words])
    assert isinstance(done.exception, Exception)
    return done.exception


def test_the_user_defined_algorithm_takes_the_place_of_ours_only() -> None:
    chosen = select(LINUX, ["cubic"], ["alone-*"], OWN)
    assert {case.name for case in chosen.cases} == {f"alone-cubic-{n}" for n in (33, 67, 133)}
    case = chosen.cases[0]
    assert for_ours(case, 1, 0.004).to_dict()["traffic"][0]["cca"] == OWN
    assert OWN not in str(for_real_hosts(case, 1).to_dict())
    assert case.senders[0].cca == "cubic"


def test_a_wrong_beta_is_outside_of_the_tolerance(tmp_path: Path) -> None:
    # one flow at a buffer of 0.5 BDP: beta 0.7 leaves 1.05 BDP after a loss, and the link stays
    # full; 0.3 leaves 0.45 BDP, so the goodput, the queue and the back-off differ from Linux's
    [case] = list_cases(["cubic"], [], 0.004, ["alone-cubic-33"])
    wrong = tmp_path / "cubic.py"
    text = Path(OWN.rpartition(":")[0]).read_text(encoding="utf-8")
    wrong.write_text(text.replace("BETA = 0.7", "BETA = 0.3"), encoding="utf-8")
    linux = (simulate(case, 1, 0.004),)
    right = Comparison(case, linux, (simulate(_replaced(case, OWN), 1, 0.004),))
    other = Comparison(case, linux, (simulate(_replaced(case, f"{wrong}:Cubic"), 1, 0.004),))
    assert right.agrees("back-off")
    assert right.agrees("goodput")
    assert other.agrees("back-off") is False
    assert other.agrees("goodput") is False


def _replaced(case: KernelCase, own: str) -> KernelCase:
    return replace(case, replacement=own)


def test_differences_have_an_interval_if_both_sides_have_two_runs() -> None:
    theirs = tuple(outcome(value) for value in (18.0, 20.0))
    one = Comparison(ALONE, theirs[:1], (outcome(19.0),))
    assert one.find_difference("goodput") is None
    two = Comparison(ALONE, theirs, (outcome(20.0), outcome(22.0)))
    found = two.find_difference("goodput")
    assert found is not None
    # means 19 and 21; Welch: standard errors of 1 each, 2 degrees of freedom, t = 4.3027
    assert np.array(found) == pytest.approx(np.array([2, 2 - 6.0849, 2 + 6.0849]) / 19, rel=1e-4)
    assert "goodput +10.5 % (-21.5 to +42.6)" in command._say_differences(two)


def test_retransmissions_are_compared() -> None:
    assert agree("retransmissions", [3.0], [5.0])
    assert not agree("retransmissions", [3.0], [5.5])
    assert agree("retransmissions", [100.0], [119.0])
    assert not agree("retransmissions", [100.0], [121.0])


def test_the_last_line_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    [case] = list_cases(["cubic"], [], 0.004, ["alone-cubic-67"])
    late = outcome(lateness_s=0.1)
    done = [
        Comparison(case, (outcome(),), (outcome(),)),
        Comparison(case, (outcome(),), (outcome(10.0),)),
        Comparison(case, (late,), (outcome(),)),
        Comparison(case, (), (outcome(),), "no TUN device"),
    ]
    monkeypatch.setattr(command, "examine", lambda _: LINUX)
    monkeypatch.setattr(command, "run_cases", lambda *_: iter(done))
    words = ["conform", OWN, "--as", "cubic", "--kernel", "host", "--case", "alone-*"]
    ran = CliRunner().invoke(app, [*words, "--out", str(tmp_path)])
    assert ran.stdout.splitlines()[-1] == "1 agree, 1 differ, 1 disturbed, 1 not run"
    assert ran.exit_code == 1  # a case was not run


def test_a_missing_permission_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: str) -> Kernel:
        raise EmulationError("a TUN device cannot be made; load it with: modprobe tun")

    monkeypatch.setattr(command, "examine", refuse)
    said = str(conform("cubic", "--kernel", "host"))
    assert said.startswith("--kernel host: a TUN device cannot be made; load it with: modprobe tun")
    assert said.endswith("`headgate doctor` checks user namespaces, TUN and user-mode Linux")


def test_a_missing_module_is_named() -> None:
    says = "none of these algorithms: bbr; it has cubic, reno; as root, modprobe tcp_bbr loads"
    with pytest.raises(HeadgateError, match=says):
        select(LINUX, ["bbr"])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([OWN], "needs --as NAME, the algorithm of the kernel to compare it with"),
        ([OWN, "reno", "--as", "cubic"], "name one user-defined algorithm, and nothing else"),
        ([OWN, "--as", "fast"], "--as fast: Linux does not have it; it has reno, cubic"),
        (["none.py:Cubic", "--as", "cubic"], "none.py: there is no such file"),
    ],
)
def test_wrong_requests_are_refused_before_anything_runs(words: list[str], says: str) -> None:
    assert says in str(conform(*words, "--kernel", "host"))


@pytest.fixture
def ran(tmp_path: Path) -> str:
    require_hosts()
    words = ["conform", OWN, "--as", "cubic", "--kernel", "host", "--case", "completion-cubic-10"]
    done = CliRunner().invoke(app, [*words, "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_this_kernel_beside_a_user_defined_algorithm(ran: str) -> None:
    assert "below it Cubic" in ran
    assert ran.splitlines()[-1].endswith("0 not run")
