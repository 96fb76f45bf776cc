"""Sweeps over numbers of a network: `links.core.rate`, `classes.web.flows`."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from headgate.base import catalog
from headgate.base.errors import ScenarioError
from headgate.engine.fluid.network import Resolved, resolve

Numbers = NDArray[np.float64]

#: What a network has numbers of: in its own words, and as it is read.
_NUMBERS = {
    "classes": {"flows": "flows", "rtt": "rtt_s"},
    "links": {"rate": "rate_packets_s", "buffer": "buffer_packets", "delay": "delay_s"},
}


def is_of_network(name: str) -> bool:
    """Say whether a name of a sweep is a place in the network."""
    return name.partition(".")[0] in _NUMBERS


def vary(
    card: catalog.Law, network: Mapping[str, Any], varied: Mapping[str, ArrayLike], runs: int
) -> tuple[list[Resolved], dict[str, Numbers]]:
    """Return the network of each run, and each varied number in packets, seconds or bit/s.

    A network is read anew for each run, so that a buffer in BDP follows its rate and round trip.
    """
    columns = {place: _values(place, values, runs) for place, values in varied.items()}
    resolve(card, network)
    own = []
    for run in range(runs):
        changed = copy.deepcopy(dict(network))
        for place, values in columns.items():
            _put(changed, place, values[run])
        own.append(resolve(card, changed))
    return own, {place: np.array([_read(each, place) for each in own]) for place in columns}


def length(values: ArrayLike) -> int | None:
    """Return how many runs a column is for; None for one value of all."""
    column = np.asarray(values, dtype=object)
    return len(column) if column.ndim else None


def _values(place: str, values: ArrayLike, runs: int) -> list[Any]:
    column = np.asarray(values, dtype=object)
    if column.ndim > 1:
        raise ScenarioError(place, "must be a list of values, or one value for all runs")
    listed: list[Any] = column.tolist() if column.ndim else [column.item()] * runs
    return listed


def _put(network: dict[str, Any], place: str, value: Any) -> None:
    part, name, key = _split(place)
    table = network[part]
    if name not in table:
        raise ScenarioError(place, f"{name!r} is not one of {', '.join(table)}")
    table[name] = {**table[name], key: value}


def _split(place: str) -> tuple[str, str, str]:
    """Take a place apart; names may have dots, numbers have none."""
    part, _, rest = place.partition(".")
    name, _, key = rest.rpartition(".")
    if not name or key not in _NUMBERS[part]:
        known = ", ".join(_NUMBERS[part])
        raise ScenarioError(place, f"must be written {part}.NAME.NUMBER; the numbers are {known}")
    return part, name, key


def _read(resolved: Resolved, place: str) -> float:
    part, name, key = _split(place)
    index = resolved.names[{"classes": "class", "links": "link"}[part]].index(name)
    value = resolved.order[part][index][_NUMBERS[part][key]]
    if key == "rate":
        return float(8 * resolved.order["packet_bytes"] * value)
    return float("inf") if value is None else float(value)
