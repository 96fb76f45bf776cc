"""The interface of queue disciplines, `headgate_queue_v1`, and random events of a port."""

from __future__ import annotations

import bisect
import math
import random
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from headgate.plugin.interface import (
    Callback,
    Event,
    EventHandler,
    Interface,
    Record,
    Traits,
    Trial,
)

if TYPE_CHECKING:
    from headgate import _native

KEEP, MARK, DROP = 0, 1, 2

#: Random numbers that are available for one decision, as in the engine.
DRAWS = 4
#: The buffer of a port, packets.
_ROOM = 200
#: Ticks in a row before another event: a silence may be long, and ticks short.
_MOST_TICKS = 50

#: The rank of a waiting packet, the packet, and its arrival time.
QueueEntry = tuple[float, Record, float]


@dataclass
class Decision:
    """The decision of a discipline about a packet."""

    verdict: int = KEEP
    drawn: int = 0
    rank: float = 0.0
    draws: tuple[float, ...] = (1.0,) * DRAWS


@dataclass
class Port:
    """A port with random packets; equal seeds and equal decisions give equal events.

    Load changes between none and twice the line's rate. Some packets arrive at the same instant,
    some after a long silence. Waiting packets leave in the order of their ranks.
    """

    seed: int
    handle: EventHandler
    tick_s: float = 0.0
    decides_at_departure: bool = False
    holds: bool = False
    now_s: float = 0.0
    free_s: float = 0.0  # when the line has sent the current packet
    next_tick_s: float = 0.0
    number: int = 0
    line: list[QueueEntry] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.rate_bytes_s = 10 ** self.random.uniform(4, 9)
        self.next_tick_s = self.tick_s
        self._draws = [self._draw() for _ in range(DRAWS)]

    def run(self, events: int) -> None:
        """Produce this number of events, or of arrivals if the code is called at none of them."""
        for _ in range(events):
            if self.number >= events:
                return
            self._let_pass(self._gap())
            self._arrive()

    def _gap(self) -> float:
        """Return the time to the next arrival: zero, about the time of a packet, or very long."""
        chance = self.random.random()
        if chance < 0.2:
            return 0.0
        if chance < 0.202:
            return self.random.choice([1.0, 300.0])
        load = self.random.choice([0.5, 1.0, 2.0])
        return self.random.expovariate(load * self.rate_bytes_s / 1500)

    def _let_pass(self, gap_s: float) -> None:
        """Advance time: packets leave, and clocks tick."""
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
        }
        packet |= _draw_ecn(self.random.random())
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

    def _call(self, callback: str, argument: Record | float) -> Decision:
        decision = Decision(draws=tuple(self._draws))
        self.number += 1
        self.handle(Event(callback, argument, self._backlog(), self.number), decision)
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


def _draw_ecn(drawn: float) -> Record:
    """Half of all packets are capable; these have each codepoint equally often."""
    ecn = int(drawn * 6) + 1 if drawn < 0.5 else 0
    return {"capable": ecn > 0, "ecn": ecn}


def _draw(decision: Any) -> Any:
    drawn = decision.drawn
    decision.drawn = drawn + 1
    return decision.draws[drawn] if drawn < DRAWS else 1.0


def _make_native(
    label: str, code: tuple[Any, Any, Any], traits: Traits, callbacks: Collection[str]
) -> _native.OwnCode:
    from headgate import _native

    return _native.OwnCode.discipline(
        label,
        code,
        on_departure="on_departure" in callbacks,
        on_tick="on_tick" in callbacks,
        ranks=traits["ranks"],
        tick_s=traits["tick_s"],
    )


def _begin(seed: int, handle: EventHandler, traits: Traits, callbacks: Collection[str]) -> Port:
    at_departure = "on_departure" in callbacks
    holds = at_departure or traits["ranks"]
    return Port(
        seed, handle, tick_s=traits["tick_s"], decides_at_departure=at_departure, holds=holds
    )


def _fault(event: Event, _before: Decision, after: Decision, traits: Traits) -> str:
    if event.callback == "on_tick":
        touched = after.verdict != KEEP or after.drawn or after.rank
        return "on_tick must decide on no packet and draw no random number" if touched else ""
    if not KEEP <= after.verdict <= DROP:
        return f"verdict became {after.verdict}; it must be KEEP (0), MARK (1) or DROP (2)"
    if not _may_mark(event, after):
        return "it marks a packet that is not capable of ECN; look at packet.capable"
    if after.drawn > DRAWS:
        return f"it drew {after.drawn} random numbers; a decision may draw at most {DRAWS}"
    return _rank_fault(event, after.rank, traits)


def _rank_fault(event: Event, rank: float, traits: Traits) -> str:
    if rank == 0.0:
        return ""
    if event.callback != "on_arrival":
        return f"rank became {rank:g}; a packet must be ranked when it arrives"
    if not traits["ranks"]:
        return f"rank became {rank:g}; only a discipline with ranks = True may set it"
    return "" if math.isfinite(rank) else f"rank became {rank:g}; it must be a finite number"


def _may_mark(event: Event, decision: Any) -> bool:
    packet = event.argument
    return decision.verdict != MARK or not isinstance(packet, dict) or bool(packet["capable"])


def _is_sound(event: Event, decision: Any) -> bool:
    sound = KEEP <= decision.verdict <= DROP and decision.drawn <= DRAWS
    return sound and math.isfinite(decision.rank) and _may_mark(event, decision)


def _repair(decision: Decision, _before: Decision) -> None:
    decision.verdict, decision.rank = KEEP, 0.0
    decision.drawn = min(decision.drawn, DRAWS)


def _native_decision(decision: Decision) -> Any:
    from headgate import _native

    return _native.Decision(list(decision.draws))


def _sum_up(decisions: list[tuple[float, ...]]) -> Mapping[str, float]:
    counts = Counter(verdict for verdict, _ in decisions)
    return {"kept": counts[KEEP], "marked": counts[MARK], "dropped": counts[DROP]}


_PACKET = Callback(("packet", "port", "decision"), "Packet")

DISCIPLINE = Interface(
    noun="discipline",
    table="headgate_queue_v1",
    version=1 << 16 | 1,
    symbol="queue",
    callbacks={
        "on_arrival": _PACKET,
        "on_departure": _PACKET,
        "on_tick": Callback(("now_s", "port", "decision"), None),
    },
    required=(("on_arrival", "on_departure"),),
    traits={"ranks": (False, True)},
    numbers={"tick_s": 0.0},
    flags=lambda traits: {"ranks": traits["ranks"]},
    traits_from_flags=lambda flags: {"ranks": "ranks" in flags},
    flag_bits={"ranks": 1},
    context="Backlog",
    out="Decision",
    sets="decision.verdict",
    out_fields=("verdict", "drawn", "rank"),
    methods={"draw": _draw},
    make_native=_make_native,
    trial=Trial(
        of="port",
        begin=_begin,
        fault=_fault,
        is_sound=_is_sound,
        repair=_repair,
        skips=lambda _callback, _traits: False,
        keeps_growth=lambda _decision: None,
        native=_native_decision,
        outcome_fields=("verdict", "rank"),
        sum_up=_sum_up,
        describe="{kept} packets kept, {marked} marked, {dropped} dropped".format_map,
    ),
)
