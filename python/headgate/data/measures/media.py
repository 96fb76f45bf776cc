"""Tables of streams of real-time media: `media` by period, `media_series` over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.names import each_name, name_counts
from headgate.data.columns.media import MEDIA, MEDIA_SERIES
from headgate.data.measures.formula import form, ratio
from headgate.data.measures.periods import cca_names, find_bounds
from headgate.data.tables import Words

Plan = Mapping[str, Any]


def has_media(plan: Plan) -> bool:
    """Return whether a plan contains streams of media."""
    return any("rate_controller" in item for item in plan["traffic"])


def _media(plan: Plan, of_run: Mapping[str, Any]) -> dict[str, Any]:
    facts = of_run["media"]
    nodes = [node["name"] for node in plan["nodes"]]
    traffic = plan["traffic"]
    item = np.repeat(np.arange(len(traffic)), name_counts(traffic))
    chosen = [item["rate_controller"] for item in traffic if "rate_controller" in item]
    distinct = [one for n, one in enumerate(chosen) if one not in chosen[:n]]
    number = [
        distinct.index(item["rate_controller"]) if "rate_controller" in item else 0
        for item in traffic
    ]
    of_stream = np.array(number)[item][facts["traffic"].astype(np.int64)]
    words = {
        "name": Words(facts["traffic"], list(each_name(traffic))),
        "rate_controller": Words(of_stream, cca_names(distinct)),
        "source": Words(facts["source"], nodes),
        "receiver": Words(facts["receiver"], nodes),
    }
    return form(MEDIA, {**facts, **find_bounds(plan, facts), **words})


def _series(plan: Plan, of_run: Mapping[str, Any]) -> dict[str, Any]:
    facts = of_run["media_samples"]
    stream, t_s = facts["traffic"].astype(np.int64), facts["t_s"]

    def rise(total: NDArray[Any], per: NDArray[Any]) -> NDArray[np.float64]:
        return rise_ratio(total, per, stream)

    found = {
        **facts,
        "name": Words(facts["traffic"], list(each_name(plan["traffic"]))),
        "sent_bps": rise(8.0 * facts["sent_bytes"], t_s),
        "received_bps": rise(8.0 * facts["received_bytes"], t_s),
        "packet_delay_s": rise(facts["packet_delay_sum_s"], facts["received_packets"]),
    }
    return form(MEDIA_SERIES, found)


def rise_ratio(
    total: NDArray[Any], per: NDArray[Any], of: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the growth of one column over that of another since the previous row of a stream.

    It is NaN in the first row of each, and in rows in which the other did not grow.
    """
    order = np.argsort(of, kind="stable")
    out = np.full(len(of), np.nan)
    same = np.diff(of[order]) == 0
    up, down = (np.diff(np.asarray(column, np.float64)[order]) for column in (total, per))
    out[order[1:][same]] = ratio(up, down)[same]
    return out


#: Functions that form the tables of streams of media.
OF_STREAMS = {"media": _media, "media_series": _series}
