"""The user's objects: a scenario that can be run, and the result of its run.

Each returns the other, so this module defines both, above all modules that make and keep a run.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headgate.base.errors import (
    HeadgateError,
    InterruptedRunError,
    ScenarioError,
    SchemeWarning,
    StoreError,
)
from headgate.base.progress import in_notebook
from headgate.base.terminal import escape_controls
from headgate.base.units import format_time_ps
from headgate.data.folder import find_run, hold_for_run, name_folder, read_meta, write_folder
from headgate.data.measures.shown import FEW_PORTS, Shown, show_run
from headgate.data.tables import Table, name_tables
from headgate.engine.run.options import DEFAULT, RunOptions
from headgate.engine.run.pace import Pace, make_pace
from headgate.engine.run.progress import Report, show_progress
from headgate.engine.run.simulate import SNAPSHOT_FILE, run_engine, watch_engine
from headgate.engine.run.stream import Stream, Update
from headgate.engine.run.trace import Trace, TraceLog, has_trace
from headgate.figures.notebook import draw_svg, make_table, show_figures
from headgate.scenario.group import Arrays
from headgate.scenario.plan import choose_numbers, identity_of, make_plan
from headgate.scenario.plan_warnings import scenario_warnings
from headgate.scenario.spec import ScenarioSpec

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from headgate.figures.paper.size import PaperSize


#: Tables that the short form of a result counts.
SHOWN = ("flows", "ports")
#: Characters of a title in the short form of a scenario.
LONGEST_TITLE = 30


class Scenario(ScenarioSpec):
    """Everything that determines a run. Two equal scenarios give equal results, bit for bit."""

    def __repr__(self) -> str:
        """Return what the scenario is of, in a short line."""
        title = f"{self.title[:LONGEST_TITLE]!r}, " if self.title else ""
        items = f"{len(self.traffic)} traffic item{'s' if len(self.traffic) > 1 else ''}"
        time = format_time_ps(self.duration)
        return f"Scenario({title}{self.network.kind}, {items}, {time}, seed {self.seed})"

    __str__ = __repr__

    def plan(self) -> tuple[dict[str, Any], Arrays]:
        """Return the engine's plan, and the arrays that go with it. Raises ScenarioError."""
        return make_plan(self)

    def _repr_html_(self) -> str:
        """Show in a notebook what sends, and the network."""
        from headgate.figures.plots.network import topology

        plan, _ = self.plan()
        names = [node["name"] for node in plan["nodes"]]
        ends = {tuple(sorted((names[k["from"]], names[k["to"]]))) for k in plan["links"]}
        picture = draw_svg(topology(sorted(ends))) if ends else ""
        keys = {key: value for key, value in self.to_dict().items() if not isinstance(value, list)}
        network = make_table([{key: _flat(value) for key, value in keys.items()}])
        return network + make_table(_rows_of(self.to_dict()["traffic"])) + picture

    def identity(self) -> str:
        """Return the SHA-256 of the plan, its arrays and the version: equal means equal results.

        Raises ScenarioError.
        """
        return identity_of(*self.plan())

    def run(  # noqa: PLR0913 - what a run can be given
        self,
        duration: str | None = None,
        seed: int | None = None,
        threads: int = 1,
        *,
        out: str | Path | None = None,
        progress: bool | None = None,
        trace: Trace | None = None,
    ) -> Result:
        """Run the scenario, and return its result.

        `duration` ("60 s") and `seed` replace those of the scenario. `threads` is the most threads
        that the run may use; the result does not depend on it. With `out`, a folder, the result is
        stored there: a stopped run is resumed from there, and a finished one is read. `progress`
        shows a progress bar; by default only in a notebook. `trace` selects flows and ports whose
        every event is written into the folder `out`.

        Senders without the routers or marks that they need, flows that start after the end, and
        long flows that share a drop-tail queue in a scenario without chance (phase effects) give
        a SchemeWarning each, which is in `meta["warnings"]` too. Raises ScenarioError,
        StoreError or CcaError; KeyboardInterrupt at Ctrl-C.
        """
        if not isinstance(trace, Trace | None):
            raise ScenarioError(
                "trace", f"give a headgate.Trace, such as headgate.Trace(flows=[0]); got {trace!r}"
            )
        changes = {"duration": duration, "seed": seed}
        changes = {key: value for key, value in changes.items() if value is not None}
        chosen = self.replaced(changes) if changes else self
        shows = in_notebook() if progress is None else progress
        try:
            with show_progress(self.title or "run") if shows else nullcontext() as report:
                folder = None if out is None else name_folder(out)
                options = RunOptions(threads=threads, trace=trace)
                result = simulate(chosen, folder, report, options)
        except InterruptedRunError as stopped:
            raise KeyboardInterrupt(str(stopped)) from None
        for doubt in result.meta["warnings"]:
            warnings.warn(doubt, SchemeWarning, stacklevel=2)
        return result

    def stream(  # noqa: PLR0913 - what a stream can be given
        self,
        flows: Sequence[str] | str = (),
        links: Sequence[str] | str = (),
        every_s: float | None = None,
        threads: int = 1,
        *,
        step_s: float | None = None,
        speed: float | str | None = None,
    ) -> Stream[Result]:
        """Run the scenario, and iterate over an `Update` per `every_s` (0.1) seconds of wall time.

        With `step_s` there is an update per `step_s` seconds of simulated time instead, so that
        every machine gives the same updates. `speed` is the most simulated seconds per second of
        wall time, such as 1 or 0.1; None or "max" is no limit. With a speed, an update covers
        `speed * every_s` simulated seconds, unless `step_s` is given. A step ends between two
        windows of the engine, so it may end earlier by the shortest delay between two routers.

        An update has tables: the new samples of `measure.series` and of the network, and the events
        of the traffic (`flows`) and of the `links` that patterns name ("bulk.0", "web", "*"). After
        the last one `Stream.result` is what `run` returns, bit for bit. `threads` is the most
        threads that the run may use. An update comes sooner if it would contain more than 100,000
        events, each of which takes about a kilobyte of memory. Warns as `run` does, at once. Raises
        ScenarioError for a name that matches nothing, or a time or speed that is not above 0.
        """
        pace = make_pace(every_s, step_s, speed)
        planned = self.plan()
        followed = choose_numbers(planned[0], flows, links)
        for doubt in scenario_warnings(self, *planned):
            warnings.warn(doubt, SchemeWarning, stacklevel=2)
        return Stream(_watched(self, planned, followed, pace, threads), pace.release)


