"""Queue disciplines of one's own: BLUE, a limit on waits, and start-time fair queueing."""

from typing import ClassVar

from headgate.discipline import DROP, MARK, Backlog, Decision, Packet, jit


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
        """Learn from the queue, then let chance decide."""
        if port.packets > self.limit_packets:
            self.change(0.02, port.now_s)
        elif port.idle_s > 0.0:
            self.change(-0.002, port.now_s)
        if decision.draw() <= self.probability:
            decision.verdict = MARK if packet.capable else DROP

    def change(self, by: float, now_s: float) -> None:
        """Move the probability, but not again before its effect can be seen."""
        if now_s - self.changed_s >= self.freeze_s:
            self.probability = min(max(self.probability + by, 0.0), 1.0)
            self.changed_s = now_s


class Stale:
    """Drop what has waited so long that nobody wants it any more."""

    def __init__(self, limit_s: float = 0.05) -> None:
        self.limit_s = limit_s

    def on_departure(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        """Look at the packet at the head; the last one is sent in any case."""
        if packet.wait_s > self.limit_s and port.packets > 0.0:
            decision.verdict = DROP


class Fair:
    """Start-time fair queueing (Goyal, Vin, Cheng 1996): a packet's rank is when its turn comes."""

    ranks = True

    def __init__(self) -> None:
        self.turn = 0.0
        self.ends = [0.0] * 256

    def on_arrival(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        """Rank a packet behind those of its own flow, or else at the turn that is served now."""
        own = packet.flow % 251
        decision.rank = max(self.turn, self.ends[own])
        self.ends[own] = decision.rank + packet.size_bytes

    def on_departure(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        """Take note of whose turn it is."""
        self.turn = packet.rank


@jit
class FastBlue(Blue):
    """The same, compiled by numba."""
