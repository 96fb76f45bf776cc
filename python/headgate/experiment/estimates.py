"""Estimates from numbers: intervals over replicates, and the extreme of many values."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
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
"""Finished runs, or a study's subclass with more data."""
Values = Mapping[str, float]
"""Numbers by name."""

REPLICATES = "replicates"

#: The least number of conditions with equal values that decide a claim: their spread is unknown. By
#: the sign test, five values on one side of a bound give p = 2 (1/2)^5 = 0.06, six give 0.03.
LEAST_ALIKE = 6


def make_estimates(
    makers: Mapping[str, Callable[[Done], Estimate]], runs: Done
) -> dict[str, Estimate]:
    """Make every estimate; if runs are missing, its note says so and its value is NaN."""
    found = {}
    for claim, make in makers.items():
        try:
            found[claim] = make(runs)
        except NotRunError as reason:
            found[claim] = Estimate(ours=math.nan, note=str(reason))
    return found


def make_possible(makers: Iterable[Callable[[Done], Drawn]], runs: Done) -> tuple[Drawn, ...]:
    """Make every picture, table or sentence whose runs exist."""
    made = []
    for make in makers:
        with suppress(NotRunError):
            made.append(make(runs))
    return tuple(made)


def add_interval_by_seed(make: Callable[[Done], Estimate], runs: Done) -> Estimate:
    """Make an estimate with the jackknife's interval over seeds (Tukey 1958).

    The same value is computed without each seed in turn. For a mean over seeds, the result is
    Student's interval; for a ratio or the largest of many, it corrects the bias of few runs. The
    interval is extended to the estimate if that lies outside. A function that reads the same runs
    for every left-out seed uses no replicates, so that there is no interval.

    Conditions may have fewer seeds than others. The interval takes its degrees of freedom from the
    condition with the fewest, and is then rather too wide.
    """
    whole, read = _make_and_record(make, runs)
    if whole.ci is not None or len(runs.setup.seeds) == 1:
        return whole
    without = [_make_and_record(make, runs.without(seed)) for seed in runs.setup.seeds]
    if all((one.ours, keys) == (whole.ours, read) for one, keys in without):
        return whole
    used = [one.ours for one, keys in without if keys != read] or [one.ours for one, _ in without]
    count = len(used)
    least = _count_replicates(read - keys for _, keys in without) or count
    if least == 1:
        return whole
    values = [count * whole.ours - (count - 1) * ours for ours in used]
    _, low, high = compute_mean_interval(values, freedom=least - 1)
    found = {"ci": (min(low, whole.ours), max(high, whole.ours)), "sample": Sample(count=least)}
    return whole.model_copy(update=found)


def _count_replicates(of_seeds: Iterable[Set[Key]]) -> int:
    """Return the fewest replicates of a repeated condition; 0 if none is repeated.

    `of_seeds` are the runs of each seed. The last label of a run is its seed.
    """
    conditions = Counter(key[:-1] for keys in of_seeds for key in keys)
    return min((count for count in conditions.values() if count > 1), default=0)


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
    """Make an estimate; return it with the keys of the runs that it reads."""
    results = _RecordedResults(runs.results)
    return make(replace(runs, results=results)), results.read


def estimate_mean(
    values: Sequence[float], note: str = "", unit: str = REPLICATES, level: float = LEVEL
) -> Estimate:
    """Return the mean over replicates with Student's interval.

    A single replicate gives its value; a single value of another unit decides nothing. If one of
    several values is missing, nothing is decided: the others may be a biased sample. Few conditions
    with equal values decide nothing either (`LEAST_ALIKE`). Replicates with equal values may be the
    same run, in which nothing is random.
    """
    mean, low, high = compute_mean_interval(values, level)
    known = int(np.isfinite(values).sum())
    if known < len(values):
        missing = f"{len(values) - known} of {len(values)} {unit} have no number"
        return _undecided(mean, note, missing)
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

    A ratio of zero or less, whose logarithm does not exist, decides nothing.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        found = estimate_mean(np.log(ratios).tolist(), note, unit, level)
    ends = tuple(map(float, np.exp(found.interval)))
    return found.model_copy(update={"ours": math.exp(found.ours), "ci": found.ci and ends})


def estimate_share(hits: int, trials: int, unit: str, level: float = LEVEL) -> Estimate:
    """Return the share of hits with Wilson's interval; `unit` names the trials."""
    ours, low, high = compute_share_interval(hits, trials, level)
    sample = Sample(count=trials, unit=unit)
    return Estimate(ours=ours, ci=(low, high), sample=sample, note=f"{hits} of {trials}")


def find_largest(values: Values, digits: int = 3) -> Estimate:
    """Return the largest of many values, with its name in the note."""
    name = max(values, key=values.__getitem__)
    return Estimate(ours=values[name], note=f"largest for {name}; {format_values(values, digits)}")


def find_least(values: Values, digits: int = 3) -> Estimate:
    """Return the least of many values, with its name in the note."""
    name = min(values, key=values.__getitem__)
    return Estimate(ours=values[name], note=f"least for {name}; {format_values(values, digits)}")


def format_values(values: Values, digits: int = 3) -> str:
    """Write values with their names."""
    return ", ".join(f"{name} {value:.{digits}g}" for name, value in values.items())


def compute_relative_error(ours: float, expected: float) -> float:
    """Return the relative error."""
    return abs(ours / expected - 1)
