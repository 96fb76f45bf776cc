"""The retransmission timer of a connection, computed from its segments alone.

The rules are written from their sources (RFC 6298; Linux, `tcp_rtt_estimator`; ns-2.35,
`TcpAgent::rtt_update`) and share nothing with the engine: the time of each segment is known, and an
ACK gives a round trip by the segment that it acknowledges.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

#: Unit of the time stamps in a trace.
STAMP_S = 65.536e-9


class Event(NamedTuple):
    """Something that happened at a sender."""

    t_s: float
    kind: str
    seq: int
    stamp: int


class Rule(Protocol):
    """How samples give a time-out."""

    every_ack: bool
    """Whether each ACK of new data is a sample; else one timed segment at a time."""
    stamped: bool
    """Whether an ACK echoes a time stamp; else nothing that was sent again is a sample (Karn)."""

    def sample(self, rtt_s: float, now_s: float, una: int, following: int) -> float:
        """Take a sample; return the time-out before bounds."""

    def back_off(self, expiries: int) -> None:
        """Forget what a timer that has expired as often in a row makes doubtful."""


@dataclass
class Rfc6298(Rule):
    """SRTT and RTTVAR of one segment at a time: a new one, or one that timed out by its stamp."""

    margin_s: float
    every_ack: bool = False
    stamped: bool = True
    srtt_s: float | None = None
    rttvar_s: float = 0.0

    def sample(self, rtt_s: float, now_s: float, una: int, following: int) -> float:
        if self.srtt_s is None:
            self.srtt_s, self.rttvar_s = rtt_s, rtt_s / 2
        else:
            self.rttvar_s = 3 / 4 * self.rttvar_s + 1 / 4 * abs(self.srtt_s - rtt_s)
            self.srtt_s = 7 / 8 * self.srtt_s + 1 / 8 * rtt_s
        return self.srtt_s + max(self.margin_s, 4 * self.rttvar_s)


@dataclass
class Linux(Rule):
    """A sample from each ACK in microseconds; srtt counts eighths, deviations count fourths."""

    margin_s: float
    every_ack: bool = True
    stamped: bool = True
    srtt: float = 0.0
    mdev: float = 0.0
    mdev_max: float = 0.0
    rttvar: float = 0.0
    round_end: int = 0

    def sample(self, rtt_s: float, now_s: float, una: int, following: int) -> float:
        us, least = rtt_s * 1e6, self.margin_s * 1e6
        if self.srtt == 0:
            self.srtt, self.mdev = 8 * us, 2 * us
            self.rttvar = self.mdev_max = max(self.mdev, least)
            self.round_end = following
            return (self.srtt / 8 + self.rttvar) / 1e6
        error = us - self.srtt / 8
        self.srtt += error
        change = abs(error) - self.mdev / 4
        self.mdev += change / 8 if error < 0 < change else change
        if self.mdev > self.mdev_max:
            self.mdev_max = self.mdev
            self.rttvar = max(self.rttvar, self.mdev_max)
        if una > self.round_end:
            if self.mdev_max < self.rttvar:
                self.rttvar -= (self.rttvar - self.mdev_max) / 4
            self.round_end, self.mdev_max = following, least
        return (self.srtt / 8 + self.rttvar) / 1e6


@dataclass
class Ns2(Rule):
    """Integers: eighths and fourths of a tick."""

    tick_s: float
    every_ack: bool = False
    stamped: bool = False
    t_srtt: int = 0
    t_rttvar: int = 0

    def sample(self, rtt_s: float, now_s: float, una: int, following: int) -> float:
        t_rtt = max(1, self._reading(now_s) - self._reading(now_s - rtt_s))
        if self.t_srtt:
            delta = t_rtt - (self.t_srtt >> 3)
            self.t_srtt = max(1, self.t_srtt + delta)
            self.t_rttvar = max(1, self.t_rttvar + abs(delta) - (self.t_rttvar >> 2))
        else:
            self.t_srtt, self.t_rttvar = t_rtt << 3, t_rtt << 1
        return (((self.t_rttvar << 3) + self.t_srtt) >> 3) * self.tick_s

    def _reading(self, t_s: float) -> int:
        return int(t_s / self.tick_s + 1e-9)

    def back_off(self, expiries: int) -> None:
        if expiries > 3:
            self.t_rttvar, self.t_srtt = self.t_rttvar + (self.t_srtt >> 3), 0


@dataclass
class Timer:
    """A sender's timer (RFC 6298, section 5), and the time-outs that it would not have."""

    rule: Rule
    initial_s: float
    min_s: float
    max_s: float
    early_s: list[float] = field(default_factory=list)
    """How long before the timer's deadline each time-out came that was too early."""
    exact_s: list[float] = field(default_factory=list)
    """The difference of every time-out from the timer's deadline."""

    def follow(self, events: Iterable[Event]) -> Timer:
        """Follow a connection's events, in their order."""
        self._begin()
        for event in events:
            getattr(self, f"_on_{event.kind}")(event)
        return self

    def _begin(self) -> None:
        self._rto_s, self._expiries, self._syns = self.initial_s, 0, 0
        self._deadline_s: float | None = None
        self._una = self._next = self._recover = 0
        self._timed: tuple[int, float] | None = None

    def _on_syn_sent(self, event: Event) -> None:
        self._syns += 1
        self._syn_s = event.t_s

    def _on_established(self, event: Event) -> None:
        if self._syns == 1:
            self._sample(event.t_s - self._syn_s, event.t_s)
        else:
            self._rto_s = max(self._rto_s, 3.0)

    def _on_sent(self, event: Event) -> None:
        self._next = event.seq + 1
        self._timed = self._timed or (event.seq, event.t_s)
        if self._deadline_s is None:
            self._start(event.t_s)

    def _on_retransmitted(self, event: Event) -> None:
        if event.seq >= self._recover:  # no earlier repair covers it
            self._recover = self._next
            self._timed = self._timed if self.rule.stamped else None
        if self._deadline_s is None:
            self._start(event.t_s)

    def _on_acknowledged(self, event: Event) -> None:
        if event.seq <= self._una:
            return
        self._una = event.seq
        self._take_round_trip(event)
        if self._una == self._next:
            self._deadline_s = None
        else:
            self._start(event.t_s)

    def _take_round_trip(self, event: Event) -> None:
        timed = self._timed
        if self.rule.every_ack or (timed and event.seq > timed[0]):
            since_s = event.stamp * STAMP_S if self.rule.stamped or not timed else timed[1]
            self._timed = None
            self._sample(event.t_s - since_s, event.t_s)

    def _on_timeout(self, event: Event) -> None:
        assert self._deadline_s is not None
        self.exact_s.append(event.t_s - self._deadline_s)
        if event.t_s < self._deadline_s - 1e-4:
            self.early_s.append(self._deadline_s - event.t_s)
        self._expiries += 1
        self.rule.back_off(self._expiries)
        self._timed = (self._una, event.t_s) if self.rule.stamped else None
        self._start(event.t_s)

    def _sample(self, rtt_s: float, now_s: float) -> None:
        rto_s = self.rule.sample(rtt_s, now_s, self._una, self._next)
        self._rto_s = min(max(rto_s, self.min_s), self.max_s)
        self._expiries = 0

    def _start(self, now_s: float) -> None:
        self._deadline_s = now_s + min(self._rto_s * 2**self._expiries, self.max_s)
