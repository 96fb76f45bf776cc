"""The simulated part of a run in real time, once more: its arrivals are stored."""

from __future__ import annotations

import time
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from headgate.base.errors import ScenarioError, StoreError, explain_os
from headgate.base.version import __version__
from headgate.data.columns.live import ARRIVALS
from headgate.data.measures.tables import make_tables
from headgate.data.parquet import read_columns
from headgate.engine.api import Result, Scenario
from headgate.engine.live.arrival_log import is_log, read_log
from headgate.engine.live.hosts import host_names
from headgate.engine.live.results import cut_plan
from headgate.engine.run.memory import packets_that_fit, refuse_what_does_not_fit
from headgate.engine.run.own import make_own_code, own_queues
from headgate.engine.run.refusals import translate_refusal
from headgate.engine.run.simulate import engine_errors
from headgate.scenario.plan import identity_of, plan_json
from headgate.scenario.plan_warnings import scenario_warnings

if TYPE_CHECKING:
    from headgate._native import Simulation

#: Simulated time between two looks at Ctrl-C, ps.
SLICE_PS = 100_000_000_000

Columns = dict[str, Any]


def replay(scenario: Scenario, arrivals: Path, command: str = "") -> Result:
    """Run a scenario with the real packets of an earlier run, as fast as it goes.

    `arrivals` is `arrivals.parquet` of that run's folder: the simulated part is the same, bit for
    bit. Of a run that was killed it is `arrivals.log`, and the run ends with the last packet in it.
    Raises ScenarioError, StoreError.
    """
    plan, arrays = scenario.plan()
    names = host_names(plan)
    columns, ended_ps = _read(arrivals, len(names))
    refuse_what_does_not_fit(plan, arrays)
    own = make_own_code(scenario, plan)
    begun_s = time.thread_time()
    try:
        simulation = _start(plan_json(plan), arrays, [ready.native for ready in own])
        simulation.limit(packets_that_fit())
        simulation.expect(columns, ended_ps)
        with engine_errors(own, plan):
            while not simulation.replay(SLICE_PS):
                pass
    except ValueError as error:
        raise translate_refusal(str(error), plan, scenario) from None
    facts = simulation.results()
    tables = make_tables(cut_plan(plan, min(ended_ps, plan["duration_ps"])), facts)
    return Result(
        tables,
        {
            "headgate": __version__,
            "identity": _identity(identity_of(plan, arrays), columns),
            "scenario": scenario.to_dict(resolved=True),
            "seed": scenario.seed,
            "command": command,
            "resumed": False,
            "cpu_s": time.thread_time() - begun_s,
            "setup_cpu_s": 0.0,
            "setup_bytes": 0,
            "wall_s": 0.0,
            **{key: facts[key] for key in ("packet_hops", "lookahead_s", "digest")},
            "laws": plan["laws"],
            "disciplines": own_queues(plan),
            "warnings": scenario_warnings(scenario, plan, arrays),
            "arrivals": str(arrivals),
        },
    )


def _start(plan: str, arrays: Any, own: list[Any]) -> Simulation:
    from headgate._native import Simulation

    return Simulation(plan, arrays, own)


def _read(path: Path, hosts: int) -> tuple[Columns, int]:
    """Read arrivals and when their run ended. Raises StoreError if they are none of these hosts."""
    if not path.is_file():
        raise StoreError(
            f"{path}: there is no such file; a run in real time writes arrivals.parquet"
        )
    try:
        with path.open("rb") as file:
            columns, ended_ps = _read_log(path, file) if is_log(file) else _read_table(path)
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {explain_os(error)}") from None
    most = int(max(columns["from"].max(), columns["to"].max()))
    if most >= hosts:
        says = f"{path}: has packets of {most + 1} hosts, and the scenario has {hosts}"
        raise ScenarioError("traffic", says)
    return columns, ended_ps


def _read_log(path: Path, file: BinaryIO) -> tuple[Columns, int]:
    columns = _refuse_none(path, dict(read_log(file)))
    return columns, int(columns["time_ps"][-1]) + 1


def _read_table(path: Path) -> tuple[Columns, int]:
    columns = read_columns(path)
    missing = {column.name for column in ARRIVALS} - set(columns)
    if missing:
        raise StoreError(f"{path}: holds no arrivals; there is no column {min(missing)!r}")
    columns = _refuse_none(path, columns)
    numbers = {name: np.asarray(column, np.uint64) for name, column in columns.items()}
    return numbers, int(numbers.pop("ended_ps")[0])


def _refuse_none(path: Path, columns: Columns) -> Columns:
    if not len(columns["time_ps"]):
        raise StoreError(f"{path}: holds no packet")
    return columns


def _identity(of_plan: str, columns: Columns) -> str:
    digest = sha256(of_plan.encode())
    for name in sorted(columns):
        digest.update(columns[name].tobytes())
    return digest.hexdigest()
