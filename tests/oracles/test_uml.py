"""A Linux kernel is booted as a process and carries flows: the stored runs can be made again."""

from pathlib import Path

import pytest

from .oracle import rows
from .uml.boot import Run, boot, missing_packages
from .uml.figures import of_batch

FIFO = "netem rate 20mbit -14 limit 68"
CCAS = ("highspeed", "illinois", "scalable", "yeah")


@pytest.mark.slow
def test_a_batch_repeats_the_stored_one(tmp_path: Path) -> None:
    if missing := missing_packages():
        pytest.skip(f"needs the Debian packages {', '.join(missing)}")
    batch = [Run(f"{cca}-67", 40, FIFO, ((cca, 0.0),)) for cca in CCAS]
    boot(batch, tmp_path)
    for made in of_batch(batch, tmp_path):
        stored = next(row for row in rows("uml/runs.csv") if row["run"] == made["run"])
        for name, share in [("goodput_mbps", 0.01), ("queue_packets", 0.03), ("recoveries", 0.15)]:
            assert made[name] == pytest.approx(float(stored[name]), rel=share), (made["run"], name)
