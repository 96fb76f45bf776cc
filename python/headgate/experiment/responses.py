"""Responses: the numbers measured of each run, by SQL over its tables or by a user's function.

`Measuring` measures a run in the process that made it, and records the values in `run.json`. Large
runs keep their tables, so that later questions need no rerun; small runs are made again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from headgate.base.errors import HeadgateError
from headgate.base.units import PS_PER_S, parse_time_ps, readable
from headgate.data.columns import OF_A_RUN, OF_ANY_RUN
from headgate.data.tables import LazyTables, Table, refuse_table
from headgate.engine.api import Result
from headgate.experiment import sql
from headgate.experiment.measures import Better
from headgate.experiment.part_measures import PARTS, TABLES, Kind, Measured, measure_parts
from headgate.experiment.unfinished import UNFINISHED, count_unfinished
from headgate.plugin import code_files
from headgate.plugin.code_files import read, sha256, shorten_path
from headgate.plugin.load import run_file
from headgate.plugin.user_code import split
from headgate.stats.drift import compute_batch_means, find_drift

#: Keys of a run's `run.json`: values by hash of the question, values by name, batch means, and the
#: name of the busiest link by the number of the period.
MEASURED, FIGURES, BATCHES, BUSIEST = "measured", "figures", "batches", "busiest"
#: The keys of `run.json` that an analysis reads.
ASKED = (
    "digest",
    "cpu_s",
    "packet_hops",
    "labels",
    MEASURED,
    FIGURES,
    BATCHES,
    BUSIEST,
    PARTS,
    UNFINISHED,
)
#: Packet-hops, about a CPU second, above which a run keeps its tables for later questions.
LARGE = 10_000_000
#: Columns of the busiest link that are tested for drift: unit, name, least difference that matters.
DRIFT_COLUMNS = {
    "queue_packets": ("packets", "queue", 0.5),
    "throughput_bps": ("bit/s", "throughput", 0.0),
}
Function = Callable[[Result], float]
Tables = tuple[str, ...] | Literal["all", "large"]
Batches = Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class Response:
    """One number of each run, from SQL, from a function in a file, or from a function object."""

    name: str
    sql: str = ""
    source: str = ""
    unit: str = ""
    title: str = ""
    better: Better = ""
    function: Function | None = None
    period: int = 0
    """The measurement period whose rows are measured; 0 for the whole run."""

    @property
    def axis(self) -> str:
        """The label of a narrow axis: name and unit."""
        return f"{self.name} ({self.unit})" if self.unit not in ("", "1") else self.name

    @property
    def figure(self) -> str:
        """The name of the value in `run.json` for people: with the number of the period, if any."""
        return f"{self.name} in period {self.period}" if self.period else self.name

    @cached_property
    def key(self) -> str:
        """The key in `run.json`: the hash of everything that determines the number."""
        code = read(split(self.source)[0]) if self.source else b""
        period = [f"period {self.period}"] * bool(self.period)
        parts = (self.sql, self.source.rpartition(":")[2], *period)
        return sha256(code, *(part.encode() for part in parts))[:16]

    def keyed(self) -> Response:
        """Return the response with its key, also for processes whose file is another version."""
        _ = self.key
        return self

    def check(self) -> frozenset[str]:
        """Check the response without a run; return the tables that it reads, if known."""
        with _prefix_errors(self.name):
            if self.sql:
                return sql.check(self.sql)
            if self.source and trusted(self.source):
                load(self.source)
        return frozenset()

    def measure(self, result: Result) -> float:
        """Measure a run; NaN if there is nothing to measure. Raises HeadgateError."""
        with _prefix_errors(self.name):
            tables = select_period(result.tables, self.period)
            if self.sql:
                return sql.number(sql.ask(self.sql, tables))
            return _call(self.function or load(self.source), Result(tables, result.meta))


#: Tables with a column of periods; `responses` contains one row per period, in order.
IN_ORDER = "responses"
OF_PERIODS = frozenset({IN_ORDER, *(n for n, of in OF_ANY_RUN.items() if of[0].name == "period")})


def by_period(responses: Sequence[Response], periods: int) -> tuple[Response, ...]:
    """Return every response for each period; the responses themselves without periods."""
    numbers = range(1, periods + 1) if periods else (0,)
    return tuple(replace(one, period=number) for number in numbers for one in responses)


def select_period(tables: Mapping[str, Table], period: int) -> Mapping[str, Table]:
    """Return the tables with the rows of one period; period 0 means all rows."""
    return PeriodTables(tables, period) if period else tables


@dataclass(frozen=True)
class PeriodTables(LazyTables):
    """The tables of a run with the rows of one period; other tables are left out."""

    tables: Mapping[str, Table]
    period: int

    def __getitem__(self, name: str) -> Table:
        """Return the rows of a table in the period. Raises HeadgateError."""
        if name not in OF_PERIODS:
            raise refuse_table(name, self, f"period {self.period} has")
        table = self.tables[name]
        if name == IN_ORDER:
            return table.where(slice(self.period - 1, self.period))
        return table.where(np.flatnonzero(table["period"] == self.period))

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of tables with periods."""
        return (name for name in self.tables if name in OF_PERIODS)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True)
