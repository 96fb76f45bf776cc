"""Findings about fairness: throughput and losses of TCP flows beside flows of each algorithm.

A sentence of the source that names several algorithms is judged algorithm by algorithm: it has to
be true of each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from headgate.claims import Estimate, estimate_share, format_values
from headgate.stats import compute_difference_interval
from headgate_studies.nist.competing import FILES, Numbers, group_same, merge
from headgate_studies.nist.estimates import (
    drop_missing,
    estimate_count,
    find_worst,
    format_means,
    level_of_each,
    mean_ranks,
    merge_pair,
    rank_first,
    ratio,
)
from headgate_studies.nist.mixed_runs import Mixed
from headgate_studies.nist.summary import CONDITIONS
from headgate_studies.nist.variants import HEAVY_CORNER, INFINITE, LIGHT_CORNER

FAIR = ("ctcp", "htcp", "fast-at")


def fairer(of: Mixed, *, unfair: Sequence[str], files: Sequence[str] = FILES) -> Estimate:
    """Find the pair of CCAs in which TCP least often gets more beside the fair than the unfair."""
    left = _left_to_tcp(of, of.conditions, files)
    gaps = {
        f"{fair} before {other}": _column(of, left, fair) - _column(of, left, other)
        for fair in FAIR
        for other in unfair
    }
    return _find_least_often(of, gaps, left)


def unfair_to(
    of: Mixed, *, unfair: Sequence[str], files: Sequence[str] = FILES, heavy: bool = False
) -> Estimate:
    """Find the CCA beside which TCP least often gets less than beside the fair three's mean."""
    left = _left_to_tcp(of, of.heavy if heavy else of.conditions, files)
    fair = np.mean([_column(of, left, cca) for cca in FAIR], axis=0)
    return _find_least_often(of, {cca: fair - _column(of, left, cca) for cca in unfair}, left)


def _find_least_often(of: Mixed, gaps: Mapping[str, Numbers], left: Numbers) -> Estimate:
    """Find whose gap is least often above zero."""
    level = level_of_each(len(gaps))
    found = {name: _share_above(gap, level) for name, gap in gaps.items()}
    return _with_note(find_worst(found), f"TCP beside each: {format_means(of.ccas, left)}")


def _left_to_tcp(of: Mixed, conditions: Sequence[str], files: Sequence[str]) -> Numbers:
    """Return logs of what TCP gets beside each CCA, over the mean of all: (condition, CCA)."""
    return of.rates.only(conditions, files).distinct().beside("tcp")


def _share_above(gaps: Numbers, level: float) -> Estimate:
    known = drop_missing(gaps)
    return estimate_share(int((known > 0).sum()), len(known), CONDITIONS, level)


def _with_note(found: Estimate, more: str) -> Estimate:
    return found.model_copy(update={"note": f"{found.note}; {more}"})


def _column(of: Mixed, table: Numbers, cca: str) -> Numbers:
    return np.asarray(table[:, of.ccas.index(cca)])


def among(of: Mixed, *, named: Sequence[str], sign: int) -> Estimate:
    """Count those named among the first three by the mean rank of the TCP flows beside them."""
    by_condition = mean_ranks(of.rates.distinct(), "tcp")
    ranks = np.nanmean(by_condition, axis=0)
    order = np.argsort(sign * ranks, kind="stable")[: len(named)]
    first = [of.ccas[place] for place in order]
    by_cca = dict(zip(of.ccas, ranks.tolist(), strict=True))
    note = f"{', '.join(first)}; mean ranks of TCP: {format_values(by_cca)}"
    answers = rank_first(sign * by_condition, len(named))
    known = [answers[of.ccas.index(cca)] for cca in named]
    return estimate_count(len(set(first) & set(named)), known, len(by_condition), note)


def tcp_resends(of: Mixed, *, beside: Sequence[str], less: Sequence[str] = FAIR) -> Estimate:
    """Find the algorithm beside which TCP resends least, over the mean beside others."""
    resent = merge(of.resent, group_same([of.rates]))
    fewer = np.mean([_column(of, resent, cca) for cca in less], axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = {
            cca: ratio(np.log(_column(of, resent, cca) / fewer), ccas=len(beside)) for cca in beside
        }
    by_cca = dict(zip(of.ccas, (100 * resent.mean(axis=0)).tolist(), strict=True))
    return _with_note(find_worst(found), f"% sent again beside each: {format_values(by_cca)}")


def hstcp_fairer(of: Mixed) -> Estimate:
    """Subtract the mean rank of TCP beside HSTCP under heavy congestion from that without."""
    place = of.ccas.index("hstcp")
    light, heavy = (
        mean_ranks(of.rates.only(names).distinct(), "tcp")[:, place]
        for names in (of.light, of.heavy)
    )
    ours, low, high = compute_difference_interval(heavy, light)
    note = f"{np.nanmean(light):.2f} and {np.nanmean(heavy):.2f}"
    if min(len(drop_missing(light)), len(drop_missing(heavy))) < 2:
        return Estimate(ours=ours, decided=False, note=f"{note}, of one condition: no interval")
    return Estimate(ours=ours, ci=(low, high), note=note)


def fast_at_less_fair(of: Mixed) -> Estimate:
    """Compare what TCP gets beside FAST-AT, over its mean, at the low and the high ssthresh."""
    low, high = merge_pair(of.rates.only(_both_corners(of)), of.variant(INFINITE))
    place = of.ccas.index("fast-at")
    apart = low.beside("tcp")[:, place] - high.beside("tcp")[:, place]
    return ratio(apart, f"{len(apart)} corners")


def fast_at_resends(of: Mixed) -> Estimate:
    """Compare what TCP resends beside FAST-AT, over its mean, at the low and the high ssthresh."""
    names = _both_corners(of)
    rows = [of.conditions.index(name) for name in names]
    low, high = of.resent[rows], of.measure_resent(INFINITE)
    groups = group_same([of.rates.only(names), of.variant(INFINITE)])
    place = of.ccas.index("fast-at")
    over_mean = [merge(np.log(table), groups) for table in (low, high)]
    apart = [logs[:, place] - logs.mean(axis=1) for logs in over_mean]
    note = ", ".join(
        f"{name} {100 * float(table[:, place].mean()):.3g} %"
        for name, table in (("low", low), ("high", high))
    )
    return ratio(apart[0] - apart[1], f"sent again beside FAST-AT: {note}")


def _both_corners(of: Mixed) -> list[str]:
    return of.corner(LIGHT_CORNER) + of.corner(HEAVY_CORNER)
