"""Random events of one flow, as a transport could tell a law of them."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

from headgate.plugin.interface import Event, Record, Tell

#: A flow whose window is larger than this loses, as it would on a real path, segments.
MOST_IN_FLIGHT = 1e5

LOSS, TIMEOUT, MARK = 0, 1, 2


@dataclass
class Window:
    """What the law sets, between two calls."""

    cwnd: float = 10.0
    ssthresh: float = math.inf
    pace: float = math.inf


@dataclass
class Flow:
    """A flow that meets random events; equal seeds and equal windows give equal events.

    Samples are absent, equal, or far apart; some ACKs come at one instant, some after long silence.
    """

    seed: int
    tell: Tell
    per_round: bool = False
    controls_cwnd_in_recovery: bool = False
    window: Window = field(default_factory=Window)
    now_s: float = 0.0
    number: int = 0
    srtt_s: float = 0.0
    min_rtt_s: float = math.inf
    delivered: float = 0.0
    lost: float = 0.0

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.base_s = 10 ** self.random.uniform(-4, 0)
        self.window.cwnd = self.random.choice([1.0, 2.0, 10.0, 100.0])

    def run(self, events: int) -> None:
        """Begin, and meet this number of events."""
        if self.random.random() < 0.8:  # else the SYN was lost: there is no sample yet
            self._sample(self.base_s)
        self._call("on_start", self.now_s)
        while self.number < events:
            self._step()

    def _step(self) -> None:
        self._wait()
        if self.window.cwnd > MOST_IN_FLIGHT:
            return self._lose(LOSS)
        chance = self.random.random()
        if chance < 0.002:
            return self._lose(TIMEOUT)
        if chance < 0.01:
            return self._lose(LOSS)
        if chance < 0.015:
            return self._lose(MARK)
        return self._ack()

    def _wait(self) -> None:
        """Advance time by a part of a round trip, not at all, or by very much."""
        chance = self.random.random()
        if chance < 0.001:
            self.now_s += self.random.choice([10.0, 300.0])
        elif chance < 0.9:
            self.now_s += self.base_s * self.random.random() * 2 / max(self.in_flight, 1)

    def _ack(self) -> None:
        acked = (
            float(self.in_flight) if self.per_round else self.random.choice([1.0, 1.0, 2.0, 9.0])
        )
        rtt_s = self._rtt()
        if rtt_s:
            self._sample(rtt_s)
        self._call("on_ack", self._ack_record(acked, rtt_s))

    def _ack_record(self, acked: float, rtt_s: float, *, recovers: bool = False) -> Record:
        self.delivered += acked
        marked = acked if self.random.random() < 0.01 else 0.0
        return {
            "now_s": self.now_s,
            "acked": acked,
            "rtt_s": rtt_s,
            "in_flight": self.in_flight,
            "round_start": self.per_round or self.random.random() < 1 / max(self.in_flight, 1),
            "cwnd_limited": not marked and self.random.random() < 0.9,
            "recovers": recovers,
            "after_timeout": False,
            "marked": marked,
            "rate": self._rate(acked),
            "paced": math.isfinite(self.window.pace),
        }

    def _rate(self, newly: float) -> Record:
        rtt_s = max(self.srtt_s, 1e-6)
        return {
            "per_s": self.random.choice([0.0, self.in_flight / rtt_s]),
            "interval_s": rtt_s,
            "delivered": self.delivered,
            "newly": newly,
            "prior": max(self.delivered - self.in_flight, 0.0),
            "then_in_flight": float(self.in_flight),
            "lost": self.lost,
            "lost_since": 0.0,
            "newly_lost": 0.0,
            "in_flight": float(self.in_flight),
            "rtt_s": self._rtt(),
            "wait_s": self.random.choice([0.0, 1e-3]),
            "app_limited": self.random.random() < 0.05,
        }

    def _lose(self, cause: int) -> None:
        """Tell of congestion, and do with the window what the transport does."""
        in_flight, before = self.in_flight, self.window.cwnd
        if cause == TIMEOUT:
            self.window.cwnd = 1.0
        if cause != MARK:
            self.lost += 1.0
            self._call("on_segment_lost", self._rate(0.0))
        event = {"cause": cause, "now_s": self.now_s, "in_flight": in_flight}
        self._call("on_congestion", event)
        if cause == LOSS:
            for _ in range(self.random.randrange(4)):
                self._wait()
                self._call("on_recovery_ack", self._ack_record(1.0, self._rtt(), recovers=True))
        if cause != TIMEOUT:
            if not self.controls_cwnd_in_recovery:
                self.window.cwnd = self.window.ssthresh
            self._call("on_recovered", self.now_s)
            if cause == LOSS and self.random.random() < 0.2:
                self._undo(before)

    def _undo(self, before: float) -> None:
        """Restore the window of a needless reduction, as the transport does, and tell of it."""
        if not self.controls_cwnd_in_recovery:
            self.window.cwnd = max(self.window.cwnd, before)
        self._call("on_undo", before)

    def _rtt(self) -> float:
        chance = self.random.random()
        if chance < 0.05:
            return 0.0
        return self.base_s * (1.0 if chance < 0.3 else 1.0 + 10 * self.random.random() ** 3)

    def _sample(self, rtt_s: float) -> None:
        self.min_rtt_s = min(self.min_rtt_s, rtt_s)
        self.srtt_s = 0.875 * self.srtt_s + 0.125 * rtt_s if self.srtt_s else rtt_s

    def _call(self, callback: str, given: Record | float) -> None:
        path = {"srtt_s": self.srtt_s, "min_rtt_s": self.min_rtt_s, "segment_bytes": 1500}
        self.number += 1
        self.tell(Event(callback, given, path, self.number), self.window)

    @property
    def in_flight(self) -> int:
        """Segments in flight: whole ones of the window."""
        return int(self.window.cwnd)