class Measuring:
    """The reduction of a finished run: its measured values, and all or some of its tables."""

    responses: tuple[Response, ...]
    tables: Tables = "large"
    parts: tuple[Kind, ...] = ()

    def __call__(self, result: Result) -> Result:
        """Measure a run; errors are reported later, when all runs are read."""
        found: dict[str, float] = {}
        for period in dict.fromkeys(one.period for one in self.responses):
            asked = [one for one in self.responses if one.sql and one.period == period]
            tables = select_period(result.tables, period)
            values = sql.ask_all([one.sql for one in asked], tables) if asked else None
            found |= {one.key: value for one, value in zip(asked, values or (), strict=False)}
        for response in self.responses:
            if response.key not in found:
                with suppress(HeadgateError):
                    found[response.key] = response.measure(result)
        plain = {key: value if math.isfinite(value) else None for key, value in found.items()}
        result.meta[MEASURED] = plain
        result.meta[FIGURES] = {one.figure: plain.get(one.key) for one in self.responses}
        result.meta[BATCHES] = read_batches(result)
        result.meta[UNFINISHED] = count_unfinished(result)
        periods = dict.fromkeys(one.period for one in self.responses)
        result.meta[BUSIEST] = {str(of): find_busiest(result, of) for of in periods}
        if self.parts:
            result.meta[PARTS] = measure_parts(result, self.parts)
        if len(found) < len(self.responses):
            return result
        large = int(result.meta.get("packet_hops", 0)) >= LARGE
        kept = result.tables if large or self.tables == "all" else ()
        names = self.tables if isinstance(self.tables, tuple) else kept
        return Result({name: result.tables[name] for name in names}, result.meta)


def measured(response: Response, result: Result) -> float:
    """Return the recorded value of a stored run, or measure it now. Raises HeadgateError."""
    known = result.meta.get(MEASURED, {})
    if response.function is None and response.key in known:
        value = known[response.key]
        return math.nan if value is None else float(value)
    return response.measure(result)


def keep(responses: Sequence[Response], tables: Tables, parts: tuple[Kind, ...] = ()) -> Measuring:
    """Return the reduction for other processes, which can load functions only from files.

    A function of this program needs all tables. Raises HeadgateError if they are not kept.
    """
    elsewhere = tuple(one for one in responses if one.function is None)
    if len(elsewhere) < len(responses):
        if isinstance(tables, tuple):
            raise HeadgateError("tables: a function of this program needs them all; write 'all'")
        tables = "all"
    return Measuring(tuple(one.keyed() for one in elsewhere), tables, parts)


def read_parts(result: Result, parts: Sequence[Kind]) -> Measured:
    """Return the measures of parts of a stored run, as recorded or from its tables."""
    recorded: Measured = result.meta.get(PARTS, {})
    missing = [kind for kind in parts if kind not in recorded]
    return {**recorded, **measure_parts(result, missing)} if missing else recorded


def answers(responses: Sequence[Response], result: Result, parts: Sequence[Kind] = ()) -> bool:
    """Return whether a stored run contains the values or the tables of all responses and parts."""
    if any(
        kind not in result.meta.get(PARTS, {}) and TABLES[kind] not in {*result.tables}
        for kind in parts
    ):
        return False
    known = result.meta.get(MEASURED, {})
    return all(
        (sql.tables_in(one.sql) if one.sql else {*OF_A_RUN}) <= {*result.tables}
        for one in responses
        if one.function is not None or one.key not in known
    )


