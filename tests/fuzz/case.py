"""One case: a scenario is refused in a sentence, or runs and keeps every promise in any slices."""

import copy
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from headgate import Scenario as Read
from headgate._native import ExcessError, Simulation
from headgate.base.errors import HeadgateError
from headgate.data.measures.tables import RunTables
from headgate.engine.run.memory import check_memory, free_bytes, packets_that_fit
from headgate.scenario.plan import plan_json

from .draw import Draw, Scenario
from .promises import Tables, broken

#: CPU time between two looks at the clock.
SLICE_S = 0.05


class OutOfTimeError(Exception):
    """The case has used up its CPU time; its findings until then count."""


@dataclass
class Outcome:
    """The outcome of a case: `refused`, `ran`, `ended` by the engine, or `cut` for its cost."""

    kind: str = "ran"
    found: list[str] = field(default_factory=list)
    says: str = ""
    cpu_s: float = 0.0

    def plain(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Run:
    """A run of a plan: its tables and its digest."""

    tables: Tables
    digest: str


class Bench:
    """A plan that can be run several times, within so much CPU time in all."""

    def __init__(self, scenario: Scenario, until_s: float) -> None:
        self.until_s = until_s
        self.plan, self.arrays = Read.from_dict(copy.deepcopy(scenario)).plan()
        free = free_bytes()
        # at the worst there is the first run, another, its snapshot, and what goes on from that
        check_memory(self.plan, self.arrays, free and free // 4)
        self.json = plan_json(self.plan)
        self.first = self.start()

    def start(self) -> Simulation:
        simulation = Simulation(self.json, self.arrays)
        simulation.limit(packets_that_fit(free_bytes()))
        return simulation

    def advance(self, simulation: Simulation, slice_s: float) -> bool:
        if time.process_time() > self.until_s:
            raise OutOfTimeError
        return simulation.advance(slice_s)

    def finished(
        self, simulation: Simulation, slice_s: Callable[[], float] = lambda: SLICE_S
    ) -> Run:
        while not self.advance(simulation, slice_s()):
            pass
        facts = simulation.results()
        return Run(dict(RunTables(self.plan, facts)), facts["digest"])

    def resumed(self, draw: Draw) -> Run:
        """Stop at a few moments, each time going on from a snapshot."""
        simulation = self.start()
        moments = sorted(draw.uniform(0, simulation.duration_s) for _ in range(draw.of(1, 2, 3)))
        with tempfile.TemporaryDirectory() as folder:
            for number, moment in enumerate(moments):
                while simulation.time_s < moment and not self.advance(simulation, 0.0):
                    pass
                file = Path(folder, f"{number}.bin")
                simulation.snapshot(file)
                simulation = Simulation.resume(self.json, self.arrays, file, 0)
                simulation.use_threads(draw.of(1, 2, 3, 7))
            return self.finished(simulation)

    def sliced(self, draw: Draw) -> Run:
        return self.finished(self.start(), lambda: draw.of(0.0, 0.0, 1e-6, 1e-4, 0.01))

    def twice(self, draw: Draw) -> Run:
        """Make it once more, on other threads."""
        simulation = self.start()
        simulation.use_threads(draw.of(1, 2, 3, 7))
        return self.finished(simulation)


#: In which ways a run is made again.
AGAIN = {"sliced": Bench.sliced, "resumed": Bench.resumed, "twice": Bench.twice}


def check(scenario: Scenario, draw: Draw, again: list[str], cpu_s: float) -> Outcome:
    """Check a case within so much CPU time."""
    begun_s = time.process_time()
    outcome = Outcome()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            _check(scenario, draw, again, begun_s + cpu_s, outcome)
        except OutOfTimeError:
            outcome.kind = "cut"
        except ExcessError as excess:
            outcome.kind, outcome.says = "ended", str(excess.args[-1])
            if "became" in outcome.says:
                outcome.found.append(f"no window: {outcome.says}")
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a panic of the engine is no Exception
            outcome.found.append(f"{type(error).__name__}: {error}"[:400])
    outcome.cpu_s = time.process_time() - begun_s
    return outcome


def _check(
    scenario: Scenario, draw: Draw, again: list[str], until_s: float, outcome: Outcome
) -> None:
    try:
        bench = Bench(scenario, until_s)
    except (HeadgateError, ValueError) as refusal:
        outcome.kind, outcome.says = "refused", str(refusal)
        if not told_well(refusal):
            outcome.found.append(f"{type(refusal).__name__}: {refusal}"[:400])
        return
    run = bench.finished(bench.first)
    outcome.found += broken(run.tables, bench.plan)
    outcome.found += round_trip(scenario)
    for way in again:
        outcome.found += differences(way, run, AGAIN[way](bench, draw))


def told_well(refusal: Exception) -> bool:
    """Whether it is ours, and one sentence; the engine's own are of the form 'place: sentence'."""
    ours = isinstance(refusal, HeadgateError) or (
        type(refusal) is ValueError and ": " in str(refusal)
    )
    return ours and 0 < len(str(refusal)) < 2000 and "Traceback" not in str(refusal)


def round_trip(scenario: Scenario) -> list[str]:
    """A scenario written out is the same scenario."""
    read = Read.from_dict(copy.deepcopy(scenario))
    written = [read.to_dict(), read.to_dict(resolved=True)]
    same = [Read.from_dict(tree).identity() == read.identity() for tree in written]
    return [] if all(same) else ["written out it is another scenario"]


def differences(way: str, one: Run, other: Run) -> list[str]:
    if one.digest != other.digest:
        return [f"{way}: another digest"]
    for name, table in one.tables.items():
        for column in table:
            mine, its = np.asarray(table[column]), np.asarray(other.tables[name][column])
            same = np.array_equal(mine, its, equal_nan=mine.dtype.kind == "f")
            if not same:
                return [f"{way}: another {name}.{column}"]
    return []
