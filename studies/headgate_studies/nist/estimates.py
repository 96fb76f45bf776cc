"""Estimates: ratios, ranks and distances over conditions, and counts of algorithms.

The algorithms are all those compared, not a sample, so a binomial interval does not apply to a
count: the uncertainty is that of each algorithm's mean over conditions. A count ranges from the
algorithms for which the statement is shown to those for which it is not refuted. Each algorithm, or
pair of algorithms, gets a Student interval at a level such that all intervals hold together with
95 % probability (Bonferroni).
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.cluster import hierarchy
from scipy.spatial import distance

from headgate.claims import Estimate, Sample, estimate_mean_ratio, format_values, lies_within
from headgate.stats import (
    LEVEL,
    compute_difference_interval,
    compute_grouped_interval,
    compute_open_mean_interval,
)
from headgate_studies.nist.competing import FILES, PATHS, Numbers, Rates, group_same, merge
from headgate_studies.nist.summary import CONDITIONS

Intervals = Sequence[tuple[float, float, float]]
"""Mean, low and high of each algorithm."""
Answer = bool | None
"""Whether a statement is true of an algorithm; None if its interval leaves it undecided."""
#: Above zero by more than rounding.
Interval = tuple[float, float]
POSITIVE: Interval = (1e-12, np.inf)
WEB, LARGE, MOVIES = FILES[:1], FILES[2:], FILES[3:]
#: The paths that are congested in the heavily congested quarter of nist-2b: TCP resends 1.3 to
#: 1.5 % of its large files there, and 0.2 % on very fast paths.
CONGESTED_PATHS = PATHS[1:]
#: Two throughputs count as equal within a quarter (here logarithms of their ratio): three standard
#: errors, if each of some 50 cells in eight conditions scatters by a factor of two.
EQUAL = (float(np.log(0.75)), float(np.log(1.25)))
#: The variance of Fisher's z of a rank correlation, times the number of pairs less three (Fieller,
#: Hartley, Pearson 1957), and the normal quantile of a 95 % interval.
VARIANCE, QUANTILE = 1.06, 1.96
#: With fewer pairs there is no interval.
LEAST_PAIRS = 4
#: A correlation of 1 would make z infinite.
NEARLY_ONE = 0.999999


def find_means(values: Numbers, questions: int = 1) -> Intervals:
    """Return the mean of each algorithm; `values` are (condition, algorithm), NaN if unknown.

    With several questions about each algorithm the intervals of all hold together.
    """
    level = level_of_each(questions * values.shape[1])
    return [compute_open_mean_interval(column, level) for column in values.T]


def find_differences(one: Numbers, other: Numbers, questions: int = 1) -> Intervals:
    """Return each algorithm's mean in some conditions less that in others."""
    level = level_of_each(questions * one.shape[1])
    return [compute_difference_interval(b, a, level) for a, b in zip(one.T, other.T, strict=True)]


def estimate_share(
    found: Intervals, conditions: int, note: str, allowed: Interval = POSITIVE
) -> Estimate:
    """Return the share of algorithms whose mean lies within bounds."""
    return estimate_true(hits_of(found, allowed), answers_of(found, allowed), conditions, note)


def hits_of(found: Intervals, allowed: Interval = POSITIVE) -> list[bool]:
    """Say of each algorithm whether its mean lies within bounds."""
    return [lies_within((mean, mean), allowed) is True for mean, _, _ in found]


def answers_of(found: Intervals, allowed: Interval = POSITIVE) -> list[Answer]:
    """Say of each algorithm whether its interval lies within bounds, or beyond them."""
    return [lies_within((low, high), allowed) for _, low, high in found]


def either(one: Answer, other: Answer) -> Answer:
    """Say whether one of two things is true: None if neither is shown and one may be."""
    return True if True in (one, other) else None if None in (one, other) else False


