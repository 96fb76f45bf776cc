"""The definition of an experiment: its design, conditions, scenarios and jobs, with checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from headgate.base.errors import HeadgateError, ScenarioError
from headgate.base.messages import name_run
from headgate.data.columns import OF_MEDIA
from headgate.data.tables import Table
from headgate.design.factor import Factor
from headgate.design.factorial import cross
from headgate.design.file import ANALYSED, INTERPOLATED, WHOLE
from headgate.design.generate import MadeDesign, make_design
from headgate.design.optimal import Allowed
from headgate.engine.api import Scenario
from headgate.engine.run.prepare import check_plan
from headgate.experiment import claims, responses
from headgate.experiment.conditions import (
    Label,
    choose,
    derive,
    find_levels,
    holds,
    label_levels,
    levels_table,
)
from headgate.experiment.designed import DesignAnalysis
from headgate.experiment.extensions import BASE, ChosenBase, choose_base
from headgate.experiment.form import ExperimentFile
from headgate.experiment.part_measures import TABLES
from headgate.experiment.responses import OF_PERIODS, Response, by_period
from headgate.experiment.runs import Key, Setup, key_by_labels
from headgate.experiment.sql_levels import require_levels
from headgate.lab.jobs import Job, SharedPlan
from headgate.plugin import user_code
from headgate.scenario.keys import EVERY_CCA
from headgate.scenario.plan_warnings import scenario_warnings
from headgate.scenario.shares import name_ccas
from headgate.scenario.toml import anchor_code


@dataclass(frozen=True)
class Condition:
    """A combination of levels: coded values, labels, scenario."""

    coded: tuple[float, ...]
    labels: Mapping[str, Label]
    scenario: Scenario


@dataclass(frozen=True)
class Definition:
    """An experiment's file with its path, its responses, and its base if the file has none."""

    file: ExperimentFile
    path: Path | None
    responses: tuple[Response, ...]
    given: Scenario | None = None
    until: claims.Until | None = None
    """The rule by which replicates were added, if any."""

    @cached_property
    def asked(self) -> tuple[Response, ...]:
        """The responses of a run: each response, or each in every period."""
        return by_period(self.responses, len(self.file.periods))

    @cached_property
    def base(self) -> Scenario:
        """The scenario that is varied. Raises ScenarioError."""
        return self.chosen.scenario() if self.chosen else self.given or self.made.base()

    @cached_property
    def chosen(self) -> ChosenBase | None:
        """The registered base of the file; None if its base is a scenario. Raises HeadgateError."""
        table, folder = self.file.scenario, self.path.resolve().parent if self.path else Path.cwd()
        if isinstance(table, str) or BASE not in table:
            return None
        return choose_base(anchor_code(dict(table), folder))

    @cached_property
    def made(self) -> MadeDesign:
        """The design, crossed, without the combinations that its condition refuses.

        Raises HeadgateError.
        """
        file, given = self.file, self.chosen or self.given
        try:
            self._check_combination()
            if file.kind == "d-optimal":
                return make_design(file, self.path, given, self._allowed)
            whole = make_design(file, self.path, given)
            crossed = file.make_crossed()
            design = choose(cross(whole.design, crossed), file.where)
            return replace(whole, design=design, source=whole.source + say_crossed(crossed))
        except ScenarioError:
            raise
        except HeadgateError as error:
            raise ScenarioError(str(self.path or ""), str(error)) from None

    @property
    def analysis(self) -> DesignAnalysis | None:
        """The design, if its kind needs a special analysis."""
        if self.file.kind not in ANALYSED:
            return None
        return DesignAnalysis(self.made, self._allowed)

    @property
    def _allowed(self) -> Allowed | None:
        """The function that returns the combinations of levels that the condition keeps, if any."""
        condition = self.file.where
        if not condition:
            return None
        return lambda factors, coded: holds(condition, levels_table(factors, coded))

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """Every condition, in the order of the design. Raises ScenarioError."""
        rows = {row.coded: row for row in sorted(self.made.sheet.rows, key=lambda r: r.standard)}
        scenarios = self.made.scenarios_of(list(rows.values()), self.chosen or self.base)
        factors = self.made.design.factors
        folder = self.path.resolve().parent if self.path else Path.cwd()
        scenarios = derive(scenarios, self.file.derived, levels_table(factors, list(rows)), folder)
        for scenario in scenarios:
            scenario.named_by(str(self.path or "an experiment"))
        columns = {
            factor.name: label_levels(factor, [row[place] for row in rows])
            for place, factor in enumerate(factors)
        }
        labels = [
            dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
        ]
        return tuple(Condition(*parts) for parts in zip(rows, labels, scenarios, strict=True))

    @cached_property
    def levels(self) -> Mapping[str, tuple[Label, ...]]:
        """The levels of each factor that occur, in the order of the file."""
        coded = [condition.coded for condition in self.conditions]
        return find_levels(self.made.design.factors, coded)

    @cached_property
    def setup(self) -> Setup:
        """The setup of the runs, for the runner and the report."""
        repeats = max(row.replicate for row in self.made.sheet.rows)
        of_all = [one.name for one in self.made.design.factors if one.setting == EVERY_CCA]
        ccas = self.levels[of_all[0]] if of_all else self._name_ccas()
        seeds = tuple(self.base.seed + k for k in range(repeats))
        unique = tuple(dict.fromkeys(map(str, ccas)))
        return Setup(unique, seeds, {}, self.made.design, self.made.source)

    def _name_ccas(self) -> Iterator[str]:
        """Name the algorithms of all conditions; equal traffic is planned once."""
        of_traffic = {repr(one.scenario.traffic): one.scenario for one in self.conditions}
        for scenario in of_traffic.values():
            yield from name_ccas(*scenario.plan())

    def jobs(self, setup: Setup) -> Mapping[Key, Job]:
        """Make every run. Replicate k uses the seed of the base plus k - 1.

        Replicates are the outermost loop: a stopped experiment contains the whole design with
        fewer replicates.
        """
        by_coded = {condition.coded: condition for condition in self.conditions}
        plans = {coded: SharedPlan(one.scenario) for coded, one in by_coded.items()}
        rows = sorted(self.made.sheet.rows, key=lambda row: (row.replicate, row.standard))
        return key_by_labels(
            _make_job(by_coded[row.coded], plans[row.coded], setup.seeds[row.replicate - 1])
            for row in rows
        )

    def own_code(self) -> Iterable[tuple[str, user_code.Interface]]:
        """Return the user-defined code of all conditions, each with its interface."""
        return dict.fromkeys(code for one in self.conditions for code in one.scenario.own_code())

    def allow_code(self) -> None:
        """Record for this user that the algorithms and functions of the file may run."""
        for code in self.own_code():
            user_code.allow(*code)
        for source in self.file.functions():
            responses.allow(source)

    def require_code(self) -> None:
        """Load all user-defined code. Raises HeadgateError, also if some of it may not run."""
        for code in self.own_code():
            user_code.load(*code)
        for source in self.file.functions():
            responses.load(source)

    def first_rows(self) -> Table:
        """Return the future table of runs, for one replicate, with a 1 for every response."""
        levels = self.level_rows()
        ones = {one.name: np.ones(len(levels)) for one in self.responses}
        first = {"replicate": np.ones(len(levels), int), "seed": np.ones(len(levels), int)}
        if self.file.periods:
            first["period"] = np.ones(len(levels), int)
        return levels.extended("runs", first | ones)

    def level_rows(self) -> Table:
        """Return a row for each condition with its levels."""
        coded = [condition.coded for condition in self.conditions]
        return levels_table(self.made.design.factors, coded)

    def facts(self) -> dict[str, Any]:
        """Return the object that `headgate experiment check --json` prints."""
        return {
            "kind": self.file.kind,
            "source": self.made.source,
            "factors": {name: list(levels) for name, levels in self.levels.items()},
            "conditions": len(self.conditions),
            "replicates": self.file.replicates,
            "runs": len(self.made.sheet),
            "seeds": list(self.setup.seeds),
            "periods": list(self.file.periods),
            "responses": {o.name: {"unit": o.unit, "title": o.title} for o in self.responses},
            "claims": [claim.id for claim in self.file.claims],
        }

    def describe(self) -> Iterator[str]:
        """Yield lines on the factors, the number of runs, the responses and the claims."""
        count, runs = len(self.conditions), len(self.made.sheet)
        repeats = self.file.replicates
        times = f"{repeats} replicate{'s' * (repeats > 1)}"
        yield f"{count} conditions ({self.made.source}), {times}: {runs} runs"
        paths = {factor.name: factor.setting for factor in self.made.design.factors}
        for name, levels in self.levels.items():
            path = f" ({paths[name]})" if paths[name] != name else ""
            yield f"{name}{path}: {', '.join(map(str, levels))}"
        for number, text in enumerate(self.file.periods, 1):
            yield f"period {number} of {len(self.file.periods)}: {text}"
        for one in self.responses:
            yield f"response {one.axis}: {one.title}".rstrip(": ")
        for claim in self.file.claims:
            yield f"claim {claim.id}: {claim.statement}"

    def check(self) -> list[str]:
        """Check everything that needs no run; return warnings. Raises ScenarioError."""
        place = str(self.path or "")
        try:
            return self._check()
        except HeadgateError as error:
            message = str(error)
            raise ScenarioError("" if message.startswith(place) else place, message) from None

    def _check(self) -> list[str]:
        found = [*dict.fromkeys(self._check_conditions()), *self._check_centre()]
        found += self._check_tables()
        self._check_levels()
        for claim in self.file.claims:
            if claim.value:
                claims.check(claim, self.first_rows(), self.level_rows())
        for code in self.own_code():
            if user_code.is_trusted(*code):
                user_code.load(*code)
        return found

    def _check_levels(self) -> None:
        """Refuse SQL that compares a factor with a level that does not exist."""
        file = self.file
        every = {
            factor.name: label_levels(factor, np.linspace(-1, 1, len(factor.levels) or 2))
            for factor in self.made.design.factors
            if not (file.kind in INTERPOLATED and factor.numeric)
        }
        texts = {"where": file.where} | {f"derived.{key}": of for key, of in file.derived.items()}
        for place, text in texts.items():
            require_levels(place, text, every)
        for claim in file.claims:
            for key in ("value", "where"):
                require_levels(f"claims.{claim.id}.{key}", getattr(claim, key), self.levels)

    def _check_tables(self) -> Iterator[str]:
        """Refuse what reads a table that no run has, and warn if streams of media are left out."""
        absent = self._absent_tables()
        reads = [
            (f"responses.{response.name}: reads", table)
            for response in self.responses
            for table in sorted(response.check())
        ]
        for place, table in reads:
            self._require_periods(place, table)
        kept = self.file.tables if isinstance(self.file.tables, tuple) else ()
        others = [
            *((f"parts: {kind} need", TABLES[kind]) for kind in self.file.parts),
            *(("tables: keeps", table) for table in kept),
        ]
        for place, table in (*reads, *others):
            if table in absent:
                raise HeadgateError(f"{place} the table {table}, and {absent[table]}")
        yield from _warn_of_media({table for _, table in reads}, absent)

    def _absent_tables(self) -> dict[str, str]:
        """Return the tables that no run of the scenario has, each with the reason."""
        measure = self.base.measure
        kept = {"flows": measure.flows, "series": measure.series}
        absent = {
            table: f"the scenario keeps none (measure.{table} = 'none')"
            for table, keeps in kept.items()
            if keeps == "none"
        }
        if not any(item.has_streams for item in self.base.traffic):
            absent |= dict.fromkeys(OF_MEDIA, 'the scenario has no traffic of the kind "media"')
        return absent

    def _require_periods(self, place: str, table: str) -> None:
        """Refuse a table without periods for a response that is measured in each period."""
        if self.file.periods and table not in OF_PERIODS:
            known = ", ".join(sorted(OF_PERIODS))
            raise HeadgateError(
                f"{place} the table {table}, which is of the whole run, and"
                f" `periods` asks for a value in each period; tables with periods are {known}"
            )

    def _check_combination(self) -> None:
        """Refuse keys that the analysis of the kind of design cannot take."""
        file = self.file
        if file.crossed and file.kind in ANALYSED:
            raise HeadgateError(
                f"crossed: the analysis of a {file.kind} design covers its factors only; write"
                f" {', '.join(file.crossed)} into factors, or take a fraction, a screening design"
                " by Plackett and Burman, an array, a sample or a grid"
            )
        if file.where and file.kind in WHOLE:
            raise HeadgateError(
                f"where: the analysis of a {file.kind} design needs all its runs; choose levels"
                ' that may all be combined, or kind = "d-optimal"'
            )

    def _check_centre(self) -> Iterator[str]:
        if self.analysis is not None and (self.file.centre_points or 0) > 1:
            yield (
                f"centre_points = {self.file.centre_points}: repeated runs of the centre use other"
                " seeds, and so other traffic; the surface uses replicates of all conditions only"
            )

    def _check_conditions(self) -> Iterator[str]:
        wanted = len(self.file.periods)
        for condition in self.conditions:
            measure, duration = condition.scenario.measure, condition.scenario.duration
            there = len(measure.period_bounds(duration))
            if wanted not in (0, there):
                raise HeadgateError(
                    f"periods: {wanted} texts, and the scenario measures {there}"
                    f" period{'s' if there > 1 else ''}; write measure.periods = {wanted} in it"
                )
            try:
                plan, arrays = condition.scenario.plan()
                check_plan(plan, arrays, condition.scenario)
            except ScenarioError as error:  # each level is valid, their combination is not
                raise ScenarioError(name_run(condition.labels), str(error)) from None
            yield from scenario_warnings(condition.scenario, plan, arrays)


def say_crossed(factors: Sequence[Factor]) -> str:
    """Say which factors are crossed with a design, after the source of the design."""
    said = [f"{len(factor.levels) or 2} levels of {factor.name}" for factor in factors]
    return f"; crossed with {' and '.join(said)}" if said else ""


def _make_job(condition: Condition, plan: SharedPlan, seed: int) -> Job:
    scenario = condition.scenario.model_copy(update={"seed": seed})
    return Job(scenario, {**condition.labels, "seed": seed}, plan)


def _warn_of_media(read: Set[str], absent: Mapping[str, str]) -> Iterator[str]:
    """Warn if responses read the flows and leave out the streams of media, which are no flows."""
    if "flows" in read and not {*OF_MEDIA} & {*read, *absent}:
        yield (
            "responses: none reads the table media, and the table flows contains no streams of"
            " media; avg(media.received_bps) and max(media.packet_delay_p95_s) measure them"
        )
