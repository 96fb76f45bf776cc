"""XCP beside ns-2.35: the flow list, and endless flows both ways."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from headgate.result import Result

from .oracle import bottleneck, rows, run
from .test_ns2 import mean_fct, write_jittered

NETWORK = {
    "kind": "dumbbell",
    "rate": "150 Mbit/s",
    "rtt": "100 ms",
    "buffer": "1874 packets",
    "access": "direct",
}
TRANSPORT = {"preset": "ns2", "segment": "960 B", "recovery": "newreno"}


def summary(case: str) -> dict[str, float]:
    """Give the means of ns-2's repeats."""
    repeats = [row for row in rows("ns2/xcp_summary.csv") if row["case"] == case]
    keys = ("utilisation", "loss_rate", "mean_queue_pkts")
    return {key: float(np.mean([float(row[key]) for row in repeats])) for key in keys}


def replay(path: Path, law: str, duration: str) -> Result:
    write_jittered(path, 1)
    return run(
        duration=duration,
        network=NETWORK | {"feedback": law},
        transport=TRANSPORT,
        traffic=[{"kind": "replay", "law": law, "file": str(path)}],
        measure={"warmup": "10 s", "series": "none"},
    )


def test_port_under_the_flow_list(tmp_path: Path) -> None:
    theirs = summary("list")
    ours = replay(tmp_path / "flows.csv", "xcp", "100 s")
    assert bottleneck(ours, "utilisation") == pytest.approx(theirs["utilisation"], abs=0.02)
    assert bottleneck(ours, "loss_rate") == theirs["loss_rate"] == 0
    ratio = bottleneck(ours, "mean_queue_packets") / theirs["mean_queue_pkts"]
    assert 0.5 <= ratio <= 2


def test_completion_time_of_every_size(tmp_path: Path) -> None:
    ours = replay(tmp_path / "flows.csv", "xcp", "200 s")
    assert (ours.flows["status"] == "finished").all()
    wrong = []
    for row in rows("ns2/fct_xcp.csv"):
        flows = int(row["n_flows"])
        error = mean_fct(ours, row, flows) / float(row["mean_fct_s"]) - 1
        if flows >= 30 and abs(error) > 0.15:
            wrong.append(f"{row['bin_lo_pkts']}-{row['bin_hi_pkts']} packets: {error:+.1%}")
    assert not wrong


@cache
def both_ways(flows: int) -> list[Result]:
    """Give runs of endless flows both ways that begin within the first second or so."""
    return [
        run(
            seed=seed,
            duration="60 s",
            network=NETWORK | {"rtt": "80 ms", "buffer": "1499 packets", "feedback": "xcp"},
            transport=TRANSPORT,
            traffic=[
                {
                    "kind": "flows",
                    "law": "xcp",
                    "count": flows,
                    "start": f"{seed} ms",
                    "stagger": f"{900 / flows + seed + 0.3 * back} ms",
                    "reverse": back,
                }
                for back in (False, True)
            ],
            measure={"warmup": "10 s", "series": "none"},
        )
        for seed in range(1, 5)
    ]


def test_fifty_flows_each_way() -> None:
    theirs = summary("both ways")
    ours = both_ways(50)
    utilisation = np.mean([bottleneck(result, "utilisation") for result in ours])
    assert utilisation == pytest.approx(theirs["utilisation"], abs=0.02)
    queue = np.mean([bottleneck(result, "mean_queue_packets") for result in ours])
    assert 0.5 <= queue / theirs["mean_queue_pkts"] <= 2
    assert all(bottleneck(result, "loss_rate") == 0 for result in ours)


def test_rcp_on_the_flow_list_loses_nothing_and_finishes(tmp_path: Path) -> None:
    ours = replay(tmp_path / "flows.csv", "rcp", "200 s")
    assert (ours.flows["status"] == "finished").all()
    # no flow is faster than two round trips
    assert np.min(ours.flows["fct_sender_s"]) >= 0.2
