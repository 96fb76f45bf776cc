"""The topologies of quiche's tests: a sender, a switch and a receiver, or eight senders."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from headgate.plugin import Builtin
from headgate_studies.conform.bbr.made import Bucket, MadePath, MadeSender

#: Bytes of a packet of the tests on the wire, of the payload in it, of an ACK (ours).
PACKET, PAYLOAD, ACK = 1350, 1310, 50
PACKET_BITS = 8 * PACKET
#: Bytes of the packet with which the tests compute the round trip (`kMaxOutgoingPacketSize`).
LARGEST = 1452
#: Bytes of a mebibyte.
MIB = 2**20
#: Delays of the eight senders' links, microseconds.
SENDER_DELAYS_US = (1987, 1993, 1997, 1999, 2003, 2011, 2017, 2027)
#: How data are sent and acknowledged.
TRANSPORT: dict[str, Any] = {
    "segment": f"{PAYLOAD} B",
    "header": f"{PACKET - PAYLOAD} B",
    "ack": f"{ACK} B",
    "syn": f"{PACKET} B",
    "initial_window": "10 packets",
    "recovery": "sack",
    "rack_tlp": True,
    "tail_probe": True,
}


@dataclass(frozen=True)
class Link:
    """A symmetric link: bits/s, and the delay each way in microseconds."""

    bps: int
    delay_us: int

    @property
    def transfer_us(self) -> int:
        """Whole microseconds that the largest packet takes."""
        return LARGEST * 8 * 1_000_000 // self.bps


@dataclass(frozen=True)
class Topology:
    """Two links and the queue between them, in multiples of the bandwidth-delay product."""

    local: Link = Link(10_000_000, 2_000)
    test: Link = Link(4_000_000, 30_000)
    queue_bdp: float = 2.0

    @property
    def rtt_s(self) -> float:
        """Round trip of a single packet of the largest size, both ways of that size."""
        each_way_us = self.local.delay_us + self.test.delay_us
        return 2 * (each_way_us + self.local.transfer_us + self.test.transfer_us) / 1e6

    @property
    def bottleneck_bps(self) -> int:
        """Rate of the slower link."""
        return min(self.local.bps, self.test.bps)

    @property
    def bdp(self) -> int:
        """Bandwidth-delay product in bytes."""
        return int(self.bottleneck_bps * round(self.rtt_s * 1e6) // 8_000_000)

    @property
    def queue(self) -> int:
        """Bytes of the switch's queue."""
        return int(self.queue_bdp * self.bdp)

    def network(self, changes: dict[float, int] | None = None) -> dict[str, Any]:
        """Return the network of a scenario; from some times on the test link serves other rates."""
        test = _link("switch", "receiver", self.test) | {"buffer": f"{self.queue} B"}
        if changes:
            # a link with an impairment stores its packets, so that those of the queue too leave at
            # the new rate, as in quiche
            test["buffer"] = f"{self.queue // PACKET} packets"  # such a link counts its packets
            test["impairments"] = [{"name": "duplicate", "share": 0.0}]
            test["changes"] = [{"at": f"{at:g} s", "rate": _rate(r)} for at, r in changes.items()]
        links = [_link("sender", "switch", self.local), test]
        return _graph(["sender", "switch", "receiver"], links)

    def path(self, **settings: Any) -> SwitchPath:
        """Return the same links for a synthetic sender."""
        own: dict[str, Any] = {
            "rate": self.test.bps / PACKET_BITS,
            "rtt_s": self.rtt_s,
            "topology": self,
        }
        return SwitchPath(**(own | settings))


@dataclass(frozen=True)
class ManySenders:
    """Eight senders of links of 10 Mbit/s before the same switch, with a queue of 2 BDP."""

    test: Link = Link(4_000_000, 30_000)

    def single(self, sender: int) -> Topology:
        """Return the two links of one sender."""
        return Topology(Link(10_000_000, SENDER_DELAYS_US[sender]), self.test)

    @property
    def queue(self) -> int:
        """Bytes of the switch's queue: twice the product of the second sender."""
        return self.single(1).queue

    def network(self, senders: int) -> dict[str, Any]:
        """Return the network of a scenario with the first few senders."""
        names = [f"sender{i}" for i in range(senders)]
        links = [_link(n, "switch", self.single(i).local) for i, n in enumerate(names)]
        links.append(_link("switch", "receiver", self.test) | {"buffer": f"{self.queue} B"})
        return _graph([*names, "switch", "receiver"], links)


