"""Writes docs/reference/reliability.md from the cases that were made."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "reliability.md"
BEGIN, END = "<!-- made by tests/faults/faults.py -->", "<!-- end -->"


class Case(Protocol):
    """The attributes of a case that the table shows."""

    kind: str
    ended: str
    found: tuple[str, ...]


def write(cases: Iterable[Case], seed: int) -> None:
    """Put the table of these cases in its place on the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{table(cases, seed)}\n{END}{after}", encoding="utf-8")


def table(cases: Iterable[Case], seed: int) -> str:
    """Make a row for each kind of fault: how often it was put in, and what came of it."""
    kinds = defaultdict(list)
    for case in cases:
        kinds[case.kind].append(case)
    head = (
        f"Seed {seed}.\n\n| fault | cases | killed | ended with a sentence | went on to the end"
        " | not as it should be |\n| --- | --- | --- | --- | --- | --- |"
    )
    return "\n".join([head, *(_row(kind, of) for kind, of in kinds.items())])


def _row(kind: str, cases: list[Case]) -> str:
    ends = Counter(case.ended for case in cases)
    wrong = sum(bool(case.found) for case in cases)
    return (
        f"| {kind} | {len(cases)} | {ends['killed']} | {ends['told']} | {ends['done']} | {wrong} |"
    )
