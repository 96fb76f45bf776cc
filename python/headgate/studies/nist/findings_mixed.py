"""Findings of experiments 2a to 2c: who gains, and what it costs the TCP flows beside them.

Large files are service packs and movies; light and heavy are the
quarters of the conditions with the lowest and highest retransmission rate over the laws other than
FAST and FAST-AT. Where the source says uncongested, it is the variant of that name: there movies of
a law and of TCP begin together, between the same routers. Throughputs of a condition are geometric
means over kind of file, path and interface, each cell with the same weight. What a law gets over
TCP beside it is divided by the same of the control, in which TCP has the law's place.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from headgate.experiment.estimates import count_share, format_values, mean_ratio
from headgate.stats.intervals import mean_interval
from headgate.studies.nist.competing import FILES, Rates
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
from headgate.verdicts import Estimate, Sample

Numbers = NDArray[np.float64]

WEB, LARGE, MOVIES = FILES[:1], FILES[2:], FILES[3:]
FAIR = ("ctcp", "htcp", "fast-at")
#: The laws that fall back to TCP's increase below a window.
WITH_THRESHOLD = ("bic", "ctcp", "hstcp", "scalable")
#: Two throughputs count as equal within this: three standard errors, if each of some 50 cells in
#: eight conditions scatters by a factor of two.
EQUAL = 0.25


def by_law(of: Rates) -> dict[str, float]:
    """Return log of own over TCP beside it, over the control's, by law: the mean of conditions."""
    return dict(zip(of.laws, np.nanmean(of.ahead(), axis=0).tolist(), strict=True))


def _format_ratio(logs: dict[str, float]) -> str:
    return format_values({law: float(np.exp(log)) for law, log in logs.items()})


def _equal(of: Rates, laws: Sequence[str]) -> Estimate:
    """Count the laws that get what TCP beside them gets."""
    logs = by_law(of)
    ratios = {law: logs[law] for law in laws}
    hits = sum(abs(np.exp(log) - 1) <= EQUAL for log in ratios.values())
    return _share_estimate(hits, len(ratios), "laws", f"own over TCP: {_format_ratio(ratios)}")


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
    logs = by_law(movies(of))
    hits = sum(log > 0 for log in logs.values())
    return _share_estimate(hits, len(logs), "laws", f"own over TCP: {_format_ratio(logs)}")


def fast_best(of: Mixed) -> Estimate:
    """Count the uncongested conditions in which movies do best with FAST or FAST-AT."""
    own = movies(of).beside("own")
    rows = own[np.isfinite(own).all(axis=1)]
    best = [of.laws[place] for place in rows.argmax(axis=1)]
    logs = dict(zip(of.laws, rows.mean(axis=0).tolist(), strict=True))
    hits = sum(law in DELAY_LAWS for law in best)
    return _share_estimate(
        hits, len(best), CONDITIONS, f"over the mean of all: {_format_ratio(logs)}"
    )


def ctcp_second(of: Mixed) -> Estimate:
    """Count the uncongested conditions in which movies do best with CTCP, FAST, FAST-AT apart."""
    own = movies(of).beside("own")
    rows = own[np.isfinite(own).all(axis=1)]
    others = [law for law in of.laws if law not in DELAY_LAWS]
    best = rows[:, [of.laws.index(law) for law in others]].argmax(axis=1)
    return count_share(int(sum(others[place] == "ctcp" for place in best)), len(best), CONDITIONS)


def ctcp_leads(of: Mixed) -> Estimate:
    """Subtract the best other law's mean rank from CTCP's, over all kinds of flow."""
    ranks = of_ranks(of.rates, "own")
    mean = dict(zip(of.laws, np.nanmean(ranks, axis=0).tolist(), strict=True))
    best = max((law for law in of.laws if law != "ctcp"), key=mean.__getitem__)
    apart = ranks[:, of.laws.index("ctcp")] - ranks[:, of.laws.index(best)]
    return _mean(apart, f"mean ranks: {format_values(mean)}")


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
    logs = dict(zip(of.laws, np.nanmean(left, axis=0).tolist(), strict=True))
    return _share_estimate(
        hits, known, CONDITIONS, f"TCP beside each, over the mean: {_format_ratio(logs)}"
    )


def among(of: Mixed, *, named: Sequence[str], sign: int) -> Estimate:
    """Count those named among the first three by the mean rank of the TCP flows beside them."""
    ranks = np.nanmean(of_ranks(of.rates, "tcp"), axis=0)
    order = np.argsort(sign * ranks, kind="stable")[: len(named)]
    first = [of.laws[place] for place in order]
    means = dict(zip(of.laws, ranks.tolist(), strict=True))
    hits = len(set(first) & set(named))
    return Estimate(
        ours=hits, note=f"{', '.join(first)}; mean ranks of TCP: {format_values(means)}"
    )


