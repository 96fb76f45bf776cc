"""Algorithms that numba compiles: Reno, and one with extra state, an argument and a method."""

import headgate
from headgate.plugin import Ack, Congestion, Path, Window


@headgate.jit
class Reno:
    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        if not ack.cwnd_limited:
            return
        left = window.slow_start(ack.acked) if window.slow_starts() else ack.acked
        if left > 0.0:
            window.cwnd += left / window.cwnd

    def on_congestion(self, event: Congestion, path: Path, window: Window) -> None:
        window.ssthresh = max(event.in_flight / 2.0, 2.0)


class Counts:
    """Grows by `step` segments a round trip after every `every` ACKs; keeps `beta` on a loss."""

    beta = 0.7

    def __init__(self, step: float = 1.0, every: int = 3) -> None:
        self.step = step
        self.every = every
        self.acks = 0

    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        self.acks += 1
        if ack.cwnd_limited:
            left = window.slow_start(ack.acked)
            if self.is_due():
                window.cwnd += self.step * left / window.cwnd

    def is_due(self) -> bool:
        return self.acks % self.every < 1

    def on_congestion(self, event: Congestion, path: Path, window: Window) -> None:
        self.acks = 0.5  # a number that began as an integer
        window.ssthresh = max(self.beta * event.in_flight, 2.0)


@headgate.jit
class CompiledCounts(Counts):
    pass