class Result:
    """The tables of a run, and `meta`, its run.json.

    Each table is a property or an item of `tables`: flows, ports, series, network, responses. A run
    of packets also has `tables["classes"]`, "ccas", "windows", "links" and "checks".
    """

    def __init__(self, tables: Mapping[str, Table], meta: dict[str, Any]) -> None:
        self.tables = name_tables(tables)
        self.meta = meta

    @property
    def flows(self) -> Table:
        """One row per flow, in the order of start; select rows by `cca` or `traffic`.

        In `dumbbell(flows=[...])`, names start 10 ms apart and mappings at 0 unless they contain
        `start`, so the rows can be in another order than the list.
        """
        return self.tables["flows"]

    @property
    def ports(self) -> Table:
        """One row per link."""
        return self.tables["ports"]

    @property
    def series(self) -> Table:
        """Chosen flows and ports over time, one row per sample of each."""
        return self.tables["series"]

    @property
    def network(self) -> Table:
        """The whole network over time, one row per sample."""
        return self.tables["network"]

    @property
    def responses(self) -> Table:
        """The 22 responses, one row per measurement period."""
        return self.tables["responses"]

    @property
    def scenario(self) -> Scenario:
        """The scenario that was run, with every default filled in; a fluid run has none."""
        if "scenario" not in self.meta:
            raise HeadgateError("a fluid run has no scenario; meta['fluid'] says what was solved")
        return Scenario.from_file(self.meta["scenario"], "a stored run")

    @property
    def digest(self) -> str:
        """A hash of everything that happened in the run; equal runs have equal ones."""
        return str(self.meta["digest"])

    def figures(self) -> dict[str, Figure]:
        """Draw every picture that the run has data for; return figures of matplotlib by name."""
        from headgate.figures.plots import draw_run

        return draw_run(self)

    def plot(self, out: str | Path = "figures", *, paper: PaperSize | str | None = None) -> None:
        """Show the pictures below the cell of a notebook; elsewhere save them in the folder `out`.

        There it writes PNG and SVG, and prints the paths of the PNGs. `figures()` gives the
        pictures themselves. With `paper` ("ieee", "acm", "88 mm", or a size), it writes figures of
        that width as PDF and SVG, with captions and data, and prints the paths of the PDFs.
        Raises StoreError.
        """
        if paper is not None:
            from headgate.figures.paper.save import plot_for_paper
            from headgate.figures.spec.results import draw_every_kind

            plot_for_paper(draw_every_kind(self), out, paper)
            return
        show_figures(self.figures(), Path(out))

    def write(self, folder: str | Path) -> Path:
        """Write the run's folder, and return it: one Parquet file per table, and run.json.

        Raises StoreError, also if the folder contains the run of another scenario.
        """
        out = name_folder(folder)
        with hold_for_run(out):
            _require_identity(out, read_meta(out), self.meta.get("identity"))
            write_folder(out, self.tables, self.meta)
        return out

    @classmethod
    def read(cls, folder: str | Path) -> Result:
        """Read a run's folder. Raises StoreError if it is not one, or is damaged."""
        tables, meta = find_run(Path(folder))
        return cls(dict(tables), meta)

    def _repr_html_(self) -> str:
        """Show in a notebook what each algorithm got, and the picture of it over time."""
        from headgate.figures.plots import draw_answer

        figure = draw_answer(self)
        picture = "" if figure is None else draw_svg(figure)
        tables = "".join(
            f"<p>{escape(shown.title)}</p>{make_table(shown.records())}" for shown in self._show()
        )
        return f"<p>{escape(repr(self))}</p>{tables}{picture}"

    def _show(self) -> tuple[Shown, ...]:
        return show_run(self.tables, self.meta, FEW_PORTS)

    def __str__(self) -> str:
        """Return what each CCA got and the busiest ports, with nothing that a terminal obeys."""
        text = "\n\n".join(map(str, self._show())) or repr(self)
        return "\n".join(map(escape_controls, text.split("\n")))

    def __repr__(self) -> str:
        """Return what the result is of, in a short line."""
        counts = {name: len(self.tables[name]) for name in SHOWN if name in self.tables}
        rows = [f"{n} {name if n != 1 else name.removesuffix('s')}" for name, n in counts.items()]
        hops = f"{self.meta.get('packet_hops', 0):,} packet-hops"
        digest = [f"digest {self.digest[:8]}"] if self.meta.get("digest") else []
        return f"Result({', '.join([*rows, hops, *digest])})"


