"""A sender with a synthetic application, path and ACKs, for tests that no scenario can express.

The application pauses or writes slowly; ACKs come in bunches; a policer drops. The path is a queue
that serves `rate` segments/s and gives the ACK a round trip later; a transmission is lost if three
sent after it have arrived (RFC 9002 §6.1.1), and all are after a second of silence. Rate samples
are those of draft-ietf-ccwg-bbr §4.1.2.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil, floor, inf

import numpy as np

from headgate.plugin import LOSS, TIMEOUT, Ack, Builtin, Congestion, Path, Rate, Window, builtin
from headgate_studies.conform.bbr.track import PACED, Track
from headgate_studies.conform.case import Subject

REORDERING = 3
SILENCE_S = 1.0


@dataclass
class Bucket:
    """A policer: drops what finds no token, and queues nothing."""

    rate: float
    burst: float
    at_s: float = 0.0
    tokens: float = field(init=False)

    def __post_init__(self) -> None:
        """Begin full."""
        self.tokens = self.burst

    def passes(self, now_s: float) -> bool:
        """Take a token, if there is one."""
        self.tokens = min(self.burst, self.tokens + self.rate * (now_s - self.at_s))
        self.at_s = now_s
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True


@dataclass
class MadePath:
    """The path of the packets. A trial may change its settings while it runs."""

    rate: float
    rtt_s: float = 0.1
    buffer: float = inf
    slot_s: float = 0.0
    """ACKs wait for the next multiple of this; 0 = each comes alone."""
    policer: Bucket | None = None
    lose: Callable[[float], bool] | None = None
    """Whether a packet sent at that time is lost."""
    free_s: float = 0.0
    dropped: int = 0

    def ack_at(self, now_s: float) -> float:
        """Return when the ACK comes for a packet that is sent now; never if it is lost."""
        waiting = (self.free_s - now_s) * self.rate
        full = waiting > self.buffer or (self.policer and not self.policer.passes(now_s))
        if full or (self.lose is not None and self.lose(now_s)):
            self.dropped += 1
            return inf
        self.free_s = max(now_s, self.free_s) + 1 / self.rate
        back_s = self.free_s + self.rtt_s
        return ceil(back_s / self.slot_s) * self.slot_s if self.slot_s else back_s


@dataclass
class Sent:
    """The state stored for each transmission (draft, §4.1.2.1.2)."""

    number: int
    at_s: float
    first_s: float
    delivered: float
    delivered_s: float
    in_flight: float
    lost: float
    app_limited: bool


def by_hand(cca: Subject, **params: float) -> Builtin:
    """Return the algorithm as an object to be called, with parameters set."""
    return builtin(cca.name, **cca.params, **params)


class MadeSender:
    """One flow. `after_ack` is called after every ACK and may change application and path."""

    def __init__(
        self,
        cca: Builtin,
        path: MadePath,
        after_ack: Callable[[MadeSender], None] | None = None,
    ) -> None:
        self.cca, self.path, self.after_ack = cca, path, after_ack
        self.now_s = 0.0
        self.writes = inf
        """Segments/s that the application writes; inf = it never runs out, 0 = it pauses."""
        self.written_s = 0.0
        self.window = Window(10.0)
        self.out: dict[int, Sent] = {}
        self.number = 0
        self.delivered = self.lost = 0.0
        self.delivered_s = self.first_s = self.pace_s = self.heard_s = self.sent_s = 0.0
        self.limited_until = 0.0
        self.wake_s = inf
        self.recover_at = -1
        """Recovery ends when this segment arrives, after all earlier ones and retransmissions."""
        self.episode = 0
        """Segments in flight at the start of recovery are below this number."""
        self.timed_out = False
        self.srtt_s = self.min_rtt_s = path.rtt_s
        self.events: list[tuple[float, int, int]] = []
        self.rows: list[tuple[float, ...]] = []
        self.losses: list[tuple[float, float]] = []
        """In flight when a lost one was sent, itself included, and lost since then."""
        self.samples: list[Rate] = []
        cca.on_start(0.0, self._path(), self.window)

    def run(self, until_s: float) -> Track:
        """Run on until then, and give what was seen after each ACK since the start."""
        self.advance(until_s)
        return Track(*np.array(self.rows).T)

    def advance(self, until_s: float) -> None:
        """Run on until then."""
        self._wake(self.now_s)
        while self.events and self.events[0][0] <= until_s:
            self.now_s, _, number = heapq.heappop(self.events)
            if number >= 0:
                self._take_acks(number)
            elif self.now_s >= self.wake_s:
                self.wake_s = inf
            if self.out and self.now_s >= self.heard_s + SILENCE_S:
                self._time_out()
            self._send()
        self.now_s = until_s

    def resume(self, writes: float) -> None:
        """Let the application write at this rate from now on, segments/s."""
        if self.writes == 0 and writes > 0:
            self._note_limited()
            self._restart()
        self.writes, self.written_s = writes, self.now_s
        self._wake(self.now_s)

    def _restart(self) -> None:
        """Report to the algorithm that sending restarts, if nothing is in flight."""
        if not self.out:
            idle_s = self.now_s - self.sent_s
            self.cca.on_restart(self.now_s, idle_s, self.delivered, self._path(), self.window)

    def change_rate(self, rate: float) -> None:
        """Serve at another rate from now on, queued packets included (without slots)."""
        path, now_s = self.path, self.now_s

        def later(at_s: float) -> float:
            left_s = at_s - path.rtt_s - now_s
            return at_s + left_s * (path.rate / rate - 1) if left_s > 0 else at_s

        self.events = [(later(t) if n >= 0 else t, kind, n) for t, kind, n in self.events]
        heapq.heapify(self.events)
        path.free_s = now_s + max(0.0, path.free_s - now_s) * path.rate / rate
        path.rate = rate

    @property
    def gain(self) -> float:
        """Pacing gain in use."""
        return round(self.window.pace / (PACED * self.cca.gauge), 3) if self.cca.gauge else inf

    @property
    def in_flight(self) -> int:
        """Segments sent, and neither acknowledged nor lost."""
        return len(self.out)

    def _wake(self, at_s: float) -> None:
        if at_s < self.wake_s:
            self.wake_s = at_s
            heapq.heappush(self.events, (at_s, 0, -1))

    def _path(self) -> Path:
        return Path(srtt_s=self.srtt_s, min_rtt_s=self.min_rtt_s)

    def _send(self) -> None:
        if self.out:
            self._wake(self.heard_s + SILENCE_S)
        while self.in_flight < floor(self.window.cwnd) and self.writes:
            ready_s = max(self.pace_s, self.written_s if self.writes < inf else 0.0)
            if ready_s > self.now_s:
                self._wake(ready_s)
                return
            self._transmit()
            self.pace_s = max(self.now_s, self.pace_s) + 1 / self.window.pace
            if 0 < self.writes < inf:
                self._note_limited()
                self.written_s += 1 / self.writes

    def _transmit(self) -> None:
        if not self.out:
            self.first_s = self.delivered_s = self.heard_s = self.now_s
        self.sent_s = self.now_s
        self.out[self.number] = Sent(
            self.number,
            self.now_s,
            self.first_s,
            self.delivered,
            self.delivered_s,
            self.in_flight + 1,
            self.lost,
            self.limited_until > 0,
        )
        at_s = self.path.ack_at(self.now_s)
        if at_s < inf:
            heapq.heappush(self.events, (at_s, 1, self.number))
        self.number += 1

    def _note_limited(self) -> None:
        """Record that the application sends less than the window allows."""
        if self.in_flight < floor(self.window.cwnd):
            self.limited_until = max(self.delivered + self.in_flight, 1)

    def _take_acks(self, number: int) -> None:
        """Process this ACK and all others of the same time as one."""
        if self.writes == 0:
            self._note_limited()
        numbers = [number]
        while self.events and self.events[0][0] == self.now_s and self.events[0][2] >= 0:
            numbers.append(heapq.heappop(self.events)[2])
        sent = [self.out.pop(number) for number in numbers if number in self.out]
        if not sent:
            return
        newest = sent[-1]
        self.heard_s = self.delivered_s = self.now_s
        self.delivered += len(sent)
        self.first_s = newest.at_s
        if self.limited_until and self.delivered > self.limited_until:
            self.limited_until = 0.0
        self._measure(self.now_s - newest.at_s)
        gone = [n for n in self.out if n <= newest.number - REORDERING]
        self._lose(gone)
        if gone:
            self._repair(gone)
        elif newest.number >= self.recover_at:
            self.timed_out, self.recover_at, self.episode = False, -1, 0
        self._tell(newest, len(sent), len(gone))

    def _repair(self, gone: list[int]) -> None:
        """Begin a recovery; one that runs lasts until also these have been sent again."""
        if self.recover_at < 0:
            self._congest(LOSS)
        elif gone[0] < self.episode:
            self.recover_at = self.number

    def _measure(self, rtt_s: float) -> None:
        self.srtt_s += (rtt_s - self.srtt_s) / 8
        self.min_rtt_s = min(self.min_rtt_s, rtt_s)

    def _lose(self, numbers: list[int]) -> None:
        for number in numbers:
            sent = self.out.pop(number)
            self.lost += 1
            rate = Rate(
                delivered=self.delivered,
                prior=sent.delivered,
                then_in_flight=sent.in_flight,
                lost=self.lost,
                lost_since=self.lost - sent.lost,
                app_limited=sent.app_limited,
            )
            self.losses.append((rate.then_in_flight, rate.lost_since))
            self.cca.on_segment_lost(rate, self._path(), self.window)

    def _congest(self, cause: int) -> None:
        self.recover_at = self.episode = self.number
        event = Congestion(cause=cause, now_s=self.now_s, in_flight=self.in_flight)
        self.cca.on_congestion(event, self._path(), self.window)

    def _time_out(self) -> None:
        self.heard_s = self.now_s
        self._lose(list(self.out))
        self.timed_out = True
        self._congest(TIMEOUT)
        self.window.cwnd = 1.0

    def _tell(self, newest: Sent, newly: int, newly_lost: int) -> None:
        recovers = self.recover_at >= 0 and not self.timed_out
        rate = self._rate(newest, newly, newly_lost)
        self.samples.append(rate)
        ack = Ack(
            now_s=self.now_s,
            acked=newly,
            rtt_s=self.now_s - newest.at_s,
            in_flight=self.in_flight + newly,
            recovers=recovers,
            after_timeout=self.timed_out,
            rate=rate,
            paced=True,
        )
        call = self.cca.on_recovery_ack if recovers else self.cca.on_ack
        call(ack, self._path(), self.window)
        window = self.window
        seen = (window.pace, self.cca.gauge, window.cwnd, self.in_flight, self.delivered)
        self.rows.append((self.now_s, *seen))
        if self.after_ack is not None:
            self.after_ack(self)

    def _rate(self, newest: Sent, newly: int, newly_lost: int) -> Rate:
        interval_s = max(newest.at_s - newest.first_s, self.now_s - newest.delivered_s)
        delivered = self.delivered - newest.delivered
        valid = interval_s >= self.min_rtt_s
        return Rate(
            per_s=delivered / interval_s if valid else 0.0,
            interval_s=interval_s,
            delivered=self.delivered,
            newly=newly,
            prior=newest.delivered,
            then_in_flight=newest.in_flight,
            lost=self.lost,
            lost_since=self.lost - newest.lost,
            newly_lost=newly_lost,
            in_flight=self.in_flight,
            rtt_s=self.now_s - newest.at_s,
            app_limited=newest.app_limited,
        )
