"""PCC Vivace as its paper states it (NSDI 2018, sections 4 and 5); it keeps each RTT in a list.

An interval is known when all its packets arrived or were lost. Slopes are NumPy's least squares.
"""

from dataclasses import dataclass, field

import numpy as np

from headgate.plugin import TIMEOUT, Ack, Congestion, Path, Rate, Window


@dataclass
class Interval:
    """The packets of a monitor interval."""

    rate: float
    share: float | None
    since_s: float
    until_s: float
    delivered: float
    transmissions: float
    samples: list[tuple[float, float]] = field(default_factory=list)
    arrived: float = 0.0
    lost: int = 0

    def utility(self, mbps: float, sent: float) -> float:
        """Return u(x) = x^0.9 - 900 x dRTT/dt - 11.35 x L."""
        times, rtts = np.array(self.samples).T
        slope = float(np.polyfit(times - times[0], rtts, 1)[0]) if np.ptp(times) > 0 else 0.0
        slope = 0.0 if abs(slope) < 0.01 else slope
        x = self.rate * mbps
        return x**0.9 - 900 * x * slope - 11.35 * x * self.lost / sent


class SlowVivace:
    """One flow. The larger rate of a pair comes first in every other pair."""

    controls_cwnd_in_recovery = True
    wants_rate = True

    def __init__(self) -> None:
        self.rate, self.starting, self.best = 0.0, True, -np.inf
        self.intervals: list[Interval] = []
        self.to_try: list[float] = []
        self.results: dict[float, float] = {}
        self.sign, self.tau, self.k, self.pairs = 0.0, 0, 0, 0

    def on_start(self, now_s: float, path: Path, window: Window) -> None:
        """Begin with the initial window per round trip of the handshake."""
        self.rate = window.pace = window.cwnd / path.srtt_s

    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        """Attribute the packets, and begin an interval if it is time."""
        if owner := self.owner(ack.rate.prior):
            owner.arrived += ack.rate.newly
            if ack.rtt_s > 0:
                owner.samples.append((ack.now_s - ack.rtt_s, ack.rtt_s))
        if not self.intervals or ack.now_s >= self.intervals[-1].until_s:
            self.evaluate(path.segment_bytes * 8e-6)
            self.rate = max(self.rate, 2 / path.srtt_s)
            self.begin(ack, path, window)
        window.cwnd = max(2 * window.pace * path.srtt_s, 2.0)

    on_recovery_ack = on_ack

    def owner(self, prior: float) -> Interval | None:
        """Return the interval in which a packet was sent, by what was delivered then."""
        return next((one for one in self.intervals[::-1] if prior >= one.delivered), None)

    def on_segment_lost(self, sent: Rate, path: Path, window: Window) -> None:
        """Count a loss in the interval of its sending."""
        if owner := self.owner(sent.prior):
            owner.lost += 1

    def begin(self, ack: Ack, path: Path, window: Window) -> None:
        """Choose the next rate: of the start, of a pair, or the middle one until results come."""
        waits = any(one.share is not None for one in self.intervals)
        if self.starting:
            share = None if waits else 1.0
        else:
            if not self.to_try and not waits:
                self.results, self.pairs = {}, self.pairs + 1
                self.to_try = [1.05, 0.95] if self.pairs % 2 else [0.95, 1.05]
            share = self.to_try.pop() if self.to_try else None
        window.pace = self.rate * (share or 1.0)
        counts = ack.rate
        out = counts.delivered + counts.lost + counts.in_flight
        until_s = ack.now_s + max(path.srtt_s, 10 / window.pace)
        self.intervals.append(
            Interval(window.pace, share, ack.now_s, until_s, counts.delivered, out)
        )

    def evaluate(self, mbps: float) -> None:
        """Use the intervals whose packets are all known."""
        while len(self.intervals) > 1:
            first, second = self.intervals[:2]
            sent = second.transmissions - first.transmissions
            late = len(self.intervals) > 2 and self.intervals[2].arrived > 0
            known = second.arrived > 0 and first.arrived + first.lost + 1 >= sent
            if first.share is not None and not known and not late:
                return
            self.intervals.pop(0)
            if first.share is not None and first.samples:
                self.learn(first.share, first.utility(mbps, max(sent, 1.0)), mbps)

    def learn(self, share: float, utility: float, mbps: float) -> None:
        """Double, end the start, or climb once a pair is complete."""
        if self.starting:
            self.starting = utility > self.best
            self.rate *= 2 if self.starting else 0.5
            self.best = utility
            return
        self.results[share] = utility
        if len(self.results) == 2:
            x = self.rate * mbps
            gamma = (self.results[1.05] - self.results[0.95]) / (0.1 * x)
            self.rate += self.climb(gamma, x) / mbps

    def climb(self, gamma: float, x: float) -> float:
        """Return the change in Mbit/s: amplified by confidence, within the boundary."""
        if np.sign(gamma) != self.sign:
            self.sign, self.tau, self.k = float(np.sign(gamma)), 0, 0
        self.tau += 1
        change = gamma * (self.tau if self.tau <= 3 else 2 * self.tau - 3)
        bound = (0.05 + 0.1 * self.k) * x
        if abs(change) > bound:
            self.k += 1
            return float(np.sign(change)) * bound
        self.k = next(k for k in range(100) if abs(change) <= (0.05 + 0.1 * k) * x + 1e-12)
        return change

    def on_congestion(self, event: Congestion, path: Path, window: Window) -> None:
        """Halve the rate after a time-out."""
        if event.cause == TIMEOUT:
            self.rate, self.starting = self.rate / 2, False
            self.intervals, self.to_try, self.results = [], [], {}
            self.tau = self.k = 0
            window.pace = self.rate
