"""Findings of experiments 2a to 2c: who gains, and what it costs the TCP flows beside them.

Large files are service packs and movies; light and heavy are the
quarters of the conditions with the lowest and highest retransmission rate over the laws other than
FAST and FAST-AT. Where the source says uncongested, it is the variant of that name: there movies of
a law and of TCP begin together, between the same routers. Throughputs of a condition are geometric
means over kind of file, path and interface, each cell with the same weight. What a law gets over
TCP beside it is divided by the same of the control, in which TCP has the law's place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from headgate.experiment.estimates import count_share, format_values, mean_of, mean_ratio
from headgate.stats.intervals import difference_interval
from headgate.studies.nist.competing import FILES, Rates
from headgate.studies.nist.law_counts import (
    estimate_count,
    estimate_share,
    find_differences,
    find_means,
    find_nearer_to_zero,
    rank_first,
)
from headgate.studies.nist.mixed_runs import Mixed
from headgate.studies.nist.summary import CONDITIONS, DELAY_LAWS
from headgate.studies.nist.variants import (
    HEAVY_CORNER,
    INFINITE,
    LIGHT_CORNER,
    UNCONGESTED,
    UNCONGESTED_INFINITE,
    WINDOW,
)
from headgate.verdicts import Estimate

Numbers = NDArray[np.float64]

WEB, LARGE, MOVIES = FILES[:1], FILES[2:], FILES[3:]
FAIR = ("ctcp", "htcp", "fast-at")
#: The laws that fall back to TCP's increase below a window.
WITH_THRESHOLD = ("bic", "ctcp", "hstcp", "scalable")
#: Two throughputs count as equal within a quarter (here logarithms of their ratio): three standard
#: errors, if each of some 50 cells in eight conditions scatters by a factor of two.
EQUAL = (float(np.log(0.75)), float(np.log(1.25)))


def _format_means(laws: Sequence[str], logs: Numbers) -> str:
    """Write geometric means over conditions, by law."""
    ratios = np.exp(np.nanmean(logs, axis=0)).tolist()
    return format_values(dict(zip(laws, ratios, strict=True)))


def _equal(of: Rates, laws: Sequence[str]) -> Estimate:
    """Count the laws that get what TCP beside them gets."""
    logs = of.ahead()[:, [of.laws.index(law) for law in laws]]
    note = f"own over TCP: {_format_means(laws, logs)}"
    return estimate_share(find_means(logs), len(logs), note, EQUAL)


def equal_movies(of: Mixed) -> Estimate:
    """Count the laws whose movies get what TCP's beside them get, without congestion."""
    return _equal(movies(of), of.laws)


def equal_large(of: Mixed) -> Estimate:
    """Count the laws with a threshold whose large files get what TCP's do, when it is heavy."""
    return _equal(of.rates.only(of.heavy, LARGE), WITH_THRESHOLD)


def movies(of: Mixed) -> Rates:
    """Return the throughputs of movies where there is no congestion."""
    free = of.variant(UNCONGESTED)
    return free.only(free.conditions, MOVIES)


def sooner(of: Mixed) -> Estimate:
    """Count the laws whose movies get more than TCP's beside them, without congestion."""
    logs = movies(of).ahead()
    return estimate_share(
        find_means(logs), len(logs), f"own over TCP: {_format_means(of.laws, logs)}"
    )


def fast_leads(of: Mixed) -> Estimate:
    """Divide the better of FAST's and FAST-AT's movies by the best of others, uncongested."""
    return _lead(of, DELAY_LAWS, [law for law in of.laws if law not in DELAY_LAWS])


def ctcp_next(of: Mixed) -> Estimate:
    """Divide CTCP's movies by the best of the others', FAST and FAST-AT apart, uncongested."""
    return _lead(of, ("ctcp",), [law for law in of.laws if law not in (*DELAY_LAWS, "ctcp")])


def _lead(of: Mixed, some: Sequence[str], others: Sequence[str]) -> Estimate:
    own = movies(of).beside("own")
    best, next_best = (own[:, [of.laws.index(law) for law in laws]] for laws in (some, others))
    note = f"over the mean of all: {_format_means(of.laws, own)}"
    return _ratio(best.max(axis=1) - next_best.max(axis=1), note)


