"""What is compared, and the networks that each of them needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from headgate import Flow
from headgate_studies.paths import flow, packets

PACKET_BITS = 8000
#: Packets of 1000 B; windows as in ns-2, from whose runs the slides come.
TRANSPORT: dict[str, Any] = {
    "segment": "960 B",
    "initial_window": "2 packets",
    "min_rto": "1 s",
}
#: What the author's agent runs on: an ACK for each packet, plain Reno recovery, a clock of 10 ms.
NS2: dict[str, Any] = {"preset": "ns2", "segment": "960 B", "recovery": "reno"}
#: A target below 100 % by more than the packets that exact feedback adds for each flow.
ROOM = 0.9


@dataclass(frozen=True)
class Scheme:
    """A law, and what stands at the ports."""

    law: str
    params: Mapping[str, Any] = field(default_factory=dict)
    feedback: Mapping[str, Any] | None = None
    red: bool = False
    acks_first: bool = False
    #: As in the author's script: host links of twice the rate, senders and receivers of ns-2.
    in_ns2: bool = False

    def flow(self, start_s: float = 0.0, **keys: Any) -> Flow:
        """Describe one of its flows."""
        return flow(self.law, start_s, params=self.params, **keys)

    def network(self, buffer: float, rate_mbps: float) -> dict[str, Any]:
        """Return the transport and what stands at ports with that buffer, in packets."""
        made: dict[str, Any] = {"transport": TRANSPORT, "buffer": packets(buffer)}
        if self.in_ns2:
            made |= {"transport": NS2, "host_rate": f"{2 * rate_mbps:g} Mbit/s"}
        if self.acks_first:
            made["queue"] = "ack-priority"
        if self.red:
            # the thresholds of the XCP paper, whose comparison the slides follow
            thresholds = {"min_packets": max(1.0, buffer / 3), "max_packets": 2 * buffer / 3}
            sized = {"mean_packet_bytes": 1000, "ecn": "on"}
            made["queue"] = {"name": "red", **thresholds, **sized}
            made["transport"] = {**TRANSPORT, "ecn": True}
        return made if self.feedback is None else {**made, "feedback": dict(self.feedback)}


VCP_ROUTER = {"name": "vcp"}
#: What the author's ns-2 code has: a later revision, and release 0.1.
CODE_ROUTER = {"name": "vcp", "gamma": 0.95, "rounding": "per-cent"}
MOVING_ROUTER = {**CODE_ROUTER, "target": "moving"}
RELEASED_ROUTER = {**MOVING_ROUTER, "average": "sixteenth"}
ROOMY_ROUTER = {"name": "vcp", "gamma": ROOM}

PAPER = Scheme("vcp", feedback=VCP_ROUTER)
RELEASED = Scheme("vcp", {"variant": "released"}, RELEASED_ROUTER, acks_first=True, in_ns2=True)

SCHEMES: Mapping[str, Scheme] = {
    "TCP": Scheme("reno", red=True),
    "XCP": Scheme("xcp", feedback={"name": "xcp", "first_interval": "drawn"}),
    "VCP": PAPER,
    "VCP 8-bit": Scheme("vcp", {"feedback": "8-bit"}, VCP_ROUTER),
    "VCP released": RELEASED,
    "VCP exact": Scheme("vcp", {"feedback": "exact"}, ROOMY_ROUTER),
    "VCP roomy": Scheme("vcp", feedback=ROOMY_ROUTER),
}

#: The released rules, each with those before it.
RULES: Mapping[str, Scheme] = {
    "paper": PAPER,
    "ends of ns-2": replace(PAPER, in_ns2=True),
    "ACKs first": replace(PAPER, in_ns2=True, acks_first=True),
    "constants": replace(RELEASED, params={"variant": "code"}, feedback=CODE_ROUTER),
    "caps": replace(RELEASED, feedback=CODE_ROUTER),
    "moving target": replace(RELEASED, feedback=MOVING_ROUTER),
    "sixteenth": RELEASED,
}


def bdp(rate_mbps: float, rtt_s: float) -> float:
    """Return the bandwidth-delay product in packets of 1000 B."""
    return rate_mbps * 1e6 * rtt_s / PACKET_BITS
