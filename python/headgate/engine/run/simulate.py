"""One run of the engine, with progress and snapshots."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headgate.base.errors import (
    EngineMissingError,
    HeadgateError,
    InterruptedRunError,
    ScenarioError,
    StoreError,
)
from headgate.base.files import write_file
from headgate.base.names import each_name
from headgate.data.measures.tables import RunTables
from headgate.data.tables import Table
from headgate.engine.run.memory import check_memory, packets_that_fit
from headgate.engine.run.options import DEFAULT, RunOptions, Threads
from headgate.engine.run.pace import Pace
from headgate.engine.run.prepare import make_own_code, translate_refusal
from headgate.engine.run.progress import Clock, Report, StopRunError
from headgate.engine.run.record import find_rates, make_record
from headgate.engine.run.stream import Update, UpdateMaker
from headgate.engine.run.trace import TraceLog, other_trace_error
from headgate.plugin import guard
from headgate.plugin.interface import PreparedCode
from headgate.scenario.group import Arrays
from headgate.scenario.plan import identity_of, plan_json
from headgate.scenario.spec import ScenarioSpec

if TYPE_CHECKING:
    from headgate._native import Simulation

log = logging.getLogger("headgate")

SNAPSHOT_FILE = "snapshot.bin"
#: Wall time between two checks of the clock and for Ctrl-C.
SLICE_S = 0.05
#: The same for a traced run, whose events stay in memory until then.
TRACED_SLICE_S = 0.01
#: Wall time of the first update of a streamed run, and the approximate greatest number of events
#: per update. From the engine to the table an event takes a kilobyte of memory.
FIRST_UPDATE_S, MOST_EVENTS = 0.01, 100_000
#: Wall time between two snapshots, which a kill costs; longer if writing takes long.
CHECKPOINT_S = 60.0
SNAPSHOT_SHARE = 0.05


class SnapshotError(StoreError):
    """A snapshot from which a run cannot resume."""


def run_engine(
    scenario: ScenarioSpec,
    planned: tuple[dict[str, Any], Arrays],
    progress: Report | None = None,
    options: RunOptions = DEFAULT,
    log: TraceLog | None = None,
) -> tuple[Mapping[str, Table], dict[str, Any]]:
    """Run a plan to its end, from its snapshot if there is one; return tables and run.json.

    The events of the trace go into `log` meanwhile. Raises ScenarioError, StoreError,
    CcaError, or InterruptedRunError when it is stopped.
    """
    run = _Run(scenario, planned, options.threads, options.snapshot)
    run.begin_trace(log)
    return run.make_result(run.run_to_end(progress), options)


def watch_engine(
    scenario: ScenarioSpec,
    planned: tuple[dict[str, Any], Arrays],
    followed: tuple[set[int], set[int]],
    pace: Pace,
    *,
    threads: Threads = 1,
) -> Generator[Update, None, tuple[Mapping[str, Table], dict[str, Any]]]:
    """Run a plan to its end as `run_engine` does, with updates at a pace.

    `followed` are the numbers of the flows and links whose events are reported. Raises as
    `run_engine`.
    """
    run = _Run(scenario, planned, threads)
    run.simulation.follow(*followed)
    facts = yield from run.updates(pace)
    return run.make_result(facts, DEFAULT)


def check_threads(threads: object) -> None:
    """Raise HeadgateError unless it is a number of threads, or a function."""
    if callable(threads) or (type(threads) is int and threads >= 1):
        return
    raise HeadgateError(f"threads: {threads!r} is not allowed; it must be a whole number from 1 on")


class _Run:
    def __init__(
        self,
        scenario: ScenarioSpec,
        planned: tuple[dict[str, Any], Arrays],
        threads: Threads,
        snapshot: Path | None = None,
    ) -> None:
        check_threads(threads)
        free = check_memory(*planned)
        self.scenario, (self.plan, arrays) = scenario, planned
        self._arrays = arrays
        self._asked_threads = threads
        # the process's CPU time includes other threads, so it is used only if necessary
        self._cpu_time_s = time.thread_time if threads == 1 else time.process_time
        self.identity, self.snapshot_file = identity_of(*planned), snapshot
        self.own = make_own_code(scenario, self.plan)
        begun = self._cpu_time_s()
        self.cpu_s = 0.0
        self.resumed = False
        self.trace: TraceLog | None = None
        self._kept_trace: object = None
        self.simulation = self._start(plan_json(dict(self.plan)), arrays)
        self.simulation.limit(packets_that_fit(free and free - self.simulation.bytes))
        self.threads = 1
        self._share_threads(threads)
        self.setup = (self._cpu_time_s() - begun, self.simulation.bytes)
        self.wall_s = 0.0

    def _share_threads(self, threads: Threads) -> None:
        now = threads if isinstance(threads, int) else threads()
        if now != self.threads:
            self.threads = now
            self.simulation.use_threads(now)

    def _start(self, plan: str, arrays: Arrays) -> Simulation:
        try:
            from headgate._native import Simulation
        except ImportError as error:
            raise EngineMissingError(
                f"the engine is not built ({error}); run `make setup` in the clone"
            ) from None
        own = [ready.native for ready in self.own]
        if self.snapshot_file is not None and self.snapshot_file.is_file():
            self.resumed = True
            begins = self._read_head(self.snapshot_file)
            try:
                return Simulation.resume(plan, arrays, self.snapshot_file, begins, own)
            except (OSError, ValueError) as error:
                raise _damage_error(self.snapshot_file, error) from None
        try:
            return Simulation(plan, arrays, own)
        except ValueError as error:
            raise translate_refusal(str(error), self.plan, self.scenario) from None

    def _read_head(self, path: Path) -> int:
        """Return the offset of the engine's state in a snapshot of this run."""
        with path.open("rb") as file:
            head = file.readline()
        try:
            kept = json.loads(head)
        except (ValueError, RecursionError) as error:
            raise _damage_error(path, error) from None
        if not isinstance(kept, dict) or not isinstance(kept.get("cpu_s"), int | float):
            raise _damage_error(path, "its head is of another kind")
        if kept.get("identity") != self.identity:
            raise SnapshotError(
                f"{path}: belongs to another scenario; choose another folder, or remove it"
            )
        self.cpu_s, self._kept_trace = kept["cpu_s"], kept.get("trace")
        return len(head)

    def run_to_end(self, progress: Report | None) -> dict[str, Any]:
        clock = Clock(self.simulation.time_s, self.simulation.packet_hops)
        begun, started = self._cpu_time_s() - self.cpu_s, time.perf_counter()
        due = _SnapshotTimer()
        try:
            with guard.defer_interrupts(self.own) as poll:
                while not self._advance(SLICE_S if self.trace is None else TRACED_SLICE_S):
                    self._take_trace()
                    self.cpu_s = self._cpu_time_s() - begun
                    poll()
                    self._report(progress, clock)
                    due.checkpoint_if_due(self._keep)
                    self._share_threads(self._asked_threads)
        except guard.StuckCcaError:
            raise InterruptedRunError(
                "stopped in your own code, which did not return; "
                "the last saved state, if any, is kept"
            ) from None
        except (KeyboardInterrupt, StopRunError):
            raise InterruptedRunError(self._stop()) from None
        self._take_trace()
        with suppress(StopRunError):  # the run has ended
            self._report(progress, clock)
        facts = self.simulation.results()
        self.wall_s = time.perf_counter() - started
        self.cpu_s = self._cpu_time_s() - begun
        return facts

    def begin_trace(self, trace: TraceLog | None) -> None:
        """Log events from now on, or from the place of a stopped run.

        Raises StoreError if the stopped run had another trace, or one that is missing now.
        """
        if trace is None:
            if isinstance(self._kept_trace, dict) and self.snapshot_file is not None:
                raise other_trace_error(self.snapshot_file.parent, self._kept_trace)
            return
        self.trace = trace
        if self.resumed:
            trace.resume(self._kept_trace)
        else:
            trace.begin()
        if not trace.is_full:
            self.simulation.follow(*trace.numbers)

    def _take_trace(self) -> None:
        if self.trace is None or self.trace.is_full:
            return
        if self.trace.add(*self.simulation.take_trace(self.trace.room)):
            self.simulation.follow(set(), set())

    def updates(self, pace: Pace) -> Generator[Update, None, dict[str, Any]]:
        begun, started = self._cpu_time_s(), time.perf_counter()
        maker = UpdateMaker(self.plan)
        slice_s = min(pace.every_s, FIRST_UPDATE_S)
        for number in count(1):
            over = self._advance_update(slice_s, pace.until_ps(number))
            self._share_threads(self._asked_threads)
            at = (self.simulation.time_s, self.simulation.duration_s)
            update = maker.make(self.simulation.take_updates(), at)
            slice_s = choose_slice_s(slice_s, len(update.events), pace.every_s)
            pace.wait_for(update.time_s)
            yield update
            if over:
                break
        self.wall_s, self.cpu_s = time.perf_counter() - started, self._cpu_time_s() - begun
        return self.simulation.results()

    def _advance_update(self, slice_s: float, until_ps: int | None) -> bool:
        """Run for a time of wall time, or up to a simulated time; return whether the run ended."""
        with guard.defer_interrupts(self.own) as poll:
            if until_ps is None:
                over = self._advance(slice_s)
                poll()
                return over
            while True:
                begun_s = time.perf_counter()
                over = self._advance(SLICE_S, until_ps)
                poll()
                if over or time.perf_counter() - begun_s < SLICE_S:
                    return over  # it stopped before the slice ended: the time is reached

    def make_result(
        self, facts: Mapping[str, Any], options: RunOptions
    ) -> tuple[Mapping[str, Table], dict[str, Any]]:
        record = make_record(
            *(self.scenario, (self.plan, self._arrays), facts),
            identity=self.identity,
            command=options.command,
            resumed=self.resumed,
            setup=self.setup,
            cpu_s=self.cpu_s,
            wall_s=self.wall_s,
            rates=find_rates(self.plan, self._arrays),
            resolved=options.resolved,
        )
        return RunTables(self.plan, facts), record

    def _advance(self, wall_s: float, until_ps: int | None = None) -> bool:
        with engine_errors(self.own, self.plan):
            return self.simulation.advance(wall_s, until_ps)

    def _report(self, progress: Report | None, clock: Clock) -> None:
        if progress is not None:
            state = self.simulation
            progress(clock.report(state.time_s, state.duration_s, state.packet_hops))

    def _stop(self) -> str:
        """Save the engine's state, and return a message about it."""
        state = self.simulation
        at = f"stopped at {state.time_s:.3f} s of {state.duration_s:g} s{self._pace()}"
        if self.snapshot_file is None:
            return f"{at}; nothing is kept, since no folder was given (--out DIR)"
        try:
            self._keep()
        except (StoreError, ValueError) as why:
            return f"{at}; nothing is kept ({why})"
        folder = self.snapshot_file.parent
        return f"{at}; the state is kept in {folder}; the same command resumes it"

    def _pace(self) -> str:
        """Return the work done, its rate, and the total time at that rate."""
        state, hours = self.simulation, self.cpu_s / 3600
        if not (self.cpu_s and state.time_s):
            return ""
        whole = state.duration_s / state.time_s
        rate = state.packet_hops / self.cpu_s / 1e6
        return (
            f" after {state.packet_hops:,.0f} packet-hops, {rate:.1f} million a CPU second;"
            f" at this pace {whole * state.packet_hops:,.0f} in {whole * hours:.2g} CPU hours"
            " in all"
        )

    def _keep(self) -> None:
        """Write the engine's state between two events.

        Raises StoreError if it cannot be written, and ValueError if it cannot be serialised.
        """
        if self.snapshot_file is not None:
            self._take_trace()
            write_file(self.snapshot_file, self._write_state)

    def _write_state(self, draft: Path) -> None:
        trace = None if self.trace is None else self.trace.keep()
        head = json.dumps({"identity": self.identity, "cpu_s": self.cpu_s, "trace": trace})
        draft.write_text(f"{head}\n", encoding="utf-8")
        self.simulation.snapshot(draft)


