"""Sweeps of a study with Python: a function makes one scenario, a file lists its levels.

    [sweeps.delay]
    base = "vary_delay"
    levels = { scheme = "$compared", rtt_ms = "$rtts_ms", seed = "$seeds" }

Every combination of levels is a run; its labels are the name of the sweep and the levels, in order.
A setting replaces `"$name"`; the scale defines `$seeds` and `$ccas`. The levels of a table are its
keys. `where` removes combinations. For levels that depend on each other, `each` names a
function that returns tables of labels, which are combined with `levels`. `replicates` gives the
number of seeds, if it differs from that of the scale.

The functions are in one module of the study, or in several whose names begin alike, such as
`findings_order` and `findings_theory`. The framework gives their first parameter; files give all
others by name. They are found and checked before any run.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import Field, TypeAdapter, ValidationError

from headgate.base.errors import HeadgateError, ScenarioError
from headgate.base.messages import name_run
from headgate.base.progress import count_slow_steps
from headgate.base.strict import Strict, fit_model
from headgate.engine.api import Scenario
from headgate.experiment.conditions import Label, holds, label_table
from headgate.experiment.runs import Setup
from headgate.experiment.study.files import fill
from headgate.lab.jobs import Job

Labels = Mapping[str, Label]
"""The labels that distinguish a run."""
BASE = "base"
_EMPTY = inspect.Parameter.empty


@dataclass(frozen=True)
class Functions:
    """The functions of a study with one return type."""

    package: str
    folders: Sequence[Path]
    """The folder of the study, and that of the file of claims that its file extends, if any."""
    module: str
    returns: str
    """The return annotation, as written."""

    @cached_property
    def there(self) -> dict[str, Callable[..., Any]]:
        """Every such function by its name. Raises HeadgateError."""
        found: dict[str, Callable[..., Any]] = {}
        for name, function in self._public():
            if name in found:
                raise HeadgateError(f"{self._place}: there are two functions {name}")
            found[name] = function
        return found

    def _public(self) -> Iterator[tuple[str, Callable[..., Any]]]:
        for path in (p for f in self.folders for p in sorted(f.glob(f"{self.module}*.py"))):
            module = import_module(f"{self.package}.{path.parent.name}.{path.stem}")
            for name, one in inspect.getmembers(module, inspect.isfunction):
                own = one.__module__ == module.__name__ and not name.startswith("_")
                if own and one.__annotations__.get("return") == self.returns:
                    yield name, one

    @property
    def _place(self) -> str:
        return " and ".join(f"{folder.name}/{self.module}*.py" for folder in self.folders)

    def find(self, name: str, place: str) -> Callable[..., Any]:
        """Return a function by its name. Raises HeadgateError."""
        if name not in self.there:
            known = ", ".join(sorted(self.there)) or "none"
            raise HeadgateError(
                f"{place}: there is no function {name!r} -> {self.returns} in {self._place};"
                f" there are {known}"
            )
        return self.there[name]

    def check(self, name: str, arguments: Mapping[str, Any], place: str) -> Callable[..., Any]:
        """Return a function that takes these arguments. Raises HeadgateError."""
        function = self.find(name, place)
        _, *named = inspect.signature(function, eval_str=True).parameters.values()
        known = {parameter.name: parameter for parameter in named}
        missing = [one.name for one in named if one.default is _EMPTY and one.name not in arguments]
        for argument in (*arguments, *missing):
            if argument in missing or argument not in known:
                what = "needs" if argument in missing else "has no argument"
                raise HeadgateError(
                    f"{place}: {name} {what} {argument}; its arguments are"
                    f" {', '.join(known) or 'none'}"
                )
            value = arguments[argument]
            try:
                TypeAdapter(known[argument].annotation).validate_python(value, strict=True)
            except ValidationError as error:
                message = error.errors()[0]["msg"]
                raise HeadgateError(f"{place}: {name}: {argument}: {value!r}: {message}") from None
        return function


class Sweep(Strict):
    """`[sweeps.NAME]` of a study with Python."""

    base: str
    """The function in the study's `jobs` that makes a scenario from a setup and levels."""
    part: str = ""
    """The first label, if it is not the name of the sweep."""
    each: str = ""
    """The function in `jobs` that returns labels which depend on each other."""
    levels: dict[str, Any] = Field({})
    where: str = ""
    """SQL condition on the labels."""
    replicates: int | str | None = None
    """The number of seeds, if it is not that of the scale."""


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
        """Make every run; the first label is its part. Raises HeadgateError."""
        planned = [self._plan(name, setup) for name in self.given]
        with count_slow_steps("planning", sum(len(rows) for *_, rows in planned), "runs") as step:
            for part, base, rows in planned:
                for row in rows:
                    yield Job(_make_scenario(base, setup, part, row), {"part": part, **row})
                    step()

    def _plan(
        self, name: str, setup: Setup
    ) -> tuple[str, Callable[..., Scenario], Sequence[Labels]]:
        """Return the part, the function and the labels of a sweep, all checked."""
        place = f"sweeps.{name}"
        sweep = fit_model(Sweep, dict(self.given[name]), place)
        rows = _choose(sweep.where, self._combine(sweep, setup, place), place)
        base = self._bases.find(sweep.base, place)
        for row in _cover_levels(rows):
            self._bases.check(sweep.base, row, place)
        return sweep.part or name, base, rows

    def _combine(self, sweep: Sweep, setup: Setup, place: str) -> list[Labels]:
        known = {**setup.settings, "seeds": _seeds(sweep, setup, place), "ccas": setup.ccas}
        levels = {
            name: _levels(fill(given, known, place), f"{place}.levels.{name}")
            for name, given in sweep.levels.items()
        }
        first = self._each.check(sweep.each, {}, place)(setup) if sweep.each else [{}]
        return [
            {**one, **dict(zip(levels, row, strict=True))}
            for one in first
            for row in product(*levels.values())
        ]


