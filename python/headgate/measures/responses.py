"""The 22 macroscopic responses of the NIST study, per measurement period.

y5 is given twice: as dropped over entered, and as the slides print it (y4 over y3 + y4), which is
near 1/2 for a network without loss. y7 and y9 have the same shape on purpose.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate import columns
from headgate.columns import PAIRS

Facts = Mapping[str, NDArray[Any]]
Columns = dict[str, NDArray[Any]]

#: Response -> what it is called in figures and tables.
RESPONSES = {
    "y1": "sources transmitting",
    "y2": "proportion transmitting",
    "y3": "segments entering",
    "y4": "segments leaving",
    "y5": "loss rate",
    "y6": "flows completing",
    "y7": "flow-completion rate",
    "y8": "connection failures",
    "y9": "connection-failure rate",
    "y10": "retransmission rate",
    "y11": "congestion window",
    "y12": "window increases",
    "y13": "duplicate ACKs",
    "y14": "time-outs",
    "y15": "round-trip time",
    "y16": "queuing delay",
    **{f"y{number}": f"rate of {pair} flows" for number, pair in enumerate(PAIRS, start=17)},
}


def ratio(above: NDArray[Any], below: NDArray[Any]) -> NDArray[np.float64]:
    """Divide; NaN where there is nothing to divide by."""
    above, below = np.asarray(above, np.float64), np.asarray(below, np.float64)
    out: NDArray[np.float64] = np.full(np.broadcast(above, below).shape, np.nan)
    np.divide(above, below, out=out, where=below != 0)
    return out


def form_responses(facts: Facts) -> Columns:
    """Give start_s, end_s, y1 to y22 and y5_literal, then the facts they came from."""
    per_interval = {
        "y3": "segments_in",
        "y4": "segments_out",
        "y6": "flows_completed",
        "y8": "connection_failures",
        "y12": "cwnd_increases",
        "y13": "duplicate_acks",
        "y14": "timeouts",
    }
    # a period need not be whole intervals, so what is counted is not divided by the samples
    intervals = ratio(facts["end_s"] - facts["start_s"], facts["interval_s"])
    y = {name: ratio(facts[fact], intervals) for name, fact in per_interval.items()}
    y["y1"] = ratio(facts["transmitting_sum"], facts["samples"])
    y["connecting"] = ratio(facts["connecting_sum"], facts["samples"])
    y["y2"] = ratio(y["y1"], facts["sources"])
    y["y5"] = ratio(facts["segments_dropped"], facts["segments_in"])
    y["y5_literal"] = ratio(y["y4"], y["y3"] + y["y4"])
    y["y7"] = ratio(y["y6"], y["y6"] + y["y1"])
    y["y9"] = ratio(y["y8"], y["y8"] + y["y1"])
    y["y10"] = ratio(facts["retransmissions"], facts["segments_in"])
    y["y11"] = ratio(facts["cwnd_sum"], facts["active_sum"])
    y["y15"] = ratio(facts["rtt_sum_s"], facts["rtt_count"])
    y["y16"] = ratio(facts["wait_sum_s"], facts["segments_out"])
    for number, pair in enumerate(PAIRS, start=17):
        y[f"y{number}"] = ratio(facts[f"rate_sum_{pair}"], facts[f"flows_{pair}"])
    known = dict(facts) | y
    return {column.name: np.asarray(known[column.name]) for column in columns.RESPONSES}
