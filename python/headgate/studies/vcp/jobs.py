"""Every run of the study: one function a part; the first label of a run is its part."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

from headgate.api import Scenario
from headgate.build import Flow, parking_lot
from headgate.campaign.jobs import Job
from headgate.experiment.runs import Key, Setup, by_labels
from headgate.studies.paths import (
    NO_SERIES,
    flow,
    in_seconds,
    job,
    path,
    scale_times,
    seconds,
    starts,
)
from headgate.studies.vcp.schemes import COMPARED, ROOM, SCHEMES, TRANSPORT, Scheme, bdp

RATE_MBPS, RTT_S, FLOWS = 150.0, 0.08, 50
SLOW_MBPS = 45.0
JOIN_S, JOINERS, LEAVE_S = 100.0, 9, 200.0
SHORT_FILES = {"kind": "pareto", "mean": "30 packets", "shape": 1.35}
#: A voice: a packet of 160 B and 40 B of headers every 20 ms (RFC 3551); its rows are as far apart.
VOICE_S = 0.02
VOICE: dict[str, Any] = {"name": "voice", "transport": {**TRANSPORT, "segment": "160 B"}}
VOICE_SERIES = {"interval": seconds(VOICE_S), "flows": ["voice"], "ports": []}
FAIR_MBPS, FAIR_FLOWS = 90.0, 30
SPREADS_MS = {"equal": 0.0, "40-156": 4.0, "40-330": 10.0}
HOPS, HOP_MBPS, CHAIN_S = 7, 100.0, 0.28
JOINED, APART_S, JOINED_RTT_S = 5, 100.0, 0.04
CROWD, CROWD_S, CROWD_LEAVES_S = 150, 80.0, 120.0
XIS = (1.0, 0.0625, 0.01)
LONE_MBPS = 20.0
FLUID_RTTS_S = (0.04, 0.08, 0.12, 0.16, 0.2)
KS = (0.25, 0.5, 1.0)
SHARED = ("VCP roomy", "VCP exact", "XCP")

Part = Iterator[Job]


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run of a scale."""
    parts: tuple[Callable[[Setup], Part], ...] = (
        _illustration, _bandwidth, _delay, _one_way, _flows, _short, _real_time, _round_trips,
        _parking_lot, _shares, _joining, _crowd, _xi, _scaling, _lossy, _beside_tcp, _fluid,
        _stability,
    )  # fmt: skip
    return by_labels(run for part in parts for run in part(setup))


def _times(setup: Setup, part: str, longest_rtt_s: float = 0.0) -> tuple[str, str]:
    """Duration and warm-up; of long round trips there are 200 at least."""
    duration, warmup = scale_times(setup.settings[part], setup.settings["size"])
    stretch = max(1.0, 200 * longest_rtt_s / in_seconds(duration))
    return seconds(stretch * in_seconds(duration)), seconds(stretch * in_seconds(warmup))


def _path(  # noqa: PLR0913, PLR0917 - what a run differs by
    scheme: Scheme,
    flows: list[Flow],
    times: tuple[str, str],
    where: tuple[float, float],
    series: str | Mapping[str, Any] = NO_SERIES,
    seed: int = 1,
    buffer: float | None = None,
) -> Scenario:
    """Make a run on one bottleneck; hosts have links of their own."""
    rate_mbps, rtt_s = where
    room = bdp(*where) if buffer is None else buffer
    network = {
        "rate": f"{rate_mbps:g} Mbit/s",
        "rtt": seconds(rtt_s),
        "access": "links",
        **scheme.network(max(room, 2 * len(flows) if buffer is None else 1)),
    }
    return path(flows, times, network, series, seed)


def _both_ways(scheme: Scheme, count: int, seed: int) -> list[Flow]:
    """Describe as many flows each way, begun within a second."""
    forth = [scheme.flow(at) for at in starts(seed, count, 1.0)]
    back = [scheme.flow(at, reverse=True) for at in starts(seed + 1000, count, 1.0)]
    return [*forth, *back]


def _illustration(setup: Setup) -> Part:
    """One flow; nine come and leave."""
    leave = seconds(LEAVE_S)
    for name in ("TCP", "VCP", "VCP 8-bit"):
        scheme = SCHEMES[name]
        joiners = [
            scheme.flow(JOIN_S + at, stop=leave, name=f"joiner {i}")
            for i, at in enumerate(starts(setup.seeds[0], JOINERS, 0.5))
        ]
        flows = [scheme.flow(name="first"), *joiners]
        where = SLOW_MBPS, RTT_S
        scenario = _path(scheme, flows, _times(setup, "illustration"), where, "200 ms")
        yield job(scenario, part="illustration", scheme=name)


def _bandwidth(setup: Setup) -> Part:
    names = (*COMPARED, "VCP code")
    for name, rate, seed in product(names, setup.settings["bandwidths_mbps"], setup.seeds):
        flows = _both_ways(SCHEMES[name], FLOWS, seed)
        scenario = _path(
            SCHEMES[name], flows, _times(setup, "base"), (rate, RTT_S), NO_SERIES, seed
        )
        yield job(scenario, part="bandwidth", scheme=name, mbps=rate, seed=seed)