def choose_slice_s(last_s: float, events: int, every_s: float) -> float:
    """Return the time for the next update, so that it has at most MOST_EVENTS events."""
    fits_s = last_s * MOST_EVENTS / max(events, 1)
    return min(every_s, fits_s, 2 * last_s)


class _SnapshotTimer:
    def __init__(self) -> None:
        self._at_s = time.perf_counter() + CHECKPOINT_S
        self._warned = False

    def checkpoint_if_due(self, keep: Callable[[], None]) -> None:
        """Save the state if it is time; a failure is tried again later."""
        begun_s = time.perf_counter()
        if begun_s < self._at_s:
            return
        try:
            keep()
        except ValueError:  # it cannot be serialised
            self._at_s = float("inf")
            return
        except StoreError as error:
            if not self._warned:
                log.warning("%s; the run continues, but a kill would lose more of it", error)
            self._warned = True
        now_s = time.perf_counter()
        self._at_s = now_s + max(CHECKPOINT_S, (now_s - begun_s) / SNAPSHOT_SHARE)


@contextmanager
def engine_errors(own: Sequence[PreparedCode], plan: Mapping[str, Any]) -> Iterator[None]:
    """Turn failed code and exceeded limits of the engine into one sentence."""
    from headgate._native import ExcessError, OwnFaultError

    try:
        yield
    except OwnFaultError as fault:
        raise guard.own_error(fault, own) from None
    except ExcessError as excess:
        raise excess_error(excess, plan) from None


def excess_error(excess: Exception, plan: Mapping[str, Any]) -> ScenarioError:
    """Return the error of a flow and its algorithm, or the network, that exceeded a limit."""
    sender, at_s, says = excess.args
    if sender is None:
        return ScenarioError("network", f"at {at_s:.6f} s {says}")
    traffic, cca = sender
    flow = next(islice(each_name(plan["traffic"]), traffic, None))
    name = plan["laws"][cca]["name"]
    return ScenarioError(f"flow '{flow}', algorithm '{name}'", f"at {at_s:.6f} s {says}")


def _damage_error(path: Path, error: object) -> SnapshotError:
    return SnapshotError(f"{path}: is damaged ({error}); remove it and run again")
