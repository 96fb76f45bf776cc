"""Sweeps of a study with Python: a function makes one scenario, a file says for which levels.

    [sweeps.delay]
    base = "vary_delay"
    levels = { scheme = "$compared", rtt_ms = "$rtts_ms", seed = "$seeds" }

Every combination of levels is a run; its labels are the name of the sweep and the levels, in order.
`"$name"` stands for a setting, `$seeds` and `$laws` for those of the scale; of a table the keys are
levels. `where` leaves combinations out. Where levels hang together, `each` names a function that
gives tables of labels; those of `levels` come below each of them. `replicates` says how many seeds
there are, where it is not as many as the scale has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import Field

from headgate.base.errors import HeadgateError
from headgate.base.strict import Strict, fit_model
from headgate.engine.api import Scenario
from headgate.experiment.conditions import Label, holds, label_table
from headgate.experiment.runs import Setup
from headgate.experiment.study.fill import fill
from headgate.experiment.study.functions import Functions
from headgate.lab.jobs import Job

Labels = Mapping[str, Label]
"""What a run differs by, and what it is called by."""
BASE = "base"


class Sweep(Strict):
    """`[sweeps.NAME]` of a study with Python."""

    base: str
    """The function in the study's `jobs` that makes a scenario of a setup and levels."""
    part: str = ""
    """The first label, if it is not the name of the sweep."""
    each: str = ""
    """The function there that gives labels which no product does."""
    levels: dict[str, Any] = Field({})
    where: str = ""
    """SQL condition on the labels."""
    replicates: int | str | None = None
    """How many seeds there are, if not those of the scale."""


@dataclass(frozen=True)
class Sweeps:
    """The sweeps of a study, and the functions that they name."""

    package: str
    folder: Path
    given: Mapping[str, Mapping[str, Any]]

    @cached_property
    def _bases(self) -> Functions:
        return Functions(self.package, (self.folder,), "jobs", "Scenario")

    @cached_property
    def _each(self) -> Functions:
        return Functions(self.package, (self.folder,), "jobs", "Iterator[Labels]")

    def jobs(self, setup: Setup) -> Iterator[Job]:
        """Make every run; the first label says of which part it is. Raises HeadgateError."""
        planned = [self._plan(name, setup) for name in self.given]
        return (job for part, base, rows in planned for job in _make(part, base, rows, setup))

    def _plan(
        self, name: str, setup: Setup
    ) -> tuple[str, Callable[..., Scenario], Sequence[Labels]]:
        """Give part, function and labels of a sweep, all checked."""
        where = f"sweeps.{name}"
        sweep = fit_model(Sweep, dict(self.given[name]), where)
        rows = _choose(sweep.where, self._combine(sweep, setup, where), where)
        base = self._bases.find(sweep.base, where)
        for row in _differing(rows):
            self._bases.check(sweep.base, row, where)
        return sweep.part or name, base, rows

    def _combine(self, sweep: Sweep, setup: Setup, where: str) -> list[Labels]:
        known = {**setup.settings, "seeds": _seeds(sweep, setup, where), "laws": setup.laws}
        levels = {
            name: _levels(fill(given, known, where), f"{where}.levels.{name}")
            for name, given in sweep.levels.items()
        }
        first = self._each.check(sweep.each, {}, where)(setup) if sweep.each else [{}]
        return [
            {**one, **dict(zip(levels, row, strict=True))}
            for one in first
            for row in product(*levels.values())
        ]


def _seeds(sweep: Sweep, setup: Setup, where: str) -> Sequence[int]:
    if sweep.replicates is None:
        return setup.seeds
    count = fill(sweep.replicates, setup.settings, f"{where}.replicates")
    if not isinstance(count, int) or count < 1:
        raise HeadgateError(f"{where}.replicates: {count!r} is no number of replicates, such as 3")
    return tuple(range(setup.seeds[0], setup.seeds[0] + count))


def _levels(given: Any, where: str) -> Sequence[Label]:
    """Return levels as they are listed, or the keys of a table. Raises HeadgateError."""
    levels = [*given] if isinstance(given, list | tuple | Mapping) else None
    if levels is None or not all(isinstance(one, str | int | float) for one in levels):
        raise HeadgateError(f"{where}: {given!r} is no list of words or numbers")
    return levels


def _choose(condition: str, rows: Sequence[Labels], where: str) -> Sequence[Labels]:
    if not (condition and rows):
        return rows
    table = label_table({name: [row[name] for row in rows] for name in rows[0]})
    try:
        kept = holds(condition, table)
    except HeadgateError as error:
        raise HeadgateError(f"{where}: {error}") from None
    return [row for row, passes in zip(rows, kept, strict=True) if passes]


def _differing(rows: Sequence[Labels]) -> list[Labels]:
    """Return rows enough to have every level of every label."""
    seen: set[tuple[str, Label]] = set()
    found: list[Labels] = []
    for row in rows:
        if not (found and seen.issuperset(row.items())):
            seen |= {*row.items()}
            found.append(row)
    return found


def _make(
    part: str, base: Callable[..., Scenario], rows: Sequence[Labels], setup: Setup
) -> Iterator[Job]:
    return (Job(base(setup, **row), {"part": part, **row}) for row in rows)
