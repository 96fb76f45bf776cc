"""User-defined queue disciplines: BLUE, a limit on waiting times, and start-time fair queueing."""

from typing import ClassVar

from headgate.plugin import DROP, MARK, Backlog, Decision, Packet, jit


class Blue:
    """Drop with a probability that rises while the queue is long, and falls while the line idles.

    Feng, Shin, Kandlur, Saha 2002 ("The BLUE active queue management algorithms").
    """

    bounds: ClassVar = {"limit_packets": (0.0, 1e9), "freeze_s": (0.0, 100.0)}

    def __init__(self, limit_packets: float = 50.0, freeze_s: float = 0.1) -> None:
        self.limit_packets = limit_packets
        self.freeze_s = freeze_s
        self.probability = 0.0
        self.changed_s = 0.0

    def on_arrival(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        """Adapt the probability to the queue, then drop or mark at random."""
        if port.packets > self.limit_packets:
            self.change(0.02, port.now_s)
        elif port.idle_s > 0.0:
            self.change(-0.002, port.now_s)
        if decision.draw() <= self.probability:
            decision.verdict = MARK if packet.capable else DROP

    def change(self, by: float, now_s: float) -> None:
        """Change the probability, at most once per `freeze_s`."""
        if now_s - self.changed_s >= self.freeze_s:
            self.probability = min(max(self.probability + by, 0.0), 1.0)
            self.changed_s = now_s


class Stale:
    """Drop packets that have waited longer than `limit_s`."""

    def __init__(self, limit_s: float = 0.05) -> None:
        self.limit_s = limit_s

    def on_departure(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        """Decide about the packet at the head; never drop the last packet."""
        if packet.wait_s > self.limit_s and port.packets > 0.0:
            decision.verdict = DROP


class Fair:
    """Start-time fair queueing (Goyal, Vin, Cheng 1996): the rank is the start tag of a packet."""

    ranks = True

    def __init__(self) -> None:
        self.turn = 0.0
        self.ends = [0.0] * 256

    def on_arrival(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        """Rank a packet behind its flow's last one, but not before the packet in service."""
        own = packet.flow % 251
        decision.rank = max(self.turn, self.ends[own])
        self.ends[own] = decision.rank + packet.size_bytes

    def on_departure(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        """Record the rank of the packet in service."""
        self.turn = packet.rank


@jit
class FastBlue(Blue):
    """The same, compiled by numba."""