def ctcp_leads(of: Mixed) -> Estimate:
    """Subtract the best other law's mean rank from CTCP's, over all kinds of flow."""
    ranks = of_ranks(of.rates, "own")
    mean = dict(zip(of.laws, np.nanmean(ranks, axis=0).tolist(), strict=True))
    best = max((law for law in of.laws if law != "ctcp"), key=mean.__getitem__)
    apart = ranks[:, of.laws.index("ctcp")] - ranks[:, of.laws.index(best)]
    known = _drop_missing(apart).tolist()
    return mean_of(known, f"mean ranks: {format_values(mean)}", CONDITIONS)


def of_ranks(of: Rates, side: str) -> Numbers:
    """Return the mean rank over cells of each law's side, by condition and law; 1 is the least."""
    cells = of.common(side)
    ranks = np.where(np.isfinite(cells), stats.rankdata(cells, axis=1, nan_policy="omit"), np.nan)
    return np.asarray(np.nanmean(ranks, axis=2))


def htcp_below(of: Mixed) -> Estimate:
    """Divide what HTCP's large files get by the mean of the others', over all conditions."""
    own = of.rates.only(of.conditions, LARGE).beside("own")
    rows = own[np.isfinite(own).all(axis=1)]
    place = of.laws.index("htcp")
    others = np.delete(rows, place, axis=1)
    return _ratio(rows[:, place] - others.mean(axis=1))


def tcp_resends(of: Mixed, *, beside: Sequence[str], less: Sequence[str] = FAIR) -> Estimate:
    """Divide what TCP's flows send again beside some laws by the same beside others."""
    more, fewer = (_mean_of(of, of.resent, laws) for laws in (beside, less))
    by_law = dict(zip(of.laws, (100 * of.resent.mean(axis=0)).tolist(), strict=True))
    note = f"% sent again beside each: {format_values(by_law)}"
    with np.errstate(divide="ignore", invalid="ignore"):
        return _ratio(np.log(more / fewer), note)


def bic_behind(of: Mixed) -> Estimate:
    """Return BIC's throughput of large files over TCP's beside it, under heavy congestion."""
    logs = of.rates.only(of.heavy, LARGE).ahead()[:, of.laws.index("bic")]
    return _ratio(logs)


def fairer(of: Mixed, *, unfair: Sequence[str], files: Sequence[str] = FILES) -> Estimate:
    """Count the conditions in which TCP flows get more beside the fair three than beside others."""
    left = of.rates.only(of.conditions, files).beside("tcp")
    gap = _mean_of(of, left, FAIR) - _mean_of(of, left, unfair)
    hits, known = int((gap > 0).sum()), int(np.isfinite(gap).sum())
    counted = count_share(hits, known, CONDITIONS)
    note = f"{counted.note}; TCP beside each, over the mean: {_format_means(of.laws, left)}"
    return counted.model_copy(update={"note": note})


def among(of: Mixed, *, named: Sequence[str], sign: int) -> Estimate:
    """Count those named among the first three by the mean rank of the TCP flows beside them."""
    by_condition = of_ranks(of.rates, "tcp")
    ranks = np.nanmean(by_condition, axis=0)
    order = np.argsort(sign * ranks, kind="stable")[: len(named)]
    first = [of.laws[place] for place in order]
    by_law = dict(zip(of.laws, ranks.tolist(), strict=True))
    note = f"{', '.join(first)}; mean ranks of TCP: {format_values(by_law)}"
    answers = rank_first(sign * by_condition, len(named))
    known = [answers[of.laws.index(law)] for law in named]
    return estimate_count(len(set(first) & set(named)), known, len(by_condition), note)


def hstcp_fairer(of: Mixed) -> Estimate:
    """Subtract the mean rank of TCP beside HSTCP under heavy congestion from that without."""
    ranks = of_ranks(of.rates, "tcp")[:, of.laws.index("hstcp")]
    light, heavy = (
        ranks[[of.conditions.index(name) for name in names]] for names in (of.light, of.heavy)
    )
    ours, low, high = difference_interval(heavy, light)
    note = f"{np.nanmean(light):.2f} and {np.nanmean(heavy):.2f}"
    if min(len(_drop_missing(light)), len(_drop_missing(heavy))) < 2:
        return Estimate(ours=ours, decided=False, note=f"{note}, of one condition: no interval")
    return Estimate(ours=ours, ci=(low, high), note=note)