def _make_scenario(base: Callable[..., Scenario], setup: Setup, part: str, row: Labels) -> Scenario:
    try:
        return base(setup, **row)
    except ScenarioError as error:
        raise ScenarioError(f"part {part}, {name_run(row)}", str(error)) from None


def _seeds(sweep: Sweep, setup: Setup, place: str) -> Sequence[int]:
    if sweep.replicates is None:
        return setup.seeds
    count = fill(sweep.replicates, setup.settings, f"{place}.replicates")
    if not isinstance(count, int) or count < 1:
        raise HeadgateError(
            f"{place}.replicates: {count!r} is not a number of replicates, such as 3"
        )
    return tuple(range(setup.seeds[0], setup.seeds[0] + count))


def _levels(given: Any, place: str) -> Sequence[Label]:
    """Return levels as they are listed, or the keys of a table. Raises HeadgateError."""
    levels = [*given] if isinstance(given, list | tuple | Mapping) else None
    if levels is None or not all(isinstance(one, str | int | float) for one in levels):
        raise HeadgateError(f"{place}: {given!r} is not a list of words or numbers")
    return levels


def _choose(condition: str, rows: Sequence[Labels], place: str) -> Sequence[Labels]:
    if not (condition and rows):
        return rows
    table = label_table({name: [row[name] for row in rows] for name in rows[0]})
    try:
        kept = holds(condition, table)
    except HeadgateError as error:
        raise HeadgateError(f"{place}: {error}") from None
    return [row for row, passes in zip(rows, kept, strict=True) if passes]


def _cover_levels(rows: Sequence[Labels]) -> list[Labels]:
    """Return rows that together contain every level of every label."""
    seen: set[tuple[str, Label]] = set()
    found: list[Labels] = []
    for row in rows:
        if not (found and seen.issuperset(row.items())):
            seen |= {*row.items()}
            found.append(row)
    return found