def estimate_true(
    hits: Sequence[bool], answers: Sequence[Answer], conditions: int, note: str
) -> Estimate:
    """Return the share of algorithms of which something is true."""
    ccas = len(hits)
    counted = estimate_count(sum(hits), answers, conditions, f"{sum(hits)} of {ccas}; {note}")
    ends = counted.ci and (counted.ci[0] / ccas, counted.ci[1] / ccas)
    return counted.model_copy(update={"ours": sum(hits) / ccas, "ci": ends})


def estimate_count(hits: int, answers: Sequence[Answer], conditions: int, note: str) -> Estimate:
    """Return a number of algorithms, between those for certain and those that may be."""
    if conditions < 2:
        return Estimate(ours=hits, decided=False, note=f"{note}, of one condition: no interval")
    ends = (answers.count(True), len(answers) - answers.count(False))
    sample = Sample(count=conditions, unit=CONDITIONS)
    return Estimate(ours=hits, ci=ends, sample=sample, note=note)


def rank_first(values: Numbers, first: int) -> list[Answer]:
    """Return for each algorithm whether its mean is among the smallest; (condition, algorithm).

    By the intervals of all pairs' differences (Mogstad, Romano, Shaikh and Wilhelm, "Inference for
    ranks", 2024): an algorithm is among the first if fewer others than that may be before it, and
    is not if at least that many are shown to be.
    """
    ccas = values.shape[1]
    level = level_of_each(ccas * (ccas - 1) // 2)

    def answer(cca: int) -> Answer:
        others = (other for other in range(ccas) if other != cca)
        apart = [
            compute_open_mean_interval(values[:, other] - values[:, cca], level) for other in others
        ]
        if sum(low <= 0 for _, low, _ in apart) < first:
            return True
        return False if sum(high < 0 for _, _, high in apart) >= first else None

    return [answer(cca) for cca in range(ccas)]


def find_nearer_to_zero(one: Numbers, other: Numbers) -> list[Answer]:
    """Say of each CCA whether `one` is nearer to zero in the mean than `other`; (condition, CCA).

    |b| > |a| if and only if the signs of b - a and b + a are equal.
    """
    level = level_of_each(2 * one.shape[1])
    signs = [
        [_sign(compute_open_mean_interval(column, level)) for column in both.T]
        for both in (other - one, other + one)
    ]
    return [a == b if a and b else None for a, b in zip(*signs, strict=True)]


def _sign(found: tuple[float, float, float]) -> int:
    """Return the sign of a mean, 0 if its interval leaves it undecided."""
    _, low, high = found
    return int(low > 0) - int(high < 0)


def level_of_each(intervals: int) -> float:
    """Return the level of each of several intervals that hold together at `LEVEL`."""
    return 1 - (1 - LEVEL) / intervals


def format_means(ccas: Sequence[str], logs: Numbers) -> str:
    """Write geometric means over conditions, by algorithm."""
    ratios = np.exp(np.nanmean(logs, axis=0)).tolist()
    return format_values(dict(zip(ccas, ratios, strict=True)))


def compare(ccas: Sequence[str], sets: Mapping[str, Numbers]) -> str:
    """Write the geometric means of each set, by algorithm."""
    return "; ".join(f"{name}: {format_means(ccas, logs)}" for name, logs in sets.items())


def merge_pair(one: Rates, other: Rates) -> tuple[Rates, Rates]:
    """Merge the conditions that are the same one in both of two ways to run them."""
    groups = group_same([one, other])
    merged = (
        Rates(
            [rates.conditions[group[0]] for group in groups], rates.ccas,
            merge(rates.logs, groups), merge(rates.control, groups),
        )
        for rates in (one, other)
    )  # fmt: skip
    first, second = merged
    return first, second


def ratio(logs: Numbers, note: str = "", ccas: int = 1) -> Estimate:
    """Return the geometric mean over conditions of what the logarithms are of.

    With several algorithms the interval of each is by Bonferroni.
    """
    ratios = np.exp(drop_missing(logs)).tolist()
    return estimate_mean_ratio(ratios, CONDITIONS, note, level_of_each(ccas))


def drop_missing(values: Numbers) -> Numbers:
    """Return the values that are there; an infinite one is, and leaves a mean undecided."""
    return values[~np.isnan(values)]


def ratio_in_corner(rates: Rates, logs: Numbers, note: str = "", ccas: int = 1) -> Estimate:
    """Return the geometric mean over the distinct conditions of a corner.

    A corner is no sample of conditions. If its factors change nothing for these flows, the
    runs of one distinct condition are replicates, and their spread makes the interval; otherwise
    the interval covers conditions. With several algorithms each interval is by Bonferroni.
    """
    groups = group_same([rates])
    level = level_of_each(ccas)
    if len(groups) == len(logs):
        found, sample = (
            compute_open_mean_interval(logs, level),
            Sample(count=len(logs), unit=CONDITIONS),
        )
    else:
        found = compute_grouped_interval([logs[group] for group in groups], level)
        sample = Sample(count=len(logs), unit=f"runs of {len(groups)} distinct conditions")
    ours, low, high = map(float, np.exp(found))
    if not np.isfinite(high):
        return Estimate(ours=ours, decided=False, note=f"{note}, of one condition: no interval")
    return Estimate(ours=ours, ci=(low, high), sample=sample, note=note)


def find_worst(found: Mapping[str, Estimate], most: bool = False) -> Estimate:
    """Return what decides a sentence about several algorithms: it has to be true of each of them.

    That is the algorithm with the least value, or the largest if the sentence sets a maximum. The
    interval goes from the worst lower end to the worst upper end over the algorithms: it lies
    within a bound if that of each algorithm does, and beyond it if that of one algorithm does. The
    intervals of the algorithms are by Bonferroni, as one of several is beyond a bound by chance
    more often.
    """
    pick = max if most else min
    worst = pick(found, key=lambda cca: found[cca].ours)
    note = f"decided by {worst}; {format_values({cca: one.ours for cca, one in found.items()})}"
    ends = [one.interval for one in found.values()]
    decided = all(one.decided and one.ci for one in found.values())
    return found[worst].model_copy(update={
        "ci": (pick(low for low, _ in ends), pick(high for _, high in ends)) if decided else None,
        "note": note, "decided": decided,
    })  # fmt: skip


def mean_ranks(of: Rates, side: str) -> Numbers:
    """Return the mean rank over cells of each CCA's side, by condition and CCA; 1 is the least."""
    cells = of.common(side)
    ranks = np.where(np.isfinite(cells), stats.rankdata(cells, axis=1, nan_policy="omit"), np.nan)
    return np.asarray(np.nanmean(ranks, axis=2))


def rank_correlation(one: Sequence[float], other: Sequence[float], unit: str) -> Estimate:
    """Return Spearman's rank correlation with its interval; `unit` says what pairs are of."""
    found = stats.spearmanr(one, other)
    ours, count, note = float(found.statistic), len(one), f"p = {found.pvalue:.2g}"
    if count < LEAST_PAIRS:
        return Estimate(ours=ours, decided=False, note=f"{note}; {count} {unit}: no interval")
    half = QUANTILE * math.sqrt(VARIANCE / (count - 3))
    z = math.atanh(max(-NEARLY_ONE, min(NEARLY_ONE, ours)))
    ends = math.tanh(z - half), math.tanh(z + half)
    return Estimate(ours=ours, ci=ends, sample=Sample(count=count, unit=unit), note=note)


def distance_ratio(values: NDArray[np.float64], cca: int) -> float:
    """Divide an algorithm's mean distance from the others by the last link among these.

    `values` are (algorithm, response) of one condition; each response is in units of its standard
    deviation over the algorithms, as the source normalises it.
    """
    spread = values.std(axis=0, ddof=1)
    points = values[:, spread > 0] / spread[spread > 0]
    others = np.delete(points, cca, axis=0)
    among = hierarchy.linkage(distance.pdist(others), "average")[-1, 2]
    return float(distance.cdist(points[[cca]], others).mean() / among)