def _delay(setup: Setup) -> Part:
    names = (*COMPARED, "VCP code")
    for name, rtt, seed in product(names, setup.settings["rtts_ms"], setup.seeds):
        flows, where = _both_ways(SCHEMES[name], FLOWS, seed), (RATE_MBPS, rtt / 1e3)
        times = _times(setup, "base", rtt / 1e3)
        scenario = _path(SCHEMES[name], flows, times, where, NO_SERIES, seed)
        yield job(scenario, part="delay", scheme=name, rtt_ms=rtt, seed=seed)


def _one_way(setup: Setup) -> Part:
    """Repeat it without the flows back: ACKs never wait behind data."""
    for rtt, seed in product(setup.settings["rtts_ms"], setup.seeds):
        scheme, where = SCHEMES["VCP"], (RATE_MBPS, rtt / 1e3)
        flows = [scheme.flow(at) for at in starts(seed, FLOWS, 1.0)]
        times = _times(setup, "base", rtt / 1e3)
        scenario = _path(scheme, flows, times, where, NO_SERIES, seed)
        yield job(scenario, part="one way", rtt_ms=rtt, seed=seed)


def _flows(setup: Setup) -> Part:
    """Vary the flows; their starts are their own, for a run has one place in the tables."""
    for name, count, seed in product(COMPARED, setup.settings["counts"], setup.seeds):
        flows, where = _both_ways(SCHEMES[name], count, seed + 500), (RATE_MBPS, RTT_S)
        scenario = _path(SCHEMES[name], flows, _times(setup, "base"), where, NO_SERIES, seed)
        yield job(scenario, part="flows", scheme=name, flows=count, seed=seed)


def _short(setup: Setup) -> Part:
    """Short files beside the long flows; they are alike for every scheme."""
    rates = setup.settings["arrivals"]
    for name, rate, seed in product(COMPARED, rates, setup.seeds):
        scheme = SCHEMES[name]
        law = {"name": scheme.law, **scheme.params}
        files = {
            "kind": "poisson",
            "law": law,
            "arrivals": f"{rate} flows/s",
            "size": SHORT_FILES,
            "name": "short",
        }
        flows = [*_both_ways(scheme, FLOWS, seed), files]
        where = RATE_MBPS, RTT_S
        scenario = _path(scheme, flows, _times(setup, "base"), where, NO_SERIES, seed)
        yield job(scenario, part="short", scheme=name, arrivals=rate, seed=seed)


def _real_time(setup: Setup) -> Part:
    """Add a voice, and video that takes a share of the line; neither yields, neither is marked."""
    for name, share, seed in product(COMPARED, setup.settings["video"], setup.seeds):
        times, where = _times(setup, "base"), (RATE_MBPS, RTT_S)
        flows = [
            *_both_ways(SCHEMES[name], FLOWS, seed),
            flow("constant", in_seconds(times[1]), **VOICE),
        ]
        if share:
            rate = {"rate_mbps": share * RATE_MBPS}
            flows.append(flow("constant", params=rate, name="video", transport=TRANSPORT))
        scenario = _path(SCHEMES[name], flows, times, where, VOICE_SERIES, seed)
        yield job(scenario, part="real time", scheme=name, video=share, seed=seed)


def _round_trips(setup: Setup) -> Part:
    """Thirty flows whose round trips are `apart` milliseconds apart."""
    for name, spread, seed in product(COMPARED, SPREADS_MS, setup.seeds):
        scheme = SCHEMES[name]
        rtts = [0.04 + i * SPREADS_MS[spread] / 1e3 for i in range(FAIR_FLOWS)]
        begun = starts(seed, FAIR_FLOWS, 1.0)
        flows = [scheme.flow(at, rtt=seconds(rtt)) for at, rtt in zip(begun, rtts, strict=True)]
        room = bdp(FAIR_MBPS, max(rtts))
        times, where = _times(setup, "round_trips"), (FAIR_MBPS, min(rtts))
        scenario = _path(scheme, flows, times, where, NO_SERIES, seed, room)
        yield job(scenario, part="round trips", scheme=name, spread=spread, seed=seed)


def _lot(  # noqa: PLR0913, PLR0917 - what a run differs by
    scheme: Scheme,
    hops: int,
    where: tuple[float, float],
    each: tuple[int, int, int],
    times: tuple[str, str],
    seed: int,
) -> Scenario:
    """Make a chain of links with N flows over all, over each, and back."""
    long, cross, back = each
    rate_mbps, rtt_s = where
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
        **scheme.network(max(bdp(*where), 2 * (long + cross))),
    )


def _parking_lot(setup: Setup) -> Part:
    for name, seed in product(COMPARED, setup.seeds):
        each, where = (FLOWS, FLOWS, FLOWS), (HOP_MBPS, CHAIN_S)
        scenario = _lot(SCHEMES[name], HOPS, where, each, _times(setup, "base"), seed)
        yield job(scenario, part="parking lot", scheme=name, seed=seed)


