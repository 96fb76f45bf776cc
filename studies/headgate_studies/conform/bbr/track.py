"""The draft's constants, and the states of a BBR flow: pace, bandwidth, window, data in flight.

The pacing gain identifies a state: the pace over 0.99 of the bandwidth in use. PROBE_RTT paces at
gain 1 as CRUISE and REFILL do; its small window identifies it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate import HeadgateError
from headgate_studies.conform.case import Cases, Check, FlowRun

#: "close (i.e., within 2%) to the simulated bandwidth" (A.1).
CLOSE = 0.02
#: BBR.PacingMarginPercent = 1.
PACED = 0.99
#: Pacing gains (§5.6.1).
STARTUP, DRAIN, DOWN, CRUISE, UP = 2.77, 0.5, 0.9, 1.0, 1.25
#: "grows by less than 25%" (A.1).
GROWTH = 1.25
#: BBR.MinPipeCwnd, segments.
MIN_PIPE_CWND = 4
LOSS_THRESH, BETA, HEADROOM = 0.02, 0.7, 0.15
#: BBR.bw_probe_wait, seconds (§5.3.3.6).
LEAST_WAIT_S, LONGEST_WAIT_S = 2.0, 3.0
#: BBR.ProbeRTTInterval, BBR.ProbeRTTDuration, seconds; BBR.ProbeRTTCwndGain.
INTERVAL_S, DURATION_S, HALF = 5.0, 0.2, 0.5
#: Bits of a full packet on the wire.
PACKET_BITS = 8 * 1500
#: Segments/s and round trip, seconds, of paths made by hand; a segment takes 1 ms of it.
RATE, ROUND_S = 1000.0, 0.101
BDP = ceil(RATE * ROUND_S)
#: Segments/s of an application that writes less than the first pace, 2.77 * 10 / 0.1.
SLOW = 250.0
#: Parameters that put PROBE_RTT off.
NEVER = {"bbr3": {"probe_rtt_interval_s": 1000.0}, "bbr": {"min_rtt_window_s": 1000.0}}
#: Why none of these cases can be tried with a user-defined algorithm.
NO_ESTIMATE = "the test reads the bandwidth estimate, which only algorithms of the catalogue report"
#: Versions that there are.
BOTH = ("bbr", "bbr3")


class Draft(Cases):
    """Tests of the draft's appendix A."""

    def add(
        self, name: str, source: str, statement: str = "", *, not_in_1: str = "", **limits: Any
    ) -> Callable[[Check], Check]:
        """Return a decorator that adds a check; `not_in_1` says why BBR version 1 is exempt."""
        exempt = {"bbr": not_in_1} if not_in_1 else {}
        section = f"draft-ietf-ccwg-bbr §{source}"
        limits = {"only": BOTH, "exempt": exempt, "built_in_only": NO_ESTIMATE, **limits}
        return super().add(name, section, statement, **limits)


@dataclass(frozen=True)
class Phase:
    """Samples `start` to before `end` with one pacing gain."""

    gain: float
    start: int
    end: int


@dataclass(frozen=True)
class Track:
    """Segments and seconds, by sample."""

    t_s: NDArray[np.float64]
    pace: NDArray[np.float64]
    bw: NDArray[np.float64]
    cwnd: NDArray[np.float64]
    in_flight: NDArray[np.float64]
    delivered: NDArray[np.float64]

    @classmethod
    def of(cls, run: FlowRun, packet_bits: float = PACKET_BITS) -> Track:
        """Read a run's series, from the first bandwidth on."""
        names = ("gauge", "cwnd_packets", "in_flight_packets", "delivered_packets")
        pace = run.series("pacing_rate_bps") / packet_bits
        columns = [run.t_s, pace, *(run.series(name) for name in names)]
        known = columns[2] > 0
        return cls(*(column[known] for column in columns))

    @cached_property
    def gains(self) -> NDArray[np.float64]:
        """Pacing gain; STARTUP's pace does not fall with the bandwidth, so it may be more."""
        gains: NDArray[np.float64] = np.round(self.pace / (PACED * self.bw), 3)
        return gains

    @cached_property
    def phases(self) -> list[Phase]:
        """Stretches of one gain, in order."""
        [changes] = np.nonzero(np.diff(self.gains))
        edges = [0, *(int(at) + 1 for at in changes), len(self.gains)]
        return [Phase(float(self.gains[a]), a, b) for a, b in pairwise(edges)]

    def find(self, gain: float, after_s: float = 0.0) -> Iterator[tuple[Phase, Phase]]:
        """Yield the phases of a gain that begin after a time, each with the one that follows."""
        for phase, following in pairwise(self.phases):
            if phase.gain == gain and self.t_s[phase.start] > after_s:
                yield phase, following

    def first(self, gain: float, after_s: float = 0.0) -> tuple[Phase, Phase]:
        """Return the first of them. Raises HeadgateError if there is none."""
        found = next(self.find(gain, after_s), None)
        if found is None:
            raise HeadgateError(f"no phase of gain {gain:g} after {after_s:g} s")
        return found

    def round_ends(self, start: int, end: int) -> list[int]:
        """Return the samples at which packet-timed round trips end, the first begun at `start`."""
        ends = [start]
        while True:
            at = ends[-1]
            [over] = np.nonzero(self.delivered[at:end] > self.delivered[at] + self.in_flight[at])
            if not len(over):
                return ends[1:]
            ends.append(at + int(over[0]))

    def round_start(self, end: int) -> int:
        """Return the sample at which the packet-timed round trip began that ends at `end`."""
        sent = self.delivered + self.in_flight
        return max(0, int(np.searchsorted(sent, self.delivered[end])) - 1)
