"""What a run of a case comes to, the kernel's and ours by one definition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from headgate_studies.conform.kernel.cases import KernelCase

Numbers = NDArray[np.float64]

#: Time before a fall in which the window was at its largest, and between two falls, s.
BEFORE_S, AFTER_S = 0.2, 0.5
#: A window that stays above this share of itself was not reduced.
FALLEN = 0.95


@dataclass(frozen=True)
class Course:
    """A flow's window and threshold over time, segments; time counts from the start of sending."""

    t_s: Numbers
    cwnd: Numbers
    ssthresh: Numbers


@dataclass(frozen=True)
class Outcome:
    """One run of one case."""

    goodputs_mbps: tuple[float, ...]
    """Of each flow, in the order of the case."""
    queue_packets: float
    retransmissions: float
    recoveries: float
    completion_s: float
    """From the SYN to the last byte at the receiver; NaN without a size."""
    courses: tuple[Course, ...]
    queue: tuple[Numbers, Numbers]
    """Time and packets that wait."""
    marks: float = 0.0
    lateness_s: float = 0.0
    """Of 999 in 1000 real packets at most; 0 in simulation."""

    @property
    def goodput_mbps(self) -> float:
        """All flows together."""
        return sum(self.goodputs_mbps)

    @property
    def share(self) -> float:
        """What the last flow has of it."""
        return self.goodputs_mbps[-1] / self.goodput_mbps if self.goodput_mbps else 0.0


def back_off(courses: Sequence[Course], from_s: float) -> float:
    """Return what a reduction leaves of the window, by ssthresh, in the median; NaN without one."""
    shares = [share for course in courses for share in _reductions(course, from_s)]
    return float(np.median(shares)) if shares else float("nan")


def _reductions(course: Course, from_s: float) -> Iterator[float]:
    """Yield ssthresh over the window before, wherever the window has fallen towards it."""
    t_s, last_s = course.t_s, -np.inf
    for at in range(int(np.searchsorted(t_s, from_s)), len(t_s)):
        if t_s[at] - last_s < AFTER_S:
            continue
        before = int(np.searchsorted(t_s, t_s[at] - BEFORE_S))
        window = course.cwnd[before:at].max(initial=0.0)
        if max(course.ssthresh[at], course.cwnd[at]) < FALLEN * window:
            last_s = t_s[at]
            yield float(course.ssthresh[at] / np.floor(window))


def _back_off_of(outcome: Outcome, case: KernelCase) -> float:
    """Return that of flows whose law reduces by a threshold: BBR's is what it returns to."""
    flows = zip(case.senders, outcome.courses, strict=True)
    return back_off([course for sender, course in flows if sender.law != "bbr"], case.from_s)


def count_recoveries(states: Sequence[int], from_: int) -> int:
    """Count how often states reach `from_` or more (TCP_CA_Recovery, TCP_CA_Loss)."""
    return sum(before < from_ <= now for before, now in pairwise(states))


FIGURES = ("goodput", "queue", "recoveries", "back-off", "completion", "share")
UNITS = {
    "goodput": "Mbit/s",
    "queue": "packets",
    "recoveries": "",
    "back-off": "",
    "completion": "ms",
    "share": "",
}


def figures_of(outcome: Outcome, case: KernelCase) -> dict[str, float]:
    """Return the figures that are compared; NaN where there is none."""
    sized = not np.isnan(outcome.completion_s)
    nan = float("nan")
    return {
        "goodput": nan if sized else outcome.goodput_mbps,
        "queue": nan if sized else outcome.queue_packets,
        "recoveries": nan if sized else outcome.recoveries,
        "back-off": nan if sized else _back_off_of(outcome, case),
        "completion": 1e3 * outcome.completion_s,
        "share": outcome.share if len(outcome.goodputs_mbps) > 1 else nan,
    }