def _shares(setup: Setup) -> Part:
    """Make chains with room for what exact feedback adds: two flows over three links, two each."""
    for name, seed in product(SHARED, setup.seeds):
        where, times = (LONE_MBPS, RTT_S), _times(setup, "shares")
        scenario = _lot(SCHEMES[name], 3, where, (2, 2, 0), times, seed)
        yield job(scenario, part="shares", scheme=name, seed=seed)


def _joining(setup: Setup) -> Part:
    for name in COMPARED:
        flows = [SCHEMES[name].flow(i * APART_S, name=f"flow {i + 1}") for i in range(JOINED)]
        where, times = (SLOW_MBPS, JOINED_RTT_S), _times(setup, "joining")
        yield job(_path(SCHEMES[name], flows, times, where, "1 s"), part="joining", scheme=name)


def _crowd(setup: Setup) -> Part:
    """Fifty flows; 150 come and leave."""
    leave = seconds(CROWD_LEAVES_S)
    for name, seed in product(COMPARED, setup.seeds):
        scheme = SCHEMES[name]
        stay = [scheme.flow(at, name="stay") for at in starts(seed, FLOWS, 1.0)]
        come = [
            scheme.flow(CROWD_S + at, stop=leave, name="crowd") for at in starts(seed, CROWD, 0.1)
        ]
        where, times = (RATE_MBPS, RTT_S), _times(setup, "crowd")
        scenario = _path(scheme, [*stay, *come], times, where, "200 ms", seed)
        yield job(scenario, part="crowd", scheme=name, seed=seed)


def _vcp(**params: Any) -> Scheme:
    return Scheme("vcp", params, SCHEMES["VCP"].feedback)


def _xi(_: Setup) -> Part:
    for xi in XIS:
        scheme = _vcp(xi=xi)
        where = LONE_MBPS, RTT_S
        flows = [scheme.flow(name="vcp")]
        yield job(_path(scheme, flows, ("130 s", "0 s"), where, "200 ms"), part="xi", xi=xi)


def _scaling(_: Setup) -> Part:
    """Ten flows start together where the round trip is short; the buffer takes the overshoot."""
    for scaling in ("rtt", "none"):
        scheme = _vcp(scaling=scaling)
        flows = [scheme.flow(at) for at in starts(1, 10, 1.0)]
        scenario = _path(scheme, flows, ("30 s", "0 s"), (50, 0.01), "200 ms", 1, 5000)
        yield job(scenario, part="scaling", scaling=scaling)


def _lossy(setup: Setup) -> Part:
    """One flow on a link that loses packets at random: a wireless channel."""
    for name, loss, seed in product(COMPARED, setup.settings["lossy"]["losses"], setup.seeds):
        scheme, where = SCHEMES[name], (50.0, RTT_S)
        network = {
            "rate": f"{where[0]:g} Mbit/s",
            "rtt": seconds(RTT_S),
            "access": "links",
            "loss": loss,
            **scheme.network(bdp(*where)),
        }
        scenario = path([scheme.flow()], _times(setup, "lossy"), network, NO_SERIES, seed)
        yield job(scenario, part="lossy", scheme=name, loss=loss, seed=seed)


def _beside_tcp(setup: Setup) -> Part:
    """Five flows of VCP and five of TCP at a port with VCP's router and drop-tail."""
    for seed in setup.seeds:
        scheme = SCHEMES["VCP"]
        begun = starts(seed, 10, 1.0)
        flows = [scheme.flow(at, name="vcp") for at in begun[::2]]
        flows += [Scheme("reno").flow(at, name="tcp") for at in begun[1::2]]
        where = SLOW_MBPS, RTT_S
        scenario = _path(scheme, flows, _times(setup, "base"), where, NO_SERIES, seed)
        yield job(scenario, part="beside tcp", seed=seed)


def _exact(k: float, rtts_s: tuple[float, ...], setup: Setup, series: str) -> Scenario:
    params: Mapping[str, Any] = {"feedback": "exact", "k": k}
    scheme = Scheme("vcp", params, {"name": "vcp", "gamma": ROOM})
    begun = starts(1, len(rtts_s), 1.0)
    flows = [scheme.flow(at, rtt=seconds(rtt)) for at, rtt in zip(begun, rtts_s, strict=True)]
    where = LONE_MBPS, min(rtts_s)
    return _path(scheme, flows, _times(setup, "fluid"), where, series, 1, 1000)


def _fluid(setup: Setup) -> Part:
    yield job(_exact(KS[0], FLUID_RTTS_S, setup, NO_SERIES), part="fluid")


def _stability(setup: Setup) -> Part:
    for k in KS:
        yield job(_exact(k, (0.2,) * len(FLUID_RTTS_S), setup, "200 ms"), part="stability", k=k)


def fluid_rate(k: float) -> float:
    """Rate at rest of each flow of the fluid model, packets/s: alpha 1, period 200 ms."""
    return ROOM * bdp(LONE_MBPS, 1.0) / len(FLUID_RTTS_S) + 1 / (k * 0.2)
