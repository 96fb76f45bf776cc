"""Disciplines of the catalogue as a user writes them; the engine's own are the yardsticks."""

import math

from headgate.plugin import DROP, MARK, Backlog, Decision, Packet, jit


class Threshold:
    def __init__(self, mark_packets: float = 20.0) -> None:
        self.mark_packets = mark_packets

    def on_arrival(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        if packet.capable and port.present > self.mark_packets:
            decision.verdict = MARK


class Red:
    """Gentle, with a least gap between drops; the mean of the last few arrivals."""

    low, high, top, weight = 3.0, 12.0, 0.1, 0.5
    mean_bytes = 1500.0

    def __init__(self) -> None:
        self.mean = self.count = 0.0
        self.above = False

    def on_arrival(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        self.average(port.packets, math.floor(port.rate_bytes_s / self.mean_bytes * port.idle_s))
        self.count += 1.0
        was_above = self.above
        self.above = self.mean >= self.low and port.packets > 1.0
        if self.above and not was_above:
            self.count = 1.0
        if self.above and was_above and decision.draw() <= self.spaced(self.base()):
            self.count = 0.0
            decision.verdict = DROP

    def average(self, packets: float, missed: float) -> None:
        if missed > 0.0:
            self.mean *= (1.0 - self.weight) ** missed
        self.mean += self.weight * (packets - self.mean)

    def base(self) -> float:
        over = self.mean - self.high
        if over >= 0.0:
            return min(self.top + (1.0 - self.top) * over / self.high, 1.0)
        return min(self.top * (self.mean - self.low) / (self.high - self.low), 1.0)

    def spaced(self, base: float) -> float:
        seen = self.count * base
        if seen < 1.0:
            return 0.0
        return base / (2.0 - seen) if seen < 2.0 else 1.0


class Codel:
    """RFC 8289 with marks and the exact root, packet by packet: a machine of few states."""

    interval_s, mtu_bytes = 0.1, 1514.0

    def __init__(self, target_s: float = 0.005) -> None:
        self.target_s = target_s
        self.above_s = math.inf
        self.dropping = self.loops = self.sends = False
        self.next_s = self.count = self.first = 0.0

    def on_departure(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        now_s = port.now_s
        above = self.is_above(packet, port)
        if self.sends:  # the packet after the first drop of a phase
            self.sends = False
            return
        if self.dropping:
            self.go_on(above, now_s)
            if self.dropping and now_s >= self.next_s:
                self.count += 1.0
                self.signal(packet, port, decision)
            else:
                self.loops = False
        elif above:
            self.begin(now_s)
            decision.verdict = MARK if packet.capable else DROP
            self.sends = not packet.capable and port.packets > 0.0

    def go_on(self, above: bool, now_s: float) -> None:
        self.dropping = above
        if self.loops and above:
            self.next_s += self.interval_s / math.sqrt(self.count)

    def signal(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        if packet.capable:
            decision.verdict = MARK
            self.next_s += self.interval_s / math.sqrt(self.count)
            self.loops = False
            return
        decision.verdict = DROP
        self.loops = port.packets > 0.0
        self.dropping = self.loops  # an empty queue ends the phase
        if not self.loops:
            self.above_s = math.inf

    def is_above(self, packet: Packet, port: Backlog) -> bool:
        if packet.wait_s < self.target_s or port.held_bytes <= self.mtu_bytes:
            self.above_s = math.inf
            return False
        if self.above_s == math.inf:
            self.above_s = port.now_s + self.interval_s
        return port.now_s >= self.above_s

    def begin(self, now_s: float) -> None:
        since = self.count - self.first
        again = since > 1.0 and now_s - self.next_s < 16.0 * self.interval_s
        self.count = since if again else 1.0
        self.first = self.count
        self.dropping = True
        self.next_s = now_s + self.interval_s / math.sqrt(self.count)


class Pi:
    a, b, reference = 1.822e-5, 1.816e-5, 10.0

    def __init__(self, frequency_hz: float = 170.0) -> None:
        self.tick_s = 1.0 / frequency_hz
        self.probability = self.before = 0.0

    def on_arrival(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        if decision.draw() <= self.probability:
            decision.verdict = DROP

    def on_tick(self, now_s: float, port: Backlog, decision: Decision) -> None:
        queue = port.packets
        change = self.a * (queue - self.reference) - self.b * (self.before - self.reference)
        self.probability = min(max(self.probability + change, 0.0), 1.0)
        self.before = queue


class Fair:
    """Start-time fair queueing (Goyal, Vin, Cheng 1996) over sixty-four classes of flows."""

    ranks = True

    def __init__(self) -> None:
        self.virtual = 0.0
        self.finish = [0.0] * 64

    def on_arrival(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        own = (packet.flow >> 9) % 64
        decision.rank = max(self.virtual, self.finish[own])
        self.finish[own] = decision.rank + packet.size_bytes

    def on_departure(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        self.virtual = packet.rank


@jit
class CompiledThreshold(Threshold):
    pass


@jit
class CompiledRed(Red):
    pass


@jit
class CompiledCodel(Codel):
    pass


@jit
class CompiledPi(Pi):
    pass


@jit
class CompiledFair(Fair):
    pass
