"""A network for a fluid model: classes of equal flows over links, as a user writes it.

>>> network = {
...     "links": {"core": {"rate": "100 Mbit/s", "buffer": "1 BDP", "delay": "20 ms"}},
...     "classes": {"web": {"flows": 20, "rtt": "60 ms", "path": ["core"]}},
... }
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from headgate.base import catalog
from headgate.base.errors import ScenarioError, UnitError
from headgate.base.parameters import ParameterError
from headgate.base.units import PS_PER_S, parse_buffer, parse_bytes, parse_rate
from headgate.engine.fluid.settings import above_zero, list_changes, number, seconds

#: Default packet size: the payload of an Ethernet frame.
PACKET = "1500 B"

_NETWORK = ("classes", "links", "packet")
_CLASS = ("flows", "rtt", "path", "params")
_LINK = ("rate", "buffer", "delay", "params")


@dataclass(frozen=True)
class Resolved:
    """A network in packets and seconds, and the names of its parts."""

    parts: Mapping[str, Any]
    names: Mapping[str, list[str]]


def resolve(card: catalog.Cca, network: object) -> Resolved:
    """Read a network of `classes`, `links` and `packet`.

    A class has `flows` (1), `rtt` and `path`, a list of links. A link has `rate`, `buffer`
    (infinite; `BDP` is its rate times the longest RTT over it) and `delay` (0 s). Both accept
    separate `params`. Raises ScenarioError.
    """
    given = _table("network", network, _NETWORK)
    links = _parts("network.links", given.get("links"))
    classes = _parts("network.classes", given.get("classes"))
    size = _packet_bytes(given.get("packet", PACKET))
    flows = [_class(card, name, part, list(links)) for name, part in classes.items()]
    wires = [
        _link(card, name, part, size, _longest_s(flows, index))
        for index, (name, part) in enumerate(links.items())
    ]
    resolved = {"classes": flows, "links": wires, "packet_bytes": size}
    return Resolved(resolved, {"class": list(classes), "link": list(links)})


def _table(place: str, value: object, keys: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ScenarioError(place, f"must be a table of {', '.join(keys)}; got {value!r}")
    for key in value:
        if key not in keys:
            raise ScenarioError(f"{place}.{key}", f"is not a known key; known: {', '.join(keys)}")
    return value


def _parts(place: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not value:
        raise ScenarioError(place, "must be a table of tables by name, with at least one")
    return value


def _packet_bytes(text: object) -> float:
    try:
        size = parse_bytes(text)
    except UnitError as error:
        raise ScenarioError("network.packet", str(error)) from None
    if size == 0:
        raise ScenarioError("network.packet", f"must be a size above zero; got {text!r}")
    return float(size)


def _class(card: catalog.Cca, name: str, part: object, links: list[str]) -> dict[str, Any]:
    place = f"network.classes.{name}"
    given = _table(place, part, _CLASS)
    flows = number(f"{place}.flows", given.get("flows", 1))
    if not 0 < flows < float("inf"):
        raise ScenarioError(f"{place}.flows", f"must be a number above zero; got {flows:g}")
    return {
        "flows": flows,
        "rtt_s": above_zero(f"{place}.rtt", given.get("rtt")),
        "path": _path(f"{place}.path", given.get("path"), links),
        "set": _own(card, place, given),
    }


def _path(place: str, names: object, links: list[str]) -> list[int]:
    if not isinstance(names, list | tuple) or not names:
        raise ScenarioError(place, f"must be a list of links; got {names!r}")
    for index, name in enumerate(names):
        if name not in links:
            raise ScenarioError(place, f"{name!r} is not a link; links: {', '.join(links)}")
        if name in names[:index]:
            raise ScenarioError(place, f"passes {name!r} twice")
    return [links.index(name) for name in names]


def _link(
    card: catalog.Cca, name: str, part: object, packet_bytes: float, longest_s: float | None
) -> dict[str, Any]:
    place = f"network.links.{name}"
    given = _table(place, part, _LINK)
    try:
        rate = parse_rate(given.get("rate")) / (8 * packet_bytes)
    except UnitError as error:
        raise ScenarioError(f"{place}.rate", str(error)) from None
    return {
        "rate_packets_s": rate,
        "buffer_packets": _buffer(
            place, given.get("buffer", "infinite"), rate, packet_bytes, longest_s
        ),
        "delay_s": seconds(f"{place}.delay", given.get("delay", "0 s")),
        "set": _own(card, place, given),
    }


def _buffer(
    place: str, text: object, rate: float, packet_bytes: float, longest_s: float | None
) -> float | None:
    try:
        amount = parse_buffer(text)
    except UnitError as error:
        raise ScenarioError(f"{place}.buffer", str(error)) from None
    if amount.unit == "infinite":
        return None
    if "BDP" in amount.unit and longest_s is None:
        raise ScenarioError(f"{place}.buffer", f"{text!r}: no class passes, so it has no RTT")
    sizes = {"packets": 1.0, "B": 1 / packet_bytes, "ps": rate / PS_PER_S}
    sizes["BDP"] = rate * (longest_s or 0.0)
    if amount.unit not in sizes:
        raise ScenarioError(f"{place}.buffer", f"{text!r} is not allowed here; write '1 BDP'")
    return float(amount.value) * sizes[amount.unit]


def _longest_s(flows: list[dict[str, Any]], link: int) -> float | None:
    return max((part["rtt_s"] for part in flows if link in part["path"]), default=None)


def _own(card: catalog.Cca, place: str, given: Mapping[str, Any]) -> list[tuple[int, float]]:
    params = given.get("params", {})
    if not isinstance(params, Mapping):
        raise ScenarioError(f"{place}.params", f"must be a table of parameters; got {params!r}")
    try:
        return list_changes(card, params)
    except ParameterError as error:
        raise ScenarioError(f"{place}.params.{error.key}", error.sentence) from None


Numbers = NDArray[np.float64]

#: Numbers of a network that a sweep varies: user's key, and resolved key.
_NUMBERS = {
    "classes": {"flows": "flows", "rtt": "rtt_s"},
    "links": {"rate": "rate_packets_s", "buffer": "buffer_packets", "delay": "delay_s"},
}


def is_of_network(name: str) -> bool:
    """Return whether a name of a sweep is a place in the network."""
    return name.partition(".")[0] in _NUMBERS


def vary(
    card: catalog.Cca, network: Mapping[str, Any], varied: Mapping[str, ArrayLike], runs: int
) -> tuple[list[Resolved], dict[str, Numbers]]:
    """Return the network of each run, and each varied number in packets, seconds or bit/s.

    A network is read again for each run, so that a buffer in BDP follows its rate and round trip.
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


def count_runs(values: ArrayLike) -> int | None:
    """Return the number of runs in a column; None for one value for all runs."""
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
    """Split a place; names may contain dots, numbers do not."""
    part, _, rest = place.partition(".")
    name, _, key = rest.rpartition(".")
    if not name or key not in _NUMBERS[part]:
        known = ", ".join(_NUMBERS[part])
        raise ScenarioError(place, f"must be written {part}.NAME.NUMBER; the numbers are {known}")
    return part, name, key


def _read(resolved: Resolved, place: str) -> float:
    part, name, key = _split(place)
    index = resolved.names[{"classes": "class", "links": "link"}[part]].index(name)
    value = resolved.parts[part][index][_NUMBERS[part][key]]
    if key == "rate":
        return float(8 * resolved.parts["packet_bytes"] * value)
    return float("inf") if value is None else float(value)
