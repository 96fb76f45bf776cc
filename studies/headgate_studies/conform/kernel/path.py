"""A case in simulation: the counterparts of Linux algorithms, the path, and the run."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from headgate import Result, Scenario
from headgate_studies.conform.kernel.cases import BY_MARKS, RATE_MBPS, KernelCase, Sender
from headgate_studies.conform.kernel.comparison import Course, Numbers, Outcome

#: A link so fast that nothing waits for it.
AT_ONCE = "1 Tbit/s"
BOTTLENECK = "queue-receivers"
#: Programs start before a kernel's flows may: sending begins this long after the simulation, s.
LEAD_S = 10.0
SAMPLES_S = 0.01
#: A receiver acknowledges each segment while the window that it offers grows; with buffers of 32
#: MiB that takes some 1,550 segments (docs/reference/validation-linux.md).
QUICK_ACKS = 1550


@dataclass(frozen=True)
class Match:
    """A CCA of Linux: its name there, ours, and the parameters that make ours that module."""

    linux: str
    ours: str
    params: dict[str, Any] = field(default_factory=dict)
    jiffies: dict[str, float] = field(default_factory=dict)
    """Parameters that are this many ticks of the kernel's clock, in seconds."""


#: Algorithms that Linux has and we do too.
MATCHES = (
    Match("reno", "reno"),
    Match("cubic", "cubic"),
    Match("bbr", "bbr"),
    Match("bic", "bic"),
    Match("dctcp", "dctcp", {"variant": "linux"}),
    Match("highspeed", "hstcp", {"variant": "linux"}),
    Match("htcp", "htcp", jiffies={"tick_s": 1.0}),
    Match("illinois", "illinois"),
    Match("scalable", "scalable", {"variant": "linux-5.6"}),
    Match("vegas", "vegas"),
    Match("westwood", "westwood", {"variant": "linux"}, jiffies={"tick_s": 1.0}),
    Match("yeah", "yeah"),
)

#: Algorithms that Linux has and we have not.
NOT_OURS = ("cdg", "hybla", "lp", "nv", "veno")


def find(linux: str) -> Match:
    """Return the algorithm of that name in Linux."""
    return next(match for match in MATCHES if match.linux == linux)


def choose(names: Iterable[str] | None) -> list[Match]:
    """Return the algorithms named, by our name or by Linux's; all without names."""
    if names is None:
        return list(MATCHES)
    wanted = {*names}
    return [match for match in MATCHES if {match.linux, match.ours} & wanted]


def without_counterpart(names: Iterable[str] | None) -> list[str]:
    """Return algorithms of the catalogue, or of those named, that Linux does not have."""
    from headgate import catalog

    every = [cca.name for cca in catalog.ccas() if cca.family != "none"]
    known = {name for match in MATCHES for name in (match.linux, match.ours)}
    return [name for name in (every if names is None else names) if name not in known]


def cca_keys(linux: str, tick_s: float) -> dict[str, Any]:
    """Return the keys of a scenario's algorithm for a kernel whose clock ticks so often."""
    match = find(linux)
    ticks = {name: count * tick_s for name, count in match.jiffies.items()}
    return {"name": match.ours, **match.params, **ticks}


def lay_path(case: KernelCase, *, bottleneck: bool = True) -> dict[str, Any]:
    """Return the network: random loss, then the bottleneck; the way back only delays.

    Without a bottleneck it is in the kernel's own discipline.
    """
    half = f"{case.rtt_ms / 2} ms"
    there: dict[str, Any] = {"rate": AT_ONCE, "delay": half}
    if bottleneck:
        there |= {"rate": f"{RATE_MBPS} Mbit/s", "buffer": f"{case.buffer} packets"}
        there |= {"queue": dict(case.queue)} if case.queue else {}
    return {
        "kind": "graph",
        "directed": True,
        "routers": [{"name": name} for name in ("senders", "queue", "receivers")],
        "links": [
            {"ends": ["senders", "queue"], "rate": AT_ONCE, "delay": "0 s", "loss": case.loss},
            {"ends": ["queue", "receivers"], **there},
            {"ends": ["receivers", "queue"], "rate": AT_ONCE, "delay": half},
            {"ends": ["queue", "senders"], "rate": AT_ONCE, "delay": "0 s"},
        ],
    }


