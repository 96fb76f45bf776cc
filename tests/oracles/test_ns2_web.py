"""Time-outs of files and of an endless flow beside them, as ns-2.35 has them.

ns-2's agents count the time-outs of their SYNs among all others (`nrexmit_`), and ours do not.
"""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .oracle import bottleneck, rows, run
from .test_ns2_ccas import LINUX
from .web import AGENTS, REPEATS, UNTIL_S, files

SACK1: dict[str, Any] = {"preset": "ns2", "segment": "960 B"}
#: TCP/Linux uses a time stamp of 10 B in 1000.
TCP_LINUX = LINUX | {"segment": "950 B"}
CCAS: dict[str, tuple[str, dict[str, Any]]] = {"Sack1": ("reno", SACK1), "bic": ("bic", TCP_LINUX)}
#: Standard errors by which means may differ: 1 % of the time chance alone does more.
ERRORS = 2.6
FIGURES = ("long_packets", "timeouts_per_drop", "drops")
#: Figures that are out of bounds; the reference page of the oracles says by how much.
DIFFERS = {("bic", "timeouts_per_drop")}


@cache
def theirs(agent: str) -> dict[str, Any]:
    found = [row for row in rows("ns2/web.csv") if row["agent"] == agent]
    assert [int(row["repeat"]) for row in found] == list(REPEATS)
    column = {
        name: np.array([float(row[name]) for row in found]) for name in found[0] if name != "agent"
    }
    return {
        "long_packets": column["long_acked"],
        "timeouts_per_drop": (column["file_timeouts"] - column["dropped_syns"]) / column["drops"],
        "drops": column["drops"],
    }


@cache
def ours(agent: str, folder: Path) -> dict[str, Any]:
    each = [run_ours(agent, repeat, folder) for repeat in REPEATS]
    return {name: np.array([row[name] for row in each]) for name in each[0]}


def run_ours(agent: str, repeat: int, folder: Path) -> dict[str, float]:
    path = folder / f"{repeat}.csv"
    lines = [f"{start},{size}" for start, size in files(repeat)]
    path.write_text("\n".join(["start_s,size_pkts", *lines]) + "\n")
    cca, transport = CCAS[agent]
    result = run(
        duration=f"{UNTIL_S} s",
        network={
            "kind": "dumbbell",
            "rate": "10 Mbit/s",
            "rtt": "100 ms",
            "buffer": "60 packets",
            "access": "direct",
        },
        transport=SACK1,
        traffic=[
            {"kind": "flows", "name": "long", "cca": cca, "transport": transport},
            {"kind": "replay", "name": "files", "cca": "reno", "file": str(path)},
        ],
        measure={"warmup": "10 s", "series": "none"},
    )
    flows = result.flows
    is_file = flows["traffic"] == "files"
    drops = bottleneck(result, "drops")
    return {
        "long_packets": float(flows["delivered_packets"][~is_file][0]),
        "timeouts_per_drop": float(flows["timeouts"][is_file].sum()) / drops,
        "drops": drops,
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "figure"), sorted({(a, f) for a in AGENTS for f in FIGURES} - DIFFERS)
)
def test_an_endless_flow_beside_files(
    agent: str, figure: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    mine = ours(agent, tmp_path_factory.getbasetemp())[figure]
    other = theirs(agent)[figure]
    error = np.hypot(*(np.std(each, ddof=1) / np.sqrt(len(each)) for each in (mine, other)))
    assert abs(np.mean(mine) - np.mean(other)) <= ERRORS * error
