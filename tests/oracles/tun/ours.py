"""The same cases in Headgate, and the same figures of them."""

from functools import cache
from typing import Any

import numpy as np
from tests.oracles.oracle import run

from headgate import Result

from .kernel import RATE_MBPS, Case

#: A receiver acknowledges each segment while the window it offers grows (tcp_grow_window); with the
#: buffers of `hosts.c` that takes some 1,550 segments.
LINUX = {"preset": "linux", "quick_acks": 1550}
#: Where random loss strikes before the queue: a link so fast that nothing waits for it.
AT_ONCE = "1 Tbit/s"


def network(case: Case) -> dict[str, Any]:
    """Give the path: random loss, the bottleneck, and a way back that only delays."""
    there = {"delay": f"{case.rtt_ms / 2} ms", "buffer": f"{case.buffer} packets"}
    back = {"rate": AT_ONCE, "delay": f"{case.rtt_ms / 2} ms"}
    return {
        "kind": "graph",
        "directed": True,
        "routers": [{"name": name} for name in ("senders", "queue", "receivers")],
        "links": [
            {"ends": ["senders", "queue"], "rate": AT_ONCE, "delay": "0 s", "loss": case.loss},
            {"ends": ["queue", "receivers"], "rate": f"{RATE_MBPS} Mbit/s", **there},
            {"ends": ["receivers", "queue"], **back},
            {"ends": ["queue", "senders"], "rate": AT_ONCE, "delay": "0 s"},
        ],
    }


def traffic(case: Case) -> list[dict[str, Any]]:
    """Give the flows."""
    return [
        {"kind": "flows", "law": law, "start": f"{start} s"}
        | {"source": "senders", "receiver": "receivers"}
        | ({"size": f"{segments} packets"} if segments else {})
        for law, start, segments in case.flows
    ]


@cache
def simulate(case: Case, repeat: int) -> Result:
    """Run a case."""
    return run(
        seed=repeat,
        duration=f"{case.duration_s} s",
        network=network(case),
        transport=LINUX,
        traffic=traffic(case.repeated(repeat)),
        measure={"warmup": f"{case.from_s} s", "series": {"interval": "20 ms"}},
    )


def figures(case: Case, repeat: int, flow: int) -> dict[str, float]:
    """Give a flow's figures under the names that the kernel's have."""
    whole = simulate(case, repeat)
    return {
        "goodput_mbps": float(whole.flows["goodput_bps"][flow]) / 1e6,
        "mean_queue": bottleneck_queue(whole),
        "retransmissions": float(whole.flows["retransmissions_total"][flow]),
        "retransmissions_measured": float(whole.flows["retransmissions"][flow]),
        "recoveries_measured": float(whole.flows["recoveries"][flow]),
        "probe_rtts_measured": probe_rtts(case, whole),
    }


def bottleneck_queue(result: Result) -> float:
    """Give the mean number of packets that wait at the bottleneck."""
    at = result.ports["link"] == "queue-receivers"
    return float(result.ports["mean_queue_packets"][at][0])


def probe_rtts(case: Case, result: Result) -> float:
    """Count how often BBR, alone, falls to its least window."""
    series = result.series
    flow = series.where((series["of"] == "flow") & (series["t_s"] > case.from_s))
    low = flow["cwnd_packets"] <= 4
    return float(np.sum(low[1:] & ~low[:-1]))