def _scenario(
    case: KernelCase, seed: int, network: dict[str, Any], traffic: list[dict[str, Any]]
) -> Scenario:
    ends = {"source": "senders", "receiver": "receivers"}
    return Scenario.from_dict(
        {
            "seed": seed,
            "duration": f"{LEAD_S + case.duration_s} s",
            "network": network,
            "transport": {"preset": "linux", "quick_acks": QUICK_ACKS},
            "traffic": [{**ends, **item} for item in traffic],
            "measure": {
                "warmup": f"{LEAD_S + case.from_s} s" if case.from_s else "0 s",
                "series": {"interval": f"{SAMPLES_S * 1e3:g} ms", "ports": [BOTTLENECK]},
            },
        }
    )


def for_real_hosts(case: KernelCase, seed: int) -> Scenario:
    """Return the scenario with hosts a and b."""
    network = lay_path(case, bottleneck=not case.qdisc)
    return _scenario(case, seed, network, [{"kind": "live", "hosts": ["a"], "peers": ["b"]}])


def for_ours(case: KernelCase, seed: int, tick_s: float) -> Scenario:
    """Return it with our flows, and algorithms as those of a kernel with such a clock.

    A user-defined algorithm of the case takes the place of ours.
    """
    flows = [_flow(case, sender, tick_s) for sender in case.senders]
    return _scenario(case, seed, lay_path(case), flows)


def _flow(case: KernelCase, sender: Sender, tick_s: float) -> dict[str, Any]:
    flow = {
        "kind": "flows",
        "cca": case.replacement or cca_keys(sender.cca, tick_s),
        "start": f"{LEAD_S + sender.start_s} s",
    }
    if sender.cca == BY_MARKS:
        flow["transport"] = {"preset": "linux", "quick_acks": QUICK_ACKS, "ecn": True}
    return flow | ({"size": f"{sender.segments} packets"} if sender.segments else {})


def simulate(case: KernelCase, seed: int, tick_s: float) -> Outcome:
    """Run a case with our algorithms."""
    result = for_ours(case, seed, tick_s).run()
    flows = result.flows
    return Outcome(
        tuple((flows["goodput_bps"] / 1e6).tolist()),
        read_mean_queue(result),
        float(flows["retransmissions"].sum()),
        float(flows["recoveries"].sum()),
        float(flows["fct_receiver_s"][0]) if case.is_sized else float("nan"),
        tuple(_course(result, name) for name in _names(result)),
        read_queue(result),
        float(result.ports["marks"].sum()),
    )


def _names(result: Result) -> list[str]:
    of_flows = result.series["of"] == "flow"
    return list(dict.fromkeys(result.series["name"][of_flows].tolist()))


def _course(result: Result, name: str) -> Course:
    rows = result.series.where((result.series["of"] == "flow") & (result.series["name"] == name))
    after = rows.where(rows["t_s"] >= LEAD_S)
    return Course(after["t_s"] - LEAD_S, after["cwnd_packets"], after["ssthresh_packets"])


def read_mean_queue(result: Result) -> float:
    """Return the mean number of packets that wait at the bottleneck, simulated."""
    at = result.ports["link"] == BOTTLENECK
    return float(result.ports["mean_queue_packets"][at][0])


def read_queue(result: Result) -> tuple[Numbers, Numbers]:
    """Return its course, from the start of sending."""
    rows = result.series.where(
        (result.series["of"] == "port")
        & (result.series["name"] == BOTTLENECK)
        & (result.series["t_s"] >= LEAD_S)
    )
    return rows["t_s"] - LEAD_S, np.asarray(rows["queue_packets"], np.float64)
