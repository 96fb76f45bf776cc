"""The schemes that are compared, and the scenarios: one function for each kind of sweep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from headgate import Flow, Scenario, parking_lot
from headgate.lab import Setup
from headgate_studies.paths import (
    NO_SERIES,
    flow,
    in_seconds,
    packets,
    path,
    scale_times,
    seconds,
    starts,
)

PACKET_BITS = 8000
#: Packets of 1000 B; windows as in ns-2, from whose runs the slides come.
TRANSPORT: dict[str, Any] = {
    "segment": "960 B",
    "initial_window": "2 packets",
    "min_rto": "1 s",
}
#: The author's agent: an ACK for each packet, plain Reno recovery, a clock of 10 ms.
NS2: dict[str, Any] = {"preset": "ns2", "segment": "960 B", "recovery": "reno"}
#: A target below 100 % by more than the packets that exact feedback adds for each flow.
ROOM = 0.9
RATE_MBPS, RTT_S, FLOWS = 150.0, 0.08, 50
#: Largest relative excess of a flow's round trip over the path's if they are spread.
SPREAD = 0.2
SLOW_MBPS = 45.0
JOIN_S, JOINERS, LEAVE_S = 100.0, 9, 200.0
SHORT_FILES = {"kind": "pareto", "mean": "30 packets", "shape": 1.35}
#: A voice: a packet of 160 B and 40 B of headers every 20 ms (RFC 3551); its rows are as far apart.
VOICE_S = 0.02
VOICE: dict[str, Any] = {"name": "voice", "transport": {**TRANSPORT, "segment": "160 B"}}
VOICE_SERIES = {"interval": seconds(VOICE_S), "flows": ["voice"], "ports": []}
FAIR_MBPS, FAIR_FLOWS = 90.0, 30
HOPS, HOP_MBPS, CHAIN_S = 7, 100.0, 0.28
JOINED, APART_S, JOINED_RTT_S = 5, 100.0, 0.04
CROWD, CROWD_S, CROWD_LEAVES_S = 150, 80.0, 120.0
LONE_MBPS = 20.0
FLUID_RTTS_S = (0.04, 0.08, 0.12, 0.16, 0.2)
#: Gain of the decrease with exact feedback, unless it varies.
K = 0.25


@dataclass(frozen=True)
class Scheme:
    """An algorithm, and the devices at the ports."""

    cca: str
    params: Mapping[str, Any] = field(default_factory=dict)
    feedback: Mapping[str, Any] | None = None
    red: bool = False
    acks_first: bool = False
    #: As in the author's script: host links of twice the rate, senders and receivers of ns-2.
    in_ns2: bool = False

    def flow(self, start_s: float = 0.0, **keys: Any) -> Flow:
        """Describe one of its flows."""
        return flow(self.cca, start_s, params=self.params, **keys)

    def network(self, buffer: float, rate_mbps: float) -> dict[str, Any]:
        """Return the transport and the devices at ports with that buffer, in packets."""
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

#: The author's ns-2 code: a later revision, and release 0.1.
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


def _times(setup: Setup, part: str, longest_rtt_s: float = 0.0) -> tuple[str, str]:
    """Duration and warm-up; of long round trips there are 200 at least."""
    duration, warmup = scale_times(setup.settings[part], setup.settings["size"])
    stretch = max(1.0, 200 * longest_rtt_s / in_seconds(duration))
    return seconds(stretch * in_seconds(duration)), seconds(stretch * in_seconds(warmup))


def _path(  # noqa: PLR0913, PLR0917 - what a run differs by
    scheme: Scheme,
    flows: list[Flow],
    times: tuple[str, str],
    line: tuple[float, float],
    series: str | Mapping[str, Any] = NO_SERIES,
    seed: int = 1,
    buffer: float | None = None,
) -> Scenario:
    """Make a run on one bottleneck; each host uses a separate link."""
    rate_mbps, rtt_s = line
    room = bdp(*line) if buffer is None else buffer
    network = {
        "rate": f"{rate_mbps:g} Mbit/s",
        "rtt": seconds(rtt_s),
        "access": "links",
        **scheme.network(max(room, 2 * len(flows) if buffer is None else 1), rate_mbps),
    }
    return path(flows, times, network, series, seed)


def _both_ways(scheme: Scheme, count: int, seed: int) -> list[Flow]:
    forth = [scheme.flow(at) for at in starts(seed, count, 1.0)]
    back = [scheme.flow(at, reverse=True) for at in starts(seed + 1000, count, 1.0)]
    return [*forth, *back]


def illustrate(setup: Setup, *, scheme: str) -> Scenario:
    """One flow; nine come and leave."""
    one, leave = SCHEMES[scheme], seconds(LEAVE_S)
    joiners = [
        one.flow(JOIN_S + at, stop=leave, name=f"joiner {i}")
        for i, at in enumerate(starts(setup.seeds[0], JOINERS, 0.5))
    ]
    flows = [one.flow(name="first"), *joiners]
    return _path(one, flows, _times(setup, "illustration"), (SLOW_MBPS, RTT_S), "200 ms")


def vary_bandwidth(setup: Setup, *, scheme: str, mbps: float, seed: int) -> Scenario:
    """Vary the rate of the line under fifty flows each way."""
    flows = _both_ways(SCHEMES[scheme], FLOWS, seed)
    return _path(SCHEMES[scheme], flows, _times(setup, "base"), (mbps, RTT_S), NO_SERIES, seed)


def vary_delay(setup: Setup, *, scheme: str, rtt_ms: float, seed: int) -> Scenario:
    """Vary the round trip of fifty flows each way."""
    flows, rtt_s = _both_ways(SCHEMES[scheme], FLOWS, seed), rtt_ms / 1e3
    times = _times(setup, "base", rtt_s)
    return _path(SCHEMES[scheme], flows, times, (RATE_MBPS, rtt_s), NO_SERIES, seed)


def spread_delay(setup: Setup, *, scheme: str, rtt_ms: float, seed: int) -> Scenario:
    """Repeat it with round trips longer by up to a fifth, drawn once: no two flows stay in step."""
    one, rtt_s = SCHEMES[scheme], rtt_ms / 1e3
    rtts = rtt_s * np.random.default_rng(seed + 2000).uniform(1.0, 1.0 + SPREAD, 2 * FLOWS)
    begun = [*starts(seed, FLOWS, 1.0), *starts(seed + 1000, FLOWS, 1.0)]
    flows: list[Flow] = [
        one.flow(at, rtt=seconds(rtt), reverse=place >= FLOWS)
        for place, (at, rtt) in enumerate(zip(begun, rtts, strict=True))
    ]
    times = _times(setup, "base", rtt_s)
    return _path(one, flows, times, (RATE_MBPS, rtt_s), NO_SERIES, seed)


def add_rules(setup: Setup, *, rule: str, rtt_ms: float, flows: int, seed: int) -> Scenario:
    """Begin with the paper's rules and add the released ones; starts are their own."""
    one, line = RULES[rule], (RATE_MBPS, rtt_ms / 1e3)
    both = _both_ways(one, flows, seed + 700)
    return _path(one, both, _times(setup, "base"), line, NO_SERIES, seed)


