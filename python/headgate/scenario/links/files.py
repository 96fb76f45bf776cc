"""Traces of delivery opportunities, and courses of rate, delay and loss, for links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field, model_serializer, model_validator

from headgate.base.errors import ScenarioError, explain_os
from headgate.base.files import require_file
from headgate.base.messages import hint
from headgate.scenario.base import Model, also_text, at
from headgate.scenario.links.synthetic import COURSES, TRACES, make_course, make_trace
from headgate.scenario.table_file import Numbers, UserTable, open_table


class FileOrName(Model):
    """A file, `"lte.trace"`, or the name of a synthetic one, `"4g"`, with a seed."""

    model_config = ConfigDict(json_schema_extra=also_text)

    #: Names of synthetic ones.
    names: ClassVar[tuple[str, ...]]

    file: str | None = Field(None, description="A file.")
    name: str | None = Field(None, description="A synthetic one, in place of a file.")
    seed: int = Field(1, ge=0, lt=2**63, description="Seed of a synthetic one.")
    repeat: bool = Field(True, description="Begin anew after the end.")

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, given: Any) -> Any:
        if not isinstance(given, str):
            return given
        return {"name": given} if given in cls.names else {"file": given}

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.file is None) == (self.name is None):
            raise at("file", "give either 'file' or 'name'")
        if self.name is not None and self.name not in self.names:
            known = f"known: {', '.join(self.names)}"
            raise at("name", f"there is no {self.name!r}; {hint(self.name, self.names, known)}")
        return self

    def require(self, place: str, kind: str) -> str:
        """Return the path of the file. Raises ScenarioError, which lists names, without one."""
        path = str(self.file)
        if not Path(path).exists():
            word = Path(path).name
            known = f"synthetic {kind}s: {', '.join(self.names)}"
            raise ScenarioError(
                place,
                f"there is no file {path!r}, and no synthetic {kind} is called {word!r};"
                f" {hint(word, self.names, known)}",
            )
        return path

    @model_serializer
    def _short_form(self) -> Any:
        fields = type(self).model_fields
        given = {key: getattr(self, key) for key in fields}
        changed = {key: value for key, value in given.items() if value != fields[key].default}
        return next(iter(changed.values())) if len(changed) == 1 else changed


#: Bytes of an opportunity.
OPPORTUNITY_BYTES = 1500
_PS_PER_MS = 10**9
#: Two hours at 1 Gbit/s; more opportunities would need more memory than the run.
_MOST_TIMES = 600_000_000
#: The longest run, 100 days, in ms: the engine counts picoseconds in 64 bits, which are 213 days.
_LATEST_MS = 100 * 86_400_000


@dataclass(frozen=True)
class Opportunities:
    """Instants at which a link carries 1500 bytes each."""

    name: str  # in the plan
    times_ps: NDArray[np.uint64]  # in order; a time may occur several times
    period_ps: int | None  # None: the trace does not repeat

    @property
    def rate_bps(self) -> int:
        """The mean rate, from the start to the last opportunity."""
        bits = 8 * OPPORTUNITY_BYTES * len(self.times_ps)
        return max(1, round(bits * 1e12 / int(self.times_ps[-1])))


class Trace(FileOrName):
    """Times at which a link sends: a file of mahimahi's `mm-link`, or a synthetic trace."""

    names: ClassVar[tuple[str, ...]] = TRACES

    file: str | None = Field(
        None,
        description="One line for each opportunity to send 1500 B: milliseconds since the start.",
    )
    name: str | None = Field(None, description=f"A synthetic trace: {', '.join(TRACES)}.")

    def read(self, place: str) -> Opportunities:
        """Return the opportunities. Raises ScenarioError for a file that is not a trace."""
        if self.name is not None:
            times_ms, label = make_trace(self.name, self.seed), f"{self.name} {self.seed}"
        else:
            times_ms = read_trace(self.require(place, "trace"), place)
            label = str(self.file)
        period_ms = int(times_ms[-1])
        # opportunities at 0 ms move to the end of each period: no packet waits at the start
        times_ms = np.concatenate(
            [times_ms[times_ms > 0], np.full((times_ms == 0).sum(), period_ms)]
        )
        period = period_ms * _PS_PER_MS if self.repeat else None
        return Opportunities(
            f"trace {label}", times_ms.astype(np.uint64) * np.uint64(_PS_PER_MS), period
        )


