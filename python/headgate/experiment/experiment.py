"""User-defined experiments: a base scenario, factors, replicates, responses and claims.

The runner treats experiments and installed studies alike: both can be resumed, watched, sharded,
run on a cluster, and reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from html import escape
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from headgate.base.errors import HeadgateError, InterruptedRunError
from headgate.base.files import read_toml_file
from headgate.base.terminal import echo, safe_file_name
from headgate.claims.claim import Claim
from headgate.claims.verdicts import Estimate
from headgate.data.folder import EXPERIMENT
from headgate.engine.api import Result, Scenario
from headgate.experiment import claims, form, runner
from headgate.experiment.definition import Definition
from headgate.experiment.parts import find_changes
from headgate.experiment.responses import (
    Batches,
    Measuring,
    answers,
    describe_drift,
    find_busiest,
    hash_function,
    keep,
    measured,
    read_batches,
    trim,
)
from headgate.experiment.result import ExperimentResult
from headgate.experiment.runs import Analysis, Key, PicturesLater, Runs, Setup, Source
from headgate.experiment.settings import set_keys
from headgate.experiment.tables import MeasuredRuns
from headgate.experiment.unfinished import Count, compute_share, count_unfinished
from headgate.lab.jobs import Job
from headgate.lab.workers import WorkerPool
from headgate.plugin.code_files import name_by_hand, name_in_file
from headgate.scenario.toml import toml_text

if TYPE_CHECKING:
    from headgate.lab.cost import CostEstimate

#: The file of the base that is kept next to the runs.
BASE = "scenario.toml"
Factors = Mapping[str, Any]
Responses = Sequence[str | Mapping[str, Any] | Callable[[Result], float]] | Mapping[str, Any]


class Experiment:
    """A designed experiment: `base` under every combination of the levels of `factors`.

    A factor is a path in the scenario with levels in the notation of the scenario, such as
    `{"network.rtt": ["20 ms", "80 ms"], "cca": ["cubic", "./mine.py:Mine"]}`; `cca` is the
    algorithm of all traffic. Levels are a list, another sequence such as a range, or an array of
    numbers. Each condition is run `replicates` times, with consecutive seeds from that of the base.
    `responses` is a list, or a dict by name. A response is the name of a figure (`goodput_bps`),
    `avg(flows.mean_rtt_s)`, a table with `name` and `sql` or `function`, or a function of the
    result. A function without a name, such as a `functools.partial`, needs the dict. Other keys are
    those of an experiment's file: `where`, `kind`, `runs`, `claims`, `title`, ... Raises
    HeadgateError.
    """

    definition: Definition

    def __init__(
        self,
        base: Scenario | str | Path | Mapping[str, Any],
        factors: Factors,
        *,
        replicates: int = 1,
        responses: Responses = ("goodput_bps",),
        **keys: Any,
    ) -> None:
        listed, functions = form.split_functions(responses)
        data = {
            **keys,
            "factors": form.write_factors(factors),
            "replicates": replicates,
            "responses": listed,
        }
        given = base if isinstance(base, Scenario) else None
        if isinstance(base, Mapping):
            data["scenario"] = dict(base)
        elif not isinstance(base, Scenario):
            data["scenario"] = str(Path(base).absolute())
        form.ExperimentFile.anchor(data, Path.cwd())
        name_by_hand(data)
        file = form.ExperimentFile.from_dict(data)
        measured_by = form.put_functions(file.make_responses(), functions)
        self.definition = Definition(file, None, measured_by, given)

    @classmethod
    def of(cls, definition: Definition) -> Experiment:
        """Return the experiment of a definition."""
        made = cls.__new__(cls)
        made.definition = definition
        return made

    @classmethod
    def load(
        cls,
        path: str | Path,
        settings: Sequence[str] = (),
        unset: Sequence[str] = (),
        *,
        trust: bool = False,
    ) -> Experiment:
        """Read an experiment's TOML file, with keys changed by texts such as `replicates=3`.

        Keys in `unset` are removed first, such as `derived` or `scenario.network.queue`.
        User-defined algorithms and functions that the file names are code: they run only after you
        allow them, with `trust`. Raises HeadgateError.
        """
        file_path = Path(path)
        data = set_keys(read_toml_file(file_path), settings, unset, file_path.resolve().parent)
        file = form.ExperimentFile.from_file(data, file_path)
        for source in file.functions():
            name_in_file(source, str(path))
        made = cls.of(Definition(file, file_path, file.make_responses()))
        if trust:
            made.definition.allow_code()
        return made

    @property
    def name(self) -> str:
        """The key `name` of the file, or the name of the file."""
        path = self.definition.path
        stem = path.stem if path else "experiment"
        return self.definition.file.name or (stem if stem.strip(".") else safe_file_name(stem))

    @property
    def title(self) -> str:
        """The title, or the name."""
        return self.definition.file.title or self.name

    @property
    def question(self) -> str:
        """The question that the runs answer."""
        return self.definition.file.question

    @property
    def sources(self) -> Mapping[str, Source]:
        """The sources of settings: an experiment's file gives none."""
        return {}

    @property
    def claims(self) -> Sequence[Claim]:
        """The claims that the runs judge."""
        return self.definition.file.claims

    @property
    def files(self) -> Mapping[str, bytes]:
        """The experiment as TOML, and its base scenario."""
        file = self.definition.file
        if self.definition.chosen is None:
            file = file.model_copy(update={"scenario": BASE})
        base = toml_text(self.definition.base.to_dict())
        return {EXPERIMENT: file.text().encode(), BASE: base.encode()}

    @property
    def code(self) -> Sequence[Path]:
        """The experiment's file, if there is one."""
        return () if self.definition.path is None else (self.definition.path,)

    @property
    def keep(self) -> Measuring:
        """The reduction of each finished run to its measured values and the kept tables."""
        file = self.definition.file
        return keep(self.definition.asked, file.tables, file.parts)

    def has_all(self, result: Result) -> bool:
        """Return whether a stored run contains the values of all responses."""
        return answers(self.definition.asked, result, self.definition.file.parts)

    def trim(self, result: Result) -> Result:
        """Return the measured values of a stored run, or all data if a function needs them."""
        return trim(self.definition.asked, result)

    @property
    def find(self) -> None:
        """None: runs are stored with all kept tables, because later questions may differ."""

    def analyse(self, runs: Runs) -> Analysis:
        """Turn the finished runs into tables, sentences and pictures. Raises HeadgateError."""
        from headgate.experiment import design_tables, findings, report_roles

        found = self.measure(runs)
        parts = find_changes(found, self.definition, runs)
        return Analysis(
            findings=self._estimate(found),
            sentences=(*report_roles.compare(found), *findings.sentences(found, parts)),
            pictures=PicturesLater(partial(findings.pictures, found, parts)),
            tables=findings.listings(found, parts),
            data=(
                found.runs,
                found.means,
                found.effects,
                *design_tables.tables(found),
                *([parts.table()] if parts else []),
            ),
            roles=report_roles.roles(found),
        )

    def _estimate(self, found: MeasuredRuns) -> dict[str, Estimate]:
        until = self.definition.until
        looks = until.plan() if until else None
        return {
            claim.id: claims.estimate(claim, found.asked, looks, same=claims.is_fixed(claim, found))
            for claim in self.claims
            if claim.value
        }

    @property
    def jobs(self) -> Callable[[Setup], Mapping[Key, Job]]:
        """The function that makes every run."""
        return self.definition.jobs

    def inputs(self, setup: Setup, identities: Iterable[str]) -> Iterator[str]:
        """Yield the file, the hashes of its functions, and the identity of every run."""
        del setup
        yield from (text.decode() for text in self.files.values())
        yield from map(hash_function, self.definition.file.functions())
        yield from identities

    def measure(self, runs: Runs) -> MeasuredRuns:
        """Measure finished runs, period by period if the file asks for it. Raises HeadgateError."""
        of, seeds = self.definition, runs.setup.seeds
        shape = (len(of.conditions), len(seeds))
        values = {(one.name, one.period): np.full(shape, np.nan) for one in of.asked}
        digests = np.full(shape, "", dtype=object)
        busiest = {one.period: np.full(shape, "", dtype=object) for one in of.asked}
        batches: list[list[Batches]] = [[] for _ in of.conditions]
        unfinished: list[list[Count]] = [[] for _ in of.conditions]
        for (c, condition), (k, seed) in product(enumerate(of.conditions), enumerate(seeds)):
            result = runs.results.get((*condition.labels.values(), seed))
            if result is not None:
                digests[c, k] = result.digest
                batches[c].append(read_batches(result))
                unfinished[c].append(count_unfinished(result))
                for period, links in busiest.items():
                    links[c, k] = find_busiest(result, period)
                for one in of.asked:
                    values[one.name, one.period][c, k] = measured(one, result)
        coded = np.array([condition.coded for condition in of.conditions], float)
        factors, paired = of.made.design.factors, of.file.kind == "grid"
        drifts, shares = tuple(map(describe_drift, batches)), tuple(map(compute_share, unfinished))
        parts = tuple(
            MeasuredRuns(
                factors, coded, seeds, of.responses,
                {one.name: values[one.name, period] for one in of.responses},
                digests, paired, drifts, of.analysis, period=period, roles=of.file,
                busiest=busiest[period], unfinished=shares,
            )
            for period in dict.fromkeys(period for _, period in values)
        )  # fmt: skip
        return replace(parts[len(parts) // 2], periods=parts) if len(parts) > 1 else parts[0]

    def plan_runs(
        self, out: str | Path | None = None, results: str | Path | None = None
    ) -> runner.StudyRun:
        """Return the planned runs. Raises HeadgateError, also for untrusted code."""
        self.definition.require_code()
        folder = Path(out) if out is not None else Path("out") / self.name
        kept = None if results is None else Path(results)
        return runner.StudyRun(self, self.definition.setup, folder, results=kept)

    def check(self) -> list[str]:
        """Check everything that needs no run; return warnings. Raises HeadgateError."""
        return self._warnings

    @cached_property
    def _warnings(self) -> list[str]:
        return self.definition.check()

    def run(  # noqa: PLR0913 - the options of a campaign
        self,
        out: str | Path | None = None,
        workers: int | None = None,
        threads: int | None = None,
        cluster: str | None = None,
        results: str | Path | None = None,
        *,
        until: Literal["decided"] | None = None,
    ) -> ExperimentResult:
        """Make the runs that the folder `out` lacks, analyse all, and write the report there.

        With `until="decided"`, the rule of the file's `[until]` adds replicates until every claim
        is decided, or the maximum number of replicates or the budget is reached.

        The same call resumes a stopped or killed experiment. `results` is a folder shared with
        other machines: finished runs are read from it and written to it.
        Raises HeadgateError; KeyboardInterrupt at Ctrl-C.
        """
        if until not in (None, "decided"):
            raise HeadgateError(f"until: {until!r} is not allowed; write 'decided' or None")
        self.check()
        pool = WorkerPool(workers, cluster, threads)
        try:
            experiment = self.replicated(out, results, pool) if until else self
            outcome = runner.run_study(experiment.plan_runs(out, results), pool)
        except InterruptedRunError as stopped:
            raise KeyboardInterrupt(str(stopped)) from None
        return ExperimentResult(self.title, outcome)

    def _repr_html_(self) -> str:
        first, *rest = map(escape, self.definition.describe())
        items = "".join(f"<li>{line}</li>" for line in rest)
        about = f"<p><b>{escape(self.title)}</b>: {first}</p><ul>{items}</ul>"
        return about + self.definition.base._repr_html_()

    def replicated(
        self, out: str | Path | None, results: str | Path | None, pool: WorkerPool
    ) -> Experiment:
        """Add replicates until every claim is decided; return the experiment with all of them.

        Raises HeadgateError.
        """
        rule = self.definition.file.until or claims.Until()
        judged = [claim for claim in self.claims if claim.value]
        if not judged:
            raise HeadgateError("until: there is no claim to be decided; write [[claims]]")
        looks = rule.plan()
        for number, size in enumerate(looks.sizes, 1):
            file = self.definition.file.model_copy(update={"replicates": size})
            experiment = self.of(replace(self.definition, file=file, until=rule))
            runs, (cpu_s, _) = runner.make_runs(experiment.plan_runs(out, results), pool)
            estimates = experiment._estimate(experiment.measure(runs))
            decided = sum(one.decided for one in estimates.values())
            echo(
                f"look {number} of {len(looks.sizes)}, {size} replicates: {decided} of"
                f" {len(judged)} claims decided",
                error=True,
            )
            following = looks.sizes[number] if number < len(looks.sizes) else size
            needed_s = cpu_s * following / size
            if decided < len(judged) and rule.budget is not None and needed_s > rule.budget / 1e12:
                echo(
                    f"the budget ends before the next look, at about {needed_s:.0f} CPU seconds",
                    error=True,
                )
                break
            if decided == len(judged):
                break
        return experiment

    def cost(
        self,
        out: str | Path | None = None,
        workers: int | None = None,
        *,
        pilots: bool = False,
    ) -> CostEstimate:
        """Estimate the cost of the runs that `out` lacks; with `pilots`, from short pilot runs.

        Without them nothing is run: the estimate follows from finished runs, or else it is an upper
        limit by the plans of the runs (`basis`).
        """
        return runner.cost(self.plan_runs(out), workers, pilots=pilots)

    def __repr__(self) -> str:
        made = self.definition.made
        names = ", ".join(factor.name for factor in made.design.factors)
        runs = f"{len(made.design)} conditions of {names}, {len(made.sheet)} runs"
        return f"Experiment({self.title}: {runs})"