def send_one_way(setup: Setup, *, rtt_ms: float, seed: int) -> Scenario:
    """Repeat it without the flows back: ACKs never wait behind data."""
    scheme, rtt_s = SCHEMES["VCP"], rtt_ms / 1e3
    flows = [scheme.flow(at) for at in starts(seed, FLOWS, 1.0)]
    times = _times(setup, "base", rtt_s)
    return _path(scheme, flows, times, (RATE_MBPS, rtt_s), NO_SERIES, seed)


def vary_flows(setup: Setup, *, scheme: str, flows: int, seed: int) -> Scenario:
    """Vary the number of flows; starts differ from the base, as tables list a run once."""
    both = _both_ways(SCHEMES[scheme], flows, seed + 500)
    return _path(SCHEMES[scheme], both, _times(setup, "base"), (RATE_MBPS, RTT_S), NO_SERIES, seed)


def add_short_files(setup: Setup, *, scheme: str, arrivals: float, seed: int) -> Scenario:
    """Short files beside the long flows; they are alike for every scheme."""
    one = SCHEMES[scheme]
    files = {
        "kind": "poisson",
        "cca": {"name": one.cca, **one.params},
        "arrivals": f"{arrivals} flows/s",
        "size": SHORT_FILES,
        "name": "short",
    }
    flows = [*_both_ways(one, FLOWS, seed), files]
    return _path(one, flows, _times(setup, "base"), (RATE_MBPS, RTT_S), NO_SERIES, seed)


