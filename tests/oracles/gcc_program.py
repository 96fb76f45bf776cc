"""Slow GCC from its equations: draft-ietf-rmcat-gcc-02, and the rules of libwebrtc's goog_cc.

It keeps all packets and computes each quantity from them again. Times are in milliseconds, rates in
bit/s, sizes in bytes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

TIE = 1e-6


@dataclass
class Packet:
    """A packet of which the sender knows whether it arrived."""

    sent: float
    arrived: float | None
    size: float


@dataclass
class Arrival:
    """A packet that arrived."""

    sent: float
    arrived: float
    size: float


def group_gaps(packets: list[Arrival]) -> list[tuple[float, float, float]]:
    """Return (gap at the sender, gap at the receiver, time) of the groups of packets in order."""
    groups: list[list[float]] = []  # first and last departure, first and last arrival
    gaps = []
    for packet in packets:
        sent, arrived = packet.sent, packet.arrived
        if not groups:
            groups.append([sent, sent, arrived, arrived])
            continue
        last = groups[-1]
        if sent < last[0]:
            continue
        later, waited = sent - last[1], arrived - last[3]
        burst = later == 0 or (
            waited < later - TIE and waited <= 5 + TIE and arrived - last[2] < 100
        )
        if burst or sent - last[0] <= 5 + TIE:
            last[1], last[3] = max(last[1], sent), arrived
            continue
        if len(groups) > 1:
            before = groups[-2]
            gaps.append((last[1] - before[1], last[3] - before[3], arrived))
        groups.append([sent, sent, arrived, arrived])
    return gaps


@dataclass
class Detector:
    """The adaptive threshold, and the usage it implies: -1, 0 or 1."""

    up: float
    down: float
    threshold: float = 12.5
    time: float | None = None
    above: float | None = None
    count: int = 0
    trend: float = 0.0
    usage: int = 0

    def judge(self, signal: float, trend: float, gap: float, now: float) -> None:
        """Take the signal of a group of packets."""
        if signal > self.threshold:
            self.above = gap / 2 if self.above is None else self.above + gap
            self.count += 1
            if self.above > 10 and self.count > 1 and trend >= self.trend:
                self.above, self.count, self.usage = 0.0, 0, 1
        else:
            self.above, self.count = None, 0
            self.usage = -1 if signal < -self.threshold else 0
        self.trend = trend
        elapsed = min(now - (now if self.time is None else self.time), 100.0)
        self.time = now
        if abs(signal) <= self.threshold + 15:
            gain = self.down if abs(signal) < self.threshold else self.up
            moved = self.threshold + gain * (abs(signal) - self.threshold) * elapsed
            self.threshold = min(max(moved, 6.0), 600.0)


@dataclass
class SlowGcc:
    """Both variants, without probes."""

    draft: bool
    rate: float
    least: float
    most: float
    arrived: list[Arrival] = field(default_factory=list)
    known: int = 0
    changes: list[tuple[float, float, float]] = field(default_factory=list)
    capacity: float | None = None
    variance: float = 0.4
    increases: bool = False
    changed: float = -math.inf
    measured: float = 0.0
    trips: list[float] = field(default_factory=list)
    # state of the Kalman filter, and of the losses
    mean: float = 0.0
    error: float = 0.1
    noise: float = 50.0
    losses: SlowLosses | None = None

    def __post_init__(self) -> None:
        up, down = (0.01, 0.00018) if self.draft else (0.0087, 0.039)
        self.detector = Detector(up, down)
        self.measured = self.rate
        self.losses = None if self.draft else SlowLosses(self.least, self.most)
        self.counted = [0.0, 0.0, -math.inf]
        self.permitted = self.most
        self.target = self.rate

    def on_report(self, packets: list[Packet], now: float) -> float:
        """Take a report. Return the target rate."""
        known = [Arrival(p.sent, p.arrived, p.size) for p in packets if p.arrived is not None]
        got = sorted(known, key=lambda packet: packet.arrived)
        if got:
            self.trips.append(max(now - packet.sent for packet in got))
        self.arrived += got
        throughput = self.throughput()
        for gap in group_gaps(self.arrived)[self.known :]:
            self.known += 1
            self.filter(*gap)
            if self.draft and self.detector.usage == 1:
                self.change(throughput, now)
        if got:
            self.change(throughput, now)
        self.target = min(self.rate, self.lossy(packets, throughput, now))
        self.target = min(max(self.target, self.least), self.most)
        return self.target

    def filter(self, sent: float, waited: float, now: float) -> None:
        """Estimate the trend of the delay."""
        self.changes.append((sent, waited - sent, now))
        count = len(self.changes)
        if self.draft:
            shortest = min(change[0] for change in self.changes[-60:])
            keep = 0.99 ** (30 * shortest / 1000)
            surprise = waited - sent - self.mean
            bounded = math.copysign(min(abs(surprise), 3 * math.sqrt(self.noise)), surprise)
            self.noise = max(keep * self.noise + (1 - keep) * bounded**2, 1.0)
            prior = self.error + 1e-3
            gain = prior / (self.noise + prior)
            self.mean += gain * surprise
            self.error = (1 - gain) * prior
            trend, signal = self.mean, min(count, 60) * self.mean
        else:
            trend = self.slope()
            signal = min(count, 60) * 4 * trend
        if count > 1:
            self.detector.judge(signal, trend, sent, now)

    def slope(self) -> float:
        """Return the slope of the smoothed delay over 20 groups."""
        if len(self.changes) < 20:
            return 0.0
        delays = np.cumsum([change[1] for change in self.changes])
        smooth, value = [], 0.0
        for delay in delays:
            value = 0.9 * value + 0.1 * delay
            smooth.append(value)
        times = np.array([change[2] for change in self.changes[-20:]])
        times -= times.mean()
        recent = np.array(smooth[-20:])
        return float((times * (recent - recent.mean())).sum() / (times**2).sum())

    def throughput(self) -> float | None:
        """Return the rate of arrivals."""
        if not self.arrived:
            return None
        last = self.arrived[-1].arrived
        if self.draft:
            if last - self.arrived[0].arrived < 500:
                return None
            window = [packet for packet in self.arrived if last - packet.arrived <= 500]
            return 16 * sum(packet.size for packet in window)
        window = self.arrived[-500:]
        while last - window[0].arrived > 5000:
            window = window[1:]
        while len(window) > 20 and last - window[0].arrived > 1000:
            window = window[1:]
        if len(window) < 10:
            return None
        size = sum(packet.size for packet in window)
        times = np.array([packet.arrived for packet in window])
        gaps = np.sort(np.diff(times))
        arriving = max(times[-1] - times[0] - gaps[-1] + gaps[-2], 1.0)
        sending = max(window[-1].sent - window[0].sent, 1.0)
        one, other = (size - window[0].size) / arriving, (size - window[-1].size) / sending
        return float(8e3 * min(one, other))

    def change(self, throughput: float | None, now: float) -> None:
        """Adapt the rate that the delay permits."""
        trip = sum(self.trips[-32:]) / len(self.trips[-32:])
        usage = self.detector.usage
        if usage == 1:
            if throughput is None:
                if not self.draft:
                    self.set(self.rate / 2, now)
            elif (
                self.draft
                or now - self.changed >= min(max(trip, 10), 200)
                or throughput < self.rate / 2
            ):
                self.measured = throughput
                self.decrease(now)
            return
        self.measured = self.measured if throughput is None else throughput
        if usage == -1:
            self.increases = False
            return
        if not self.increases:
            self.increases, self.changed = True, now
        spread = 0 if self.capacity is None else 3 * math.sqrt(self.variance * self.capacity)
        if self.capacity is not None and self.measured / 1e3 > self.capacity + spread:
            self.capacity = None
        bound = 1.5 * self.measured + (0 if self.draft else 10e3)
        elapsed = (now - self.changed) / 1e3
        if self.rate < bound:
            self.rate = min(self.rate + self.step(elapsed, trip / 1e3), bound)
        self.changed = now

    def step(self, elapsed: float, trip: float) -> float:
        """Return the increase after some seconds."""
        if self.capacity is None:
            return max(self.rate * (1.08 ** min(elapsed, 1.0) - 1), 1000.0)
        frame = self.rate / 30
        packet = frame / math.ceil(frame / 9600)
        if self.draft:
            return max(0.5 * min(elapsed / (trip + 0.1), 1.0) * packet, 1000.0)
        return max(packet / (2 * (trip + 0.1)), 4000.0) * elapsed

    def decrease(self, now: float) -> None:
        """Go below the rate of arrivals."""
        wanted = 0.85 * self.measured - (0 if self.draft or 0.85 * self.measured <= 5e3 else 5e3)
        if wanted > self.rate and self.capacity is not None:
            wanted = 0.85 * 1e3 * self.capacity
        rate = self.measured / 1e3
        if self.capacity is not None:
            low = self.capacity - 3 * math.sqrt(self.variance * self.capacity)
            self.capacity = None if rate < low else self.capacity
        self.capacity = rate if self.capacity is None else 0.95 * self.capacity + 0.05 * rate
        error = self.capacity - rate
        self.variance = 0.95 * self.variance + 0.05 * error**2 / max(self.capacity, 1)
        self.variance = min(max(self.variance, 0.4), 2.5)
        self.increases = False
        self.set(min(wanted, self.rate), now)

    def set(self, rate: float, now: float) -> None:
        """Set the rate that the delay permits."""
        self.rate, self.changed = max(rate, self.least), now

    def lossy(self, packets: list[Packet], throughput: float | None, now: float) -> float:
        """Return the rate that losses permit."""
        if self.losses is not None:
            return self.losses.on_report(packets, self.rate, throughput)
        lost = sum(packet.arrived is None for packet in packets)
        self.counted[0] += len(packets)
        self.counted[1] += lost
        if now - self.counted[2] >= 1000 and self.counted[0] >= 20:
            share = self.counted[1] / self.counted[0]
            if share > 0.1:
                self.permitted = self.target * (1 - share / 2)
            elif share < 0.02:
                self.permitted *= 1.05
            self.permitted = min(max(self.permitted, self.least), self.most)
            self.counted = [0.0, 0.0, now]
        return self.permitted


@dataclass
class SlowLosses:
    """The most likely limit of the rate above which packets are lost."""

    least: float
    most: float
    pending: list[Packet] = field(default_factory=list)
    seen: list[tuple[float, float, float]] = field(default_factory=list)  # bit/s, kB, kB lost
    last: float | None = None
    limit: float | None = None
    share: float = 0.01
    state: str = "delay"
    rate: float = math.inf
    hold: tuple[float, float, float] = (-math.inf, 300.0, math.inf)  # until, length, rate
    ramp: tuple[float, float] | None = None

    def on_report(self, packets: list[Packet], delay: float, throughput: float | None) -> float:
        """Take a report and the rate that the delay permits. Return the rate that losses permit."""
        self.pending += packets
        if packets:
            newest = max(packet.sent for packet in packets)
            if self.last is None:
                self.last = min(packet.sent for packet in packets)
            if newest - self.last >= 250 - TIE:
                self.observe(newest, delay, throughput)
        ready = self.limit is not None and len(self.seen) >= 3
        return self.rate if ready else math.inf

    def observe(self, newest: float, delay: float, throughput: float | None) -> None:
        """End an observation."""
        assert self.last is not None
        size = sum(packet.size for packet in self.pending) / 1e3
        lost = sum(packet.size for packet in self.pending if packet.arrived is None) / 1e3
        self.seen.append((8e6 * size / (newest - self.last), size, lost))
        self.last, self.pending = newest, []
        if self.limit is None:
            self.limit = self.rate = delay
        old = self.limit
        limit, share = self.best(delay, throughput)
        if self.loss() > share and limit > old:
            limit = old
        if self.state != "delay":
            limit = self.slow_down(limit, old, newest, throughput)
        floor = max(throughput or 0.0, self.least)
        above = self.loss() - 0.05
        bound = 1e5 / above if above > 0 else self.most
        rate = max(min(limit, bound, delay), floor)
        self.limit, self.share = (rate, 0.0) if rate < limit else (max(limit, floor), share)
        if self.state == "down" and self.hold[0] > newest and rate < delay:
            self.hold = (self.hold[0], self.hold[1], max(self.hold[2], floor))
            self.rate = min(rate, self.hold[2])
            return
        if not (rate < delay and rate < self.most):
            self.state, self.hold = "delay", (-math.inf, 300.0, math.inf)
        elif self.rises(self.rate, rate):
            self.state = "up"
        else:
            if self.state != "down":
                length = self.hold[1]
                self.hold = (newest + length, min(2 * length, 60_000.0), rate)
            self.state = "down"
        self.rate = rate
        if self.state != "delay" and (self.ramp is None or self.ramp[0] + 300 < newest):
            self.ramp = (newest, max(1.3 * self.limit, self.least))

    def slow_down(self, limit: float, old: float, now: float, throughput: float | None) -> float:
        """Bound the increase of the limit while losses limit the rate."""
        if self.ramp is not None and self.ramp[0] + 300 > now:
            limit = min(limit, self.ramp[1])
        if throughput is None or not self.rises(old, limit):
            return limit
        held = self.hold[2] < math.inf and throughput < 1.3 * self.hold[2]
        limit = max(min(limit, (1.2 if held else 1.5) * throughput), old)
        return limit + 1 if self.state == "down" and limit == old else limit

    def rises(self, old: float, new: float) -> bool:
        """Whether a rate that losses limit rises."""
        return self.state != "delay" and (new > old or (new == old and self.state == "up"))

    def kept(self) -> list[tuple[float, float, float, float]]:
        """Return the last 15 observations with their weights, as they lie in the ring."""
        total = len(self.seen)
        kept = [(n % 15, 0.9 ** (total - 1 - n), n) for n in range(max(total - 15, 0), total)]
        return [(weight, *self.seen[n]) for _, weight, n in sorted(kept)]

    def loss(self) -> float:
        """Return the share of bytes that was lost, without the extremes."""
        kept = self.kept()
        size, lost = sum(w * s for w, _, s, _ in kept), sum(w * x for w, _, _, x in kept)
        worst = max(kept, key=lambda one: one[3] / one[2])
        best = min(kept, key=lambda one: one[3] / one[2])
        out = [] if len(kept) < 4 else [best] + ([worst] if worst[3] > 0 else [])
        sudden = worst in out and 2 * np.median([one[1] for one in kept]) <= worst[1]
        rest = size - sum(one[0] * one[2] for one in out)
        if sudden or rest <= 0:
            return lost / size
        return (lost - sum(one[0] * one[3] for one in out)) / rest

    def best(self, delay: float, throughput: float | None) -> tuple[float, float]:
        """Return the most likely limit, and the share that is lost at any rate."""
        assert self.limit is not None
        old = self.limit
        window = self.most if self.state == "delay" or self.ramp is None else self.ramp[1]
        limits = [1.02 * old, old, 0.95 * old]
        limits += [] if throughput is None else [throughput]
        limits += [delay] if delay > old else []
        found, value = (old, self.share), -math.inf
        for limit in (min(limit, max(window, old)) for limit in limits):
            share = self.refine(limit, self.feasible(limit, self.share))
            likely = self.likelihood(limit, share)
            if likely > value:
                found, value = (limit, share), likely
        return found

    def feasible(self, limit: float, share: float) -> float:
        """Return the share within its bounds."""
        return min(max(share, 1e-3), 0.05 + 1e5 / limit, 1.0)

    def chances(self, limit: float, share: float) -> np.ndarray:
        """Return the probability that a packet of each observation is lost."""
        rates = np.array([one[1] for one in self.kept()])
        return np.clip(share + (1 - share) * np.maximum(1 - limit / rates, 0), 1e-6, 1 - 1e-6)

    def refine(self, limit: float, share: float) -> float:
        """Return the share after a Newton step."""
        weight, _, size, lost = np.array(self.kept()).T
        p = self.chances(limit, share)
        first = (weight * (lost / p - (size - lost) / (1 - p))).sum()
        second = -(weight * (lost / p**2 + (size - lost) / (1 - p) ** 2)).sum()
        return self.feasible(limit, float(share - 0.75 * first / second))

    def likelihood(self, limit: float, share: float) -> float:
        """Return the logarithm of the likelihood, with the preference for large limits."""
        weight, _, size, lost = np.array(self.kept()).T
        p = self.chances(limit, share)
        below = 0.2 - self.loss()
        bias = (
            below / (0.002 + abs(below)) * (0.0002 * limit / 1e3 + 0.02 * math.log(1 + limit / 1e3))
        )
        likely = lost * np.log(p) + (size - lost) * np.log(1 - p) + bias * size
        return float((weight * likely).sum())
