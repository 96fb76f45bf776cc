"""Disciplines that fail, each in one way."""

import random
import threading

from headgate.plugin import DROP, MARK, Backlog, Decision, Packet, jit


class Sound:
    def on_arrival(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        if port.packets > 100:
            decision.verdict = DROP


class Raises(Sound):
    def on_arrival(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        self.rate = 1.0 / (packet.size_bytes - packet.size_bytes)


class NoVerdict(Sound):
    def on_arrival(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        decision.verdict = 7


class Word(Sound):
    def on_arrival(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        decision.verdict = "drop"  # type: ignore[assignment]


class MarksAll(Sound):
    def on_arrival(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        decision.verdict = MARK


class DrawsMuch(Sound):
    def on_arrival(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        for _ in range(5):
            decision.draw()


class Ranks(Sound):
    def on_arrival(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        decision.rank = 1.0


class RanksByNan(Sound):
    ranks = True

    def on_arrival(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        decision.rank = float("nan")


class RanksLate(Sound):
    ranks = True

    def on_departure(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        decision.rank = 2.0


class TickDrops(Sound):
    tick_s = 0.1

    def on_tick(self, now_s: float, port: Backlog, decision: Decision) -> None:
        decision.verdict = DROP


class NeverTicks(Sound):
    def on_tick(self, now_s: float, port: Backlog, decision: Decision) -> None:
        pass


class TicksFast(Sound):
    tick_s = 1e-9

    def on_tick(self, now_s: float, port: Backlog, decision: Decision) -> None:
        pass


class TicksByWord(Sound):
    tick_s = "fast"

    def on_tick(self, now_s: float, port: Backlog, decision: Decision) -> None:
        pass


class TicksInVain(Sound):
    tick_s = 0.1


class NoDecision:
    def on_tick(self, now_s: float, port: Backlog, decision: Decision) -> None:
        pass


class Arity(Sound):
    def on_arrival(self, packet: Packet, decision: Decision) -> None:  # type: ignore[override]
        pass


class Misspelt(Sound):
    def on_departures(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        pass


class Unread(Sound):
    rankss = True


class RankWord(Sound):
    ranks = "fair"


class Needs(Sound):
    def __init__(self, limit_packets: float) -> None:
        self.limit_packets = limit_packets


class Bounded(Sound):
    bounds = {"limit_packets": (1.0, 1e6)}  # noqa: RUF012 - as a user writes it

    def __init__(self, limit_packets: float = 0.0) -> None:
        self.limit_packets = limit_packets


class BoundsOfNothing(Sound):
    bounds = {"limit_s": (0.0, 1.0)}  # noqa: RUF012 - as a user writes it


class BoundsByWord(Sound):
    bounds = "none"


class Rewinds(Sound):
    def on_arrival(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        port.now_s -= 1.0  # type: ignore[misc]


class KeepsALock(Sound):
    def __init__(self) -> None:
        self.lock = threading.Lock()


class Gambles(Sound):
    def on_arrival(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        if random.random() < 0.1:
            decision.verdict = DROP


class Exits(Sound):
    def on_arrival(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        import os

        os._exit(0)


@jit
class JitRaises(Raises):
    rate = 0.0


@jit
class JitField(Sound):
    def on_arrival(self, packet: Packet, port: Backlog, decision: Decision) -> None:
        if port.length > 3:  # type: ignore[attr-defined]
            decision.verdict = DROP


@jit
class JitKeepsWords(Sound):
    def __init__(self) -> None:
        self.mode = "fast"