def add_voice(setup: Setup, *, scheme: str, video: float, seed: int) -> Scenario:
    """Add a voice, and video that takes a share of the line; neither yields, neither is marked."""
    times = _times(setup, "base")
    voice = flow("constant", in_seconds(times[1]), **VOICE)
    flows = [*_both_ways(SCHEMES[scheme], FLOWS, seed), voice]
    if video:
        rate = {"rate_mbps": video * RATE_MBPS}
        flows.append(flow("constant", params=rate, name="video", transport=TRANSPORT))
    return _path(SCHEMES[scheme], flows, times, (RATE_MBPS, RTT_S), VOICE_SERIES, seed)


def spread_round_trips(setup: Setup, *, scheme: str, spread: str, seed: int) -> Scenario:
    """Thirty flows whose round trips are as far apart as the setting of that name says."""
    one, apart_ms = SCHEMES[scheme], setup.settings["spreads_ms"][spread]
    rtts = [0.04 + i * apart_ms / 1e3 for i in range(FAIR_FLOWS)]
    begun = starts(seed, FAIR_FLOWS, 1.0)
    flows = [one.flow(at, rtt=seconds(rtt)) for at, rtt in zip(begun, rtts, strict=True)]
    times, line = _times(setup, "round_trips"), (FAIR_MBPS, min(rtts))
    return _path(one, flows, times, line, NO_SERIES, seed, bdp(FAIR_MBPS, max(rtts)))


def _lot(  # noqa: PLR0913, PLR0917 - what a run differs by
    scheme: Scheme,
    hops: int,
    line: tuple[float, float],
    each: tuple[int, int, int],
    times: tuple[str, str],
    seed: int,
) -> Scenario:
    """Make a chain of links with N flows over all, over each, and back."""
    long, cross, back = each
    rate_mbps, rtt_s = line
    at = iter(starts(seed, long + hops * cross + back, 1.0))
    flows: list[Flow] = [scheme.flow(next(at), name="long") for _ in range(long)]
    for hop, _ in product(range(hops), range(cross)):
        ends = {"source": f"r{hop}", "receiver": f"r{hop + 1}"}
        flows.append(scheme.flow(next(at), name=f"cross {hop + 1}", **ends))
    ends = {"source": f"r{hops}", "receiver": "r0"}
    flows += [scheme.flow(next(at), name="back", **ends) for _ in range(back)]
    duration, warmup = times
    return parking_lot(
        flows=flows,
        hops=hops,
        rate=f"{rate_mbps:g} Mbit/s",
        rtt=seconds(rtt_s),
        duration=duration,
        measure={"warmup": warmup, "series": "none"},
        seed=seed,
        **scheme.network(max(bdp(*line), 2 * (long + cross)), rate_mbps),
    )


def chain_links(setup: Setup, *, scheme: str, seed: int) -> Scenario:
    """Fifty flows over seven links, fifty over each, fifty back."""
    each, line = (FLOWS, FLOWS, FLOWS), (HOP_MBPS, CHAIN_S)
    return _lot(SCHEMES[scheme], HOPS, line, each, _times(setup, "base"), seed)


def share_chain(setup: Setup, *, scheme: str, seed: int) -> Scenario:
    """Make chains with room for what exact feedback adds: two flows over three links, two each."""
    line, times = (LONE_MBPS, RTT_S), _times(setup, "shares")
    return _lot(SCHEMES[scheme], 3, line, (2, 2, 0), times, seed)


