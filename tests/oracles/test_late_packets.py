"""Packets that are late and not lost: Headgate beside kernel 6.18 in the same scenarios.

`python -m tests.oracles.late.measure OUT.csv` measures the kernel again.
"""

from collections import defaultdict
from functools import cache
from statistics import mean, median

import pytest

from .late.cases import CASES, Case
from .late.ours import run
from .oracle import rows

#: How near goodput and packets sent again are to the kernel's if they leave its range.
GOODPUT, SENT_AGAIN, PACKETS = 0.05, 0.20, 10
#: How near the window after a spike, as a share of the one before it, is to the kernel's range.
WINDOW = 0.05
SEEDS = range(1, 6)

KERNEL: dict[str, list[dict[str, str]]] = defaultdict(list)
for row in rows("linux/late.csv"):
    KERNEL[row["case"]].append(row)


@cache
def ours(case: Case) -> list[dict[str, float]]:
    """Run a case with as many seeds as the kernel has repeats; once if nothing is drawn."""
    return [run(case, seed) for seed in (SEEDS if case.late_ms else SEEDS[:1])]


def theirs(case: Case, name: str) -> list[float]:
    return [float(row[name]) for row in KERNEL[case.name]]


def test_each_case_has_five_repeats_of_the_kernel() -> None:
    assert {name: len(repeats) for name, repeats in KERNEL.items()} == {
        case.name: 5 for case in CASES
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_goodput_is_the_kernels(case: Case) -> None:
    found, range_ = mean(one["goodput_mbps"] for one in ours(case)), theirs(case, "goodput_mbps")
    inside = min(range_) <= found <= max(range_)
    assert inside or found == pytest.approx(mean(range_), rel=GOODPUT)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_as_many_packets_are_sent_again(case: Case) -> None:
    found = median(one["retransmissions"] for one in ours(case))
    range_ = theirs(case, "retransmissions")
    inside = min(range_) <= found <= max(range_)
    assert inside or found == pytest.approx(median(range_), rel=SENT_AGAIN, abs=PACKETS)


PATHS = [case for case in CASES if case.course]


@pytest.mark.parametrize("case", PATHS, ids=lambda case: case.name)
def test_the_window_is_kept_where_the_kernel_keeps_it(case: Case) -> None:
    # A path that becomes shorter loses packets at its buffer: compared is what is left afterwards.
    name = "cwnd_kept" if case.name.startswith("spike") else "cwnd_after"
    before, kept = theirs(case, "cwnd_before"), theirs(case, name)
    shares = [after / window for window, after in zip(before, kept, strict=True)]
    for one in ours(case):
        share = one[name] / one["cwnd_before"]
        assert min(shares) * (1 - WINDOW) <= share <= max(shares) * (1 + WINDOW)


@pytest.mark.parametrize("case", PATHS, ids=lambda case: case.name)
def test_timeouts_and_those_found_spurious_are_the_kernels(case: Case) -> None:
    timeouts, undone = theirs(case, "TCPTimeouts"), theirs(case, "TCPLossUndo")
    for one in ours(case):
        assert one["timeouts"] in timeouts
        assert one["spurious_timeouts"] in undone
