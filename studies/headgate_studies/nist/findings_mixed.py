"""Findings of experiments 2a to 2c: which algorithms gain, for which files and on which paths.

Large files are service packs and movies. Light and heavy are the quarters of the conditions in
which TCP retransmits least and most when it replaces the algorithm. The throughput of a condition
is a geometric mean over kind of file, path and interface, each cell with the same weight. An
algorithm's ratio to TCP beside it is divided by the same ratio of the control. Conditions that are
identical for the flows compared count once.

Findings about movies are of the variant without congestion, in which movies of the algorithm and of
TCP start together, between the same routers. Only very fast paths lose nothing there: on all other
paths the access link is slower than a fast interface, so slow start ends with losses.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headgate.claims import Estimate, estimate_mean, format_values
from headgate_studies.mesonet.model import STANDARD
from headgate_studies.nist.competing import PATHS, Numbers, Rates, mean_known
from headgate_studies.nist.estimates import (
    CONGESTED_PATHS,
    EQUAL,
    LARGE,
    MOVIES,
    WEB,
    answers_of,
    compare,
    drop_missing,
    either,
    estimate_count,
    estimate_share,
    estimate_true,
    find_differences,
    find_means,
    find_nearer_to_zero,
    find_worst,
    format_means,
    hits_of,
    level_of_each,
    mean_ranks,
    merge_pair,
    ratio,
    ratio_in_corner,
)
from headgate_studies.nist.mixed_runs import Mixed
from headgate_studies.nist.responses import INTERFACES
from headgate_studies.nist.summary import CONDITIONS, DELAY_CCAS
from headgate_studies.nist.variants import (
    HEAVY_CORNER,
    INFINITE,
    LIGHT_CORNER,
    UNCONGESTED,
    UNCONGESTED_INFINITE,
    WINDOW,
)

#: The algorithms that fall back to TCP's increase below a window.
WITH_THRESHOLD = ("bic", "ctcp", "hstcp", "scalable")
#: The low initial ssthresh and the high one, both without congestion.
BOTH_UNCONGESTED = (UNCONGESTED, UNCONGESTED_INFINITE)
#: The paths without a loss, and the interfaces of the source's bar graphs: at most 1 Gbit/s.
FREE_PATHS, FASTEST = PATHS[:1], INTERFACES[:1]


def equal_large(of: Mixed) -> Estimate:
    """Count the CCAs with a threshold whose large files get what TCP's do, when it is heavy."""
    rates = of.rates.only(of.heavy, LARGE, CONGESTED_PATHS).distinct()
    logs = rates.ahead()[:, [of.ccas.index(cca) for cca in WITH_THRESHOLD]]
    note = f"own over TCP: {format_means(WITH_THRESHOLD, logs)}"
    return estimate_share(find_means(logs), len(logs), note, EQUAL)


def ctcp_leads(of: Mixed) -> Estimate:
    """Find the algorithm that CTCP leads by least in mean rank, over all kinds of flow."""
    ranks = mean_ranks(of.rates.distinct(), "own")
    mean = dict(zip(of.ccas, np.nanmean(ranks, axis=0).tolist(), strict=True))
    others = [cca for cca in of.ccas if cca != "ctcp"]
    level, own = level_of_each(len(others)), ranks[:, of.ccas.index("ctcp")]
    found = {
        cca: estimate_mean(
            drop_missing(own - ranks[:, of.ccas.index(cca)]).tolist(), "", CONDITIONS, level
        )
        for cca in others
    }
    note = f"mean ranks: {format_values(mean)}"
    return find_worst(found).model_copy(update={"note": note})


def htcp_below(of: Mixed) -> Estimate:
    """Divide what HTCP's large files get by the mean of the others', over all conditions."""
    own = of.rates.only(of.conditions, LARGE).distinct().beside("own")
    rows = own[np.isfinite(own).all(axis=1)]
    place = of.ccas.index("htcp")
    others = np.delete(rows, place, axis=1)
    return ratio(rows[:, place] - others.mean(axis=1))


def bic_behind(of: Mixed) -> Estimate:
    """Return BIC's throughput of large files over TCP's beside it, on congested paths."""
    rates = of.rates.only(of.heavy, LARGE, CONGESTED_PATHS).distinct()
    return ratio(rates.ahead()[:, of.ccas.index("bic")])


def sst_when_heavy(of: Mixed) -> Estimate:
    """Find the algorithm whose large files differ most between both settings on congested paths."""
    names, everyone = of.corner(HEAVY_CORNER), (*of.ccas, STANDARD)
    gaps = _low_over_high(
        of.rates.only(names, LARGE, CONGESTED_PATHS),
        of.variant(INFINITE).only(names, LARGE, CONGESTED_PATHS),
    )
    free = _low_over_high(
        *(rates.only(rates.conditions, LARGE) for rates in map(of.variant, BOTH_UNCONGESTED))
    )
    apart = {
        cca: _distance_from_one(ratio(gap, ccas=len(everyone)))
        for cca, gap in zip(everyone, gaps.T, strict=True)
    }
    return find_worst(apart, most=True).model_copy(update={
        "note": compare(everyone, {"low over high": gaps, "without congestion": free})
    })  # fmt: skip


