"""An experiment of one's own: a base scenario, factors, replicates, responses, claims.

It is run by the same runner as the shipped studies, so that it resumes, is watched, sharded, run on
a cluster and reported as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from headgate.engine.api import Result, Scenario
from headgate.experiment import claims, runner
from headgate.experiment.check import check, require_code
from headgate.experiment.definition import Definition
from headgate.experiment.describe import lines
from headgate.experiment.drifting import Batches, find_drifting, read_batches
from headgate.experiment.form import ExperimentFile
from headgate.experiment.given import (
    name_functions,
    put_functions,
    write_levels,
    write_responses,
    write_scenario,
)
from headgate.experiment.kept_order import FILE
from headgate.experiment.responses import Measuring, answers, keep, measured, trim
from headgate.experiment.result import ExperimentResult
from headgate.experiment.runnable import Analysis, PicturesLater, Source
from headgate.experiment.runs import Key, Runs, Setup
from headgate.experiment.sequential import Until
from headgate.experiment.set_keys import set_keys
from headgate.experiment.tables import MeasuredRuns
from headgate.lab.jobs import Job
from headgate.lab.workers import WorkerPool
from headgate.plugin.code_files import name_by_hand, name_in_file
from headgate.scenario.toml import toml_text

if TYPE_CHECKING:
    from headgate.lab.cost import CostEstimate

#: The base of the experiment, as it is kept beside the runs.
BASE = "scenario.toml"
Factors = Mapping[str, Any]
Responses = Sequence[str | Mapping[str, Any] | Callable[[Result], float]] | Mapping[str, Any]


class Experiment:
    """A designed experiment: `base` under every combination of the levels of `factors`.

    A factor is a path in the scenario with its levels in the scenario's own words, such as
    `{"network.rtt": ["20 ms", "80 ms"], "law": ["cubic", "./mine.py:Mine"]}`; `law` is that of all
    traffic. Each condition is run `replicates` times, with the seeds that follow the base's.
    A response is a figure's name (`goodput_bps`), `avg(flows.mean_rtt_s)`, a table with `name` and
    `sql` or `function`, or a function of the result. Other keys are those of an experiment's file:
    `where`, `kind`, `runs`, `claims`, `title`, ... Raises HeadgateError for what is not right.
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
        functions = {} if isinstance(responses, Mapping) else name_functions(responses)
        data = {
            **keys,
            "factors": {name: write_levels(table) for name, table in factors.items()},
            "replicates": replicates,
            "responses": write_responses(responses),
            **({} if isinstance(base, Scenario) else {"scenario": write_scenario(base)}),
        }
        ExperimentFile.anchor(data, Path.cwd())
        name_by_hand(data)
        file = ExperimentFile.from_dict(data)
        measured = put_functions(file.make_responses(), functions)
        given = base if isinstance(base, Scenario) else None
        self.definition = Definition(file, None, measured, given)

    @classmethod
    def load(
        cls, path: str | Path, settings: Sequence[str] = (), *, trust: bool = False
    ) -> Experiment:
        """Read an experiment's TOML file, with keys changed by texts such as `replicates=3`.

        Laws and functions of your own that it names are code: they run once you allowed them, with
        `trust`. Raises HeadgateError.
        """
        folder = Path(path).resolve().parent
        data = set_keys(read_toml_file(Path(path)), settings, folder)
        file = ExperimentFile.from_file(data, Path(path))
        for source in file.functions():
            name_in_file(source, str(path))
        made = cls.__new__(cls)
        made.definition = Definition(file, Path(path), file.make_responses())
        if trust:
            made.definition.allow_code()
        return made

    @property
    def name(self) -> str:
        """What it is called: its own name, or that of its file."""
        path = self.definition.path
        stem = path.stem if path else "experiment"
        return self.definition.file.name or (stem if stem.strip(".") else safe_file_name(stem))

    @property
    def title(self) -> str:
        """Its title."""
        return self.definition.file.title or self.name

    @property
    def question(self) -> str:
        """What it is to answer."""
        return self.definition.file.question

    @property
    def sources(self) -> Mapping[str, Source]:
        """Where levels are from, as far as the file says so."""
        return {}

    @property
    def claims(self) -> Sequence[Claim]:
        """The claims that it judges."""
        return self.definition.file.claims

    @property
    def files(self) -> Mapping[str, bytes]:
        """The experiment as TOML, and its base scenario."""
        return {
            FILE: self.definition.file.model_copy(update={"scenario": BASE}).text().encode(),
            BASE: toml_text(self.definition.base.to_dict()).encode(),
        }

    @property
    def code(self) -> Sequence[Path]:
        """The file that says what is run and measured, if there is one."""
        return () if self.definition.path is None else (self.definition.path,)

    @property
    def keep(self) -> Measuring:
        """What measures each run where it is made, and keeps its tables."""
        return keep(self.definition.responses, self.definition.file.tables)

    def has_all(self, result: Result) -> bool:
        """Say whether a stored run can tell what is asked now."""
        return answers(self.definition.responses, result)

    def trim(self, result: Result) -> Result:
        """Keep the figures of a stored run, unless a function asks the whole of it."""
        return trim(self.definition.responses, result)

    @property
    def find(self) -> None:
        """None: its runs are stored with all they have kept, as other questions may come."""

    def analyse(self, runs: Runs) -> Analysis:
        """Turn the finished runs into tables, sentences and pictures. Raises HeadgateError."""
        from headgate.experiment import findings

        found = self.measure(runs)
        return Analysis(
            findings=self._estimate(found),
            sentences=findings.sentences(found),
            pictures=PicturesLater(partial(findings.pictures, found)),
            tables=findings.listings(found),
            data=(found.runs, found.means, found.effects),
            roles=findings.roles(found),
        )

    def _estimate(self, found: MeasuredRuns) -> dict[str, Estimate]:
        until = self.definition.until
        looks = until.plan() if until else None
        return {
            claim.id: claims.estimate(
                claim, found.asked, looks, same=looks is not None and claims.is_fixed(claim, found)
            )
            for claim in self.claims
            if claim.value
        }

    @property
    def jobs(self) -> Callable[[Setup], Mapping[Key, Job]]:
        """The function that makes every run."""
        return self.definition.jobs

    def measure(self, runs: Runs) -> MeasuredRuns:
        """Measure finished runs. Raises HeadgateError."""
        of, seeds = self.definition, runs.setup.seeds
        shape = (len(of.conditions), len(seeds))
        values = {one.name: np.full(shape, np.nan) for one in of.responses}
        digests = np.full(shape, "", dtype=object)
        batches: list[list[Batches]] = [[] for _ in of.conditions]
        for (c, condition), (k, seed) in product(enumerate(of.conditions), enumerate(seeds)):
            result = runs.results.get((*condition.labels.values(), seed))
            if result is not None:
                digests[c, k] = result.digest
                batches[c].append(read_batches(result))
                for one in of.responses:
                    values[one.name][c, k] = measured(one, result)
        coded = np.array([condition.coded for condition in of.conditions], float)
        factors, paired = of.made.design.factors, of.file.kind == "grid"
        drifts = tuple("; ".join(map(str, find_drifting(own))) for own in batches)
        return MeasuredRuns(factors, coded, seeds, of.responses, values, digests, paired, drifts)

    def asked(
        self, out: str | Path | None = None, results: str | Path | None = None
    ) -> runner.StudyRun:
        """Say what is run, and where to. Raises HeadgateError, also if its code may not run."""
        require_code(self.definition)
        folder = Path(out) if out is not None else Path("out") / self.name
        kept = None if results is None else Path(results)
        return runner.StudyRun(self, self.definition.setup, folder, results=kept)

    def check(self) -> list[str]:
        """Look at everything that can be without a run; return doubts. Raises HeadgateError."""
        return self._doubts

    @cached_property
    def _doubts(self) -> list[str]:
        return check(self.definition)

    def run(  # noqa: PLR0913 - what a campaign can be given
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

        With `until="decided"` replicates are added by the rule of the file's `[until]` until every
        claim is decided, or the maximum number of replicates or the budget is reached.

        A stopped or killed experiment is resumed by the same call. `results` is a folder shared
        with other machines, from which finished runs are read and to which they are written.
        Raises HeadgateError; KeyboardInterrupt at Ctrl-C.
        """
        self.check()
        pool = WorkerPool(workers, cluster, threads)
        try:
            of = self._decided(out, results, pool) if until else self
            outcome = runner.run_study(of.asked(out, results), pool)
        except InterruptedRunError as stopped:
            raise KeyboardInterrupt(str(stopped)) from None
        return ExperimentResult(self.title, outcome)

    def _repr_html_(self) -> str:
        """Show in a notebook what is varied and measured, and the base."""
        first, *rest = map(escape, lines(self.definition))
        said = "".join(f"<li>{line}</li>" for line in rest)
        about = f"<p><b>{escape(self.title)}</b>: {first}</p><ul>{said}</ul>"
        return about + self.definition.base._repr_html_()

    def _decided(
        self, out: str | Path | None, results: str | Path | None, pool: WorkerPool
    ) -> Experiment:
        """Add replicates until every claim is decided; return the experiment with as many."""
        rule = self.definition.file.until or Until()
        judged = [claim for claim in self.claims if claim.value]
        if not judged:
            raise HeadgateError("until: there is no claim to be decided; write [[claims]]")
        looks = rule.plan()
        for number, size in enumerate(looks.sizes, 1):
            of = self._with_replicates(size, rule)
            runs, (cpu_s, _) = runner.make_runs(of.asked(out, results), pool)
            estimates = of._estimate(of.measure(runs))
            decided = sum(one.decided for one in estimates.values())
            echo(
                f"look {number} of {len(looks.sizes)}, {size} replicates: {decided} of"
                f" {len(judged)} claims decided",
                error=True,
            )
            following = looks.sizes[number] if number < len(looks.sizes) else size
            if decided == len(judged) or _too_dear(rule, cpu_s * following / size):
                break
        return of

    def _with_replicates(self, replicates: int, rule: Until) -> Experiment:
        file = self.definition.file.model_copy(update={"replicates": replicates})
        made = Experiment.__new__(Experiment)
        made.definition = replace(self.definition, file=file, until=rule)
        return made

    def cost(self, out: str | Path | None = None, workers: int | None = None) -> CostEstimate:
        """Estimate the cost of the runs that `out` lacks, from short pilot runs."""
        return runner.cost(self.asked(out), workers)

    def __repr__(self) -> str:
        made = self.definition.made
        names = ", ".join(factor.name for factor in made.design.factors)
        runs = f"{len(made.design)} conditions of {names}, {len(made.sheet)} runs"
        return f"Experiment({self.title}: {runs})"


def _too_dear(rule: Until, cpu_s: float) -> bool:
    """Say whether the budget is spent before so much CPU time."""
    if rule.budget is None or cpu_s <= rule.budget / 1e12:
        return False
    echo(f"the budget ends before the next look, at some {cpu_s:.0f} CPU seconds", error=True)
    return True
