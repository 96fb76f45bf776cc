"""RED of ns-2.35 under traffic both ways."""

from typing import Any

import numpy as np
import pytest

from headgate.result import Result

from .oracle import bottleneck, rows, run

SEEDS = range(1, 6)
THRESHOLDS: dict[str, dict[str, Any]] = {
    "AUTO": {"mode": "bytes", "mean_packet_bytes": 1000},
    "THIRDS": {"min": "333 packets", "max": "666 packets"},
}
CASES = [
    pytest.param(flows, kind, ecn, marks=[pytest.mark.slow] if flows == 20 else [])
    for flows in (20, 50)
    for kind in THRESHOLDS
    for ecn in (0, 1)
]


def both_ways(flows: int, kind: str, ecn: int, seed: int) -> Result:
    starts = np.random.default_rng(seed).uniform(0, 2, 2 * flows)
    queue = {"kind": "red", "ecn": "on" if ecn else "off", **THRESHOLDS[kind]}
    return run(
        seed=seed,
        duration="100 s",
        network={
            "kind": "dumbbell",
            "rate": "100 Mbit/s",
            "rtt": "80 ms",
            "buffer": "1000 packets",
            "access": "direct",
            "queue": queue,
        },
        transport={"preset": "ns2", "segment": "960 B", "recovery": "sack", "ecn": bool(ecn)},
        traffic=[
            {"kind": "flows", "law": "reno", "start": f"{start:.6f} s", "reverse": i % 2 == 0}
            for i, start in enumerate(starts)
        ],
        measure={"warmup": "20 s", "series": "none"},
    )


@pytest.mark.parametrize(("flows", "kind", "ecn"), CASES)
def test_two_way_traffic(flows: int, kind: str, ecn: int) -> None:
    """Asked: utilisation within 2 points, the mean queue within a factor of 2.

    One run is chaotic: what is compared are means of five, and the difference may in addition be
    what two such means differ by chance (three standard errors).
    """
    case = (str(flows), kind, str(ecn))
    theirs = [r for r in rows("ns2/red.csv") if (r["flows"], r["thresholds"], r["ecn"]) == case]
    ours = [both_ways(flows, kind, ecn, seed) for seed in SEEDS]
    used = np.array([bottleneck(result, "utilisation") for result in ours])
    their_use = np.array([float(row["utilisation"]) for row in theirs])
    chance = 3 * np.sqrt((used.var(ddof=1) + their_use.var(ddof=1)) / len(SEEDS))
    assert abs(used.mean() - their_use.mean()) <= 0.02 + chance
    queue = np.mean([bottleneck(result, "mean_queue_packets") for result in ours])
    assert 0.5 <= queue / np.mean([float(row["mean_queue_pkts"]) for row in theirs]) <= 2
    if not ecn:
        loss = np.mean([bottleneck(result, "loss_rate") for result in ours])
        assert loss == pytest.approx(np.mean([float(row["loss_rate"]) for row in theirs]), rel=0.3)
