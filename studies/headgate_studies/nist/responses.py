"""The responses of a run, each with one value for each period, and the roles of table columns.

22 responses are the source's, by its numbers. Its longer list (45) is not published. The additional
responses are ours: the swing and the falls of windows, connecting flows, and the throughput of Web
objects by pair of router classes and by interface.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from headgate import Result, Table
from headgate.design import Design
from headgate.figures import Roles
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
BEFORE = "reno"
#: The events of each period.
PERIODS = {"1": "no jumbo files", "2": "jumbo files add congestion", "3": "that congestion lingers"}
LOSSES = ("y5", "y10", "y13", "y14")
#: Responses that harm a network or its users, and the harmful direction.
WORSE = {
    **dict.fromkeys((*LOSSES, "y8", "y9", "y15", "y16", "connecting", "swing"), "more"),
    **dict.fromkeys(("y6", "y7", *WEB_RATES, *LONG_RATES), "less"),
}
SAFETY = (*LOSSES, "y6", "y7", "y8", "y9", "y15", "y16", "connecting", "swing")


def responses(result: Result, cca: str) -> dict[str, Numbers]:
    """Return every response of a run in which all sources use one algorithm."""
    table = result.responses
    classes, ccas = result.tables["classes"], result.tables["ccas"]
    periods = len(table["start_s"])
    own = _where(classes, cca=cca)
    found = {name: np.asarray(table[name], dtype=float) for name in NUMBERED}
    found["connecting"] = np.asarray(table["connecting"], dtype=float)
    found["swing"] = by_period(ccas, "swing_relative", _where(ccas, cca=cca), periods)
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
    """Return a ratio, NaN for a divisor of zero."""
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), np.nan)


def roles(design: Design) -> Roles:
    """Return the roles of the table of an experiment whose sources all use one algorithm."""
    questions = {
        "increase": tuple(WEB_RATES),
        "recovery": (*LOSSES, "fall"),
        "utility": (*WEB_RATES, *LONG_RATES),
        "safety": SAFETY,
    }
    return of_design(design, TITLES, WORSE, questions, PERIODS)


def of_design(
    design: Design,
    titles: Mapping[str, str],
    worse: Mapping[str, str],
    questions: Mapping[str, Sequence[str]],
    periods: Mapping[str, str] = MappingProxyType({}),
) -> Roles:
    """Return the roles of a table of CCAs under the conditions of a design, period by period."""
    factors = {factor.name: factor.title for factor in design.factors}
    return Roles.model_validate(
        {
            "responses": tuple(titles),
            "factors": tuple(factors),
            "condition": ("condition",),
            "cca": "cca",
            "replicate": "seed",
            "period": "period",
            "periods": periods,
            "before": BEFORE,
            "method": "one-way",  # as the source has it
            "congestion": "y10",
            "titles": {**titles, **factors},
            "worse": worse,
            "questions": questions,
        }
    )
