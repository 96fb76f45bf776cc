"""Both ends of QUIC, from the text of RFC 9002 and RFC 9000, driven by the events of a trace.

The receiver takes the packets that arrived, and says which ACKs leave when. The sender takes these
ACKs as they arrive, and says which packets leave when. Packets replace bytes, as in the engine, and
times are whole picoseconds. The program shares nothing with the engine but the trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

PS = 10**12
K_GRANULARITY = PS // 1000
K_PACKET_THRESHOLD = 3
K_TIME_THRESHOLD = 9 / 8
K_PERSISTENT_CONGESTION_THRESHOLD = 3
K_MINIMUM_WINDOW = 2.0
K_INITIAL_WINDOW = 10.0
K_LOSS_REDUCTION_FACTOR = 0.5
#: Section 7.7: multiple of cwnd/srtt.
PACING_GAIN = 1.25
#: A range of packet numbers, both ends included.
Range = tuple[int, int]


def ps(seconds: float) -> int:
    return round(seconds * PS)


@dataclass
class Ack:
    """An ACK frame, and when it left."""

    at: int
    ranges: list[Range]
    delay: int


@dataclass
class Receiver:
    """RFC 9000 section 13.2, and the thresholds of draft-ietf-quic-ack-frequency."""

    max_ack_delay: int = PS // 40
    every: int = 2
    reordering: int = 1
    seen: set[int] = field(default_factory=set)
    largest: int = -1
    begins: dict[int, int] = field(default_factory=dict)
    """The first packet of the range that ended with a packet, when an ACK reported it."""
    acks: list[Ack] = field(default_factory=list)
    waiting: int = 0
    due_at: int | None = None
    largest_at: int = 0
    reported: int = -1

    def receive(self, at: int, number: int) -> None:
        """Take a packet at a time. A timer that is due at the same time expires after it."""
        self.wait(at)
        if number in self.seen:
            return
        before = self.largest
        self.seen.add(number)
        if number > before:
            self.largest, self.largest_at = number, at
        self.waiting += 1
        if self.waiting >= self.every or self._is_out_of_order(number, before):
            self._acknowledge(at)
        elif self.due_at is None:
            self.due_at = at + self.max_ack_delay

    def wait(self, until: int) -> None:
        """Let the timer expire if it is due before a time."""
        if self.due_at is not None and self.due_at < until:
            self._acknowledge(self.due_at)

    def _is_out_of_order(self, number: int, before: int) -> bool:
        if self.reordering == 0:
            return False
        if self.reordering == 1:
            return number != before + 1
        if self.reported < 0:
            return False
        largest = self.largest
        # larger numbers were not yet reported as lost
        first = max(0, self.reported - self.reordering + 1)
        missing = next((n for n in range(first, largest) if n not in self.seen), largest)
        return largest - missing >= self.reordering

    def _acknowledge(self, at: int) -> None:
        self.waiting, self.due_at = 0, None
        self.reported = self.largest
        delay = (at - self.largest_at) // (8 * PS // 10**6) * (8 * PS // 10**6)
        self.acks.append(Ack(at, self._ranges(), delay))

    def _ranges(self) -> list[Range]:
        """Return the four largest ranges, the largest first (section 19.3.1)."""
        ranges: list[Range] = []
        number = self.largest
        while number >= 0 and len(ranges) < 4:
            last = number
            number = self._first_of_range(last) - 1
            ranges.append((number + 1, last))
            while number >= 0 and number not in self.seen:
                number -= 1
        return ranges

    def _first_of_range(self, last: int) -> int:
        first = self.begins.get(last, last)  # the range was as long when it was reported last
        while first - 1 in self.seen:
            first = self.begins.get(first - 1, first - 1)
        self.begins[last] = first
        return first


@dataclass
class Packet:
    """A packet in flight (RFC 9002 appendix A.1.1)."""

    time_sent: int
    segment: int
    probed: bool = False


class Sender:
    """RFC 9002 appendices A and B with NewReno, for a flow of `size` segments."""

    def __init__(self, size: int, max_ack_delay: int = PS // 40) -> None:
        self.size, self.max_ack_delay = size, max_ack_delay
        self.sent: list[tuple[int, int, int]] = []
        """Time, packet number and segment of each packet."""
        self.sent_packets: dict[int, Packet] = {}
        self.next_number = self.next_segment = 0
        self.delivered: set[int] = set()
        self.lost_segments: list[int] = []
        self.late: dict[int, tuple[int, int]] = {}
        """Segments of lost packets, and when these were lost (RFC 9000 section 13.3)."""
        self.row: dict[int, int] = {}
        """Times at which lost packets left, as long as they may establish persistent congestion."""
        self.largest_acked = -1
        self.latest_rtt = self.smoothed_rtt = self.rttvar = 0.0
        self.min_rtt = float("inf")
        self.cwnd, self.ssthresh = K_INITIAL_WINDOW, float("inf")
        self.recovery_starts_at = 0
        """Packets below this number were sent before the recovery period began."""
        self.pto_count = self.probes = 0
        self.loss_time: int | None = None
        self.last_sent = 0
        self.limited = False
        self.tokens, self.filled_at = K_INITIAL_WINDOW, 0
        self.pace_at: int | None = None
        self.clock = 0
        """The time of the last event: a timer that was set for an earlier time expires then."""
        self.collapses = self.timeouts = self.recoveries = 0

    def establish(self, now: int, rtt: int) -> None:
        """End the handshake, which gives the first sample."""
        self._update_rtt(rtt, 0)
        self.filled_at = self.clock = now
        self._send(now)

    def wait(self, until: int) -> None:
        """Let the timers expire that are due before a time."""
        while True:
            now = self.next_timer()
            if now is None or now >= until:
                return
            loss = self._timer()
            self.clock = now
            if loss is not None and loss <= now:
                self._on_loss_detection_timeout(now)
            else:
                self.pace_at = None
                self._send(now)

    def next_timer(self) -> int | None:
        """Return when the next timer expires."""
        due = [at for at in (self._timer(), self.pace_at) if at is not None]
        return max(min(due), self.clock) if due else None

    def acknowledge(self, now: int, ranges: list[Range], delay: int) -> bool:
        """Take an ACK (appendix A.7). Return whether all segments have arrived."""
        self.wait(now)
        self.clock = now
        newly = dict(self._remove_acked(ranges))
        for number in [n for n in self.late if _is_in(n, ranges)]:
            self.delivered.add(self.late.pop(number)[0])
        largest = ranges[0][1]
        if newly:
            self.largest_acked = max(self.largest_acked, largest)
            if largest in newly:
                self._update_rtt(now - newly[largest].time_sent, delay)
            self._detect_lost(now)
            self._on_packets_acked(newly)
            self.pto_count = 0
        if len(self.delivered) == self.size:
            return True
        self._send(now)
        return False

    def _remove_acked(self, ranges: list[Range]) -> Iterator[tuple[int, Packet]]:
        for number in [n for n in self.sent_packets if _is_in(n, ranges)]:
            packet = self.sent_packets.pop(number)
            self.delivered.add(packet.segment)
            yield number, packet

    def _update_rtt(self, latest_ps: int, delay_ps: int) -> None:
        """Appendix A.7, UpdateRtt."""
        latest = latest_ps / PS
        self.latest_rtt = latest
        self.min_rtt = min(self.min_rtt, latest)
        if self.smoothed_rtt == 0:
            self.smoothed_rtt, self.rttvar = latest, latest / 2
            return
        delay = min(delay_ps, self.max_ack_delay) / PS
        adjusted = latest - delay if latest >= self.min_rtt + delay else latest
        self.rttvar = 3 / 4 * self.rttvar + 1 / 4 * abs(self.smoothed_rtt - adjusted)
        self.smoothed_rtt = 7 / 8 * self.smoothed_rtt + 1 / 8 * adjusted

    def _pto(self) -> int:
        variation = max(ps(4 * self.rttvar), K_GRANULARITY)
        return ps(self.smoothed_rtt) + variation + self.max_ack_delay

    def _timer(self) -> int | None:
        """Appendix A.8, SetLossDetectionTimer."""
        if self.loss_time is not None:
            return self.loss_time
        if not self.sent_packets:
            return None
        return self.last_sent + (self._pto() << self.pto_count)

    def _on_loss_detection_timeout(self, now: int) -> None:
        """Appendix A.9."""
        if self.loss_time is not None:
            self._detect_lost(now)
        else:
            self.timeouts += 1
            self.probes = 2
            self.pto_count += 1
        self._send(now)

    def _detect_lost(self, now: int) -> None:
        """Appendix A.10, DetectAndRemoveLostPackets; then OnPacketsLost of appendix B.8."""
        self.loss_time = None
        delay = max(ps(K_TIME_THRESHOLD * max(self.latest_rtt, self.smoothed_rtt)), K_GRANULARITY)
        lost = []
        for number in sorted(self.sent_packets):
            packet = self.sent_packets[number]
            if number > self.largest_acked:
                continue
            due = packet.time_sent + delay
            if due <= now or self.largest_acked >= number + K_PACKET_THRESHOLD:
                lost.append((number, self.sent_packets.pop(number)))
            elif self.loss_time is None or due < self.loss_time:
                self.loss_time = due
        persistent = False
        for number, packet in lost:
            self.late[number] = (packet.segment, now)
            if not packet.probed and packet.segment not in self.delivered:
                self.lost_segments.append(packet.segment)
            self.row[number] = packet.time_sent
            persistent |= self._is_persistent(number)
        oldest = now - self._pto()
        self.late = {n: known for n, known in self.late.items() if known[1] >= oldest}
        if lost:
            self._on_congestion_event(lost[-1][0])
            if persistent:
                self.collapses += 1
                self.cwnd, self.recovery_starts_at = K_MINIMUM_WINDOW, 0
                self.row = {}

    def _is_persistent(self, number: int) -> bool:
        """Section 7.6: all packets from one to the other were lost."""
        first = number
        while first - 1 in self.row:
            first -= 1
        longest = self._pto() * K_PERSISTENT_CONGESTION_THRESHOLD
        return self.row[number] - self.row[first] > longest

    def _on_congestion_event(self, number: int) -> None:
        """Appendix B.6. Only whole packets are halved, which is our rounding."""
        if number < self.recovery_starts_at:
            return
        self.recoveries += 1
        self.recovery_starts_at = self.next_number
        self.ssthresh = max(int(self.cwnd + 0.5) * K_LOSS_REDUCTION_FACTOR, K_MINIMUM_WINDOW)
        self.cwnd = self.ssthresh

    def _on_packets_acked(self, newly: dict[int, Packet]) -> None:
        """Appendix B.5. The packets of an ACK that cross the threshold grow by both rules."""
        fresh = sum(number >= self.recovery_starts_at for number in newly)
        if not fresh or not self.limited:
            return
        slow = min(fresh, max(self.ssthresh - self.cwnd, 0))
        self.cwnd += slow
        if fresh > slow:
            self.cwnd += (fresh - slow) / self.cwnd

    def _send(self, now: int) -> None:
        while self.probes:
            self.probes -= 1
            if not self._send_next(now) and not self._probe(now):
                break
        self.probes = 0
        while self._may_send(now):
            self._send_next(now)

    def _may_send(self, now: int) -> bool:
        self.lost_segments = [s for s in self.lost_segments if s not in self.delivered]
        has_data = bool(self.lost_segments) or self.next_segment < self.size
        full = len(self.sent_packets) + 1 > self.cwnd
        self.limited = has_data or full
        if not has_data or full:
            return False
        rate = PACING_GAIN * self.cwnd / self.smoothed_rtt
        earned = rate * (now - self.filled_at) / PS
        self.tokens, self.filled_at = min(self.tokens + earned, K_INITIAL_WINDOW), now
        if self.tokens >= 1 - 1e-9:
            return True
        at = now + max(1, int((1 - self.tokens) / rate * PS))
        self.pace_at = at if self.pace_at is None else min(at, self.pace_at)
        return False

    def _send_next(self, now: int) -> bool:
        self.lost_segments = [s for s in self.lost_segments if s not in self.delivered]
        if self.lost_segments:
            self._send_packet(now, self.lost_segments.pop(0))
        elif self.next_segment < self.size:
            self.next_segment += 1
            self._send_packet(now, self.next_segment - 1)
        else:
            return False
        return True

    def _probe(self, now: int) -> bool:
        """Section 6.2.4: without other data, repeat the oldest packet."""
        for number in sorted(self.sent_packets):
            packet = self.sent_packets[number]
            if not packet.probed and packet.segment not in self.delivered:
                packet.probed = True
                self._send_packet(now, packet.segment)
                return True
        return False

    def _send_packet(self, now: int, segment: int) -> None:
        self.sent.append((now, self.next_number, segment))
        self.sent_packets[self.next_number] = Packet(now, segment)
        self.next_number += 1
        self.tokens -= 1
        self.last_sent = now


def _is_in(number: int, ranges: list[Range]) -> bool:
    return any(first <= number <= last for first, last in ranges)
