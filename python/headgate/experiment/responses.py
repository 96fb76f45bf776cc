"""Responses: what is measured of each run, by SQL over its tables or by a function of one's own.

What is measured where the run was made is written down beside it (`Measuring`). Of large runs all
tables are kept, and what is asked later is found in them; small ones are made again for that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from headgate.base.errors import HeadgateError
from headgate.data.columns import OF_A_RUN
from headgate.engine.api import Result
from headgate.experiment import drifting, sql
from headgate.experiment.measures import Better
from headgate.plugin import code_files
from headgate.plugin.code_files import read, sha256, shorten_path
from headgate.plugin.load import run_file
from headgate.plugin.user_code import split

#: Where a run's `run.json` has what was measured: by hash of the question, and by name.
MEASURED, FIGURES = "measured", "figures"
#: What the analysis of an experiment asks of a run's `run.json`.
ASKED = ("digest", "cpu_s", "packet_hops", "labels", MEASURED, FIGURES, drifting.KEY)
#: Packet-hops of a run, about a CPU second, that is not made again for another question.
LARGE = 10_000_000
Function = Callable[[Result], float]
Tables = tuple[str, ...] | Literal["all", "large"]


@dataclass(frozen=True)
class Response:
    """One number of each run: its name, how it is had, its unit, what it is called.

    It has SQL, or the file and name of a function, or a function itself.
    """

    name: str
    sql: str = ""
    source: str = ""
    unit: str = ""
    title: str = ""
    better: Better = ""
    function: Function | None = None

    @property
    def axis(self) -> str:
        """What a narrow axis says: its name and unit."""
        return f"{self.name} ({self.unit})" if self.unit not in ("", "1") else self.name

    @cached_property
    def key(self) -> str:
        """What it is known by beside a run: the hash of all that makes its number."""
        code = read(split(self.source)[0]) if self.source else b""
        parts = (self.sql, self.source.rpartition(":")[2])
        return sha256(code, *(part.encode() for part in parts))[:16]

    def check(self) -> frozenset[str]:
        """Hold it to the tables that every run has; return those that it asks, if known."""
        with _named(self.name):
            if self.sql:
                return sql.check(self.sql)
            if self.source and trusted(self.source):
                load(self.source)
        return frozenset()

    def measure(self, result: Result) -> float:
        """Measure a run; NaN where there is nothing to be measured. Raises HeadgateError."""
        with _named(self.name):
            if self.sql:
                return sql.number(sql.ask(self.sql, result.tables))
            return _call(self.function or load(self.source), result)


@dataclass(frozen=True)
class Measuring:
    """What is kept of a finished run: what was measured, and all of its tables or some."""

    responses: tuple[Response, ...]
    tables: Tables = "large"

    def __call__(self, result: Result) -> Result:
        """Measure a run where it was made; what fails here is said when all are read."""
        found = self._at_once(result)
        for response in self.responses:
            if response.key not in found:
                with suppress(HeadgateError):
                    found[response.key] = response.measure(result)
        told = {key: value if math.isfinite(value) else None for key, value in found.items()}
        result.meta[MEASURED] = told
        result.meta[FIGURES] = {one.name: told.get(one.key) for one in self.responses}
        result.meta[drifting.KEY] = drifting.read_batches(result)
        if len(found) < len(self.responses):
            return result
        return Result({name: result.tables[name] for name in self._kept(result)}, result.meta)

    def _kept(self, result: Result) -> Iterable[str]:
        if isinstance(self.tables, tuple):
            return self.tables
        large = int(result.meta.get("packet_hops", 0)) >= LARGE
        return result.tables if large or self.tables == "all" else ()

    def _at_once(self, result: Result) -> dict[str, float]:
        asked = [response for response in self.responses if response.sql]
        values = sql.ask_all([one.sql for one in asked], result.tables) if asked else None
        return {one.key: value for one, value in zip(asked, values or (), strict=False)}


def measured(response: Response, result: Result) -> float:
    """Return what was measured of a stored run, or measure it now. Raises HeadgateError."""
    known = result.meta.get(MEASURED, {})
    if response.function is None and response.key in known:
        value = known[response.key]
        return math.nan if value is None else float(value)
    return response.measure(result)


def keep(responses: Sequence[Response], tables: Tables) -> Measuring:
    """Return what measures runs in other processes, which know no function but from its file.

    Where there is another function, tables are kept for it. Raises HeadgateError if they are not
    to be.
    """
    elsewhere = tuple(one for one in responses if one.function is None)
    if len(elsewhere) < len(responses):
        if isinstance(tables, tuple):
            raise HeadgateError("tables: a function of this program needs them all; write 'all'")
        tables = "all"
    return Measuring(elsewhere, tables)


def answers(responses: Sequence[Response], result: Result) -> bool:
    """Say whether a stored run has what the responses ask: measured, or in its tables."""
    known = result.meta.get(MEASURED, {})
    return all(
        (sql.tables_in(one.sql) if one.sql else {*OF_A_RUN}) <= {*result.tables}
        for one in responses
        if one.function is not None or one.key not in known
    )


def trim(responses: Sequence[Response], result: Result) -> Result:
    """Leave out of run.json what no response asks, unless a function has the whole of it."""
    if any(one.function is not None for one in responses):
        return result
    return Result(result.tables, {key: result.meta[key] for key in ASKED if key in result.meta})


def trusted(source: str) -> bool:
    """Say whether the function in a file may run. Raises HeadgateError if there is none."""
    file = split(source)[0]
    return code_files.is_trusted(file, sha256(read(file)))


def allow(source: str) -> None:
    """Remember for this user that the function in a file may run."""
    file = split(source)[0]
    code_files.allow(file, sha256(read(file)))


def load(source: str) -> Function:
    """Find a function by its file and name. Raises HeadgateError, also if it may not run."""
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
    try:
        value = function(result)
        return math.nan if value is None else float(value)
    except HeadgateError:
        raise
    except Exception as error:
        raise HeadgateError(_describe(error)) from None


def _describe(error: Exception) -> str:
    """Say of what kind an error is, what it says, and in which line it came up."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    said = (str(error).splitlines() or [""])[0]
    if trace is None:
        return f"{type(error).__name__}: {said}"
    file = Path(trace.tb_frame.f_code.co_filename).name
    return f"{type(error).__name__}: {said} (line {trace.tb_lineno} of {file})"


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Put the name of a response before what is wrong with it."""
    try:
        yield
    except HeadgateError as error:
        raise HeadgateError(f"responses.{name}: {error}") from None
