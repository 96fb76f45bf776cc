"""Fifty flows each way over a drop-tail link, which loses ACKs too, beside ns-2.35."""

from functools import cache

import numpy as np
import pytest

from .oracle import bottleneck, rows, run

AGENTS = {"sack": "Sack1", "newreno": "Newreno", "reno": "Reno"}


def theirs(agent: str, held: bool = False) -> dict[str, float]:
    """Give the means of ns-2's repeats."""
    repeats = [
        row
        for row in rows("ns2/both_ways.csv")
        if (row["agent"], row["held"]) == (agent, str(int(held)))
    ]
    keys = ("utilisation", "loss_rate", "mean_queue_pkts")
    return {key: float(np.mean([float(row[key]) for row in repeats])) for key in keys}


@cache
def ours(recovery: str, reduction: str = "each") -> dict[str, float]:
    starts = np.random.default_rng(1).uniform(0, 2, 100)
    result = run(
        duration="100 s",
        network={
            "kind": "dumbbell",
            "rate": "100 Mbit/s",
            "rtt": "80 ms",
            "buffer": "999 packets",
            "access": "direct",
        },
        transport={
            "preset": "ns2",
            "segment": "960 B",
            "recovery": recovery,
            "timeout_reduction": reduction,
        },
        traffic=[
            {"kind": "flows", "cca": "reno", "start": f"{start:.6f} s", "reverse": i % 2 == 0}
            for i, start in enumerate(starts)
        ],
        measure={"warmup": "20 s", "series": "none"},
    )
    keys = ("utilisation", "loss_rate", "mean_queue_packets")
    return {key: bottleneck(result, key) for key in keys}


@pytest.mark.parametrize(
    "recovery", ["sack", "reno", pytest.param("newreno", marks=pytest.mark.slow)]
)
def test_port_of_every_recovery(recovery: str) -> None:
    mine, other = ours(recovery), theirs(AGENTS[recovery])
    assert mine["utilisation"] == pytest.approx(other["utilisation"], abs=0.02)
    assert mine["mean_queue_packets"] == pytest.approx(other["mean_queue_pkts"], rel=0.15)
    assert mine["loss_rate"] == pytest.approx(other["loss_rate"], rel=0.20)


@pytest.mark.slow
def test_one_reduction_for_a_window_loses_more_in_either_program() -> None:
    assert theirs("Sack1", held=True)["loss_rate"] > 1.4 * theirs("Sack1")["loss_rate"]
    assert ours("sack", "once")["loss_rate"] > 1.4 * ours("sack")["loss_rate"]
