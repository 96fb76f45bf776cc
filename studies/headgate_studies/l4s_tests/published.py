"""The published rows: which flows shared which queue, and their rates."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

#: It repeats the rates of the row with 10 ms to the digit, so that one of both is a mistake.
REPEATED = "50-pfifo-c20-p10"


@dataclass(frozen=True)
class Row:
    """One published test."""

    part: str
    row: str
    rate_mbps: int
    queue: str
    flows: tuple[str, int, str, int]
    """Algorithm and round trip (ms) of the first flow, then of the second one."""
    mbps: tuple[float, float]
    ecn: bool = True
    """Whether packets of the second flow are capable of ECN."""

    @property
    def is_checked(self) -> bool:
        """Whether the row is simulated and counted."""
        return self.row != REPEATED

    @property
    def has_prague(self) -> bool:
        """Whether a flow is Prague."""
        return "prague" in self.flows

    @property
    def is_equal(self) -> bool:
        """Whether both round trips are equal."""
        return self.flows[1] == self.flows[3]


@cache
def read_rows() -> dict[str, Row]:
    """Read all rows, by their names."""
    tables = tomllib.loads(Path(__file__).with_name("published.toml").read_text(encoding="utf-8"))
    rows = [_make(part, given) for part in ("fairness", "shared") for given in tables[part]]
    return {row.row: row for row in rows}


def checked_rows(part: str) -> Iterator[Row]:
    """Give the rows of a part that are simulated."""
    return (row for row in read_rows().values() if row.part == part and row.is_checked)


def _make(part: str, given: dict[str, Any]) -> Row:
    return Row(part, **{**given, "flows": tuple(given["flows"]), "mbps": tuple(given["mbps"])})
