"""The measures of every run, by which its claims are judged."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate import Result
from headgate_studies.cubic_rfc9438.analysis import MEASURES as OF_NEWCOMERS
from headgate_studies.paths import (
    PACKET_BITS,
    course,
    jain,
    mean_queue,
    measured_period_s,
    utilisation,
)

#: The first time of the growth of a call's target, and of its measurement.
AFTER_S, GROWS_S = 1.0, 10.0
#: A decrease is a fall by more than this within a row of the series.
FALL = 0.05
#: Time from row to row of a call, and rows of a second.
ROW_S, SECOND = 0.1, 10
#: The first and the last time of a long run.
TEN_MINUTES_S = 600.0


def _part(result: Result) -> str:
    return str(result.meta["labels"]["part"])


def _flow_rates(result: Result) -> NDArray[np.float64]:
    """Return the rates of flows and of streams, Mbit/s, the one under test first.

    Rows of flows are in the order of their starts.
    """
    begin, end = measured_period_s(result)
    others = [name == "other" for name in result.flows["traffic"].tolist()]
    delivered = np.asarray(result.flows["delivered_packets"], float)
    own = delivered[np.argsort(others, kind="stable")] * PACKET_BITS / (end - begin)
    if not _has_media(result):
        return own / 1e6
    calls = np.asarray(result.tables["media"]["received_bps"], float)
    return np.concatenate([calls, own]) / 1e6


def _has_media(result: Result) -> bool:
    return _part(result) in {"calls", "ramp"}


def _share(result: Result) -> float:
    rates = _flow_rates(result)
    return float(rates[0] / rates.sum()) if len(rates) == 2 else np.nan


def _second(result: Result) -> float:
    rates = _flow_rates(result)
    return float(rates[1]) if len(rates) > 1 else np.nan


def _queue_ms(result: Result) -> float:
    return 1e3 * mean_queue(result) * PACKET_BITS / float(result.ports["rate_bps"][0])


def _newcomer(result: Result, measure: str) -> float:
    return OF_NEWCOMERS[measure](result) if _part(result) == "joins" else np.nan


def _median_delay_ms(result: Result, *, late: bool) -> float:
    """Return the median queueing delay of the first or the last ten minutes."""
    if _part(result) != "drift":
        return np.nan
    t_s, queue = course(result, "bottleneck", "queue_packets")
    begin, end = measured_period_s(result)
    rows = t_s > end - TEN_MINUTES_S if late else (t_s > begin) & (t_s <= TEN_MINUTES_S)
    return float(np.median(queue[rows])) * 1e3 * PACKET_BITS / float(result.ports["rate_bps"][0])


def _targets(result: Result) -> dict[str, NDArray[Any]]:
    series = result.tables["media_series"]
    rows = series["name"] == "one"
    return {name: series[name][rows] for name in ("t_s", "target_bps", "received_bps")}


def _growth_per_s(result: Result) -> float:
    """Return the relative growth of the target per second, from its first second on."""
    if _part(result) != "ramp":
        return np.nan
    of = _targets(result)
    begin = of["t_s"][0] + AFTER_S
    ends = np.interp((begin, begin + GROWS_S), of["t_s"], np.log(of["target_bps"]))
    return float(np.exp(np.diff(ends)[0] / GROWS_S) - 1)


def _grown(result: Result) -> float:
    """Return the last target over the first."""
    if _part(result) != "ramp":
        return np.nan
    target = _targets(result)["target_bps"]
    return float(target[-1] / target[0])


def find_falls(t_s: NDArray[Any], target: NDArray[Any]) -> NDArray[np.intp]:
    """Return the rows in which a target is lower than in the row before, from a second on."""
    falls = (target[1:] < (1 - FALL) * target[:-1]) & (np.diff(t_s) < 1.5 * ROW_S)
    return np.flatnonzero(falls[SECOND - 1 :]) + SECOND


def _kept(result: Result) -> float:
    """Return the median of the target after a fall over the rate that arrived before it."""
    if _part(result) != "calls":
        return np.nan
    of = _targets(result)
    target, begin = of["target_bps"], measured_period_s(result)[0]
    kept = [
        target[i] / of["received_bps"][i - SECOND : i].mean()
        for i in find_falls(of["t_s"], target)
        if of["t_s"][i] > begin
    ]
    return float(np.median(kept)) if kept else np.nan


def _call_share(result: Result) -> float:
    if not _has_media(result):
        return np.nan
    return float(_flow_rates(result)[0]) * 1e6 / float(result.ports["rate_bps"][0])


MEASURES = {
    "sent_mbps": lambda result: float(_flow_rates(result).sum()),
    "other_mbps": _second,
    "share": _share,
    "jain": lambda result: jain(_flow_rates(result)),
    "queue_ms": _queue_ms,
    "queue_packets": mean_queue,
    "utilisation": utilisation,
    "fair_after_s": lambda result: _newcomer(result, "fair_after_s"),
    "last_share": lambda result: _newcomer(result, "last_share"),
    "early_ms": lambda result: _median_delay_ms(result, late=False),
    "late_ms": lambda result: _median_delay_ms(result, late=True),
    "growth_per_s": _growth_per_s,
    "grown": _grown,
    "kept": _kept,
    "call_share": _call_share,
}
