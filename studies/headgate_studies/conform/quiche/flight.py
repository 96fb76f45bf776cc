"""One transfer of quiche's tests, and what is read of it at its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, isnan, nan
from typing import Any

from headgate import HeadgateError
from headgate_studies.conform.bbr.made import MadeSender, by_hand
from headgate_studies.conform.bbr.track import Phase, Track
from headgate_studies.conform.case import (
    Observation,
    Subject,
    near,
    run_scenario,
    together,
    within,
)
from headgate_studies.conform.quiche.network import (
    PACKET_BITS,
    PAYLOAD,
    TRANSPORT,
    Feeder,
    SwitchPath,
    Topology,
)

#: Milliseconds between two samples of a run.
INTERVAL_MS = 1
CRUISE = "CRUISE, REFILL or PROBE_RTT"
#: Names of the states by the least pacing gain; DOWN paces at 0.9, in Linux at 0.91.
STATES = (
    (0.0, "no state"),
    (0.3, "DRAIN"),
    (0.8, "DOWN"),
    (0.95, CRUISE),
    (1.2, "UP"),
    (1.5, "STARTUP"),
)
#: States in which a transfer may end: `PROBE_BW` or `PROBE_RTT`.
STEADY = ("DOWN", CRUISE, "UP")


def name_state(gain: float) -> str:
    """Return the state that paces at a gain."""
    return next(name for least, name in reversed(STATES) if gain >= least)


@dataclass(frozen=True)
class Flight:
    """One flow, from its first packet on."""

    topology: Topology
    track: Track
    lost_share: float
    """Packets lost over packets sent."""
    srtt_s: float
    """At the end."""
    min_rtt_s: float
    transfer_s: float
    """Duration until all is acknowledged (a run), or sent (a synthetic sender); nan = never."""
    slow_start_s: float = nan
    """From the first data packet to the end of STARTUP; a synthetic sender does not say it."""

    def mbps(self, at: int = -1) -> float:
        """Return the bandwidth in use at a sample, Mbit/s on the wire."""
        return float(self.track.bw[at]) * PACKET_BITS / 1e6

    @property
    def largest_mbps(self) -> float:
        """Bandwidth at the end or, if a short-term bound holds, that at the end of the last UP."""
        ups = [phase.end - 1 for phase in self.track.phases if name_state(phase.gain) == "UP"]
        return max([self.mbps(), *(self.mbps(at) for at in ups[-1:])])

    @property
    def state(self) -> str:
        """The state at the end."""
        return name_state(float(self.track.gains[-1]))

    @property
    def drain(self) -> Phase:
        """The phase after STARTUP. Raises HeadgateError if STARTUP never ended."""
        found = next((p for p in self.track.phases if name_state(p.gain) == "DRAIN"), None)
        if found is None:
            raise HeadgateError("STARTUP never ended")
        return found

    def ends_steady(self) -> Observation:
        """Hold if the flow cycles, or probes for the RTT, at its end."""
        return Observation(self.state in STEADY, "PROBE_BW or PROBE_RTT at the end", self.state)

    def takes(self, most_s: float) -> Observation:
        """Hold if the transfer is complete by then."""
        found = within(self.transfer_s, 0, most_s, "s of transfer")
        return replace(found, observed="not complete") if isnan(self.transfer_s) else found

    def finds(self, relative: float, mbps: float | None = None) -> Observation:
        """Hold if the largest bandwidth is that of the slower link, or another, to a tolerance."""
        expected = self.topology.bottleneck_bps / 1e6 if mbps is None else mbps
        return near(self.largest_mbps, expected, relative, "Mbit/s found")

    def estimates(self, relative: float) -> Observation:
        """Hold if the bandwidth in use is that of the slower link, to a tolerance."""
        expected = self.topology.bottleneck_bps / 1e6
        return near(self.mbps(), expected, relative, "Mbit/s in use")

    def loses(self, most: float) -> Observation:
        """Hold if at most that share of the packets was lost."""
        return within(self.lost_share, 0, most, "of packets lost")

    def measures(self, most_srtt: float, off_min: float) -> Observation:
        """Hold if srtt is at most some multiples of the round trip, and min_rtt is it."""
        rtt_s = self.topology.rtt_s
        return together(
            within(self.srtt_s / rtt_s, 0, most_srtt, "RTT as srtt"),
            near(self.min_rtt_s * 1e3, rtt_s * 1e3, off_min, "ms as min_rtt"),
        )


def fly(
    cca: Subject,
    topology: Topology,
    size: int | None,
    duration_s: float,
    changes: dict[float, int] | None = None,
) -> Flight:
    """Send that many bytes, or without end, over the two links. Raises HeadgateError."""
    flow: dict[str, Any] = {"kind": "flows", "source": "sender", "receiver": "receiver"}
    if size is not None:
        flow["size"] = f"{size} B"
    run = run_scenario(
        {
            "seed": 1,
            "duration": f"{duration_s} s",
            "network": topology.network(changes),
            "transport": TRANSPORT,
            "traffic": [flow | dict(cca.keys)],
            "measure": {"series": {"interval": f"{INTERVAL_MS} ms"}},
        }
    )
    names = ("retransmissions_total", "delivered_total_packets", "established_s", "fct_sender_s")
    again, delivered, established_s, transfer_s = run.count(*names).values()
    track = Track.of(run, PACKET_BITS)
    sent = again + delivered + float(track.in_flight[-1])
    return Flight(
        topology,
        track,
        again / sent,
        float(run.series("srtt_s")[-1]),
        run.count("min_rtt_s")["min_rtt_s"],
        transfer_s - established_s,
        run.count("slow_start_s")["slow_start_s"] - established_s,
    )


def feed(
    cca: Subject,
    path: SwitchPath,
    size: int = 0,
    after_ack: Callable[[MadeSender], None] | None = None,
) -> Feeder:
    """Return a synthetic sender of a number of bytes, or one that waits."""
    sender = Feeder(by_hand(cca), path, after_ack)
    if size:
        sender.offer(count_packets(size))
    return sender


def look_at(sender: Feeder, transfer_s: float = nan) -> Flight:
    """Return what a synthetic sender has seen by now."""
    path = sender.path
    assert isinstance(path, SwitchPath)
    share = sender.lost / sender.number
    track = sender.run(sender.now_s)
    return Flight(path.topology, track, share, sender.srtt_s, sender.min_rtt_s, transfer_s)


def feed_until_sent(cca: Subject, path: SwitchPath, size: int, most_s: float) -> Flight:
    """Send a number of bytes from a synthetic sender, for a time at most."""
    sender = feed(cca, path, size)
    finished_s = sender.finish(most_s)
    return look_at(sender, nan if finished_s == inf else finished_s)


def count_packets(size: float) -> int:
    """Return the packets that carry a number of bytes."""
    return int(-(-size // PAYLOAD))
