"""The responses of a run under one law, each with one value a period, by their meaning.

22 are the source's, by its numbers. Its longer list (45) is not published: what is added here is
ours, named by what it is: how much windows swing and fall, flows that connect, and the throughput
of Web objects by pair of router classes and by interface.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from headgate import Result, Table
from headgate_studies.mesonet.parameters import PAIRS

Numbers = NDArray[np.float64]

INTERFACES = ("fast", "normal")
WEB, LONG = "web object", "long-lived"

NUMBERED: Mapping[str, str] = {
    "y1": "sources transmitting",
    "y2": "share of sources transmitting",
    "y3": "segments entering / interval",
    "y4": "segments leaving / interval",
    "y5": "loss rate",
    "y6": "flows completed / interval",
    "y7": "flow-completion rate",
    "y8": "connection failures / interval",
    "y9": "connection-failure rate",
    "y10": "retransmission rate",
    "y11": "congestion window (packets)",
    "y12": "cwnd increases / interval",
    "y13": "duplicate ACKs / interval",
    "y14": "timeouts / interval",
    "y15": "round-trip time (s)",
    "y16": "queueing delay (s)",
    **{f"y{17 + i}": f"{pair} throughput (packets/s)" for i, pair in enumerate(PAIRS)},
}
MOVING: Mapping[str, str] = {
    "connecting": "flows connecting",
    "swing": "swing of the mean window over time (relative)",
    "falls": "window decreases",
    "fall": "mean fall of a window (packets)",
}
WEB_RATES: Mapping[str, str] = {
    f"web_{pair}_{interface}": f"Web objects, {pair}, {interface} interface (packets/s)"
    for pair in PAIRS
    for interface in INTERFACES
}
LONG_RATES: Mapping[str, str] = {
    f"long_{pair}": f"long-lived flow, {pair} (packets/s)" for pair in ("DD", "DF", "FF")
}
TITLES = {
    **{name: f"{name} {title}" for name, title in NUMBERED.items()},
    **MOVING,
    **WEB_RATES,
    **LONG_RATES,
}


def responses(result: Result, law: str) -> dict[str, Numbers]:
    """Return every response of a run in which all sources have one law."""
    table = result.responses
    classes, laws = result.tables["classes"], result.tables["laws"]
    periods = len(table["start_s"])
    own = _where(classes, law=law)
    found = {name: np.asarray(table[name], dtype=float) for name in NUMBERED}
    found["connecting"] = np.asarray(table["connecting"], dtype=float)
    found["swing"] = by_period(laws, "swing_relative", _where(laws, law=law), periods)
    falls = by_period(classes, "decreases", own, periods)
    fallen = by_period(classes, "fallen_packets", own, periods)
    found |= {"falls": falls, "fall": ratio(fallen, falls)}
    for pair in PAIRS:
        for interface in INTERFACES:
            rows = _where(classes, file=WEB, interface=interface, **{"class": pair})
            packets = by_period(classes, "timed_packets", rows, periods)
            time_s = by_period(classes, "fct_sum_s", rows, periods)
            found[f"web_{pair}_{interface}"] = ratio(packets, time_s)
    for name in LONG_RATES:
        rows = _where(classes, file=LONG, **{"class": name.removeprefix("long_")})
        found[name] = by_period(classes, "delivered_packets_s", rows, periods)
    return found


def _where(table: Table, **labels: str) -> NDArray[np.bool_]:
    """Return which rows have these labels."""
    kept = np.ones(len(table), dtype=bool)
    for name, label in labels.items():
        kept &= np.asarray(table[name]) == label
    return kept


def by_period(table: Table, column: str, rows: NDArray[np.bool_], periods: int) -> Numbers:
    """Return the sum of a column over these rows, period by period."""
    place = np.asarray(table["period"], dtype=int)[rows] - 1
    values = np.asarray(table[column], dtype=float)[rows]
    return np.bincount(place, weights=values, minlength=periods).astype(float)


def ratio(above: Numbers, below: Numbers) -> Numbers:
    """Return a ratio, NaN where there is nothing to divide by."""
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), np.nan)
