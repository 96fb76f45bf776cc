"""Findings of experiments 2a to 2c: who gains, for which files, and where.

Large files are service packs and movies; light and heavy are the quarters of the conditions in
which TCP resends least and most when it has the law's place. Throughputs of a condition are
geometric means over kind of file, path and interface, each cell with the same weight. What a law
gets over TCP beside it is divided by the same of the control, in which TCP has the law's place.
Conditions that are the same one for the flows that are compared count once.
"""

from __future__ import annotations

import numpy as np

from headgate.experiment.estimates import format_values, mean_of, mean_ratio
from headgate.studies.nist.competing import Rates
from headgate.studies.nist.law_counts import (
    estimate_count,
    estimate_share,
    find_differences,
    find_means,
    find_nearer_to_zero,
)
from headgate.studies.nist.mixed_estimates import (
    EQUAL,
    LARGE,
    WEB,
    Numbers,
    compare,
    drop_missing,
    format_means,
    merge_pair,
    ratio,
)
from headgate.studies.nist.mixed_runs import Mixed
from headgate.studies.nist.ranks import mean_ranks
from headgate.studies.nist.summary import CONDITIONS
from headgate.studies.nist.variants import (
    HEAVY_CORNER,
    INFINITE,
    LIGHT_CORNER,
    UNCONGESTED,
    UNCONGESTED_INFINITE,
    WINDOW,
)
from headgate.verdicts import Estimate

#: The laws that fall back to TCP's increase below a window.
WITH_THRESHOLD = ("bic", "ctcp", "hstcp", "scalable")


def equal_large(of: Mixed) -> Estimate:
    """Count the laws with a threshold whose large files get what TCP's do, when it is heavy."""
    rates = of.rates.only(of.heavy, LARGE).distinct()
    logs = rates.ahead()[:, [of.laws.index(law) for law in WITH_THRESHOLD]]
    note = f"own over TCP: {format_means(WITH_THRESHOLD, logs)}"
    return estimate_share(find_means(logs), len(logs), note, EQUAL)


def ctcp_leads(of: Mixed) -> Estimate:
    """Subtract the best other law's mean rank from CTCP's, over all kinds of flow."""
    ranks = mean_ranks(of.rates.distinct(), "own")
    mean = dict(zip(of.laws, np.nanmean(ranks, axis=0).tolist(), strict=True))
    best = max((law for law in of.laws if law != "ctcp"), key=mean.__getitem__)
    apart = ranks[:, of.laws.index("ctcp")] - ranks[:, of.laws.index(best)]
    known = drop_missing(apart).tolist()
    return mean_of(known, f"mean ranks: {format_values(mean)}", CONDITIONS)


def htcp_below(of: Mixed) -> Estimate:
    """Divide what HTCP's large files get by the mean of the others', over all conditions."""
    own = of.rates.only(of.conditions, LARGE).distinct().beside("own")
    rows = own[np.isfinite(own).all(axis=1)]
    place = of.laws.index("htcp")
    others = np.delete(rows, place, axis=1)
    return ratio(rows[:, place] - others.mean(axis=1))


def bic_behind(of: Mixed) -> Estimate:
    """Return BIC's throughput of large files over TCP's beside it, under heavy congestion."""
    rates = of.rates.only(of.heavy, LARGE).distinct()
    return ratio(rates.ahead()[:, of.laws.index("bic")])


def sst_when_heavy(of: Mixed) -> Estimate:
    """Return by how much large files differ between both settings under heavy congestion."""
    names = of.corner(HEAVY_CORNER)
    heavy = _low_over_high(of.rates.only(names), of.variant(INFINITE).only(names))
    free = _low_over_high(of.variant(UNCONGESTED), of.variant(UNCONGESTED_INFINITE))
    found = mean_ratio(np.exp(heavy).tolist(), CONDITIONS)
    low, high = found.interval
    ends = sorted((abs(low - 1), abs(high - 1)))
    note = (
        f"low over high {found.ours:.3f} [{low:.3f}, {high:.3f}]; without congestion"
        f" {np.exp(free.mean()):.3f}"
    )
    return found.model_copy(update={
        "ours": abs(found.ours - 1), "note": note,
        "ci": found.ci and (0.0 if low < 1 < high else ends[0], ends[1]),
    })  # fmt: skip


def _low_over_high(low: Rates, high: Rates) -> Numbers:
    """Return log of low over high for large files, own and TCP's alike, one value a condition."""
    merged = merge_pair(*(rates.only(rates.conditions, LARGE) for rates in (low, high)))
    gap = merged[0].logs - merged[1].logs
    return np.asarray(np.nanmean(gap.reshape(len(gap), -1), axis=1))


def utility_large(of: Mixed) -> Estimate:
    """Count the laws that gain more for large files than for Web objects, without congestion."""
    light = of.rates.only(of.light).distinct()
    large, web = (light.only(light.conditions, files).ahead() for files in (LARGE, WEB))
    note = compare(of.laws, {"large files": large, "Web objects": web})
    return estimate_share(find_means(large - web), len(large), note)


def utility_light(of: Mixed) -> Estimate:
    """Count the laws whose large files gain more without congestion than with much of it."""
    light, heavy = (
        of.rates.only(names, LARGE).distinct().ahead() for names in (of.light, of.heavy)
    )
    note = compare(of.laws, {"light": light, "heavy": heavy})
    return estimate_share(find_differences(light, heavy), len(light), note)


def utility_at_low(of: Mixed) -> Estimate:
    """Count the laws whose large files gain more at the low setting, without congestion."""
    rates = map(of.variant, (UNCONGESTED, UNCONGESTED_INFINITE))
    both = merge_pair(*(one.only(one.conditions, LARGE) for one in rates))
    low, high = (one.ahead() for one in both)
    note = compare(of.laws, {"low": low, "high": high})
    return estimate_share(find_means(low - high), len(low), note)


def utility_without_window(of: Mixed) -> Estimate:
    """Count the laws whose gain for large files is nearer to none with a window that binds."""
    names = of.corner(LIGHT_CORNER)
    both = merge_pair(*(one.only(names, LARGE) for one in (of.rates, of.variant(WINDOW))))
    free, bound = (one.ahead() for one in both)
    with_window, without = (np.abs(np.nanmean(logs, axis=0)) for logs in (bound, free))
    note = compare(of.laws, {"without": free, "with": bound})
    hits = int((with_window < without).sum())
    return estimate_count(hits, find_nearer_to_zero(bound, free), len(free), note)
