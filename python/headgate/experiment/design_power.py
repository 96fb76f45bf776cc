"""The power of a design: the chance that each analysis of its runs shows a main effect.

The tests are those that the analyses perform, with their errors and degrees of freedom. The error
of an experiment is that of its replicates or the residual of a model, as in `effects`; that of a
table is the pooled error of all runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headgate.base.errors import HeadgateError
from headgate.design.file import ANALYSED
from headgate.design.generate import MadeDesign
from headgate.experiment.designed import SCREENING, SENSITIVITY, SURFACES, DesignAnalysis
from headgate.experiment.effect_model import EffectModel
from headgate.experiment.effects import are_paired
from headgate.experiment.tables import MeasuredRuns
from headgate.figures.analysis.designs import LEAST_FREEDOM
from headgate.stats.intervals import Numbers
from headgate.stats.power import compute_power, find_detectable, find_replicates
from headgate.stats.screening import Screening

#: The largest number of replicates whose chances are listed.
LISTED = 8
EXPERIMENT, TABLE = "headgate experiment", "headgate analyse"
OVER_REPLICATES = "t test over the replicates, with replicates - 1 degrees of freedom"
HEAD = "replicates  runs  chance  smallest effect"


@dataclass(frozen=True)
class EffectTest:
    """The test of a main effect in one analysis of the runs of a design."""

    analysis: str
    method: str
    runs: int
    """The runs of one replicate."""
    error: float
    """The largest standard error of a main effect, in deviations of a run, of one replicate."""
    freedom: Callable[[int], int]
    """Returns the degrees of freedom of the error for some replicates; 0 if nothing is tested."""


@dataclass(frozen=True)
class DesignPower:
    """The chance that a test shows a main effect of a size, by the number of replicates."""

    test: EffectTest
    effect: float
    deviation: float
    chance: float

    def spread(self, replicates: int) -> tuple[float, float]:
        """Return the standard error of an effect and its degrees of freedom."""
        error = self.test.error * self.deviation / replicates**0.5
        return error, self.test.freedom(replicates)

    @property
    def replicates(self) -> int | None:
        """The least number of replicates that shows the effect with the chance."""
        return find_replicates(self.effect, self.spread, self.chance)

    def facts(self) -> dict[str, Any]:
        """Return one of the `tests` that `headgate design power --json` prints."""
        test, needed = self.test, self.replicates
        return {
            "analysis": test.analysis, "method": test.method, "replicates": needed,
            "by_replicates": [
                {
                    "replicates": count, "runs": count * test.runs,
                    "freedom": test.freedom(count),
                    "chance": _plain(compute_power(self.effect, *self.spread(count))),
                    "smallest_effect": _plain(find_detectable(*self.spread(count), self.chance)),
                }
                for count in range(1, max(LISTED, needed or 0) + 1)
            ],
        }  # fmt: skip

    def describe(self) -> Iterator[str]:
        """Yield the test, the answer, and a line for each number of replicates."""
        yield f"{self.test.analysis}: {self.test.method}"
        count, shown = self.replicates, f"a chance of {100 * self.chance:.3g} %"
        yield (
            f"No number of replicates shows an effect of {self.effect:g} with {shown}."
            if count is None
            else f"{count} replicate{'s' * (count > 1)}, {count * self.test.runs} runs,"
            f" show{'s' * (count == 1)} a main effect of {self.effect:g} with {shown}, if runs"
            f" deviate by {self.deviation:g}."
        )
        yield HEAD
        for row in self.facts()["by_replicates"][:LISTED]:
            chance, least = row["chance"], row["smallest_effect"]
            yield (
                f"{row['replicates']:>10}  {row['runs']:>4}"
                f"  {'-' if chance is None else f'{chance:.3f}':>6}"
                f"  {'-' if least is None else f'{least:.4g}':>15}"
            )


def _plain(value: float) -> float | None:
    return value if np.isfinite(value) else None


def find_powers(
    made: MadeDesign, effect: float, deviation: float, chance: float
) -> list[DesignPower]:
    """Return the power of each test of a main effect between two levels. Raises HeadgateError."""
    for name, value in (("effect", effect), ("deviation", deviation)):
        if not 0 < value < float("inf"):
            raise HeadgateError(f"--{name} {value:g}: this must be a number above zero")
    if not 0 < chance < 1:
        raise HeadgateError(f"--chance {chance:g}: this must lie between 0 and 1, such as 0.8")
    return [DesignPower(test, effect, deviation, chance) for test in list_tests(made)]


def list_tests(made: MadeDesign) -> Iterator[EffectTest]:
    """Yield the tests of main effects: those of an experiment, and that of a table of runs.

    Raises HeadgateError if no main effect is tested, or if the runs do not determine one.
    """
    kind = made.file.kind
    if kind in SENSITIVITY:
        raise HeadgateError(
            f"a {kind} design gives sensitivity indices: its analysis tests no main effect"
        )
    once = replace(made, file=made.file.model_copy(update={"replicates": 1}))
    rows = np.array([row.coded for row in once.sheet.rows], float)
    found = _measure_nothing(made, np.unique(rows, axis=0))
    named = f'{EXPERIMENT}, kind = "{kind}"'
    if kind == SCREENING:
        yield _test_screening(f"{named}, and {TABLE} --design", found.coded)
        return
    if found.has_pairs:
        yield _test_pairs(named, found.coded)
    else:
        yield _test_means(named, found)
    if kind in SURFACES:
        yield _test_runs(f"{TABLE} --design", _measure_nothing(made, rows))
    if all(len(np.unique(column)) == 2 for column in rows.T):
        full = are_paired(found.coded)
        if full and not found.has_pairs:
            yield _test_pairs(f'{EXPERIMENT}, kind = "grid"', found.coded)
        if full or (made.design.resolution or 0) > 3:
            yield _test_runs(TABLE, _measure_nothing(made, rows), LEAST_FREEDOM)


def _measure_nothing(made: MadeDesign, coded: Numbers) -> MeasuredRuns:
    """Return the conditions of an experiment with this design, before its runs are measured."""
    kind = made.file.kind
    return MeasuredRuns(
        made.design.factors, coded, (), (), {}, np.full((len(coded), 0), ""), kind == "grid",
        design=DesignAnalysis(made) if kind in ANALYSED else None,
    )  # fmt: skip


def _test_pairs(analysis: str, coded: Numbers) -> EffectTest:
    """Return the test of a grid, which contains n / levels pairs for each step of a factor."""
    levels = max(len(np.unique(column)) for column in coded.T)
    error = float(np.sqrt(2 * levels / len(coded)))
    return EffectTest(analysis, OVER_REPLICATES, len(coded), error, lambda count: count - 1)


def _test_means(analysis: str, found: MeasuredRuns) -> EffectTest:
    model, error = _fit_model(found)
    named = _name_model(found)
    freedom = model.freedom
    if not freedom:
        method = f"{named} leaves no residual: {OVER_REPLICATES}"
        return EffectTest(analysis, method, len(found.coded), error, lambda count: count - 1)
    method = (
        f"t test by the residual of {named}, fitted to the means of conditions, with {freedom}"
        f" degree{'s' * (freedom > 1)} of freedom at any number of replicates"
    )
    return EffectTest(analysis, method, len(found.coded), error, lambda _: freedom)


def _test_runs(analysis: str, found: MeasuredRuns, least: int = 1) -> EffectTest:
    """Return the test by the pooled error; with less than `least` of it, interactions join it."""
    model, error = _fit_model(found)
    runs, terms = len(found.coded), int(model.matrix.shape[1])

    def count_freedom(replicates: int) -> int:
        freedom = runs * replicates - terms
        return freedom if freedom >= least else runs * replicates - len(found.factors) - 1

    method = f"t test by the residual of {_name_model(found)}, fitted to all runs (pooled error)"
    return EffectTest(analysis, method, runs, error, count_freedom)


def _fit_model(found: MeasuredRuns) -> tuple[EffectModel, float]:
    """Return the model of the effects, and the largest standard error of a main effect."""
    names = [factor.name for factor in found.factors]
    terms = found.design.name_terms() if found.design else None
    model = EffectModel.of(names, found.coded, found.sampled, terms)
    for name in names:
        if (name,) not in model.places:
            raise HeadgateError(f"the runs of this design do not determine the effect of {name}")
    errors = [
        float(np.linalg.norm(model.weights((name,), (step,))))
        for name in names
        for step in model.codings[name].steps
    ]
    return model, max(errors)


def _name_model(found: MeasuredRuns) -> str:
    if found.kind in SURFACES:
        return "the model of the surface"
    return "the model with two-factor interactions"


def _test_screening(analysis: str, coded: Numbers) -> EffectTest:
    design = Screening(coded, np.zeros(len(coded)))
    if not design.is_estimable:
        raise HeadgateError("the runs of this design do not determine all main effects")
    error, freedom = float(np.linalg.norm(2 * design.solution, axis=1).max()), design.freedom
    if freedom < 1:
        return EffectTest(analysis, OVER_REPLICATES, len(coded), error, lambda count: count - 1)
    method = (
        f"t test by the error of the fake factors, with {freedom}"
        f" degree{'s' * (freedom > 1)} of freedom at any number of replicates"
    )
    return EffectTest(analysis, method, len(coded), error, lambda _: freedom)
