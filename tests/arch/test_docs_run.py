"""Every block of Python in the documentation runs, page by page, with the files that it names."""

import csv
import warnings
from itertools import product
from pathlib import Path

import pytest

from headgate import HeadgateWarning, Scenario
from headgate.base.errors import FluidWarning
from headgate.engine.api import simulate
from headgate.lab.jobs import Job
from headgate.lab.store import Store

from .repository import ROOT
from .test_docs import PAGES, blocks

SMALL = {
    "duration": "2 s",
    "network": {"kind": "dumbbell", "rate": "5 Mbit/s", "rtt": "20 ms"},
    "traffic": [{"kind": "flows", "cca": "reno", "size": "20 packets"}],
    "measure": {"periods": 1},
}


#: Its recipes are programs, each by itself: tests/unit/test_cookbook.py.
COOKBOOK = "cookbook.md"


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if blocks(page, "python") and page.name != COOKBOOK],
    ids=lambda page: page.name,
)
def test_python_in_the_documentation_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    text = "\n".join(blocks(page, "python"))
    if "runs.csv" in text:
        write_table(tmp_path / "runs.csv")
    if "out/" in text:
        write_runs(tmp_path / "out")
    with warnings.catch_warnings():
        warnings.simplefilter("error", HeadgateWarning)
        warnings.simplefilter("default", FluidWarning)  # of the published settings of tcp-red
        exec(compile(text, page.name, "exec"), {"__name__": "__main__"})


def write_table(path: Path) -> None:
    """A table of runs with two-level factors, two algorithms and two periods."""
    names = ("X1", "X2", "X3", "cca", "period", "condition", "speed", "loss", "rtt", "delay")
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(names)
        for run, (a, b, c, cca, period) in enumerate(
            product((-1, 1), (-1, 1), (-1, 1), ("cubic", "fast", "reno"), ("early", "late"))
        ):
            noise = (run * 37 % 11) / 100
            loss = 1 + 0.4 * a + 0.1 * b * c + noise + (cca == "fast")
            rtt = 50 + 9 * b + 3 * a * c + 10 * noise
            table.writerow((a, b, c, cca, period, f"{a}{b}{c}", a, loss, rtt, rtt / 2))


def write_runs(out: Path) -> None:
    """The runs of a small study, and those of two algorithms over one flow list."""
    store = Store(out / "tcp-replacements")
    for cca in ("reno", "fast"):
        scenario = Scenario.from_dict(SMALL).replaced({"traffic.0.cca": cca})
        store.write(Job(scenario, {"cca": cca}), simulate(scenario))
        simulate(scenario, out / f"replay-{cca}")
