"""Random events of one port, as a router could tell a queue discipline of them."""

from __future__ import annotations

import bisect
import random
from dataclasses import dataclass, field
from operator import itemgetter

from headgate.plugin.interface import Event, Record, Tell

KEEP, MARK, DROP = 0, 1, 2

#: Random numbers that lie ready for one decision, as the engine has it.
DRAWS = 4
#: The room of a port, packets.
_ROOM = 200
#: Ticks in a row before something else happens: silence may be long, and ticks short.
_MOST_TICKS = 50

Waiting = tuple[float, Record, float]
"""The rank of a packet that waits, the packet, and when it came."""


@dataclass
class Decision:
    """What a discipline says of a packet."""

    verdict: int = KEEP
    drawn: int = 0
    rank: float = 0.0
    draws: tuple[float, ...] = (1.0,) * DRAWS


@dataclass
class Port:
    """A port that meets random packets; equal seeds and equal decisions give equal events.

    Load changes between none and twice the line's rate; some packets come at one instant, some
    after long silence. Packets that wait leave in the order of their ranks.
    """

    seed: int
    tell: Tell
    tick_s: float = 0.0
    decides_at_departure: bool = False
    holds: bool = False
    now_s: float = 0.0
    free_s: float = 0.0
    """When the line has sent what it began to send."""
    next_tick_s: float = 0.0
    number: int = 0
    line: list[Waiting] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.rate_bytes_s = 10 ** self.random.uniform(4, 9)
        self.next_tick_s = self.tick_s
        self._draws = [self._draw() for _ in range(DRAWS)]

    def run(self, events: int) -> None:
        """Meet this number of events, or as many arrivals if it is called at none of them."""
        for _ in range(events):
            if self.number >= events:
                return
            self._let_pass(self._gap())
            self._arrive()

    def _gap(self) -> float:
        """Return the time to the next arrival: none, about that of a packet, or very long."""
        chance = self.random.random()
        if chance < 0.2:
            return 0.0
        if chance < 0.202:
            return self.random.choice([1.0, 300.0])
        load = self.random.choice([0.5, 1.0, 2.0])
        return self.random.expovariate(load * self.rate_bytes_s / 1500)

    def _let_pass(self, gap_s: float) -> None:
        """Go on in time: packets leave, and clocks tick."""
        until, ticks = self.now_s + gap_s, 0
        while True:
            departs = max(self.free_s, self.now_s) if self.line else until
            if self.tick_s and self.next_tick_s <= min(departs, until):
                ticks += 1
                self._tick()
                if ticks == _MOST_TICKS:
                    self.next_tick_s = max(self.next_tick_s, until)
            elif self.line and departs < until:
                self._depart(departs)
            else:
                self.now_s = until
                return

    def _tick(self) -> None:
        self.now_s = max(self.now_s, self.next_tick_s)
        self.next_tick_s += self.tick_s
        self._call("on_tick", self.now_s)

    def _arrive(self) -> None:
        packet: Record = {
            "flow": self.random.randrange(40) << 9 | 1,
            "wait_s": 0.0,
            "rank": 0.0,
            "size_bytes": self.random.choice([40, 576, 1500, 1500, 1500, 9000]),
            "capable": self.random.random() < 0.5,
        }
        if len(self.line) >= _ROOM:
            return
        decision = self._call("on_arrival", packet)
        if decision.verdict != DROP:
            kept = (decision.rank, packet | {"rank": decision.rank}, self.now_s)
            bisect.insort_right(self.line, kept, key=itemgetter(0))

    def _depart(self, at_s: float) -> None:
        """Send the next packet that the discipline does not drop."""
        self.now_s = at_s
        while self.line:
            _, packet, since_s = self.line.pop(0)
            if self.decides_at_departure:
                waited = packet | {"wait_s": self.now_s - since_s}
                if self._call("on_departure", waited).verdict == DROP:
                    continue
            self.free_s = self.now_s + packet["size_bytes"] / self.rate_bytes_s
            return

    def _call(self, callback: str, given: Record | float) -> Decision:
        decision = Decision(draws=tuple(self._draws))
        self.number += 1
        self.tell(Event(callback, given, self._backlog(), self.number), decision)
        taken = min(decision.drawn, DRAWS)
        self._draws = self._draws[taken:] + [self._draw() for _ in range(taken)]
        return decision

    def _backlog(self) -> Record:
        held = float(sum(packet["size_bytes"] for _, packet, _ in self.line))
        rest_s = max(self.free_s - self.now_s, 0.0)
        packets = float(len(self.line))
        return {
            "now_s": self.now_s,
            "packets": packets,
            "present": packets + (rest_s > 0),
            "bytes": held + rest_s * self.rate_bytes_s,
            "held_bytes": held if self.holds else 0.0,
            "wait_s": rest_s + held / self.rate_bytes_s,
            "idle_s": 0.0 if self.line else max(self.now_s - self.free_s, 0.0),
            "rate_bytes_s": self.rate_bytes_s,
        }

    def _draw(self) -> float:
        return 1.0 - self.random.random()
