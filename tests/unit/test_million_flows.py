"""A list of a million flows: the cost of a check and a run, and every flow in the result."""

import sys
from pathlib import Path

import pytest

from headgate import Result

from .test_large_store import taken

FLOWS = 1_000_000
SCENARIO = """
duration = "12 s"
[network]
kind = "dumbbell"
rate = "10 Gbit/s"
rtt = "20 ms"
buffer = "1 BDP"
[[traffic]]
kind = "replay"
cca = "reno"
file = "flows.csv"
[measure]
series = "none"
"""


@pytest.mark.timing
def test_a_million_flows_take_seconds_and_a_kilobyte_each(tmp_path: Path) -> None:
    rows = (f"{number * 1e-5:.5f},{1 + number % 3}\n" for number in range(FLOWS))
    (tmp_path / "flows.csv").write_text("start_s,size_packets\n" + "".join(rows))
    (tmp_path / "million.toml").write_text(SCENARIO)
    checked = taken(sys.executable, "-m", "headgate", "check", tmp_path / "million.toml")
    assert (checked.code, checked.cpu_s < 2, checked.peak_bytes < 250e6) == (0, True, True)
    out = tmp_path / "out"
    ran = taken(sys.executable, "-m", "headgate", "run", tmp_path / "million.toml", "--out", out)
    assert (ran.code, ran.cpu_s < 12, ran.peak_bytes < 1.2e9) == (0, True, True)
    flows = Result.read(out).flows
    assert len(flows) == FLOWS
    assert set(flows["status"].tolist()) == {"finished"}
