"""From numbers to findings: intervals over replicates, the worst case of many."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from headgate.claims.verdicts import Estimate, Sample
from headgate.engine.api import Result
from headgate.experiment.runs import Key, NotRunError, Runs
from headgate.stats.intervals import LEVEL, are_alike, compute_mean_interval, compute_share_interval

Drawn = TypeVar("Drawn")
Done = TypeVar("Done", bound=Runs)
"""Finished runs, of a study that adds to them too."""
Values = Mapping[str, float]
"""Numbers by what they are of."""

REPLICATES = "replicates"

#: Fewer conditions whose values are all alike decide nothing: their spread is unknown. By the sign
#: test, five on one side of a bound have p = 2 (1/2)^5 = 0.06, six have 0.03.
LEAST_ALIKE = 6


def make_estimates(
    makers: Mapping[str, Callable[[Done], Estimate]], runs: Done
) -> dict[str, Estimate]:
    """Make every finding; one whose runs are missing says so and judges nothing."""
    return {claim: _try_estimate(make, runs) for claim, make in makers.items()}


def _try_estimate(make: Callable[[Done], Estimate], runs: Done) -> Estimate:
    try:
        return make(runs)
    except NotRunError as reason:
        return Estimate(ours=math.nan, note=str(reason))


def make_possible(makers: Iterable[Callable[[Done], Drawn]], runs: Done) -> tuple[Drawn, ...]:
    """Make every picture, table or sentence whose runs are there."""
    made = []
    for make in makers:
        with suppress(NotRunError):
            made.append(make(runs))
    return tuple(made)


def add_interval_by_seed(make: Callable[[Done], Estimate], runs: Done) -> Estimate:
    """Make a finding, with the jackknife's interval over seeds (Tukey 1958).

    The same measure is taken without each seed in turn. For a mean over seeds that is Student's
    interval; a ratio, or the largest of many, has the bias taken off that it has in few runs. The
    interval reaches to the finding itself where this lies outside. A measure that reads the same
    runs whichever seed is left out has no replicates, and so no interval.
    """
    seeds, (whole, read) = runs.setup.seeds, _make_and_record(make, runs)
    if whole.ci is not None or len(seeds) == 1:
        return whole
    without = [_make_and_record(make, runs.without(seed)) for seed in seeds]
    if all((one.ours, keys) == (whole.ours, read) for one, keys in without):
        return whole
    count = len(seeds)
    _, low, high = compute_mean_interval(
        [count * whole.ours - (count - 1) * one.ours for one, _ in without]
    )
    found = {"ci": (min(low, whole.ours), max(high, whole.ours)), "sample": Sample(count=count)}
    return whole.model_copy(update=found)


@dataclass(frozen=True)
class _RecordedResults(Mapping[Key, Result]):
    """Results that record which of them are read."""

    results: Mapping[Key, Result]
    read: set[Key] = field(default_factory=set)

    def __getitem__(self, key: Key) -> Result:
        found = self.results[key]
        self.read.add(key)
        return found

    def __iter__(self) -> Iterator[Key]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)


def _make_and_record(make: Callable[[Done], Estimate], runs: Done) -> tuple[Estimate, set[Key]]:
    """Make a finding; return it with the keys of the runs that it reads."""
    results = _RecordedResults(runs.results)
    return make(replace(runs, results=results)), results.read


def estimate_mean(
    values: Sequence[float], note: str = "", unit: str = REPLICATES, level: float = LEVEL
) -> Estimate:
    """Return the mean over replicates with Student's interval.

    One replicate stands as it is; one condition, or whatever the unit, tells nothing of others.
    Where one of several has no number, nothing is decided: those left may be no fair sample.
    Nor do a few conditions decide anything whose values are all alike (`LEAST_ALIKE`); replicates
    that are alike may be one run that draws nothing at random.
    """
    mean, low, high = compute_mean_interval(values, level)
    known = int(np.isfinite(values).sum())
    if known < len(values):
        return _undecided(
            mean, note, f"{len(values) - known} of {len(values)} {unit} have no number"
        )
    if known == 1 and unit == REPLICATES:
        return Estimate(ours=mean, note=note)
    if known == 1:
        return _undecided(mean, note, f"one of the {unit}: no interval")
    if unit != REPLICATES and known < LEAST_ALIKE and are_alike(values):
        return _undecided(mean, note, f"all {known} {unit} have one value: their spread is unknown")
    sample = Sample(count=known, unit=unit)
    return Estimate(ours=mean, ci=(low, high), sample=sample, note=note)


def _undecided(ours: float, note: str, reason: str) -> Estimate:
    return Estimate(ours=ours, decided=False, note=f"{note}; {reason}" if note else reason)


def estimate_mean_ratio(
    ratios: Sequence[float], unit: str, note: str = "", level: float = LEVEL
) -> Estimate:
    """Return the geometric mean of ratios, with Student's interval of their logarithms.

    A ratio that is not above zero has no logarithm: with one of these nothing is decided.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        found = estimate_mean(np.log(ratios).tolist(), note, unit, level)
    ends = tuple(map(float, np.exp(found.interval)))
    return found.model_copy(update={"ours": math.exp(found.ours), "ci": found.ci and ends})


def estimate_share(hits: int, trials: int, unit: str, level: float = LEVEL) -> Estimate:
    """Return the share of hits with Wilson's interval; `unit` says what was counted."""
    ours, low, high = compute_share_interval(hits, trials, level)
    sample = Sample(count=trials, unit=unit)
    return Estimate(ours=ours, ci=(low, high), sample=sample, note=f"{hits} of {trials}")


def find_largest(values: Values, digits: int = 3) -> Estimate:
    """Return the largest of many, named."""
    name = max(values, key=lambda each: values[each])
    return Estimate(ours=values[name], note=f"largest for {name}; {format_values(values, digits)}")


def find_least(values: Values, digits: int = 3) -> Estimate:
    """Return the least of many, named."""
    name = min(values, key=lambda each: values[each])
    return Estimate(ours=values[name], note=f"least for {name}; {format_values(values, digits)}")


def format_values(values: Values, digits: int = 3) -> str:
    """Write values with their names."""
    return ", ".join(f"{name} {value:.{digits}g}" for name, value in values.items())


def compute_relative_error(ours: float, expected: float) -> float:
    """Return the relative distance from what is expected."""
    return abs(ours / expected - 1)