class UnstoredError(StoreError):
    """A finished run that could not be written; `result` has it."""

    def __init__(self, sentence: str, result: Result) -> None:
        self.result = result
        super().__init__(sentence)


def _watched(
    scenario: Scenario,
    planned: tuple[dict[str, Any], Arrays],
    followed: tuple[set[int], set[int]],
    pace: Pace,
    threads: int,
) -> Generator[Update, None, Result]:
    parts = yield from watch_engine(scenario, planned, followed, pace, threads=threads)
    return Result(*parts)


def simulate(
    scenario: Scenario,
    out: Path | None = None,
    progress: Report | None = None,
    options: RunOptions = DEFAULT,
) -> Result:
    """Run a scenario; with `out`, keep the result there; no other run may use that folder.

    A finished run of the same scenario in `out` is read back, unless it lacks the trace; a stopped
    or killed one is resumed from its snapshot. Raises ScenarioError or StoreError;
    InterruptedRunError when it is stopped.
    """
    planned, trace = options.planned or scenario.plan(), options.trace
    if out is None:
        if trace is not None:
            raise ScenarioError("trace", "a trace needs a folder to be written into (--out DIR)")
        return Result(*run_engine(scenario, planned, progress, options))
    log = None if trace is None else TraceLog(out, trace, planned[0])
    identity = identity_of(*planned)
    if (done := _read_finished(out, identity, trace)) is not None:
        return done
    with hold_for_run(out), nullcontext() if log is None else closing(log):
        if (done := _read_finished(out, identity, trace)) is not None:  # made while we came
            return done
        snapshot = options.snapshot or out / SNAPSHOT_FILE
        tables, meta = run_engine(
            scenario, planned, progress, replace(options, snapshot=snapshot), log
        )
        result = Result(tables, meta)
        try:
            _keep(result, out, log)
        except StoreError as error:
            raise UnstoredError(str(error), result) from None
        snapshot.unlink(missing_ok=True)
    return result


def _keep(result: Result, out: Path, log: TraceLog | None) -> None:
    if log is not None:
        names = ("identity", "headgate", "seed", "digest")
        log.finish({name: result.meta[name] for name in names})
        result.meta["trace"] = log.says()
    write_folder(out, result.tables, result.meta)
    if log is not None:
        log.discard()


def _read_finished(out: Path, identity: str, trace: Trace | None) -> Result | None:
    meta = read_meta(out)
    if meta is None:
        return None
    _require_identity(out, meta, identity)
    if trace is not None and not has_trace(out, trace, identity):
        return None
    return Result.read(out)


def _require_identity(out: Path, meta: Mapping[str, Any] | None, identity: object) -> None:
    """Raise StoreError if a folder contains the run of another scenario."""
    if meta is not None and meta.get("identity") != identity:
        raise StoreError(f"{out}: holds the run of another scenario; choose another folder")


def _rows_of(groups: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return groups as rows of one table, with every key that any of them has."""
    keys = list(dict.fromkeys(key for group in groups for key in group))
    return [{key: _flat(group.get(key, "")) for key in keys} for group in groups]


def _flat(value: Any) -> str:
    """Write a value of a scenario in one line."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {_flat(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_flat, value))
    return str(value)
