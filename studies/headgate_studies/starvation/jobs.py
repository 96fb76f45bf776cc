"""The scenarios: one flow alone, and two flows of which one path adds jitter."""

from __future__ import annotations

from typing import Any

from headgate import Scenario
from headgate.lab import Setup
from headgate_studies.paths import PACKET_BITS, draw_starts, flow, packets, scale_times

#: One-way delays of the access links and of the bottleneck; the round trip is twice their sum.
ACCESS_MS, BOTTLENECK_MS = 1, 19
#: The room in the buffer, as a time: more than LEDBAT's target of 100 ms.
BUFFER_S = 0.2
#: Flows start within this time, so that neither takes a queue of the other for its path.
TOGETHER_S = 1e-3
#: Rows of the queue, by which its range is measured.
SAMPLE = "10 ms"


def settle(setup: Setup, *, cca: str, rate_mbps: int) -> Scenario:
    """Let one flow settle on a path without jitter."""
    flows = [flow(cca, name="one", source="a", receiver="right")]
    measure = {"series": {"interval": SAMPLE, "flows": [], "ports": ["left-right"]}}
    return _run(setup, "alone", flows, rate_mbps, measure)


def compete(  # noqa: PLR0913 - what a run differs by
    setup: Setup, *, cca: str, rate_mbps: int, side: str, jitter_ms: float, seed: int
) -> Scenario:
    """Let two flows share a bottleneck; the path of `one` delays its packets or its ACKs."""
    starts = draw_starts(seed, 2, TOGETHER_S)
    flows = [
        flow(cca, at, name=name, source=source, receiver="right")
        for name, source, at in zip(("one", "other"), "ab", starts, strict=True)
    ]
    measure = {"series": "none"}
    return _run(setup, "pairs", flows, rate_mbps, measure, side, jitter_ms, seed)


def _run(  # noqa: PLR0913, PLR0917 - what a run differs by
    setup: Setup,
    part: str,
    flows: list[Any],
    rate_mbps: int,
    measure: dict[str, Any],
    side: str = "data",
    jitter_ms: float = 0.0,
    seed: int = 1,
) -> Scenario:
    duration, warmup = scale_times(setup.settings[part], setup.settings["size"])
    jitter = {"name": "jitter", "distribution": "uniform", "mean_s": jitter_ms / 2e3}
    chain = {"impairments": [jitter] if jitter_ms else []}
    with_jitter: dict[str, Any] = chain | {"reverse": {"impairments": []}}
    if side == "acks":
        with_jitter = {"impairments": [], "reverse": chain}
    access = {
        "rate": f"{10 * rate_mbps} Mbit/s", "delay": f"{ACCESS_MS} ms", "buffer": "infinite"
    }  # fmt: skip
    bottleneck = {
        "ends": ["left", "right"],
        "rate": f"{rate_mbps} Mbit/s",
        "delay": f"{BOTTLENECK_MS} ms",
        "buffer": packets(rate_mbps * 1e6 * BUFFER_S / PACKET_BITS),
    }
    links = [
        {"ends": ["a", "left"], **access, **with_jitter},
        {"ends": ["b", "left"], **access},
        bottleneck,
    ]
    routers = [{"name": name} for name in ("a", "b", "left", "right")]
    return Scenario.from_dict(
        {
            "duration": duration,
            "seed": seed,
            "transport": "linux",
            "network": {"kind": "graph", "routers": routers, "links": links},
            "traffic": [{"kind": "flows", **one} for one in flows],
            "measure": {"warmup": warmup, **measure},
        }
    )
