"""One flow through one drop-tail link, written from the drafts and as slowly as they read.

It shares no code and no data structure with the engine. A rule sees lists of all packets sent and
all ACKs received so far, and evaluates its definition on them at each ACK. The program ends when
slow start does, or when the fate of all packets sent until then is known.
"""

import heapq
import math
from collections import deque
from dataclasses import dataclass, field

RTT_S, RATE_BPS, HOST_BPS = 0.1, 50e6, 500e6
DATA_B, ACK_B = 1500, 40
INITIAL_CWND = 10
#: Time on the bottleneck and on a host's link.
DATA_S, HOST_S = DATA_B * 8 / RATE_BPS, DATA_B * 8 / HOST_BPS
#: From the receiver to the sender; a SYN takes as long.
BACK_S = RTT_S / 2 + ACK_B * 8 * (1 / RATE_BPS + 2 / HOST_BPS)
#: Bandwidth-delay product, packets.
BDP = RATE_BPS * RTT_S / 8 / DATA_B
#: A packet is lost once this many later ones have arrived.
DUPLICATES = 3
#: Reno's factor.
BETA = 0.5


@dataclass
class Ack:
    """One ACK: its time, the packet that arrived, the RTT of that packet."""

    at_s: float
    seq: int
    rtt_s: float


@dataclass
class Flow:
    """The sender, with all that a rule may ask for."""

    cwnd: float = INITIAL_CWND
    pace_per_s: float = math.inf
    sent_s: list[float] = field(default_factory=list)
    acks: list[Ack] = field(default_factory=list)
    #: Number of the first ACK of the current round, and of the first packet sent since.
    round_from: int = 0
    round_end: int = 0
    #: All packets below this one have arrived; number of ACKs for later ones.
    all_until: int = 0
    later: int = 0
    exit_s: float = math.nan
    #: Packets sent before the exit that the queue dropped.
    lost: int = 0

    @property
    def min_rtt_s(self) -> float:
        """The least RTT of the connection, that of the SYN among them."""
        return min([2 * BACK_S, *(ack.rtt_s for ack in self.acks)])

    @property
    def has_left(self) -> bool:
        return not math.isnan(self.exit_s)

    def note(self, ack: Ack) -> None:
        if ack.seq >= self.round_end:
            self.round_from, self.round_end = len(self.acks), len(self.sent_s)
        self.acks.append(ack)


class Classic:
    """RFC 5681: one packet for each that is acknowledged."""

    first_window = 1

    def gain(self, _flow: Flow) -> float:
        return 1.0

    def ends(self, _flow: Flow) -> bool:
        return False

    def change(self, _flow: Flow) -> None:
        """Set the window or the pace at an ACK, before it grows."""

    def after_loss(self, flow: Flow) -> float:
        """Return the window after the recovery."""
        return BETA * flow.cwnd


class Search(Classic):
    """draft-chung-ccwg-search: both counts at the first ACK after the end of each bin."""

    def __init__(self, *, forward: bool = False) -> None:
        self.step = 1 if forward else -1
        self.counts: list[tuple[int, int]] = []
        self.began_s = self.bin_s = math.nan

    def ends(self, flow: Flow) -> bool:
        ack, counts = flow.acks[-1], (len(flow.sent_s), len(flow.acks))
        if not self.counts:
            self.began_s, self.bin_s = ack.at_s, 3.5 * ack.rtt_s / 10
            self.counts = [counts]
        ended = math.floor((ack.at_s - self.began_s) / self.bin_s)
        if ended < len(self.counts):
            return False
        self.counts += [self.counts[-1]] * (ended - len(self.counts)) + [counts]
        whole, part = divmod(ack.rtt_s / self.bin_s, 1)
        then = ended - int(whole)
        if then <= 10 or whole >= 15:
            return False
        sent = self._sent(then, part) - self._sent(then - 10, part)
        return (sent - counts[1] + self.counts[ended - 10][1]) / sent >= 0.26

    def _sent(self, end: int, part: float) -> float:
        beside = self.counts[min(end + self.step, len(self.counts) - 1)]
        return (1 - part) * self.counts[end][0] + part * beside[0]


class HyStart(Classic):
    """Linux: a train of ACKs over half the least RTT, or a round whose first RTTs are late."""

    def ends(self, flow: Flow) -> bool:
        here, last = flow.acks[flow.round_from :], flow.acks[-1]
        least_s = min(ack.rtt_s for ack in flow.acks)
        if flow.cwnd < 16:
            return False
        train_s = here[0].at_s
        for ack in here:
            train_s = ack.at_s if ack.at_s - train_s <= 0.002 else train_s
        long_s = (least_s + self._allowance_s(flow)) / 2
        late_s = least_s + min(max(least_s / 8, 0.004), 0.016)
        is_late = len(here) > 8 and min(ack.rtt_s for ack in here) > late_s
        return is_late or (train_s == last.at_s and last.at_s - here[0].at_s > long_s)

    def _allowance_s(self, flow: Flow) -> float:
        return min(4 * 65536 * flow.acks[-1].rtt_s / (2 * flow.cwnd * DATA_B), 0.001)