def _rate(bps: int) -> str:
    return f"{bps / 1e3:g} kbit/s"


def _link(near: str, far: str, link: Link) -> dict[str, Any]:
    delay = f"{link.delay_us} us"
    return {"ends": [near, far], "rate": _rate(link.bps), "delay": delay, "buffer": "infinite"}


def _graph(routers: list[str], links: list[dict[str, Any]]) -> dict[str, Any]:
    return {"kind": "graph", "routers": [{"name": name} for name in routers], "links": links}


@dataclass
class SwitchPath(MadePath):
    """The two links for a synthetic sender; a policer drops what the queue would send."""

    topology: Topology = Topology()
    bundle_s: float = 0.0
    """The switch collects ACKs for so long from the first one on; 0 = it sends each at once."""
    changes: tuple[tuple[float, float], ...] = ()
    """Times from which the test link serves another rate, segments/s."""
    local_free_s: float = 0.0
    bundle_ends_s: float = -inf

    def __post_init__(self) -> None:
        """Begin with an empty queue."""
        self.starts: deque[float] = deque()

    def ack_at(self, now_s: float) -> float:
        """Return when the ACK comes for a packet that is sent now; never if it is lost."""
        local = self.topology.local
        self.local_free_s = max(now_s, self.local_free_s) + PACKET_BITS / local.bps
        at_s = self.local_free_s + local.delay_us / 1e6
        while self.starts and self.starts[0] <= at_s:
            self.starts.popleft()
        start_s = max(at_s, self.free_s)
        full = PACKET * (len(self.starts) + 1) > self.topology.queue and start_s > at_s
        if full or (self.policer is not None and not self.policer.passes(start_s)):
            self.dropped += 1
            return inf
        self.starts.append(start_s)
        rate = self._rate_at(start_s)
        self.free_s = start_s + 1 / rate
        delay_s = 2 * self.topology.test.delay_us / 1e6
        return self._through_switch(self.free_s + delay_s) + local.delay_us / 1e6

    def _rate_at(self, at_s: float) -> float:
        return next((rate for since, rate in reversed(self.changes) if at_s >= since), self.rate)

    def _through_switch(self, at_s: float) -> float:
        """Return when the ACK leaves the switch; with `slot_s`, the receiver sends it in slots."""
        if self.slot_s:
            at_s = -(-at_s // self.slot_s) * self.slot_s
        if not self.bundle_s:
            return at_s
        if at_s >= self.bundle_ends_s:
            self.bundle_ends_s = at_s + self.bundle_s
        return self.bundle_ends_s


class Feeder(MadeSender):
    """A sender whose application gives it a number of segments at a time."""

    def __init__(
        self,
        cca: Builtin,
        path: SwitchPath,
        after_ack: Callable[[MadeSender], None] | None = None,
    ) -> None:
        super().__init__(cca, path, after_ack)
        self.writes, self.left = 0.0, 0.0

    def offer(self, segments: float) -> None:
        """Let the application write so much more."""
        self.left += segments
        if self.number:
            self.resume(inf)
        else:
            self.writes = inf

    def _transmit(self) -> None:
        super()._transmit()
        self.left -= 1
        if self.left <= 0:
            self.writes = 0.0

    def _lose(self, numbers: list[int]) -> None:
        """Write what was lost again."""
        super()._lose(numbers)
        self.left += len(numbers)
        if numbers and not self.writes:
            self.writes = inf

    def lose_oldest(self) -> None:
        """Declare the oldest packet in flight lost, without an ACK."""
        self._lose([min(self.out)])

    def finish(self, before_s: float) -> float:
        """Run until everything is sent, and return when; infinite if it is not by then."""
        while self.left > 0:
            if self.now_s >= before_s:
                return inf
            self.advance(min(before_s, self.now_s + 0.01))
        return self.now_s


def policed(topology: Topology, share: float, first: int, largest: int) -> SwitchPath:
    """Return the path with a policer of a share of the rate; its bucket holds bytes."""
    rate = share * topology.bottleneck_bps / PACKET_BITS
    bucket = Bucket(rate, largest / PACKET)
    bucket.tokens = first / PACKET
    return replace(topology.path(), policer=bucket)
