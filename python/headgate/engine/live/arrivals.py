"""Arrivals of real packets: their log, their table, and a replay of the run from them.

The form of the log is in `crates/headgate-emulate/src/arrival_log.rs`. A killed run
leaves the log behind.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import ScenarioError, StoreError, explain_os
from headgate.data.columns.live import ARRIVALS
from headgate.data.measures.formula import form
from headgate.data.measures.tables import RunTables
from headgate.data.parquet import read_columns
from headgate.data.tables import Table
from headgate.engine.api import Result, Scenario
from headgate.engine.live.hosts import host_names
from headgate.engine.live.results import cut_plan
from headgate.engine.run.memory import check_memory, free_bytes, packets_that_fit
from headgate.engine.run.prepare import make_own_code, translate_refusal
from headgate.engine.run.record import make_record
from headgate.engine.run.simulate import engine_errors
from headgate.scenario.plan import identity_of, plan_json

LOG_FILE = "arrivals.log"
#: Rows in memory at a time.
PART_ROWS = 1_000_000

#: The ECN field (RFC 3168 section 5).
ECT0, CE = 2, 3
_MAGIC = b"HGARRIV2"
_ROW = np.dtype(
    [
        ("time_ps", "<u8"),
        ("from", "<u4"),
        ("to", "<u4"),
        ("flow", "<u4"),
        ("size_bytes", "<u2"),
        ("ecn", "<u2"),
    ]
)

Facts = dict[str, NDArray[np.uint64]]


def is_log(file: BinaryIO) -> bool:
    """Return whether an open file is a log of arrivals.

    Raises OSError, and StoreError for a log of another version of Headgate.
    """
    file.seek(0)
    begin = file.read(len(_MAGIC))
    if begin != _MAGIC and begin[:-1] == _MAGIC[:-1]:
        raise StoreError(
            f"{file.name}: another version of Headgate wrote this log; replay it with that version"
        )
    return begin == _MAGIC


def read_log(file: BinaryIO, at: int = 0, count: int = -1) -> Facts:
    """Read `count` whole rows of a log from row `at`, or all, by column. Raises OSError."""
    file.seek(len(_MAGIC) + at * _ROW.itemsize)
    rows = np.fromfile(file, _ROW, count)
    return {name: rows[name].astype(np.uint64) for name in _ROW.names or ()}


def make_arrivals(facts: Facts, ended_ps: int) -> Table:
    """Return the table of arrivals of a run that ended at `ended_ps`."""
    ended = np.full(len(facts["time_ps"]), ended_ps, np.uint64)
    columns: dict[str, Any] = form(ARRIVALS, {**facts, "ended_ps": ended})
    return Table("arrivals", columns)


def make_parts(log: BinaryIO, ended_ps: int) -> Iterator[Table]:
    """Yield the table in parts, at least one. Raises OSError."""
    at = 0
    while len(part := make_arrivals(read_log(log, at, PART_ROWS), ended_ps)) or not at:
        yield part
        at += PART_ROWS


#: Simulated time between two checks for Ctrl-C, ps.
SLICE_PS = 100_000_000_000

Columns = dict[str, Any]


def replay(scenario: Scenario, arrivals: Path, command: str = "") -> Result:
    """Run a scenario with the real packets of an earlier run, at full speed.

    `arrivals` is `arrivals.parquet` in that run's folder: the simulated part is the same, bit for
    bit. A killed run leaves `arrivals.log` instead, and the replay ends with its last packet.
    Raises ScenarioError, StoreError.
    """
    from headgate._native import Simulation

    plan, arrays = scenario.plan()
    names = host_names(plan)
    columns, ended_ps = _read(arrivals, len(names))
    check_memory(plan, arrays)
    own = make_own_code(scenario, plan)
    begun_s = time.thread_time()
    try:
        simulation = Simulation(plan_json(plan), arrays, [ready.native for ready in own])
        simulation.limit(packets_that_fit(free_bytes()))
        simulation.expect(columns, ended_ps)
        with engine_errors(own, plan):
            while not simulation.replay(SLICE_PS):
                pass
    except ValueError as error:
        raise translate_refusal(str(error), plan, scenario) from None
    facts = simulation.results()
    tables = RunTables(cut_plan(plan, min(ended_ps, plan["duration_ps"])), facts)
    identity = _identity(identity_of(plan, arrays), columns)
    cpu_s = time.thread_time() - begun_s
    record = make_record(
        scenario, (plan, arrays), facts, identity=identity, command=command, cpu_s=cpu_s
    )
    return Result(tables, record | {"arrivals": str(arrivals)})


def _read(path: Path, hosts: int) -> tuple[Columns, int]:
    if not path.is_file():
        raise StoreError(
            f"{path}: there is no such file; a run in real time writes arrivals.parquet"
        )
    try:
        with path.open("rb") as file:
            columns = dict(read_log(file)) if is_log(file) else _read_table(path)
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {explain_os(error)}") from None
    if not len(columns["time_ps"]):
        raise StoreError(f"{path}: contains no packet")
    ended_ps = int(columns.pop("ended_ps", columns["time_ps"][-1:] + 1)[0])
    most = int(max(columns["from"].max(), columns["to"].max()))
    if most >= hosts:
        says = f"{path}: has packets of {most + 1} hosts, and the scenario has {hosts}"
        raise ScenarioError("traffic", says)
    return columns, ended_ps


def _read_table(path: Path) -> Columns:
    columns = read_columns(path)
    if {"capable", "marked"} <= set(columns):  # written before the ECN field was recorded
        columns["ecn"] = np.where(columns.pop("marked"), CE, ECT0 * columns.pop("capable"))
    missing = {column.name for column in ARRIVALS} - set(columns)
    if missing:
        raise StoreError(f"{path}: contains no arrivals; there is no column {min(missing)!r}")
    return {name: np.asarray(column, np.uint64) for name, column in columns.items()}


def _identity(of_plan: str, columns: Columns) -> str:
    digest = sha256(of_plan.encode())
    for name in sorted(columns):
        digest.update(columns[name].tobytes())
    return digest.hexdigest()