class HyStartPlusPlus(Classic):
    """RFC 9406, section 4.2, without its limit L: each ACK acknowledges one packet."""

    def __init__(self) -> None:
        self.baseline_s = math.inf
        self.slow_rounds = 0
        self.last_s = math.inf
        self.last_from = 0

    def gain(self, _flow: Flow) -> float:
        return 0.25 if self.slow_rounds else 1.0

    def ends(self, flow: Flow) -> bool:
        here = flow.acks[flow.round_from :]
        if len(here) == 1:
            before = flow.acks[self.last_from : flow.round_from]
            self.last_s = min([ack.rtt_s for ack in before], default=math.inf)
            self.last_from = flow.round_from
            if self.slow_rounds == 5:
                return True
            self.slow_rounds += self.slow_rounds > 0
        now_s = min(ack.rtt_s for ack in here)
        if len(here) < 8:
            return False
        if not self.slow_rounds and math.isfinite(self.last_s):
            if now_s >= self.last_s + max(0.004, min(self.last_s / 8, 0.016)):
                self.baseline_s, self.slow_rounds = now_s, 1
        elif self.slow_rounds and now_s < self.baseline_s:
            self.baseline_s, self.slow_rounds = math.inf, 0
        return False


class CarefulResume(Classic):
    """draft-ietf-tsvwg-careful-resume, sections 3.2 to 3.5."""

    def __init__(self, saved_cwnd: int) -> None:
        self.jump = saved_cwnd / 2
        self.phase = "reconnaissance"
        self.pipe = 0
        self.mark = self.jumped = 0
        self.until_s = math.inf
        self.holds = False

    def gain(self, _flow: Flow) -> float:
        return 0.0 if self.holds else 1.0

    def change(self, flow: Flow) -> None:
        ack, sent = flow.acks[-1], len(flow.sent_s)
        flight = sent - len(flow.acks)
        self.holds = False
        if self.phase == "reconnaissance" and len(flow.acks) >= INITIAL_CWND:
            self.phase, self.pipe, self.mark, self.holds = "unvalidated", flight, sent, True
            self.jumped, self.until_s = len(flow.acks), ack.at_s + ack.rtt_s
            flow.cwnd, flow.pace_per_s = self.jump, self.jump / ack.rtt_s
        elif self.phase == "unvalidated":
            self.holds = True
            is_full = flight + 1 >= flow.cwnd
            if is_full or ack.seq >= self.mark or ack.at_s > self.until_s:
                self.phase = "validating"
                flow.cwnd, flow.pace_per_s, self.mark = flight, math.inf, sent
        elif self.phase == "validating" and len(flow.acks) >= self.mark:
            self.phase = "normal"

    def after_loss(self, flow: Flow) -> float:
        """Return the threshold: of all that was in flight at the jump or arrived since."""
        if self.phase == "normal":
            return BETA * flow.cwnd
        return BETA * (self.pipe + len(flow.acks) - self.jumped)


class RapidStart(Classic):
    """draft-kazuho-ccwg-rapid-start."""

    first_window = 2

    def gain(self, flow: Flow) -> float:
        now_s, least_s = flow.acks[-1].at_s, flow.min_rtt_s
        floor_s = min(ack.rtt_s for ack in flow.acks if ack.at_s >= now_s - least_s)
        return 2.0 if floor_s <= min(least_s + 0.004, least_s * 1.1) else 1.0

    def after_loss(self, flow: Flow) -> float:
        """Subtract 11/36 for each packet that arrived and 29/36 for each that did not."""
        passed = int(flow.cwnd) - flow.lost
        left = 29 / 36 * flow.cwnd - 11 / 36 * passed - 29 / 36 * flow.lost
        return max(left, flow.cwnd * (29 / 36 - 11 / 36 / 3 - 29 / 36 * 2 / 3))


@dataclass
class Link:
    """The bottleneck and its queue."""

    buffer: int
    ends_s: deque[float] = field(default_factory=deque)

    def take(self, at_s: float) -> float | None:
        """Return when the packet has left; None if the queue is full."""
        while self.ends_s and self.ends_s[0] <= at_s:
            self.ends_s.popleft()
        if len(self.ends_s) > self.buffer:
            return None
        self.ends_s.append(max([at_s, *list(self.ends_s)[-1:]]) + DATA_S)
        return self.ends_s[-1]


def run(rule: Classic, buffer: int = 10**9) -> Flow:
    """Run the flow until slow start has ended, and the fate of its packets is known."""
    flow, link = Flow(cwnd=INITIAL_CWND * rule.first_window), Link(buffer)
    if rule.first_window > 1:
        flow.pace_per_s = flow.cwnd / (2 * BACK_S)
    events: list[tuple[float, int, int | None]] = [(2 * BACK_S, -1, None)]
    next_s, arrived = 0.0, set[int]()
    while events:
        now_s, _, acked = heapq.heappop(events)
        if acked is not None:
            arrived.add(acked)
            flow.note(Ack(now_s, acked, now_s - flow.sent_s[acked]))
            if rule.first_window > 1:
                flow.pace_per_s = math.inf
            if not flow.has_left:
                _grow(flow, rule, arrived)
        while not flow.has_left and len(flow.sent_s) - len(arrived) < int(flow.cwnd):
            if now_s < next_s:
                heapq.heappush(events, (next_s, -1, None))
                break
            seq, next_s = len(flow.sent_s), now_s + 1 / flow.pace_per_s
            flow.sent_s.append(now_s)
            left_s = link.take(now_s + HOST_S + RTT_S / 10)
            if left_s is None:
                flow.lost += 1
            else:
                heapq.heappush(events, (left_s + HOST_S + RTT_S * 0.4 + BACK_S, seq, seq))
    return flow


def _grow(flow: Flow, rule: Classic, arrived: set[int]) -> None:
    """Handle an ACK in slow start. The window is kept while packets are missing."""
    ack = flow.acks[-1]
    while flow.all_until in arrived:
        flow.all_until += 1
    flow.later += ack.seq > flow.all_until
    if flow.later == DUPLICATES or rule.ends(flow):
        flow.exit_s = ack.at_s
    elif not flow.later:
        rule.change(flow)
        flow.cwnd += rule.gain(flow)
