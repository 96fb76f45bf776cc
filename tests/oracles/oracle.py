"""The measured files, and the scenarios that repeat what they measured."""

import csv
from pathlib import Path
from typing import Any

from headgate import Result, Scenario

DATA = Path(__file__).parent / "data"


def rows(name: str) -> list[dict[str, str]]:
    """Read a file of the oracle; an absent one fails the test."""
    with (DATA / name).open() as file:
        return list(csv.DictReader(file))


def run(**scenario: Any) -> Result:
    """Run a scenario given as in TOML."""
    return Scenario.from_dict({"seed": 1} | scenario).run()


def bottleneck(result: Result, column: str) -> float:
    """Figure of the bottleneck's port, left to right."""
    at = result.ports["link"] == "bottleneck"
    return float(result.ports[column][at][0])
