"""One run: from a scenario to a result, with progress, and resumed where it was stopped."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headgate.errors import EngineMissingError, InterruptedRunError, ScenarioError, StoreError
from headgate.measures.tables import make_tables
from headgate.own import calls
from headgate.own.load import Ready
from headgate.result import Result
from headgate.run.folder import read_meta, write_file
from headgate.run.progress import Clock, Progress, Report, StopRunError
from headgate.scenario.plan import Arrays, identity_of, plan_json

__all__ = ["Progress", "simulate"]

if TYPE_CHECKING:
    from headgate._native import Simulation
    from headgate.scenario import Scenario

SNAPSHOT_FILE = "snapshot.bin"
#: Wall time between two looks at the clock and at Ctrl-C.
SLICE_S = 0.2
#: Wall time between two snapshots, which is what a kill costs; more where writing one takes long.
CHECKPOINT_S = 60.0
SNAPSHOT_SHARE = 0.05


class SnapshotError(StoreError):
    """A snapshot that cannot be gone on from."""


def simulate(
    scenario: Scenario,
    out: Path | None = None,
    progress: Report | None = None,
    command: str = "",
    snapshot: Path | None = None,
) -> Result:
    """Run a scenario; with `out`, keep the result there.

    A finished run of the same scenario in `out` is read back, a stopped or killed one is resumed:
    its state is kept in `snapshot`, which is in `out` unless told. Raises ScenarioError,
    StoreError, or InterruptedRunError when it is stopped.
    """
    plan, arrays = scenario.plan()
    identity = identity_of(plan, arrays)
    if out is not None and (done := _already_there(out, identity)) is not None:
        return done
    if out is not None and snapshot is None:
        snapshot = out / SNAPSHOT_FILE
    run = _Run(plan, arrays, identity, snapshot, own_laws(scenario, plan))
    facts = run.to_the_end(progress)
    meta = {
        "headgate": _version(),
        "identity": identity,
        "scenario": scenario.to_dict(resolved=True),
        "seed": scenario.seed,
        "command": command,
        "resumed": run.resumed,
        "cpu_s": run.cpu_s,
        "setup_cpu_s": run.setup_cpu_s,
        "setup_bytes": run.setup_bytes,
        "wall_s": run.wall_s,
        **{key: facts[key] for key in ("packet_hops", "lookahead_s", "digest")},
        "laws": plan["laws"],
    }
    result = Result(make_tables(plan, facts), meta)
    if out is not None:
        result.write(out)
        run.forget()
    return result


def _already_there(out: Path, identity: str) -> Result | None:
    meta = read_meta(out)
    if meta is None:
        return None
    if meta.get("identity") != identity:
        raise StoreError(f"{out}: holds the run of another scenario; choose another folder")
    return Result.read(out)


class _Run:
    """The engine at work, and the CPU time it took."""

    def __init__(
        self,
        plan: Mapping[str, Any],
        arrays: Arrays,
        identity: str,
        snapshot: Path | None,
        own: Sequence[Ready],
    ) -> None:
        self.identity, self.snapshot_file, self.own = identity, snapshot, own
        begun = time.thread_time()
        self.cpu_s = 0.0
        self.resumed = False
        self.simulation = self._start(plan_json(dict(plan)), arrays)
        self.setup_cpu_s = time.thread_time() - begun
        self.setup_bytes = self.simulation.bytes
        self.wall_s = 0.0

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
            begins = self._kept(self.snapshot_file)
            try:
                return Simulation.resume(plan, arrays, self.snapshot_file, begins, own)
            except (OSError, ValueError) as error:
                raise _damaged(self.snapshot_file, error) from None
        try:
            return Simulation(plan, arrays, own)
        except ValueError as error:
            place, _, sentence = str(error).partition(": ")
            raise ScenarioError(place, sentence) from None

    def _kept(self, path: Path) -> int:
        """Find where an earlier start left the engine's state, if it is of this very run."""
        with path.open("rb") as file:
            head = file.readline()
        try:
            kept = json.loads(head)
        except ValueError as error:
            raise _damaged(path, error) from None
        if kept["identity"] != self.identity:
            raise SnapshotError(
                f"{path}: belongs to another scenario; choose another folder, or remove it"
            )
        self.cpu_s = kept["cpu_s"]
        return len(head)

    def to_the_end(self, progress: Report | None) -> dict[str, Any]:
        clock = Clock(self.simulation.time_s, self.simulation.packet_hops)
        begun, started = time.thread_time() - self.cpu_s, time.perf_counter()
        due = _Due()
        try:
            with calls.deferred(self.own) as look:
                while not self._advance():
                    self.cpu_s = time.thread_time() - begun
                    look()
                    self._tell(progress, clock)
                    due.perhaps(self._keep)
        except calls.StuckLawError:
            says = "stopped in a law that did not come back; what was kept before stands"
            raise InterruptedRunError(says) from None
        except (KeyboardInterrupt, StopRunError):
            raise InterruptedRunError(self._stopped()) from None
        self._tell(progress, clock)
        facts = self.simulation.results()
        self.wall_s = time.perf_counter() - started
        self.cpu_s = time.thread_time() - begun
        return facts

    def forget(self) -> None:
        """Remove the snapshot of a run that is finished and stored."""
        if self.snapshot_file is not None:
            self.snapshot_file.unlink(missing_ok=True)

    def _advance(self) -> bool:
        from headgate._native import LawFaultError

        try:
            return self.simulation.advance(SLICE_S)
        except LawFaultError as fault:
            raise calls.law_error(fault, self.own) from None

    def _tell(self, progress: Report | None, clock: Clock) -> None:
        if progress is not None:
            state = self.simulation
            progress(clock.report(state.time_s, state.duration_s, state.packet_hops))

    def _stopped(self) -> str:
        """Keep the engine's state, and say what to do."""
        state = self.simulation
        at = f"stopped at {state.time_s:.3f} s of {state.duration_s:g} s{self._pace()}"
        if self.snapshot_file is None:
            return f"{at}; nothing is kept, since no folder was given (--out DIR)"
        if why := self._keep():
            return f"{at}; nothing is kept ({why})"
        folder = self.snapshot_file.parent
        return f"{at}; the state is kept in {folder}, the same command goes on from there"

    def _pace(self) -> str:
        """Say how much was done at which rate, and what the whole run takes if it goes on so."""
        state, hours = self.simulation, self.cpu_s / 3600
        if not (self.cpu_s and state.time_s):
            return ""
        whole = state.duration_s / state.time_s
        rate = state.packet_hops / self.cpu_s / 1e6
        return (
            f" after {state.packet_hops:.4g} packet-hops, {rate:.1f} million a CPU second;"
            f" at this pace {whole * state.packet_hops:.3g} in {whole * hours:.2g} CPU hours in all"
        )

    def _keep(self) -> str:
        """Write the engine's state, which lies between two windows; say why if it cannot."""
        if self.snapshot_file is None:
            return "there is no place for it"
        try:
            write_file(self.snapshot_file, self._write_state)
        except ValueError as error:
            return str(error)
        return ""

    def _write_state(self, draft: Path) -> None:
        head = json.dumps({"identity": self.identity, "cpu_s": self.cpu_s})
        draft.write_text(f"{head}\n", encoding="utf-8")
        self.simulation.snapshot(draft)


class _Due:
    """When the next snapshot is due; one that takes long is written less often."""

    def __init__(self) -> None:
        self._at_s = time.perf_counter() + CHECKPOINT_S

    def perhaps(self, keep: Callable[[], str]) -> None:
        """Keep the state if it is time; a run whose state cannot be kept is not asked again."""
        begun_s = time.perf_counter()
        if begun_s < self._at_s:
            return
        cannot = keep()
        now_s = time.perf_counter()
        pause_s = max(CHECKPOINT_S, (now_s - begun_s) / SNAPSHOT_SHARE)
        self._at_s = float("inf") if cannot else now_s + pause_s


def own_laws(scenario: Scenario, plan: Mapping[str, Any]) -> list[Ready]:
    """Make the user's own laws ready, in the order of the plan. Raises LawError."""
    by_law = {json.dumps(control.plan()): control for control in scenario.own_laws()}
    chosen = [by_law[json.dumps(law)] for law in plan["laws"] if "own" in law]
    return [control.law().ready(control.params) for control in chosen]


def _damaged(path: Path, error: Exception) -> SnapshotError:
    return SnapshotError(f"{path}: is damaged ({error}); remove it and run again")


def _version() -> str:
    from headgate import __version__

    return __version__
