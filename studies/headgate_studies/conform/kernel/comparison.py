"""The figures of a run, defined alike for the kernel and for Headgate, and their comparison."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.stats import compute_difference_interval
from headgate_studies.conform.kernel.cases import KernelCase

Numbers = NDArray[np.float64]
#: Time before a fall in which the window was at its largest, and between two falls, s.
BEFORE_S, AFTER_S = 0.2, 0.5
#: A window that stays above this share of itself was not reduced.
FALLEN = 0.95
#: Allowed relative difference of means; otherwise ranges of repeats must overlap.
RELATIVE = {
    "goodput": 0.02,
    "queue": 0.15,
    "recoveries": 0.20,
    "retransmissions": 0.20,
    "back-off": 0.20,
    "completion": 0.02,
    "share": 0.0,
}
#: Allowed absolute differences: half a packet, one cut, the segments that a cut of one flow loses,
#: a twentieth of the line.
ABSOLUTE = {"queue": 0.5, "recoveries": 1.0, "retransmissions": 2.0, "share": 0.05}
#: A machine whose packets are later than this, in one of 1000, says nothing of its kernel.
LATE_S = 0.002


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
        """The last flow's share of the goodput."""
        return self.goodputs_mbps[-1] / self.goodput_mbps if self.goodput_mbps else 0.0


def back_off(courses: Sequence[Course], from_s: float) -> float:
    """Return the median share of the window that reductions keep, by ssthresh; NaN without any."""
    shares = [share for course in courses for share in _reductions(course, from_s)]
    return float(np.median(shares)) if shares else float("nan")


def _reductions(course: Course, from_s: float) -> Iterator[float]:
    """Yield ssthresh over the window before it, at each fall of the window towards ssthresh."""
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
    """Return the back-off of flows that reduce by a threshold; BBR's is a saved window."""
    flows = zip(case.senders, outcome.courses, strict=True)
    return back_off([course for sender, course in flows if sender.cca != "bbr"], case.from_s)


def count_recoveries(states: Sequence[int], from_: int) -> int:
    """Count how often states reach `from_` or more (TCP_CA_Recovery, TCP_CA_Loss)."""
    return sum(before < from_ <= now for before, now in pairwise(states))


FIGURES = ("goodput", "queue", "retransmissions", "recoveries", "back-off", "completion", "share")


def figures_of(outcome: Outcome, case: KernelCase) -> dict[str, float]:
    """Return the figures that are compared; NaN if a figure does not exist."""
    sized = not np.isnan(outcome.completion_s)
    nan = float("nan")
    return {
        "goodput": nan if sized else outcome.goodput_mbps,
        "queue": nan if sized else outcome.queue_packets,
        "retransmissions": nan if sized else outcome.retransmissions,
        "recoveries": nan if sized else outcome.recoveries,
        "back-off": nan if sized else _back_off_of(outcome, case),
        "completion": 1e3 * outcome.completion_s,
        "share": outcome.share if len(outcome.goodputs_mbps) > 1 else nan,
    }


@dataclass(frozen=True)
class Comparison:
    """Runs of one case: the kernel's and ours. `obstacle` says why there are none."""

    case: KernelCase
    theirs: tuple[Outcome, ...] = ()
    ours: tuple[Outcome, ...] = ()
    obstacle: str = ""

    def figures(self, name: str) -> tuple[list[float], list[float]]:
        """Return a figure of each run, the kernel's and ours; none if it does not exist."""
        both = (self.theirs, self.ours)
        found = ([figures_of(run, self.case)[name] for run in runs] for runs in both)
        theirs, ours = ([value for value in values if value == value] for values in found)  # noqa: PLR0124
        return theirs, ours

    def agrees(self, name: str) -> bool | None:
        """Return whether a figure agrees; None if it is missing on either side."""
        theirs, ours = self.figures(name)
        return agree(name, theirs, ours) if theirs and ours else None

    @property
    def lateness_s(self) -> float:
        """How late 999 in 1000 packets were at most, in the worst run."""
        return max((run.lateness_s for run in self.theirs), default=0.0)

    @property
    def is_disturbed(self) -> bool:
        """Whether the machine was too busy for the kernel's runs to count."""
        return self.lateness_s > LATE_S

    def record(self) -> dict[str, Any]:
        """Return all that is compared, for JSON."""
        return {
            "case": self.case.name,
            "ccas": [sender.cca for sender in self.case.senders],
            "obstacle": self.obstacle,
            "lateness_p99_9_s": self.lateness_s,
            "figures": {name: self._record(name) for name in FIGURES if any(self.figures(name))},
        }

    def _record(self, name: str) -> Mapping[str, Any]:
        theirs, ours = self.figures(name)
        return {
            "kernel": theirs,
            "headgate": ours,
            "agrees": self.agrees(name),
            "difference": self.find_difference(name),
        }

    def find_difference(self, name: str) -> tuple[float, float, float] | None:
        """Return ours less the kernel's over the kernel's mean, with the ends of its interval.

        The interval contains 95 %, by Welch's test. None without two runs on both sides, or if
        the kernel's mean is 0.
        """
        theirs, ours = (np.array(values) for values in self.figures(name))
        if min(len(theirs), len(ours)) < 2 or not theirs.mean():
            return None
        ends = compute_difference_interval(theirs, ours)
        middle, low, high = (float(end / theirs.mean()) for end in ends)
        return middle, low, high


def agree(name: str, theirs: Sequence[float], ours: Sequence[float]) -> bool:
    """Return whether means are close, or ranges of repeats overlap."""
    allowed = max(RELATIVE[name] * abs(mean(theirs)), ABSOLUTE.get(name, 0.0))
    near = abs(mean(ours) - mean(theirs)) <= allowed
    several = len(theirs) > 1
    return near or (several and min(ours) <= max(theirs) and min(theirs) <= max(ours))
