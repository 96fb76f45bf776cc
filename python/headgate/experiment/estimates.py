"""From numbers to findings: intervals over replicates, the worst case of many."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TypeVar

from headgate.claims import Estimate
from headgate.experiment.runs import NotRunError, Runs
from headgate.stats.intervals import mean_interval, share_interval

Drawn = TypeVar("Drawn")
Done = TypeVar("Done", bound=Runs)
"""Finished runs, of a study that adds to them too."""
Values = Mapping[str, float]
"""Numbers by what they are of."""


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


def all_possible(makers: Iterable[Callable[[Done], Drawn]], runs: Done) -> tuple[Drawn, ...]:
    """Make every picture, table or sentence whose runs are there."""
    made = []
    for make in makers:
        with suppress(NotRunError):
            made.append(make(runs))
    return tuple(made)


def add_interval_by_seed(make: Callable[[Done], Estimate], runs: Done) -> Estimate:
    """Make a finding, with the interval of the same measure on each seed by itself."""
    whole = make(runs)
    if whole.ci is not None or len(runs.setup.seeds) == 1:
        return whole
    own = [make(runs.only(seed)).ours for seed in runs.setup.seeds]
    return whole.model_copy(update={"ci": mean_interval(own)[1:]})


def mean_of(values: list[float], note: str = "") -> Estimate:
    """Return the mean over replicates with its interval; one run alone has none."""
    mean, low, high = mean_interval(values)
    return Estimate(ours=mean, ci=(low, high) if len(values) > 1 else None, note=note)


def count_share(hits: int, cells: int) -> Estimate:
    """Return the share of hits with Wilson's interval."""
    ours, low, high = share_interval(hits, cells)
    return Estimate(ours=ours, ci=(low, high), note=f"{hits} of {cells}")


def largest(values: Values, digits: int = 3) -> Estimate:
    """Return the largest of many, named."""
    name = max(values, key=lambda each: values[each])
    return Estimate(ours=values[name], note=f"largest for {name}; {format_values(values, digits)}")


def least(values: Values, digits: int = 3) -> Estimate:
    """Return the least of many, named."""
    name = min(values, key=lambda each: values[each])
    return Estimate(ours=values[name], note=f"least for {name}; {format_values(values, digits)}")


def format_values(values: Values, digits: int = 3) -> str:
    """Write values with their names."""
    return ", ".join(f"{name} {value:.{digits}g}" for name, value in values.items())


def apart(ours: float, expected: float) -> float:
    """Return the relative distance from what is expected."""
    return abs(ours / expected - 1)
