"""The four that are compared, and the networks that each of them needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from headgate.build import Flow
from headgate.studies.paths import flow, packets

PACKET_BITS = 8000
#: Packets of 1000 B; windows as in ns-2, from whose runs the slides come.
TRANSPORT: dict[str, Any] = {
    "segment": "960 B",
    "initial_window": "2 packets",
    "min_rto": "1 s",
}
#: A target below 100 % by more than the packets that exact feedback adds for each flow.
ROOM = 0.9


@dataclass(frozen=True)
class Scheme:
    """A law, and what stands at the ports."""

    law: str
    params: Mapping[str, Any] = field(default_factory=dict)
    feedback: Mapping[str, Any] | None = None
    red: bool = False

    def flow(self, start_s: float = 0.0, **keys: Any) -> Flow:
        """Describe one of its flows."""
        return flow(self.law, start_s, params=self.params, **keys)

    def network(self, buffer: float) -> dict[str, Any]:
        """Return the transport and what stands at ports with that buffer, in packets."""
        made: dict[str, Any] = {"transport": TRANSPORT, "buffer": packets(buffer)}
        if self.red:
            # the thresholds of the XCP paper, whose comparison the slides follow
            thresholds = {"min_packets": max(1.0, buffer / 3), "max_packets": 2 * buffer / 3}
            sized = {"mean_packet_bytes": 1000, "ecn": "on"}
            made["queue"] = {"name": "red", **thresholds, **sized}
            made["transport"] = {**TRANSPORT, "ecn": True}
        return made if self.feedback is None else {**made, "feedback": dict(self.feedback)}


VCP_ROUTER = {"name": "vcp"}
#: What the author's ns-2 code has.
CODE_ROUTER = {"name": "vcp", "gamma": 0.95, "rounding": "per-cent"}
ROOMY_ROUTER = {"name": "vcp", "gamma": ROOM}

SCHEMES: Mapping[str, Scheme] = {
    "TCP": Scheme("reno", red=True),
    "XCP": Scheme("xcp", feedback={"name": "xcp"}),
    "VCP": Scheme("vcp", feedback=VCP_ROUTER),
    "VCP 8-bit": Scheme("vcp", {"feedback": "8-bit"}, VCP_ROUTER),
    "VCP code": Scheme("vcp", {"variant": "code"}, CODE_ROUTER),
    "VCP exact": Scheme("vcp", {"feedback": "exact"}, ROOMY_ROUTER),
    "VCP roomy": Scheme("vcp", feedback=ROOMY_ROUTER),
}


def bdp(rate_mbps: float, rtt_s: float) -> float:
    """Return the bandwidth-delay product in packets of 1000 B."""
    return rate_mbps * 1e6 * rtt_s / PACKET_BITS
