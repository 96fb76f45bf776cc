"""One run of the engine, with progress, and resumed where it was stopped."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
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
from headgate.base.version import __version__
from headgate.data.measures.tables import make_tables
from headgate.data.tables import Table
from headgate.engine.run.memory import packets_that_fit, refuse_what_does_not_fit
from headgate.engine.run.options import DEFAULT, RunOptions, Threads
from headgate.engine.run.own import make_own_code, own_queues
from headgate.engine.run.progress import Clock, Report, StopRunError
from headgate.engine.run.rates import find_rates
from headgate.engine.run.refusals import translate_refusal
from headgate.engine.run.stream import Update, UpdateMaker
from headgate.engine.run.trace_log import TraceLog, other_trace_error
from headgate.plugin import guard
from headgate.plugin.interface import PreparedCode
from headgate.scenario.group import Arrays
from headgate.scenario.plan import identity_of, plan_json
from headgate.scenario.plan_warnings import scenario_warnings
from headgate.scenario.spec import ScenarioSpec

if TYPE_CHECKING:
    from headgate._native import Simulation

log = logging.getLogger("headgate")

SNAPSHOT_FILE = "snapshot.bin"
#: Wall time between two looks at the clock and at Ctrl-C.
SLICE_S = 0.05
#: The same where events are noted, which are in memory until then.
TRACED_SLICE_S = 0.01
#: Wall time of the first update of a run that is watched, and about how many events an update has
#: at most. Memory goes with the largest: from the engine to the table an event takes a kilobyte.
FIRST_UPDATE_S, MOST_EVENTS = 0.01, 100_000
#: Wall time between two snapshots, which is what a kill costs; more where writing one takes long.
CHECKPOINT_S = 60.0
SNAPSHOT_SHARE = 0.05


class SnapshotError(StoreError):
    """A snapshot from which a run cannot be resumed."""


def run_engine(
    scenario: ScenarioSpec,
    planned: tuple[dict[str, Any], Arrays],
    progress: Report | None = None,
    options: RunOptions = DEFAULT,
    log: TraceLog | None = None,
) -> tuple[dict[str, Table], dict[str, Any]]:
    """Run a plan to its end, from its snapshot if there is one; give tables and run.json.

    The events of the trace go into `log` meanwhile. Raises ScenarioError, StoreError,
    LawError, or InterruptedRunError when it is stopped.
    """
    run = _start_run(scenario, planned, options, log)
    return run.leave_behind(run.to_the_end(progress), options.command)


def watch_engine(
    scenario: ScenarioSpec,
    planned: tuple[dict[str, Any], Arrays],
    followed: tuple[set[int], set[int]],
    every_s: float,
    *,
    threads: Threads = 1,
) -> Generator[Update, None, tuple[dict[str, Table], dict[str, Any]]]:
    """Run a plan to its end as `run_engine` does, with an update each `every_s` of wall time.

    `followed` are the numbers of the flows and links whose events are told. Raises as `run_engine`.
    """
    run = _start_run(scenario, planned, RunOptions(threads=threads))
    run.simulation.follow(*followed)
    facts = yield from run.updates(every_s)
    return run.leave_behind(facts, "")


def _start_run(
    scenario: ScenarioSpec,
    planned: tuple[dict[str, Any], Arrays],
    options: RunOptions,
    log: TraceLog | None = None,
) -> _Run:
    plan, arrays = planned
    check_threads(options.threads)
    refuse_what_does_not_fit(plan, arrays)
    identity = identity_of(plan, arrays)
    run = _Run(scenario, planned, identity, options.snapshot, options.threads)
    run.begin_trace(log)
    return run


def check_threads(threads: object) -> None:
    """Raise HeadgateError unless it is a number of threads, or a function that returns one."""
    if callable(threads) or (type(threads) is int and threads >= 1):
        return
    raise HeadgateError(f"threads: {threads!r} is not allowed; it must be a whole number from 1 on")


class _Run:
    """The engine at work, and the CPU time it took."""

    def __init__(
        self,
        scenario: ScenarioSpec,
        planned: tuple[Mapping[str, Any], Arrays],
        identity: str,
        snapshot: Path | None,
        threads: Threads,
    ) -> None:
        self.scenario, (self.plan, arrays) = scenario, planned
        self._arrays = arrays
        self._asked_threads = threads
        # the process's CPU time has what other threads do, so it is taken only where it must be
        self._cpu_time_s = time.thread_time if threads == 1 else time.process_time
        self.identity, self.snapshot_file = identity, snapshot
        self.own = make_own_code(scenario, self.plan)
        begun = self._cpu_time_s()
        self.cpu_s = 0.0
        self.resumed = False
        self.trace: TraceLog | None = None
        self._kept_trace: object = None
        self.simulation = self._start(plan_json(dict(self.plan)), arrays)
        self.simulation.limit(packets_that_fit())
        self.threads = 1
        self._share_threads(threads)
        self.setup_cpu_s = self._cpu_time_s() - begun
        self.setup_bytes = self.simulation.bytes
        self.wall_s = 0.0

    def _share_threads(self, threads: Threads) -> None:
        """Go on with as many threads as the run may have now."""
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
        """Find where an earlier start left the engine's state, if it is of this very run."""
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

    def to_the_end(self, progress: Report | None) -> dict[str, Any]:
        clock = Clock(self.simulation.time_s, self.simulation.packet_hops)
        begun, started = self._cpu_time_s() - self.cpu_s, time.perf_counter()
        due = _Due()
        try:
            with guard.defer_interrupts(self.own) as poll:
                while not self._advance(SLICE_S if self.trace is None else TRACED_SLICE_S):
                    self._take_trace()
                    self.cpu_s = self._cpu_time_s() - begun
                    poll()
                    self._report(progress, clock)
                    due.checkpoint_if_due(self._keep)
                    self._share_threads(self._asked_threads)
        except guard.StuckLawError:
            says = "stopped in your own code, which did not return; the last saved state is kept"
            raise InterruptedRunError(says) from None
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
        """Have events go into a log from now on, or from where the run was stopped.

        Raises StoreError if the run had another trace, or one where it now has none.
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
        """Write down what has happened, until the trace is full."""
        if self.trace is None or self.trace.is_full:
            return
        if self.trace.add(*self.simulation.take_trace(self.trace.room)):
            self.simulation.follow(set(), set())

    def updates(self, every_s: float) -> Generator[Update, None, dict[str, Any]]:
        """Go on to the end, with an update after each slice of wall time; give the facts."""
        begun, started = self._cpu_time_s(), time.perf_counter()
        maker, over = UpdateMaker(self.plan), False
        slice_s = min(every_s, FIRST_UPDATE_S)
        while not over:
            with guard.defer_interrupts(self.own) as poll:
                over = self._advance(slice_s)
                poll()
            self._share_threads(self._asked_threads)
            at = (self.simulation.time_s, self.simulation.duration_s)
            update = maker.make(self.simulation.take_updates(), at)
            slice_s = choose_slice_s(slice_s, len(update.events), every_s)
            yield update
        self.wall_s, self.cpu_s = time.perf_counter() - started, self._cpu_time_s() - begun
        return self.simulation.results()

    def leave_behind(
        self, facts: Mapping[str, Any], command: str
    ) -> tuple[dict[str, Table], dict[str, Any]]:
        """Return tables and run.json of a run that is over."""
        meta = {
            "headgate": __version__,
            "identity": self.identity,
            "scenario": self.scenario.to_dict(resolved=True),
            "seed": self.scenario.seed,
            "command": command,
            "resumed": self.resumed,
            "cpu_s": self.cpu_s,
            "setup_cpu_s": self.setup_cpu_s,
            "setup_bytes": self.setup_bytes,
            "wall_s": self.wall_s,
            **{key: facts[key] for key in ("packet_hops", "lookahead_s", "digest")},
            "laws": self.plan["laws"],
            **({"rates": rates} if (rates := find_rates(self.plan, self._arrays)) else {}),
            "disciplines": own_queues(self.plan),
            "warnings": scenario_warnings(self.scenario, self.plan, self._arrays),
        }
        return make_tables(self.plan, facts), meta

    def _advance(self, wall_s: float) -> bool:
        with engine_errors(self.own, self.plan):
            return self.simulation.advance(wall_s)

    def _report(self, progress: Report | None, clock: Clock) -> None:
        if progress is not None:
            state = self.simulation
            progress(clock.report(state.time_s, state.duration_s, state.packet_hops))

    def _stop(self) -> str:
        """Keep the engine's state, and say what to do."""
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
        """Say how much was done at what rate, and the total time at that rate."""
        state, hours = self.simulation, self.cpu_s / 3600
        if not (self.cpu_s and state.time_s):
            return ""
        whole = state.duration_s / state.time_s
        rate = state.packet_hops / self.cpu_s / 1e6
        return (
            f" after {state.packet_hops:.4g} packet-hops, {rate:.1f} million a CPU second;"
            f" at this pace {whole * state.packet_hops:.3g} in {whole * hours:.2g} CPU hours in all"
        )

    def _keep(self) -> None:
        """Write the engine's state, which lies between two events.

        Raises StoreError where it cannot be written, and ValueError where it has no form.
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
    """Return how long the next update may collect events, so that it has MOST_EVENTS at most."""
    fits_s = last_s * MOST_EVENTS / max(events, 1)
    return min(every_s, fits_s, 2 * last_s)


class _Due:
    """When the next snapshot is due; one that takes long is written less often."""

    def __init__(self) -> None:
        self._at_s = time.perf_counter() + CHECKPOINT_S
        self._warned = False

    def checkpoint_if_due(self, keep: Callable[[], None]) -> None:
        """Keep the state if it is time; what cannot be written now may be a while later."""
        begun_s = time.perf_counter()
        if begun_s < self._at_s:
            return
        try:
            keep()
        except ValueError:  # it has no form that could be kept
            self._at_s = float("inf")
            return
        except StoreError as error:
            self._warn(error)
        now_s = time.perf_counter()
        self._at_s = now_s + max(CHECKPOINT_S, (now_s - begun_s) / SNAPSHOT_SHARE)

    def _warn(self, error: StoreError) -> None:
        if not self._warned:
            log.warning("%s; the run continues, but a kill would lose more of it", error)
        self._warned = True


@contextmanager
def engine_errors(own: Sequence[PreparedCode], plan: Mapping[str, Any]) -> Iterator[None]:
    """Make one sentence of what ends a run of the engine: code that failed, or a limit."""
    from headgate._native import ExcessError, OwnFaultError

    try:
        yield
    except OwnFaultError as fault:
        raise guard.own_error(fault, own) from None
    except ExcessError as excess:
        raise excess_error(excess, plan) from None


def excess_error(excess: Exception, plan: Mapping[str, Any]) -> ScenarioError:
    """Name the flow and the law, or the network, that exceeded a limit of the engine."""
    sender, at_s, says = excess.args
    if sender is None:
        return ScenarioError("network", f"at {at_s:.6f} s {says}")
    traffic, law = sender
    flow = next(islice(each_name(plan["traffic"]), traffic, None))
    name = plan["laws"][law]["name"]
    return ScenarioError(f"flow '{flow}', law '{name}'", f"at {at_s:.6f} s {says}")


def _damage_error(path: Path, error: object) -> SnapshotError:
    return SnapshotError(f"{path}: is damaged ({error}); remove it and run again")