def trim(responses: Sequence[Response], result: Result) -> Result:
    """Remove the keys of run.json that no response reads, unless a function takes the result."""
    if any(one.function is not None for one in responses):
        return result
    return Result(result.tables, {key: result.meta[key] for key in ASKED if key in result.meta})


def hash_function(source: str) -> str:
    """Return the name and the hash of a function's file. Raises HeadgateError."""
    return f"{source} {sha256(read(split(source)[0]))}"


def trusted(source: str) -> bool:
    """Return whether the function in a file may run. Raises HeadgateError for a missing file."""
    file = split(source)[0]
    return code_files.is_trusted(file, sha256(read(file)))


def allow(source: str) -> None:
    """Record for this user that the function in a file may run."""
    file = split(source)[0]
    code_files.allow(file, sha256(read(file)))


def load(source: str) -> Function:
    """Load a function by its file and name. Raises HeadgateError, also if it may not run."""
    file, name = split(source)
    text = read(file)
    label = f"{shorten_path(file)}:{name}"
    code_files.require_trust("function", label, file, sha256(text))
    if not file.endswith(".py"):
        raise HeadgateError(f"{shorten_path(file)}: a response is a function of a Python file")
    found = getattr(run_file(str(Path(file).resolve()), text), name or "", None)
    if not callable(found):
        raise HeadgateError(f"{label}: there is no such function")
    function: Function = found
    return function


def _call(function: Function, result: Result) -> float:
    """Call a user's function. Errors of any kind become a HeadgateError with file and line."""
    try:
        value = function(result)
        return math.nan if value is None else float(value)
    except HeadgateError:
        raise
    except Exception as error:
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        message = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
        if trace is not None:
            file = Path(trace.tb_frame.f_code.co_filename).name
            message += f" (line {trace.tb_lineno} of {file})"
        raise HeadgateError(message) from None


@contextmanager
def _prefix_errors(name: str) -> Iterator[None]:
    try:
        yield
    except HeadgateError as error:
        raise HeadgateError(f"responses.{name}: {error}") from None


def read_batches(result: Result) -> Batches:
    """Return the batch means of a run, as recorded or computed from its series, if any."""
    if BATCHES in result.meta:
        recorded: Batches = result.meta[BATCHES]
        return recorded
    if "series" not in tuple(result.tables):
        return {}
    series = result.tables["series"]
    names = series["name"]
    of_ports = series["of"] == "port"
    if not of_ports.any():
        return {}
    busy = {str(n): np.nanmean(series["throughput_bps"][(names == n) & of_ports])
            for n in np.unique(names[of_ports])}  # fmt: skip
    rows = (names == max(busy, key=lambda name: np.nan_to_num(busy[name]))) & of_ports
    measure = result.meta.get("scenario", {}).get("measure", {})
    from_s = parse_time_ps(measure.get("warmup", "0 s")) / PS_PER_S
    t_s = series["t_s"][rows]
    return {
        column: compute_batch_means(t_s, series[column][rows], from_s, float(t_s.max()))
        for column in DRIFT_COLUMNS
    }


def find_busiest(result: Result, period: int) -> str:
    """Return the link with the highest utilisation in a period, as recorded or from its table.

    The name is "" if neither is stored.
    """
    recorded: Mapping[str, str] = result.meta.get(BUSIEST, {})
    if str(period) in recorded:
        return recorded[str(period)]
    name = "links" if period else "ports"
    if name not in result.tables:
        return ""
    table = select_period(result.tables, period)[name]
    if not len(table):
        return ""
    return str(table["link"][int(np.argmax(np.nan_to_num(table["utilisation"])))])


def describe_drift(replicates: Sequence[Batches]) -> str:
    """Describe the drift of the busiest link under one condition; "" if there is none."""
    parts = []
    for column, (base_unit, name, least) in DRIFT_COLUMNS.items():
        known = [of[column] for of in replicates if of.get(column)]
        drift = find_drift(known, least) if known else None
        if drift is not None:
            factor, unit = readable(base_unit, max(abs(drift.first), abs(drift.second)))
            ends = f"{drift.first * factor:.3g} to {drift.second * factor:.3g}"
            parts.append(f"{name} {ends} {unit}")
    return "; ".join(parts)
