"""A small experiment, in Python and as a file, that several tests run."""

from pathlib import Path

import pytest

from headgate import Experiment
from headgate.plugin import code_files

BASE = {
    "duration": "3 s",
    "network": {"kind": "dumbbell", "rate": "5 Mbit/s", "rtt": "20 ms", "buffer": "1 BDP"},
    "traffic": [
        {"kind": "flows", "cca": "reno", "count": 2},
        {"kind": "poisson", "cca": "reno", "load": 0.2, "size": "10 packets"},
    ],
    "measure": {"warmup": "1 s", "series": "none"},
}
FACTORS = {
    "network.rtt": ["10 ms", "20 ms", "40 ms"],
    "network.buffer": ["0.5 BDP", "2 BDP"],
    "cca": ["reno", "cubic"],
}
FILE = """
title = "small"
scenario = "base.toml"
replicates = 3
responses = ["goodput_bps", "avg(flows.mean_rtt_s)"]

[factors]
network.rtt = ["10 ms", "20 ms", "40 ms"]
"network.buffer" = ["0.5 BDP", "2 BDP"]
cca = ["reno", "cubic"]
"""
RESPONSES = ("goodput_bps", "avg(flows.mean_rtt_s)")


def small(**keys: object) -> Experiment:
    given = {"replicates": 3, "responses": RESPONSES, **keys}
    return Experiment(BASE, FACTORS, **given)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user who has allowed nothing yet, in a process that has read nothing."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(code_files, "_by_hand", set())
    monkeypatch.setattr(code_files, "_by_file", {})