def _low_over_high(low: Rates, high: Rates) -> Numbers:
    """Return log of low over high: (condition, CCA); the last is TCP in the algorithm's place."""
    one, other = merge_pair(low, high)
    own = mean_known((one.logs - other.logs)[..., 0].reshape(*one.logs.shape[:2], -1))
    tcp = mean_known((one.control - other.control).reshape(*one.control.shape[:2], -1))
    return np.column_stack([own, tcp])


def _distance_from_one(found: Estimate) -> Estimate:
    low, high = found.interval
    ends = sorted((abs(low - 1), abs(high - 1)))
    return found.model_copy(update={
        "ours": abs(found.ours - 1),
        "ci": found.ci and (0.0 if low < 1 < high else ends[0], ends[1]),
    })  # fmt: skip


def utility_large(of: Mixed) -> Estimate:
    """Count the CCAs that gain more for large files than for Web objects, without congestion."""
    light = of.rates.only(of.light).distinct()
    large, web = (light.only(light.conditions, files).ahead() for files in (LARGE, WEB))
    note = compare(of.ccas, {"large files": large, "Web objects": web})
    return estimate_share(find_means(large - web), len(large), note)


def utility_light(of: Mixed) -> Estimate:
    """Count the algorithms that gain more without congestion, or else at the price of unfairness.

    That is marked if TCP beside an algorithm gets less than a quarter below what it gets beside
    itself.
    """
    light = of.rates.only(of.light, LARGE).distinct().ahead()
    congested = of.rates.only(of.heavy, LARGE, CONGESTED_PATHS).distinct()
    heavy, left = congested.ahead(), congested.left_to_tcp()
    gains = find_differences(light, heavy, questions=2)
    costs, marked = find_means(left, questions=2), (-np.inf, EQUAL[0])
    hits = [a or b for a, b in zip(hits_of(gains), hits_of(costs, marked), strict=True)]
    answers = map(either, answers_of(gains), answers_of(costs, marked))
    note = compare(of.ccas, {"light": light, "heavy": heavy, "TCP beside it": left})
    return estimate_true(hits, list(answers), len(light), note)


def utility_at_low(of: Mixed) -> Estimate:
    """Count the algorithms whose large files gain more at the low setting, without congestion."""
    rates = map(of.variant, BOTH_UNCONGESTED)
    both = merge_pair(*(one.only(one.conditions, LARGE) for one in rates))
    low, high = (one.ahead() for one in both)
    note = compare(of.ccas, {"low": low, "high": high})
    return estimate_share(find_means(low - high), len(low), note)


def utility_without_window(of: Mixed) -> Estimate:
    """Count the CCAs whose gain for large files is nearer to none with a window that binds."""
    names = of.corner(LIGHT_CORNER)
    both = merge_pair(*(one.only(names, LARGE) for one in (of.rates, of.variant(WINDOW))))
    free, bound = (one.ahead() for one in both)
    with_window, without = (np.abs(np.nanmean(logs, axis=0)) for logs in (bound, free))
    note = compare(of.ccas, {"without": free, "with": bound})
    hits = int((with_window < without).sum())
    return estimate_count(hits, find_nearer_to_zero(bound, free), len(free), note)


def movies(of: Mixed, variant: str = UNCONGESTED, interfaces: Sequence[str] = INTERFACES) -> Rates:
    """Return the throughputs of movies over paths without a loss."""
    free = of.variant(variant)
    return free.only(free.conditions, MOVIES, FREE_PATHS, interfaces)


def equal_movies(of: Mixed, *, variant: str = UNCONGESTED) -> Estimate:
    """Find the algorithm whose movies get what is farthest from what TCP's beside them get."""
    rates = movies(of, variant)
    return _decide_by_cca(rates, np.abs(rates.ahead()), most=True)


def sooner(of: Mixed) -> Estimate:
    """Find the algorithm whose movies get least over what TCP's beside them get."""
    rates = movies(of)
    return _decide_by_cca(rates, rates.ahead(), most=False)


def _decide_by_cca(rates: Rates, logs: Numbers, most: bool) -> Estimate:
    ccas = len(rates.ccas)
    columns = zip(rates.ccas, logs.T, strict=True)
    return find_worst({cca: ratio_in_corner(rates, own, ccas=ccas) for cca, own in columns}, most)


def fast_leads(of: Mixed) -> Estimate:
    """Divide the movies of FAST, and of FAST-AT, by the best of the other CCAs'; the lesser."""
    return _lead(of, DELAY_CCAS)


def ctcp_next(of: Mixed) -> Estimate:
    """Divide CTCP's movies by the best of the others', FAST and FAST-AT apart."""
    return _lead(of, ("ctcp",))


def _lead(of: Mixed, some: Sequence[str]) -> Estimate:
    rates = movies(of, interfaces=FASTEST)
    others = [cca for cca in of.ccas if cca not in (*DELAY_CCAS, *some)]
    own = rates.beside("own")
    best_other = own[:, [of.ccas.index(cca) for cca in others]].max(axis=1)
    found = {
        cca: ratio_in_corner(rates, own[:, of.ccas.index(cca)] - best_other, ccas=len(some))
        for cca in some
    }
    note = f"over the mean of all: {format_means(of.ccas, own)}"
    return find_worst(found).model_copy(update={"note": note})
