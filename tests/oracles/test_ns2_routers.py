"""XCP and RCP beside ns-2.35: the flow list, and endless flows both ways."""

from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import fisher_exact

from headgate import Result

from .oracle import bottleneck, rows, run
from .test_ns2 import mean_fct, write_jittered

NETWORK: dict[str, Any] = {
    "kind": "dumbbell",
    "rate": "150 Mbit/s",
    "rtt": "100 ms",
    "buffer": "1874 packets",
    "access": "direct",
}
TRANSPORT = {"preset": "ns2", "segment": "960 B", "recovery": "newreno"}
#: Its routers begin at times that are drawn.
XCP = {"name": "xcp", "first_interval": "drawn"}
#: RCP used the gains of its authors' figure 6, and an infinite buffer.
ROUTERS: dict[str, dict[str, Any]] = {
    "xcp": {"feedback": XCP},
    "rcp": {
        "feedback": {"name": "rcp", "alpha": 0.1, "beta": 1.0, "first_interval": "drawn"},
        "buffer": "infinite",
    },
}
#: How near the mean completion times are in each of the 22 bins of 30 flows and more.
WITHIN = {"xcp": 0.024, "rcp": 0.012}
#: Our runs with endless flows both ways.
SEEDS = range(1, 13)
KEYS = ("utilisation", "loss_rate", "mean_queue_pkts")


def both_ways_of_ns2() -> dict[str, float]:
    """Give the means of ns-2's repeats with endless flows both ways."""
    return means([row for row in rows("ns2/xcp_summary.csv") if row["case"] == "both ways"])


def list_of_ns2(cca: str) -> dict[str, float]:
    """Give the port's figures under the flow list: of repeats for XCP, of one run for RCP."""
    if cca == "xcp":
        return means([row for row in rows("ns2/xcp_summary.csv") if row["case"] == "list"])
    return {
        row["key"]: float(row[cca]) for row in rows("ns2/fct_summary.csv") if row["key"] in KEYS
    }


def means(repeats: list[dict[str, str]]) -> dict[str, float]:
    return {key: float(np.mean([float(row[key]) for row in repeats])) for key in KEYS}


def replay(path: Path, cca: str, duration: str) -> Result:
    write_jittered(path, 1)
    return run(
        duration=duration,
        network=NETWORK | ROUTERS[cca],
        transport=TRANSPORT,
        traffic=[{"kind": "replay", "cca": cca, "file": str(path)}],
        measure={"warmup": "10 s", "series": "none"},
    )


@pytest.mark.parametrize("cca", sorted(ROUTERS))
def test_port_under_the_flow_list(cca: str, tmp_path: Path) -> None:
    theirs = list_of_ns2(cca)
    ours = replay(tmp_path / "flows.csv", cca, "100 s")
    assert bottleneck(ours, "utilisation") == pytest.approx(theirs["utilisation"], abs=0.02)
    assert bottleneck(ours, "loss_rate") == theirs["loss_rate"] == 0
    ratio = bottleneck(ours, "mean_queue_packets") / theirs["mean_queue_pkts"]
    assert 0.5 <= ratio <= 2


@pytest.mark.parametrize("cca", sorted(ROUTERS))
def test_completion_time_of_every_size(cca: str, tmp_path: Path) -> None:
    ours = replay(tmp_path / "flows.csv", cca, "200 s")
    assert (ours.flows["status"] == "finished").all()
    bins = [row for row in rows(f"ns2/fct_{cca}.csv") if int(row["n_flows"]) >= 30]
    errors = {
        f"{row['bin_lo_pkts']}-{row['bin_hi_pkts']} packets": error(ours, row) for row in bins
    }
    assert len(errors) == 22
    assert not {size: error for size, error in errors.items() if abs(error) > WITHIN[cca]}


def error(ours: Result, row: dict[str, str]) -> float:
    return mean_fct(ours, row, int(row["n_flows"])) / float(row["mean_fct_s"]) - 1


@cache
def both_ways(seed: int, flows: int = 50) -> Result:
    """Run endless flows both ways that begin within the first second or so."""
    return run(
        seed=seed,
        duration="60 s",
        network=NETWORK | {"rtt": "80 ms", "buffer": "1499 packets", "feedback": XCP},
        transport=TRANSPORT,
        traffic=[
            {
                "kind": "flows",
                "cca": "xcp",
                "count": flows,
                "start": f"{seed} ms",
                "stagger": f"{900 / flows + seed + 0.3 * back} ms",
                "reverse": back,
            }
            for back in (False, True)
        ],
        measure={"warmup": "10 s", "series": "none"},
    )


def test_fifty_flows_each_way() -> None:
    theirs = both_ways_of_ns2()
    ours = [both_ways(seed) for seed in SEEDS[:4]]
    utilisation = np.mean([bottleneck(result, "utilisation") for result in ours])
    assert utilisation == pytest.approx(theirs["utilisation"], abs=0.02)
    queue = np.mean([bottleneck(result, "mean_queue_packets") for result in ours])
    assert 0.5 <= queue / theirs["mean_queue_pkts"] <= 2


@pytest.mark.slow
def test_a_run_with_fifty_flows_each_way_loses_packets_as_seldom_as_in_ns2() -> None:
    """A run loses packets if its queue reaches the limit once: one of ns-2's fourteen runs does."""
    losses: dict[str, float] = defaultdict(float)
    for row in rows("ns2/xcp_summary.csv"):
        if row["case"] == "both ways":
            losses[row["repeat"]] += float(row["loss_rate"])
    theirs = [loss > 0 for loss in losses.values()]
    ours = [any(both_ways(seed).ports["loss_rate"] > 0) for seed in SEEDS]
    assert len(theirs) >= len(ours) == 12
    table = [[sum(runs), len(runs) - sum(runs)] for runs in (ours, theirs)]
    assert fisher_exact(table, alternative="greater").pvalue > 0.05