def fast_at_less_fair(of: Mixed) -> Estimate:
    """Compare what TCP gets beside FAST-AT, over its mean, at the low and the high ssthresh."""
    names = of.corner(LIGHT_CORNER) + of.corner(HEAVY_CORNER)
    place = of.laws.index("fast-at")
    low, high = (r.only(names).beside("tcp")[:, place] for r in (of.rates, of.variant(INFINITE)))
    return _ratio(low - high, f"{len(names)} corners")


def sst_when_heavy(of: Mixed) -> Estimate:
    """Return by how much large files differ between both settings under heavy congestion."""
    names = of.corner(HEAVY_CORNER)
    heavy = _low_over_high(of.rates.only(names), of.variant(INFINITE).only(names))
    free = _low_over_high(of.variant(UNCONGESTED), of.variant(UNCONGESTED_INFINITE))
    ratio = mean_ratio(np.exp(heavy).tolist(), CONDITIONS)
    low, high = ratio.interval
    ends = sorted((abs(low - 1), abs(high - 1)))
    note = (
        f"low over high {ratio.ours:.3f} [{low:.3f}, {high:.3f}]; without congestion"
        f" {np.exp(free.mean()):.3f}"
    )
    return ratio.model_copy(update={
        "ours": abs(ratio.ours - 1), "note": note,
        "ci": ratio.ci and (0.0 if low < 1 < high else ends[0], ends[1]),
    })  # fmt: skip


def _low_over_high(low: Rates, high: Rates) -> Numbers:
    """Return log of low over high for large files, own and TCP's alike, one value a condition."""
    gap = [r.only(r.conditions, LARGE).logs for r in (low, high)]
    return np.asarray(np.nanmean((gap[0] - gap[1]).reshape(len(low.conditions), -1), axis=1))


def utility_large(of: Mixed) -> Estimate:
    """Count the laws that gain more for large files than for Web objects, without congestion."""
    large, web = (of.rates.only(of.light, files).ahead() for files in (LARGE, WEB))
    note = _compare(of.laws, {"large files": large, "Web objects": web})
    return estimate_share(find_means(large - web), len(large), note)


def utility_light(of: Mixed) -> Estimate:
    """Count the laws whose large files gain more without congestion than with much of it."""
    light, heavy = (of.rates.only(names, LARGE).ahead() for names in (of.light, of.heavy))
    note = _compare(of.laws, {"light": light, "heavy": heavy})
    return estimate_share(find_differences(light, heavy), len(light), note)


def utility_at_low(of: Mixed) -> Estimate:
    """Count the laws whose large files gain more at the low setting, without congestion."""
    low, high = (
        r.only(r.conditions, LARGE).ahead()
        for r in map(of.variant, (UNCONGESTED, UNCONGESTED_INFINITE))
    )
    note = _compare(of.laws, {"low": low, "high": high})
    return estimate_share(find_means(low - high), len(low), note)


def utility_without_window(of: Mixed) -> Estimate:
    """Count the laws whose gain for large files is nearer to none with a window that binds."""
    names = of.corner(LIGHT_CORNER)
    free, bound = (r.only(names, LARGE).ahead() for r in (of.rates, of.variant(WINDOW)))
    with_window, without = (np.abs(np.nanmean(logs, axis=0)) for logs in (bound, free))
    note = _compare(of.laws, {"without": free, "with": bound})
    hits = int((with_window < without).sum())
    return estimate_count(hits, find_nearer_to_zero(bound, free), len(free), note)


def _compare(laws: Sequence[str], sets: Mapping[str, Numbers]) -> str:
    return "; ".join(f"{name}: {_format_means(laws, logs)}" for name, logs in sets.items())


def _mean_of(of: Mixed, table: Numbers, laws: Sequence[str]) -> Numbers:
    return np.asarray(table[:, [of.laws.index(law) for law in laws]].mean(axis=1))


def _drop_missing(values: Numbers) -> Numbers:
    return values[np.isfinite(values)]


def _ratio(logs: Numbers, note: str = "") -> Estimate:
    """Return the geometric mean of what the logarithms are of."""
    return mean_ratio(np.exp(_drop_missing(logs)).tolist(), CONDITIONS, note)
