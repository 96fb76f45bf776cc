"""The path of a case as a scenario, for real hosts and for ours."""

from __future__ import annotations

from typing import Any

from headgate import Scenario
from headgate_studies.conform.kernel.cases import BY_MARKS, RATE_MBPS, KernelCase
from headgate_studies.conform.kernel.laws import law_keys

#: A link so fast that nothing waits for it.
AT_ONCE = "1 Tbit/s"
BOTTLENECK = "queue-receivers"
#: Programs start before a kernel's flows may: sending begins this long after the simulation, s.
LEAD_S = 10.0
SAMPLES_S = 0.01

#: A receiver acknowledges each segment while the window that it offers grows; with buffers of 32
#: MiB that takes some 1,550 segments (docs/reference/validation-linux.md).
QUICK_ACKS = 1550


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
    """Return it with our flows, and laws as those of a kernel with such a clock."""
    flows = [_flow(sender, tick_s) for sender in case.senders]
    return _scenario(case, seed, lay_path(case), flows)


def _flow(sender: Any, tick_s: float) -> dict[str, Any]:
    flow = {
        "kind": "flows",
        "law": law_keys(sender.law, tick_s),
        "start": f"{LEAD_S + sender.start_s} s",
    }
    if sender.law == BY_MARKS:
        flow["transport"] = {"preset": "linux", "quick_acks": QUICK_ACKS, "ecn": True}
    return flow | ({"size": f"{sender.segments} packets"} if sender.segments else {})