def read_trace(path: str, place: str) -> NDArray[np.int64]:
    """Read a trace of mahimahi's format; return its times (ms), shape (opportunities,)."""
    try:
        require_file(Path(path))
        text = Path(path).read_text(encoding="ascii")
    except UnicodeDecodeError:
        says = "is not a trace; it must be text, one number per line"
        raise ScenarioError(place, f"{path!r} {says}") from None
    except OSError as error:
        raise ScenarioError(place, f"{path!r} cannot be read: {explain_os(error)}") from None
    words = text.split()
    if not words:
        raise ScenarioError(place, f"{path!r} is empty; a trace must have one time (ms) per line")
    if len(words) > _MOST_TIMES:
        says = f"has {len(words):,} times; it may have at most {_MOST_TIMES:,}"
        raise ScenarioError(place, f"{path!r} {says}")
    good = (word.isdecimal() and len(word) < 12 and int(word) <= _LATEST_MS for word in words)
    wrong = next((index for index, is_time in enumerate(good) if not is_time), None)
    if wrong is not None:
        allowed = f"it must be a whole number of ms, at most {_LATEST_MS} (100 days)"
        says = f"{_where(text, wrong)} is {words[wrong][:40]!r}; {allowed}"
        raise ScenarioError(place, f"{path!r}: {says}")
    times = np.array(words, dtype=np.int64)
    late = np.flatnonzero(np.diff(times) < 0)
    if len(late):
        index = int(late[0]) + 1
        says = f"goes back to {times[index]} ms; the times of a trace must rise"
        raise ScenarioError(place, f"{path!r}: {_where(text, index)} {says}")
    if times[-1] == 0:
        raise ScenarioError(place, f"{path!r} ends at 0 ms; its last time must be above 0")
    return times


def _where(text: str, index: int) -> str:
    """Return the line of the word with that index."""
    words = 0
    for number, line in enumerate(text.split("\n"), 1):
        words += len(line.split())
        if words > index:
            return f"line {number}"
    return "the end"


#: Bounds of the columns. An outage declares what happens to waiting packets; a rate of 0 does not.
_BOUNDS = {
    "rate_bps": (
        1.0,
        1e14,
        "from 1 bit/s to 1e14 bit/s. If the link is down, write an outage in the scenario:"
        ' outages = [{ start = "10 s", duration = "300 ms" }]',
    ),
    "delay_s": (0.0, 1e3, "from 0 to 1000 seconds"),
    "loss": (0.0, 1.0, "a probability from 0 to 1"),
}
_TIME = "time_s"
#: The longest run, 100 days, s; times in ps beyond 106 days do not fit 63 bits.
_LATEST_S = 100 * 86_400
#: Largest number of steps in a run.
_MOST_ROWS = 1_000_000


@dataclass(frozen=True)
class Steps:
    """The values of a link, each from its time on; shape (rows,) each, the first at 0."""

    at_ps: NDArray[np.int64]
    values: Mapping[str, NDArray[np.float64]]  # any of `rate_bps`, `delay_s`, `loss`
    period_ps: int

    def first(self, column: str) -> float | None:
        """Return the first value of a column; None if the course lacks it."""
        return float(self.values[column][0]) if column in self.values else None

    def last_until(self, duration_ps: int, *, repeat: bool) -> Steps:
        """Return the steps of a whole run, repeated if `repeat`."""
        rounds = -(-duration_ps // self.period_ps) if repeat else 1
        # the last round may end after the run, which may need 64 bits
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
            at_ms, values, period_ms = make_course(self.name, self.seed)
            steps, repeat = Steps(at_ms * 10**9, values, period_ms * 10**9), True
        else:
            steps, repeat = read_course(self.require(place, "course"), place), self.repeat
            steps = _without_end(steps, str(self.file), place) if repeat else steps
        rows = len(steps.at_ps) * (-(-duration_ps // steps.period_ps) if repeat else 1)
        if rows > _MOST_ROWS:
            says = f"{rows:,} steps within the run; there may be at most {_MOST_ROWS:,}"
            raise ScenarioError(place, says)
        return steps.last_until(duration_ps, repeat=repeat)


def _without_end(steps: Steps, path: str, place: str) -> Steps:
    if len(steps.at_ps) < 2:
        says = "has one row; a course that repeats needs at least two"
        raise ScenarioError(place, f"{path!r} {says}")
    values = {key: column[:-1] for key, column in steps.values.items()}
    return Steps(steps.at_ps[:-1], values, int(steps.at_ps[-1]))


def read_course(path: str, place: str) -> Steps:
    """Read a course from CSV or Parquet."""
    table = open_table(path, place)
    table.check_columns((_TIME, *_BOUNDS))
    if _TIME not in table.columns or len(table.columns) < 2:
        says = f"must have the column time_s and at least one of {', '.join(_BOUNDS)}"
        raise ScenarioError(place, f"{path!r} {says}")
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
        table.reject(0, f"has {_TIME} = {at_s[0]:g}; a course begins at 0")
    late = np.flatnonzero(np.diff(at_s) <= 0)
    if len(late):
        row = int(late[0]) + 1
        says = f"has {_TIME} = {at_s[row]:g} after {at_s[row - 1]:g}; the times must rise"
        table.reject(row, says)
    return at_s


def _read_column(table: UserTable, name: str) -> Numbers:
    low, high, allowed = _BOUNDS[name]
    column = table.numbers(name, allowed)
    table.require((column >= low) & (column <= high), name, column, allowed)
    return column
