"""Is an experiment right? Everything is looked at that can be without a run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headgate.base.errors import HeadgateError, ScenarioError
from headgate.data.tables import Table
from headgate.engine.run.prepare import check_plan
from headgate.experiment import claims, responses
from headgate.experiment.conditions import levels_table
from headgate.experiment.definition import Definition
from headgate.plugin import user_code
from headgate.scenario.plan_warnings import scenario_warnings


def check(experiment: Definition) -> list[str]:
    """Hold an experiment to what can be known before it runs; return what is doubtful.

    Raises HeadgateError with the place of what is wrong.
    """
    place = str(experiment.path or "")
    try:
        return _check(experiment)
    except HeadgateError as error:
        said = str(error)
        raise ScenarioError("" if said.startswith(place) else place, said) from None


def _check(experiment: Definition) -> list[str]:
    doubts = list(dict.fromkeys(_check_conditions(experiment)))
    kept = experiment.base.measure
    absent = {"flows": kept.flows == "none", "series": kept.series == "none"}
    for response in experiment.responses:
        for table in sorted(response.check()):
            if absent.get(table):
                raise HeadgateError(
                    f"responses.{response.name}: asks the table {table}, and the scenario keeps"
                    f" none (measure.{table} = 'none')"
                )
    for claim in experiment.file.claims:
        if claim.value:
            claims.check(claim, first_rows(experiment))
    for code in experiment.own_code():
        if user_code.is_trusted(*code):
            user_code.load(*code)
    return doubts


def require_code(experiment: Definition) -> None:
    """Load all code of one's own. Raises HeadgateError, also if some of it may not run."""
    for code in experiment.own_code():
        user_code.load(*code)
    for source in experiment.file.functions():
        responses.load(source)


def _check_conditions(experiment: Definition) -> Iterator[str]:
    for condition in experiment.conditions:
        plan, arrays = condition.scenario.plan()
        check_plan(plan, arrays, condition.scenario)
        yield from scenario_warnings(condition.scenario, plan, arrays)


def first_rows(experiment: Definition) -> Table:
    """Return the table of runs as it will be, of one replicate, with a 1 for every response."""
    coded = [condition.coded for condition in experiment.conditions]
    levels = levels_table(experiment.made.design.factors, coded)
    first = {"replicate": np.ones(len(coded), int), "seed": np.ones(len(coded), int)}
    ones = {one.name: np.ones(len(coded)) for one in experiment.responses}
    return levels.extended("runs", first | ones)