def hstcp_fairer(of: Mixed) -> Estimate:
    """Subtract the mean rank of TCP beside HSTCP under heavy congestion from that without."""
    ranks = of_ranks(of.rates, "tcp")[:, of.laws.index("hstcp")]
    light, heavy = (
        ranks[[of.conditions.index(name) for name in names]] for names in (of.light, of.heavy)
    )
    light, heavy = _drop_missing(light), _drop_missing(heavy)
    note = f"{light.mean():.2f} and {heavy.mean():.2f}"
    ours = float(light.mean() - heavy.mean())
    if min(len(light), len(heavy)) < 2:
        return Estimate(ours=ours, decided=False, note=f"{note}, of one condition: no interval")
    low, high = stats.ttest_ind(light, heavy, equal_var=False).confidence_interval(0.95)
    return Estimate(ours=ours, ci=(float(low), float(high)), note=note)


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
    mean, low, high = np.exp(mean_interval(heavy))
    note = (
        f"low over high {mean:.3f} [{low:.3f}, {high:.3f}]; without congestion"
        f" {np.exp(free.mean()):.3f}"
    )
    return Estimate(ours=float(abs(mean - 1)), note=note)


def _low_over_high(low: Rates, high: Rates) -> Numbers:
    """Return log of low over high for large files, own and TCP's alike, one value a condition."""
    gap = [r.only(r.conditions, LARGE).logs for r in (low, high)]
    return np.asarray(np.nanmean((gap[0] - gap[1]).reshape(len(low.conditions), -1), axis=1))


def utility_large(of: Mixed) -> Estimate:
    """Count the laws that gain more for large files than for Web objects, without congestion."""
    large, web = (by_law(of.rates.only(of.light, files)) for files in (LARGE, WEB))
    return _greater(large, web, "large files", "Web objects")


def utility_light(of: Mixed) -> Estimate:
    """Count the laws whose large files gain more without congestion than with much of it."""
    light, heavy = (by_law(of.rates.only(names, LARGE)) for names in (of.light, of.heavy))
    return _greater(light, heavy, "light", "heavy")


def utility_at_low(of: Mixed) -> Estimate:
    """Count the laws whose large files gain more at the low setting, without congestion."""
    low, high = (
        by_law(r.only(r.conditions, LARGE))
        for r in map(of.variant, (UNCONGESTED, UNCONGESTED_INFINITE))
    )
    return _greater(low, high, "low", "high")


def utility_without_window(of: Mixed) -> Estimate:
    """Count the laws whose gain for large files is nearer to none with a window that binds."""
    names = of.corner(LIGHT_CORNER)
    free, bound = (by_law(r.only(names, LARGE)) for r in (of.rates, of.variant(WINDOW)))
    hits = sum(abs(bound[law]) < abs(free[law]) for law in free)
    return Estimate(ours=hits, note=f"without: {_format_ratio(free)}; with: {_format_ratio(bound)}")


def _greater(one: dict[str, float], other: dict[str, float], first: str, second: str) -> Estimate:
    hits = sum(one[law] > other[law] for law in one)
    return _share_estimate(
        hits, len(one), "laws", f"{first}: {_format_ratio(one)}; {second}: {_format_ratio(other)}"
    )


def _mean_of(of: Mixed, table: Numbers, laws: Sequence[str]) -> Numbers:
    return np.asarray(table[:, [of.laws.index(law) for law in laws]].mean(axis=1))


def _drop_missing(values: Numbers) -> Numbers:
    return values[np.isfinite(values)]


def _ratio(logs: Numbers, note: str = "") -> Estimate:
    """Return the geometric mean of what the logarithms are of."""
    return mean_ratio(np.exp(_drop_missing(logs)).tolist(), CONDITIONS, note)


def _mean(values: Numbers, note: str) -> Estimate:
    mean, low, high = mean_interval(_drop_missing(values))
    return Estimate(ours=mean, ci=(low, high), sample=_sample(values), note=note)


def _sample(values: Numbers) -> Sample:
    return Sample(count=int(np.isfinite(values).sum()), unit=CONDITIONS)


def _share_estimate(hits: int, cells: int, unit: str, note: str) -> Estimate:
    counted = count_share(int(hits), cells, unit)
    return counted.model_copy(update={"note": f"{counted.note}; {note}"})
