"""Of how many laws something is true, with an interval over conditions.

The laws are all that are compared and not a sample of laws, so that a binomial interval is not
theirs: what is uncertain is the mean of each over conditions. A count goes from the laws of which
it is shown to those of which it is not refuted. Each law, or pair of laws, has Student's interval
at such a level that all of them together hold 95 times in 100 (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from headgate.claims import Estimate, Sample, lies_within
from headgate.stats import LEVEL, compute_difference_interval, compute_open_mean_interval
from headgate_studies.nist.summary import CONDITIONS

Numbers = NDArray[np.float64]
Intervals = Sequence[tuple[float, float, float]]
"""Mean, low and high of each law."""
Answer = bool | None
"""Whether something is true of a law; None where its interval leaves that open."""

#: More than nothing: what is equal but for rounding is not more.
Interval = tuple[float, float]
POSITIVE: Interval = (1e-12, np.inf)


def find_means(values: Numbers, questions: int = 1) -> Intervals:
    """Return the mean of each law; `values` are (condition, law), NaN where there is none.

    With several questions about each law the intervals of all hold together.
    """
    level = level_of_each(questions * values.shape[1])
    return [compute_open_mean_interval(column, level) for column in values.T]


def find_differences(one: Numbers, other: Numbers, questions: int = 1) -> Intervals:
    """Return each law's mean in some conditions less that in others."""
    level = level_of_each(questions * one.shape[1])
    return [compute_difference_interval(b, a, level) for a, b in zip(one.T, other.T, strict=True)]


def estimate_share(
    found: Intervals, conditions: int, note: str, allowed: Interval = POSITIVE
) -> Estimate:
    """Return the share of laws whose mean lies within bounds."""
    return estimate_true(hits_of(found, allowed), answers_of(found, allowed), conditions, note)


def hits_of(found: Intervals, allowed: Interval = POSITIVE) -> list[bool]:
    """Say of each law whether its mean lies within bounds."""
    return [lies_within((mean, mean), allowed) is True for mean, _, _ in found]


def answers_of(found: Intervals, allowed: Interval = POSITIVE) -> list[Answer]:
    """Say of each law whether its interval lies within bounds, or beyond them."""
    return [lies_within((low, high), allowed) for _, low, high in found]


def either(one: Answer, other: Answer) -> Answer:
    """Say whether one of two things is true: None if neither is shown and one may be."""
    return True if True in (one, other) else None if None in (one, other) else False


def estimate_true(
    hits: Sequence[bool], answers: Sequence[Answer], conditions: int, note: str
) -> Estimate:
    """Return the share of laws of which something is true."""
    laws = len(hits)
    counted = estimate_count(sum(hits), answers, conditions, f"{sum(hits)} of {laws}; {note}")
    ends = counted.ci and (counted.ci[0] / laws, counted.ci[1] / laws)
    return counted.model_copy(update={"ours": sum(hits) / laws, "ci": ends})


def estimate_count(hits: int, answers: Sequence[Answer], conditions: int, note: str) -> Estimate:
    """Return a number of laws, between those for certain and those that may be."""
    if conditions < 2:
        return Estimate(ours=hits, decided=False, note=f"{note}, of one condition: no interval")
    ends = (answers.count(True), len(answers) - answers.count(False))
    sample = Sample(count=conditions, unit=CONDITIONS)
    return Estimate(ours=hits, ci=ends, sample=sample, note=note)


def rank_first(values: Numbers, first: int) -> list[Answer]:
    """Say of each law whether its mean is among the so many smallest; (condition, law).

    By the intervals of all pairs' differences (Mogstad, Romano, Shaikh and Wilhelm, "Inference for
    ranks", 2024): a law has a place among the first if so few others may be before it, and none if
    as many surely are.
    """
    laws = values.shape[1]
    level = level_of_each(laws * (laws - 1) // 2)

    def answer(law: int) -> Answer:
        others = (other for other in range(laws) if other != law)
        apart = [
            compute_open_mean_interval(values[:, other] - values[:, law], level) for other in others
        ]
        if sum(low <= 0 for _, low, _ in apart) < first:
            return True
        return False if sum(high < 0 for _, _, high in apart) >= first else None

    return [answer(law) for law in range(laws)]


def find_nearer_to_zero(one: Numbers, other: Numbers) -> list[Answer]:
    """Say of each law whether `one` is nearer to zero in the mean than `other`; (condition, law).

    |b| > |a| just where b - a and b + a have the same sign.
    """
    level = level_of_each(2 * one.shape[1])
    signs = [
        [_sign(compute_open_mean_interval(column, level)) for column in both.T]
        for both in (other - one, other + one)
    ]
    return [a == b if a and b else None for a, b in zip(*signs, strict=True)]


def _sign(found: tuple[float, float, float]) -> int:
    """Return the sign of a mean, 0 where its interval leaves that open."""
    _, low, high = found
    return int(low > 0) - int(high < 0)


def level_of_each(intervals: int) -> float:
    """Return the level at which so many intervals hold together at `LEVEL`."""
    return 1 - (1 - LEVEL) / intervals