def join(setup: Setup, *, scheme: str) -> Scenario:
    """Five flows, one after the other."""
    flows = [SCHEMES[scheme].flow(i * APART_S, name=f"flow {i + 1}") for i in range(JOINED)]
    line, times = (SLOW_MBPS, JOINED_RTT_S), _times(setup, "joining")
    return _path(SCHEMES[scheme], flows, times, line, "1 s")


def crowd(setup: Setup, *, scheme: str, seed: int) -> Scenario:
    """Fifty flows; 150 come and leave."""
    one, leave = SCHEMES[scheme], seconds(CROWD_LEAVES_S)
    stay = [one.flow(at, name="stay") for at in starts(seed, FLOWS, 1.0)]
    come = [one.flow(CROWD_S + at, stop=leave, name="crowd") for at in starts(seed, CROWD, 0.1)]
    times = _times(setup, "crowd")
    return _path(one, [*stay, *come], times, (RATE_MBPS, RTT_S), "200 ms", seed)


def _vcp(**params: Any) -> Scheme:
    return Scheme("vcp", params, SCHEMES["VCP"].feedback)


def vary_xi(_: Setup, *, xi: float) -> Scenario:
    """Send one flow with another speed of MI."""
    scheme = _vcp(xi=xi)
    flows = [scheme.flow(name="vcp")]
    return _path(scheme, flows, ("130 s", "0 s"), (LONE_MBPS, RTT_S), "200 ms")


def vary_scaling(_: Setup, *, scaling: str) -> Scenario:
    """Ten flows start together on a short round trip; the buffer holds the overshoot."""
    scheme = _vcp(scaling=scaling)
    flows = [scheme.flow(at) for at in starts(1, 10, 1.0)]
    return _path(scheme, flows, ("30 s", "0 s"), (50, 0.01), "200 ms", 1, 5000)


def lose_at_random(setup: Setup, *, scheme: str, loss: float, seed: int) -> Scenario:
    """One flow on a link that loses packets at random: a wireless channel."""
    one, line = SCHEMES[scheme], (50.0, RTT_S)
    network = {
        "rate": f"{line[0]:g} Mbit/s",
        "rtt": seconds(RTT_S),
        "access": "links",
        "loss": loss,
        **one.network(bdp(*line), line[0]),
    }
    return path([one.flow()], _times(setup, "lossy"), network, NO_SERIES, seed)


def join_tcp(setup: Setup, *, scheme: str, seed: int) -> Scenario:
    """Five flows of VCP and five of TCP at a port with VCP's router and a finite buffer."""
    one, begun = SCHEMES[scheme], starts(seed, 10, 1.0)
    flows = [one.flow(at, name="vcp") for at in begun[::2]]
    flows += [Scheme("reno").flow(at, name="tcp", transport=TRANSPORT) for at in begun[1::2]]
    return _path(one, flows, _times(setup, "base"), (SLOW_MBPS, RTT_S), NO_SERIES, seed)


def _exact(k: float, rtts_s: tuple[float, ...], setup: Setup, series: str) -> Scenario:
    params: Mapping[str, Any] = {"feedback": "exact", "k": k}
    scheme = Scheme("vcp", params, {"name": "vcp", "gamma": ROOM})
    begun = starts(1, len(rtts_s), 1.0)
    flows = [scheme.flow(at, rtt=seconds(rtt)) for at, rtt in zip(begun, rtts_s, strict=True)]
    line = LONE_MBPS, min(rtts_s)
    return _path(scheme, flows, _times(setup, "fluid"), line, series, 1, 1000)


def rest(setup: Setup) -> Scenario:
    """Five flows with exact feedback and different round trips."""
    return _exact(K, FLUID_RTTS_S, setup, NO_SERIES)


def vary_gain(setup: Setup, *, k: float) -> Scenario:
    """Five flows with exact feedback and one round trip."""
    return _exact(k, (0.2,) * len(FLUID_RTTS_S), setup, "200 ms")


def fluid_rate(k: float) -> float:
    """Rate at rest of each flow of the fluid model, packets/s: alpha 1, period 200 ms."""
    return ROOM * bdp(LONE_MBPS, 1.0) / len(FLUID_RTTS_S) + 1 / (k * 0.2)
