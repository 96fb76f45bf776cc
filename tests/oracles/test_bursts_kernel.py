"""Bursts with pauses on one connection: Headgate beside kernel 6.18 in the same scenarios.

`python -m tests.oracles.bursts.measure OUT.csv` measures the kernel again.
"""

from collections import defaultdict
from functools import cache

import pytest

from .bursts.cases import CASES, Case
from .bursts.ours import run
from .oracle import rows

REPEATS = 5
#: How near a burst's completion and the window at its start are to the range of the kernel's.
TIME_MS, TIME, WINDOW = 1.0, 0.02, 2

KERNEL: dict[tuple[str, int], list[dict[str, str]]] = defaultdict(list)
for row in rows("linux/bursts.csv"):
    KERNEL[row["case"], int(row["burst"])].append(row)


@cache
def ours(case: Case) -> list[dict[str, float]]:
    return run(case)


def theirs(case: Case, name: str) -> list[tuple[float, float]]:
    """Give the range of the kernel's repeats for each burst."""
    bursts = (KERNEL[case.name, burst] for burst in range(1, case.bursts + 1))
    ranges = ([float(row[name]) for row in repeats] for repeats in bursts)
    return [(min(values), max(values)) for values in ranges]


def test_each_burst_has_five_repeats_of_the_kernel() -> None:
    found = {of: len(repeats) for of, repeats in KERNEL.items()}
    asked = [(case.name, burst) for case in CASES for burst in range(1, case.bursts + 1)]
    assert found == dict.fromkeys(asked, REPEATS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_burst_takes_as_long_as_the_kernels(case: Case) -> None:
    found = [burst["receiver_ms"] for burst in ours(case)]
    for number, (burst_ms, (low, high)) in enumerate(
        zip(found, theirs(case, "receiver_ms"), strict=True), 1
    ):
        slack_ms = max(TIME_MS, TIME * low)
        assert low - slack_ms <= burst_ms <= high + slack_ms, (number, burst_ms, low, high)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_burst_begins_with_the_kernels_window(case: Case) -> None:
    found = [burst["cwnd_begin"] for burst in ours(case)]
    for number, (window, (low, high)) in enumerate(
        zip(found, theirs(case, "cwnd_begin"), strict=True), 1
    ):
        assert low - WINDOW <= window <= high + WINDOW, (number, window, low, high)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_as_many_packets_are_sent_again(case: Case) -> None:
    found = [burst["retransmissions"] for burst in ours(case)]
    for number, (count, (low, high)) in enumerate(
        zip(found, theirs(case, "retransmissions"), strict=True), 1
    ):
        assert low - WINDOW <= count <= high + WINDOW, (number, count, low, high)
