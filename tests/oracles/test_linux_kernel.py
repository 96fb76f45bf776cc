"""The laws and disciplines beside those of Linux 6.1, run as a process (user-mode Linux)."""

from collections import defaultdict
from functools import cache
from typing import Any

import pytest

from headgate.result import Result

from .oracle import bottleneck, rows, run

SEGMENT_BITS = 1448 * 8
#: That kernel's clock has 100 ticks a second.
TICK_S = 0.01
#: Ours as the modules of that kernel. H-TCP counts RTTs in ticks; stretched ACKs have pushed
#: BIC's estimate of segments per ACK from 2 towards 3, where it stays.
LAWS: dict[str, dict[str, Any]] = {
    "bic": {"name": "bic", "segments_per_ack": 2.75},
    "highspeed": {"name": "hstcp", "variant": "linux"},
    "htcp": {"name": "htcp", "tick_s": TICK_S},
    "scalable": {"name": "scalable", "variant": "linux-5.6"},
    "westwood": {"name": "westwood", "variant": "linux"},
}
#: What `tc` makes of min 30000 max 90000 avpkt 1500 burst 34 probability 0.1. For `adaptive` it
#: sets a flag where this kernel does not look before it starts the timer: the probability stays.
TC_RED = {
    "kind": "red",
    "min": "20 packets",
    "max": "60 packets",
    "weight": 1 / 32,
    "max_p": 0.1,
    "mean_packet_bytes": 1500,
    "mode": "bytes",
    "wait": "drawn",
    "gentle": "off",
}
#: PIE's timer asks for 15 ms and gets two ticks; Linux's drops keep their distance. In the kernel's
#: runs no two of sixteen flows met in one of 1024 queues; here two would.
QUEUES: dict[str, dict[str, Any]] = {
    "codel": {"kind": "codel"},
    "fqcodel": {"kind": "fq-codel", "flows": 65536},
    "pie": {"kind": "pie", "update": "20 ms", "derandomise": "on"},
    "red": TC_RED,
}
#: Windows here grow by fractions, and lose one packet where the kernel's whole ones lose two.
FRACTIONS = "retransmissions"
#: What is out of bounds; the reference page of the oracles says why.
DIFFERS = {
    ("codel16", "queue_packets"),
    ("fqcodel16", "retransmissions_first"),
    ("red1", "queue_packets"),
    ("reno-33", FRACTIONS),
    ("westwood-67", FRACTIONS),
    ("yeah-67", FRACTIONS),
}
#: Where chance decides, the mean of so many runs.
SEEDS = range(1, 6)

REPEATS: dict[str, list[dict[str, str]]] = defaultdict(list)
for row in rows("uml/runs.csv"):
    REPEATS[row["run"]].append(row)


def flow(law: str, start: str = "0 s") -> dict[str, Any]:
    return {"kind": "flows", "law": LAWS.get(law, {"name": law}), "start": start}


@cache
def ours(case: str, duration_s: int, seed: int) -> Result:
    """Repeat a run; figures from 10 s on, or over its first 10 s."""
    row = REPEATS[case][0]
    name = case.rstrip("0123456789")
    network = {"kind": "dumbbell", "rate": "20 Mbit/s", "rtt": "40 ms", "access": "direct"}
    if row["bottleneck"].startswith("netem"):
        network |= {"buffer": f"{int(row['bottleneck'].split()[-1]) - 1} packets"}
    else:
        network |= {
            "buffer": "10240 packets" if name == "fqcodel" else "1000 packets",
            "queue": QUEUES[name],
        }
    return run(
        seed=seed,
        duration=f"{duration_s} s",
        network=network,
        transport="linux",
        traffic=[flow(row["law"]) for _ in range(int(row["flows"]))],
        measure={"warmup": "10 s" if duration_s > 10 else "0 s", "series": "none"},
    )


def figures(case: str, seed: int) -> dict[str, float]:
    """Give what the kernel's runs were summed up to."""
    late, early = ours(case, 60, seed), ours(case, 10, seed)
    return {
        "goodput_mbps": float(late.flows["goodput_bps"].sum()) / 1e6,
        "queue_packets": bottleneck(late, "mean_queue_packets"),
        "retransmissions_first": float(early.flows["retransmissions"].sum()),
        **{name: float(late.flows[name].sum()) for name in ("retransmissions", "recoveries")},
    }


def means(case: str) -> dict[str, float]:
    by_chance = QUEUES.get(case.rstrip("0123456789"), {}).get("kind") in ("red", "pie")
    each = [figures(case, seed) for seed in (SEEDS if by_chance else SEEDS[:1])]
    return {name: sum(one[name] for one in each) / len(each) for name in each[0]}


def bounds(case: str, name: str, share: float, slack: float = 0.0) -> tuple[float, float]:
    """Give the range of the kernel's repeats, widened by a share of it or by a number."""
    theirs = [float(row[name]) for row in REPEATS[case] if row[name]]
    low, high = min(theirs), max(theirs)
    return low - max(share * low, slack), high + max(share * high, slack)


@pytest.mark.parametrize("case", sorted(REPEATS))
def test_like_the_kernel(case: str) -> None:
    found = means(case)
    for name, share, slack in [
        ("goodput_mbps", 0.01, 0.0),
        ("queue_packets", 0.05, 0.5),
        ("retransmissions_first", 0.15, 1.0),
        ("retransmissions", 0.15, 1.0),
        ("recoveries", 0.15, 1.0),
    ]:
        told = any(row[name] for row in REPEATS[case])
        if told and (case, name) not in DIFFERS:
            low, high = bounds(case, name, share, slack)
            assert low <= found[name] <= high, (name, found[name], low, high)


@pytest.mark.parametrize("beside", ["cubic", "reno"])
def test_cubic_joins_a_full_queue(beside: str) -> None:
    """HyStart goes by RTTs of data only, the joining flow's handshake passes a shorter queue."""
    result = run(
        duration="60 s",
        network={
            "kind": "dumbbell",
            "rate": "20 Mbit/s",
            "rtt": "40 ms",
            "buffer": "67 packets",
            "access": "direct",
        },
        transport="linux",
        traffic=[flow(beside), {**flow("cubic", "20 s"), "name": "joins"}],
        measure={"series": {"interval": "10 ms"}},
    )
    joins = result.series.where(result.series["name"] == "joins")
    ended = joins.where(joins["ssthresh_packets"] < 1e6)
    theirs = [row for row in rows("uml/joins.csv") if row["beside"] == beside]
    thresholds = [int(row["first_ssthresh"]) for row in theirs]
    assert min(thresholds) - 1 <= ended["ssthresh_packets"][0] <= max(thresholds) + 1
    assert ended["t_s"][0] - 20 == pytest.approx(0.29, abs=0.015)
