"""`headgate conform --kernel`: figures by hand, agreement, skipped cases; one case live."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.hosts import require_hosts
from typer.testing import CliRunner

from headgate.base.errors import HeadgateError
from headgate.cli.main import app
from headgate_studies.conform.kernel import path
from headgate_studies.conform.kernel.cases import (
    COMMON,
    DISCIPLINES,
    KernelCase,
    Sender,
    list_cases,
)
from headgate_studies.conform.kernel.command import draw_case, draw_shares
from headgate_studies.conform.kernel.comparison import (
    LATE_S,
    Comparison,
    Course,
    Outcome,
    agree,
    back_off,
    count_recoveries,
    figures_of,
)
from headgate_studies.conform.kernel.path import for_ours, for_real_hosts
from headgate_studies.conform.kernel.suite import Kernel, run_cases, select

TICK_S = 0.01
LINUX = Kernel("uml", "6.1", ("bbr", "cubic", "reno", "veno"), ("codel", "pie"))
ALONE = KernelCase("alone", "alone-reno-67", (Sender("reno"),))


def course() -> Course:
    """A window that grows by 10 segments a second from 50, and is halved at 100."""
    t_s = np.arange(0, 20, 0.01)
    return Course(t_s, 50 + 10 * (t_s % 5), np.full(len(t_s), 50.0))


def outcome(goodput_mbps: float = 19.0, lateness_s: float = 0.0) -> Outcome:
    queue = (np.array([0.0, 1.0]), np.array([5.0, 7.0]))
    nan = float("nan")
    return Outcome((goodput_mbps,), 6.0, 3, 4, nan, (course(),), queue, lateness_s=lateness_s)


def test_back_off_is_the_threshold_over_the_window_before() -> None:
    # at 5, 10 and 15 s the window falls from 99.9 to 50
    assert back_off([course()], 0) == pytest.approx(50 / 99)
    assert np.isnan(back_off([course()], 15.5))


def test_a_window_that_falls_without_a_threshold_is_no_reduction() -> None:
    one = course()
    assert np.isnan(back_off([replace(one, ssthresh=np.full(len(one.t_s), 1e9))], 0))


def test_the_threshold_of_bbr_is_no_back_off() -> None:
    bbr = replace(ALONE, senders=(Sender("bbr"),))
    assert np.isnan(figures_of(outcome(), bbr)["back-off"])
    assert figures_of(outcome(), ALONE)["back-off"] == pytest.approx(50 / 99)


def test_recoveries_are_counted_where_they_begin() -> None:
    assert count_recoveries([0, 3, 3, 0, 2, 0, 4, 3, 0], 3) == 2


def test_a_completion_time_is_all_that_a_sized_case_has() -> None:
    found = figures_of(replace(outcome(), completion_s=0.5), ALONE)
    assert {name for name, value in found.items() if not np.isnan(value)} == {"completion"}
    assert found["completion"] == 500


@pytest.mark.parametrize(
    ("name", "theirs", "ours", "holds"),
    [
        ("goodput", [19.0], [19.3], True),
        ("goodput", [19.0], [19.5], False),
        ("queue", [40.0], [45.9], True),
        ("queue", [40.0], [46.1], False),
        ("queue", [1.0], [1.5], True),
        ("recoveries", [3.0], [4.0], True),
        ("recoveries", [20.0], [25.0], False),
        ("goodput", [18.0, 19.0], [18.9, 19.9], True),
        ("goodput", [18.0, 18.1], [18.9, 19.9], False),
        ("share", [0.5], [0.54], True),
        ("share", [0.5], [0.56], False),
    ],
)
def test_means_are_near_or_ranges_overlap(
    name: str, theirs: list[float], ours: list[float], holds: bool
) -> None:
    assert agree(name, theirs, ours) is holds


def test_a_busy_machine_says_nothing_of_its_kernel() -> None:
    assert not Comparison(ALONE, (outcome(),), (outcome(),)).is_disturbed
    late = outcome(lateness_s=1.01 * LATE_S)
    assert Comparison(ALONE, (outcome(), late), (outcome(),)).is_disturbed


def test_algorithms_are_chosen_by_either_name_and_missing_ones_are_named() -> None:
    by_ours = select(LINUX, ["hstcp", "cubic", "fast"])
    assert by_ours.not_in_kernel == ("hstcp",)
    assert by_ours.not_in_linux == ("fast",)
    assert {cca for case in by_ours.cases for cca in case.ccas} == {"cubic"}
    said = select(LINUX, None).says(LINUX)
    assert "skipped, as Headgate has no: veno" in said
    assert "skipped, as kernel 6.1 has no discipline: fq_codel, red" in said
    with pytest.raises(HeadgateError, match="has none of these algorithms: hstcp"):
        select(LINUX, ["hstcp"])


def test_cases_have_unique_names_and_every_algorithm_has_a_case() -> None:
    every = [match.linux for match in path.MATCHES]
    cases = list_cases(every, DISCIPLINES, TICK_S)
    assert len({case.name for case in cases}) == len(cases)
    assert {cca for case in cases for cca in case.ccas} == {*every}
    assert {case.topic for case in cases} == {
        *("alone", "pair", "loss", "completion", "queue", "qdisc")
    }


def test_a_case_that_is_not_there_is_refused() -> None:
    with pytest.raises(HeadgateError, match="there are alone-\\*, pair-\\*"):
        list_cases(COMMON, [], TICK_S, ["alne-*"])


@pytest.mark.parametrize("case", list_cases([m.linux for m in path.MATCHES], DISCIPLINES, TICK_S))
def test_every_case_is_a_scenario_on_both_sides(case: KernelCase) -> None:
    for scenario in (for_real_hosts(case, 1), for_ours(case, 1, TICK_S)):
        scenario.plan()


def test_a_kernel_that_has_the_bottleneck_meets_none_behind_it() -> None:
    [case] = list_cases(["cubic"], ["codel"], TICK_S, ["qdisc-codel-1"])
    rates = [link.get("rate") for link in for_real_hosts(case, 1).to_dict()["network"]["links"]]
    assert "20 Mbit/s" not in rates
    assert "20 Mbit/s" in str(for_ours(case, 1, TICK_S).to_dict())


def test_pictures_have_both_sides() -> None:
    done = Comparison(ALONE, (outcome(),), (outcome(19.5),))
    window, queue = draw_case(done, "6.1").panels
    assert [line.name for line in window.lines] == ["Linux 6.1", "Headgate"]
    assert len(queue.lines) == 2
    [goodput, *_] = draw_shares([done])
    assert goodput.series[""]["alone-reno-67"][0] == pytest.approx(19.5 / 19)


def test_wrong_words_are_refused() -> None:
    done = CliRunner().invoke(app, ["conform", "--kernel", "bsd"])
    assert done.exit_code
    assert "host or uml" in str(done.exception)


def test_a_killed_command_leaves_no_case_at_work(tmp_path: Path) -> None:
    require_hosts()
    words = ["conform", "--kernel", "host", "reno", "--case", "alone-*", "--out", str(tmp_path)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    program = subprocess.Popen([sys.executable, "-m", "headgate", *words], env=environment)
    made = _wait_for(lambda: [pid for pid in _of(tmp_path) if _is_sender(pid)])
    program.kill()
    program.wait()
    assert made
    assert _wait_for(lambda: not _of(tmp_path))


def _wait_for(found: Callable[[], Any], at_most_s: float = 60) -> Any:
    until_s = time.monotonic() + at_most_s
    while not (value := found()) and time.monotonic() < until_s:
        time.sleep(0.1)
    return value


def _of(folder: Path) -> list[int]:
    """Give the processes whose temporary files are there."""
    pids = (int(path.name) for path in Path("/proc").glob("[0-9]*"))
    return [pid for pid in pids if f"TMPDIR={folder}".encode() in _read(pid, "environ")]


def _is_sender(pid: int) -> bool:
    return b"headgate_studies.conform.kernel.sender" in _read(pid, "cmdline")


def _read(pid: int, part: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{part}").read_bytes()
    except OSError:
        return b""


def test_this_kernel_beside_ours() -> None:
    require_hosts()
    [case] = list_cases(["reno"], [], TICK_S, ["completion-reno-30"])
    [done] = run_cases([case], "host")
    assert not done.obstacle
    [theirs], [ours] = done.figures("completion")
    assert theirs > 200  # three round trips at least, not one
    if not done.is_disturbed:
        assert theirs == pytest.approx(ours, rel=0.1)
    assert json.loads(json.dumps(done.record()))["case"] == "completion-reno-30"
