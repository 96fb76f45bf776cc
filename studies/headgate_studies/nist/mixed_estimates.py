"""Estimates of a mixed deployment: ratios over distinct conditions, and the law that counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from headgate.claims import Estimate, Sample, estimate_mean_ratio, format_values
from headgate.stats import compute_grouped_interval, compute_open_mean_interval
from headgate_studies.nist.competing import FILES, PATHS, Rates, group_same, merge
from headgate_studies.nist.law_counts import level_of_each
from headgate_studies.nist.summary import CONDITIONS

Numbers = NDArray[np.float64]

WEB, LARGE, MOVIES = FILES[:1], FILES[2:], FILES[3:]
#: The paths that are congested in the heavily congested quarter of nist-2b: TCP resends 1.3 to
#: 1.5 % of its large files there, and 0.2 % on very fast paths.
CONGESTED_PATHS = PATHS[1:]
#: Two throughputs count as equal within a quarter (here logarithms of their ratio): three standard
#: errors, if each of some 50 cells in eight conditions scatters by a factor of two.
EQUAL = (float(np.log(0.75)), float(np.log(1.25)))


def format_means(laws: Sequence[str], logs: Numbers) -> str:
    """Write geometric means over conditions, by law."""
    ratios = np.exp(np.nanmean(logs, axis=0)).tolist()
    return format_values(dict(zip(laws, ratios, strict=True)))


def compare(laws: Sequence[str], sets: Mapping[str, Numbers]) -> str:
    """Write the geometric means of each set, by law."""
    return "; ".join(f"{name}: {format_means(laws, logs)}" for name, logs in sets.items())


def merge_pair(one: Rates, other: Rates) -> tuple[Rates, Rates]:
    """Merge the conditions that are the same one in both of two ways to run them."""
    groups = group_same([one, other])
    merged = (
        Rates(
            [rates.conditions[group[0]] for group in groups], rates.laws,
            merge(rates.logs, groups), merge(rates.control, groups),
        )
        for rates in (one, other)
    )  # fmt: skip
    first, second = merged
    return first, second


def ratio(logs: Numbers, note: str = "", laws: int = 1) -> Estimate:
    """Return the geometric mean over conditions of what the logarithms are of.

    With several laws the interval of each is by Bonferroni.
    """
    ratios = np.exp(drop_missing(logs)).tolist()
    return estimate_mean_ratio(ratios, CONDITIONS, note, level_of_each(laws))


def drop_missing(values: Numbers) -> Numbers:
    """Return the values that are there; an infinite one is, and leaves a mean undecided."""
    return values[~np.isnan(values)]


def ratio_in_corner(rates: Rates, logs: Numbers, note: str = "", laws: int = 1) -> Estimate:
    """Return the geometric mean over the distinct conditions of a corner.

    A corner is no sample of conditions. Where factors of it change nothing for these flows, the
    runs of one distinct condition are replicates, and their spread makes the interval; otherwise
    it is over conditions. With several laws each interval is by Bonferroni.
    """
    groups = group_same([rates])
    level = level_of_each(laws)
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
    """Return what decides a sentence about several laws: it has to be true of each of them.

    That is the law with the least value, or with the largest where the sentence sets a greatest
    one. The interval goes from the worst lower end to the worst upper end over the laws: it lies
    within a bound if that of each law does, and beyond it if that of one law does. The intervals
    of the laws are by Bonferroni, as one of several is beyond a bound by chance more often.
    """
    pick = max if most else min
    worst = pick(found, key=lambda law: found[law].ours)
    note = f"decided by {worst}; {format_values({law: one.ours for law, one in found.items()})}"
    ends = [one.interval for one in found.values()]
    decided = all(one.decided and one.ci for one in found.values())
    return found[worst].model_copy(update={
        "ci": (pick(low for low, _ in ends), pick(high for _, high in ends)) if decided else None,
        "note": note, "decided": decided,
    })  # fmt: skip
