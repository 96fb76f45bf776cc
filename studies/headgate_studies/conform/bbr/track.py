"""What a BBR flow shows of its states: pace, bandwidth, window and flight over time.

A state is known by its pacing gain, the pace over 0.99 of the bandwidth in use; PROBE_RTT, which
paces at 1 as CRUISE and REFILL do, by its small window.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from headgate import HeadgateError
from headgate_studies.conform.bbr.numbers import PACED, PACKET_BITS
from headgate_studies.conform.trial import FlowRun


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
    def of(cls, run: FlowRun) -> Track:
        """Read a run's series, from the first bandwidth on."""
        names = ("gauge", "cwnd_packets", "in_flight_packets", "delivered_packets")
        pace = run.series("pacing_rate_bps") / PACKET_BITS
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
