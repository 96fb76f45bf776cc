"""How a link changes with time: a CSV of times, rates, delays and losses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from headgate.base.errors import ScenarioError
from headgate.scenario.links.file import FileOrName
from headgate.scenario.links.synthetic import COURSES, make_course
from headgate.scenario.table_file import Numbers, UserTable, open_table

#: Bounds of the columns; a link has no rate of zero.
_BOUNDS = {
    "rate_bps": (1.0, 1e14, "from 1 bit/s to 1e14 bit/s; a course cannot describe outages yet"),
    "delay_s": (0.0, 1e3, "from 0 to 1000 seconds"),
    "loss": (0.0, 1.0, "a probability below 1; a course cannot describe outages yet"),
}
_TIME = "time_s"
#: The longest run, 100 days, s; times in ps beyond 106 days do not fit 63 bits.
_LATEST_S = 100 * 86_400
#: Rows that a run may go through.
_MOST = 1_000_000


@dataclass(frozen=True)
class Steps:
    """The values of a link, each from its time on; shape (rows,) each, the first at 0."""

    at_ps: NDArray[np.int64]
    values: Mapping[str, NDArray[np.float64]]
    """`rate_bps`, `delay_s`, `loss`: those that the course has."""
    period_ps: int
    """After which it begins anew."""

    def first(self, column: str) -> float | None:
        """Return the value that a column begins with; None if the course does not tell it."""
        return float(self.values[column][0]) if column in self.values else None

    def last_until(self, duration_ps: int, *, repeat: bool) -> Steps:
        """Return the steps of a whole run, begun anew as often as need be."""
        rounds = -(-duration_ps // self.period_ps) if repeat else 1
        # the last round may end after the run, where 63 bits are too few
        periods = np.arange(rounds, dtype=np.uint64) * np.uint64(self.period_ps)
        at = np.repeat(periods, len(self.at_ps)) + np.tile(self.at_ps.astype(np.uint64), rounds)
        kept = at < duration_ps
        values = {key: np.tile(column, rounds)[kept] for key, column in self.values.items()}
        return Steps(at[kept].astype(np.int64), values, self.period_ps)


class Course(FileOrName):
    """How rate, delay and loss change: a CSV file, or a synthetic course."""

    names: ClassVar[tuple[str, ...]] = COURSES

    file: str | None = Field(
        None, description="Columns time_s and any of rate_bps, delay_s, loss; each row holds on."
    )
    name: str | None = Field(None, description=f"A synthetic course: {', '.join(COURSES)}.")
    repeat: bool = Field(
        False, description="Begin anew after the last row, which then only ends the round."
    )

    def read(self, place: str, duration_ps: int) -> Steps:
        """Return the steps within a run. Raises ScenarioError for a file that is not a course."""
        if self.name is not None:
            steps, repeat = _synthetic(self.name, self.seed), True
        else:
            steps, repeat = read_course(str(self.file), place), self.repeat
            steps = _without_end(steps, str(self.file), place) if repeat else steps
        rows = len(steps.at_ps) * (-(-duration_ps // steps.period_ps) if repeat else 1)
        if rows > _MOST:
            raise ScenarioError(
                place, f"{rows:,} steps within the run; there may be at most {_MOST:,}"
            )
        return steps.last_until(duration_ps, repeat=repeat)


def _synthetic(name: str, seed: int) -> Steps:
    at_ms, values, period_ms = make_course(name, seed)
    return Steps(at_ms * 10**9, values, period_ms * 10**9)


def _without_end(steps: Steps, path: str, place: str) -> Steps:
    if len(steps.at_ps) < 2:
        raise ScenarioError(
            place, f"{path!r} has one row; a course that repeats needs at least two"
        )
    values = {key: column[:-1] for key, column in steps.values.items()}
    return Steps(steps.at_ps[:-1], values, int(steps.at_ps[-1]))


def read_course(path: str, place: str) -> Steps:
    """Read a course from CSV or Parquet."""
    table = open_table(path, place)
    table.check_columns((_TIME, *_BOUNDS))
    if _TIME not in table.columns or len(table.columns) < 2:
        names = ", ".join(_BOUNDS)
        raise ScenarioError(
            place, f"{path!r} must have the column time_s and at least one of {names}"
        )
    at_s = _read_times(table)
    columns = {name: _read_column(table, name) for name in _BOUNDS if name in table.columns}
    at_ps = np.round(at_s * 1e12).astype(np.int64)
    return Steps(at_ps, columns, max(1, int(at_ps[-1])))


def _read_times(table: UserTable) -> Numbers:
    allowed = f"a number of seconds from 0 to {_LATEST_S:.0f}"
    at_s = table.numbers(_TIME, allowed)
    if not len(at_s):
        raise ScenarioError(table.place, f"{table.path!r} has no row")
    table.require((at_s >= 0) & (at_s < _LATEST_S), _TIME, at_s, allowed)
    if at_s[0] != 0:
        table.refuse(0, f"has {_TIME} = {at_s[0]:g}; a course begins at 0")
    late = np.flatnonzero(np.diff(at_s) <= 0)
    if len(late):
        row = int(late[0]) + 1
        says = f"has {_TIME} = {at_s[row]:g} after {at_s[row - 1]:g}; the times must rise"
        table.refuse(row, says)
    return at_s


def _read_column(table: UserTable, name: str) -> Numbers:
    low, high, allowed = _BOUNDS[name]
    column = table.numbers(name, allowed)
    inside = (column >= low) & ((column < high) if name == "loss" else (column <= high))
    table.require(inside, name, column, allowed)
    return column
