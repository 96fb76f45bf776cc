"""Counts of what came true, beside the shares that are promised."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

POWER = Path(__file__).parents[2] / "docs" / "reference" / "power.md"
#: The least and the greatest share that is promised.
Promise = tuple[float, float]


@dataclass
class Rates:
    """Counts of what came true among how many; `wrong` are examples of what did not."""

    counts: dict[str, list[int]] = field(default_factory=dict)
    wrong: dict[str, list[str]] = field(default_factory=dict)

    def add(self, name: str, hit: bool, example: str = "") -> None:
        of = self.counts.setdefault(name, [0, 0])
        of[0] += bool(hit)
        of[1] += 1
        if example:
            self.wrong.setdefault(name, []).append(example)

    def merge(self, counts: Mapping[str, Iterable[int]]) -> None:
        """Add the counts of others."""
        for name, (hits, of) in counts.items():
            own = self.counts.setdefault(name, [0, 0])
            own[0] += hits
            own[1] += of

    def share(self, name: str) -> float:
        hits, of = self.counts[name]
        return hits / of

    def error(self, name: str, share: float) -> float:
        """Return the standard error of a share."""
        return float(np.sqrt(share * (1 - share) / self.counts[name][1]))


def check(found: Rates, promised: Mapping[str, Promise], wide: float) -> None:
    """Hold shares to their promises; `wide` is how many standard errors chance may take."""
    assert set(found.counts) == set(promised)
    for name, (least, most) in promised.items():
        share, of = found.share(name), found.counts[name]
        said = f"{name}: {share:.4f} of {of[1]}; {found.wrong.get(name, [])[:5]}"
        assert share >= least - wide * found.error(name, least), said
        assert share <= most + wide * found.error(name, most), said


def describe(promise: Promise) -> str:
    """Write what is promised."""
    least, most = promise
    if least == 0:
        return f"at most {most:g}"
    return f"at least {least:g}" if most == 1 else f"{least:g} to {most:g}"


def published(names: Iterable[str]) -> dict[str, float]:
    """Return the rates of these names that docs/reference/power.md prints."""
    wanted = set(names)
    rows = [line.strip("| ").split(" | ") for line in POWER.read_text().splitlines()]
    return {row[0]: float(row[2]) for row in rows if row[0] in wanted}


def publish(found: Rates, promised: Mapping[str, Promise], kind: str, count: int) -> None:
    """Replace the table of a kind in docs/reference/power.md, and the number that it is of."""
    begin, end = f"<!-- rates of {kind}: begin -->", "<!-- end -->"
    lines = ["| what | promised | found | of |", "| --- | --- | --- | --- |"]
    for name, promise in promised.items():
        share, of = found.share(name), found.counts[name][1]
        lines.append(f"| {name} | {describe(promise)} | {share:.4f} | {of:,} |")
    text = POWER.read_text(encoding="utf-8")
    head, _, rest = text.partition(begin)
    _, _, tail = rest.partition(end)
    head = re.sub(rf"ates of [\d,]+ {kind}", f"ates of {count:,} {kind}", head)
    table = "\n".join(lines)
    POWER.write_text(f"{head}{begin}\n\n{table}\n\n{end}{tail}", encoding="utf-8")
