"""What an experiment is, before any run: design, conditions, scenarios, jobs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from headgate.base.errors import HeadgateError, ScenarioError
from headgate.design.generate import MadeDesign, make_design
from headgate.engine.api import Scenario
from headgate.experiment.conditions import (
    Label,
    choose,
    find_levels,
    label_levels,
    levels_table,
)
from headgate.experiment.derived import derive
from headgate.experiment.form import ExperimentFile
from headgate.experiment.responses import Response, allow
from headgate.experiment.runs import Key, Setup, key_by_labels
from headgate.experiment.sequential import Until
from headgate.lab.jobs import Job, SharedPlan
from headgate.plugin import user_code


@dataclass(frozen=True)
class Condition:
    """A combination of levels: as it is coded, what its levels are called, its scenario."""

    coded: tuple[float, ...]
    labels: Mapping[str, Label]
    scenario: Scenario


@dataclass(frozen=True)
class Definition:
    """An experiment's file, where it is, what it measures, and its base if no file has it."""

    file: ExperimentFile
    path: Path | None
    responses: tuple[Response, ...]
    given: Scenario | None = None
    until: Until | None = None
    """The rule by which replicates were added, if they were."""

    @cached_property
    def base(self) -> Scenario:
        """The scenario that is varied. Raises ScenarioError."""
        return self.given or self.made.base()

    @cached_property
    def made(self) -> MadeDesign:
        """The design without the combinations that make no sense. Raises HeadgateError."""
        place = str(self.path or "")
        try:
            whole = make_design(self.file, self.path, self.given)
            return replace(whole, design=choose(whole.design, self.file.where))
        except ScenarioError:
            raise
        except HeadgateError as error:
            raise ScenarioError(place, str(error)) from None

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """Every condition, in the order of the design. Raises ScenarioError."""
        rows = {row.coded: row for row in sorted(self.made.sheet.rows, key=lambda r: r.standard)}
        scenarios = self.made.scenarios_of(list(rows.values()), self.base)
        factors = self.made.design.factors
        folder = self.path.resolve().parent if self.path else Path.cwd()
        levels = levels_table(factors, list(rows))
        scenarios = derive(scenarios, self.file.derived, levels, folder)
        for scenario in scenarios:
            scenario.named_by(str(self.path or "an experiment"))
        columns = [
            label_levels(factor, [row[place] for row in rows])
            for place, factor in enumerate(factors)
        ]
        labels = [
            dict(zip([factor.name for factor in factors], row, strict=True))
            for row in zip(*columns, strict=True)
        ]
        return tuple(Condition(*parts) for parts in zip(rows, labels, scenarios, strict=True))

    @cached_property
    def levels(self) -> Mapping[str, tuple[Label, ...]]:
        """The levels of each factor that conditions have, in the order of the file."""
        coded = [condition.coded for condition in self.conditions]
        return find_levels(self.made.design.factors, coded)

    @property
    def setup(self) -> Setup:
        """What the runner and the report know it by."""
        seeds = tuple(self.base.seed + k for k in range(self._repeats))
        return Setup(self._laws(), seeds, {}, self.made.design, self.made.source)

    @property
    def _repeats(self) -> int:
        return max(row.replicate for row in self.made.sheet.rows)

    def _laws(self) -> tuple[str, ...]:
        laws = self.levels.get("law") or [law["name"] for law in self.base.plan()[0]["laws"]]
        return tuple(dict.fromkeys(map(str, laws)))

    def jobs(self, setup: Setup) -> Mapping[Key, Job]:
        """Make every run; replicate k has the seed k - 1 after the base's, however many there are.

        Replicates come outermost: whoever stops early has the whole design with fewer of them.
        """
        by_coded = {condition.coded: condition for condition in self.conditions}
        plans = {coded: SharedPlan(one.scenario) for coded, one in by_coded.items()}
        rows = sorted(self.made.sheet.rows, key=lambda row: (row.replicate, row.standard))
        return key_by_labels(
            _job(by_coded[row.coded], plans[row.coded], setup.seeds[row.replicate - 1])
            for row in rows
        )

    def own_code(self) -> Iterable[tuple[str, user_code.Interface]]:
        """Return the user-defined laws and disciplines of all conditions, each with its kind."""
        return dict.fromkeys(code for one in self.conditions for code in one.scenario.own_code())

    def allow_code(self) -> None:
        """Remember for this user that the laws and functions that it names may run."""
        for code in self.own_code():
            user_code.allow(*code)
        for source in self.file.functions():
            allow(source)


def _job(condition: Condition, plan: SharedPlan, seed: int) -> Job:
    scenario = condition.scenario.model_copy(update={"seed": seed})
    return Job(scenario, {**condition.labels, "seed": seed}, plan)
