"""Algorithms that fail, each in one way."""

import os
import threading

from headgate.plugin import Ack, Congestion, Path, Window, jit


class Sound:
    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        window.slow_start(ack.acked)

    def on_congestion(self, event: Congestion, path: Path, window: Window) -> None:
        window.ssthresh = max(event.in_flight / 2.0, 2.0)


class Raises(Sound):
    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        window.cwnd += 1.0 / (ack.acked - ack.acked)


class RaisesAtStart(Sound):
    def on_start(self, now_s: float, path: Path, window: Window) -> None:
        raise KeyError("gain")


class Nan(Sound):
    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        window.cwnd = float("nan")


class Small(Sound):
    def on_congestion(self, event: Congestion, path: Path, window: Window) -> None:
        window.ssthresh = 0.5


class Huge(Sound):
    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        window.cwnd *= 1e9


class Rewinds(Sound):
    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        ack.now_s -= 1.0  # type: ignore[misc]


class SetsNothing(Sound):
    def on_congestion(self, event: Congestion, path: Path, window: Window) -> None:
        pass


class NoCongestion:
    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        pass


class Arity(Sound):
    def on_ack(self, ack: Ack, window: Window) -> None:  # type: ignore[override]
        pass


class Per(Sound):
    per = "rtt"


class Needs(Sound):
    def __init__(self, gain: float) -> None:
        self.gain = gain


class Misspelt(Sound):
    def on_congestoin(self, event: Congestion, path: Path, window: Window) -> None:
        window.ssthresh = 2.0


class Unread(Sound):
    wants_rates = True


class Former(Sound):
    keeps_window = True


class Exits(Sound):
    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        os._exit(0)


class Loops(Sound):
    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        while True:
            pass


class KeepsALock(Sound):
    def __init__(self) -> None:
        self.lock = threading.Lock()


@jit
class JitRaises(Raises):
    pass


@jit
class JitCounts(Sound):
    def __init__(self) -> None:
        self.acks = 0.0

    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        if self.acks == 5:
            raise ValueError(self.acks)
        self.acks += 1


@jit
class JitKeepsWords(Sound):
    def __init__(self) -> None:
        self.mode = "fast"


@jit
class JitField(Sound):
    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        window.cwnd += ack.segments  # type: ignore[attr-defined]


@jit
class JitNewState(Sound):
    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        self.last = ack.now_s


@jit
class JitTypes(Sound):
    def on_ack(self, ack: Ack, path: Path, window: Window) -> None:
        window.cwnd += ack.acked + "one"  # type: ignore[operator]
