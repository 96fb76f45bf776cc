"""Attributes of the topology files of other programs, as keys of routers and links.

The Internet Topology Zoo (Knight et al. 2011) describes links by `LinkSpeedRaw`, in bit/s, or by
`LinkSpeed` and `LinkSpeedUnits`, and routers by `label`, `Longitude` and `Latitude`. Shadow 2
(https://shadow.github.io/docs/guide/network_graph_spec.html) describes links by `latency`, `jitter`
and `packet_loss`, and routers by the rates of their hosts. A key of Headgate in the file takes
precedence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from headgate.base.errors import ScenarioError

#: Attributes of routers and links that are read here.
ROUTER_ATTRIBUTES = (
    "label", "Longitude", "Latitude", "longitude", "latitude",
    "host_bandwidth_up", "host_bandwidth_down", "bandwidth_up", "bandwidth_down",
)  # fmt: skip
LINK_ATTRIBUTES = (
    "latency", "packet_loss", "jitter",
    "LinkSpeedRaw", "LinkSpeed", "LinkSpeedUnits", "LinkLabel",
)  # fmt: skip
#: Attributes of the Topology Zoo that describe a map without changing its traffic.
ZOO_NOTES = frozenset({
    "Country", "Internal", "type", "hyperedge", "asn", "LinkNote", "LinkType", "LinkStatus",
})  # fmt: skip
#: Units of the rates of other programs: `155 Mbps`, `2.5 Gbit/s`, `100 Mbit`, `81920 Kibit`.
_RATE = re.compile(r"(\d+(?:\.\d+)?)\s*([kKMGT]?i?)(?:bit/s|bits/s|bps|b/s|bit)", re.ASCII)
_PREFIX = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
#: Light in glass takes 1/c times the refractive index of 1.468 (ITU-T G.652 fibres at 1550 nm).
_FIBRE_M_PER_S = 299_792_458 / 1.468
_EARTH_RADIUS_M = 6_371_000.0


def read_router(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the keys of a router that these attributes describe. Raises ScenarioError."""
    keys: dict[str, Any] = {}
    if str(data.get("label", "")).strip():
        keys["label"] = str(data["label"]).strip()
    for key in ("longitude", "latitude"):
        given = data.get(key, data.get(key.capitalize()))
        if given is not None:
            keys[key] = _read_number(given, f"the {key} of node {name}")
    rates = list_host_rates(data, name)
    if rates:
        keys["host_rate"] = f"{min(rates)} bit/s"
    return keys


def list_host_rates(data: Mapping[str, Any], name: str) -> list[int]:
    """Return the rates of the hosts of a router, up and down, bit/s. Raises ScenarioError."""
    return [
        _read_rate(data[key], f"the {key} of node {name}")
        for end in ("up", "down")
        for key in (f"host_bandwidth_{end}", f"bandwidth_{end}")
        if key in data
    ]


def read_link(data: Mapping[str, Any], label: str) -> dict[str, Any]:
    """Return the keys of a link that these attributes describe. Raises ScenarioError."""
    keys: dict[str, Any] = {}
    rate_bps = None if "rate" in data else _find_rate(data, label)
    if rate_bps is not None:
        keys["rate"] = f"{rate_bps} bit/s"
    if "latency" in data and "delay" not in data:
        keys["delay"] = data["latency"]
    if "packet_loss" in data and "loss" not in data:
        keys["loss"] = _read_number(data["packet_loss"], f"the packet_loss of edge {label}")
    if "jitter" in data and "impairments" not in data and not _is_zero(data["jitter"]):
        keys["impairments"] = [{"name": "jitter", "mean": data["jitter"]}]
    return keys


def fibre_delay_ps(one: tuple[float, float], other: tuple[float, float]) -> int:
    """Return the delay of a fibre along the great circle between two places, ps.

    A place is a longitude and a latitude in degrees. The haversine formula, on a sphere.
    """
    (lon, lat), (lon2, lat2) = (tuple(map(math.radians, place)) for place in (one, other))
    chord = math.sin((lat2 - lat) / 2) ** 2
    chord += math.cos(lat) * math.cos(lat2) * math.sin((lon2 - lon) / 2) ** 2
    distance_m = 2 * _EARTH_RADIUS_M * math.asin(math.sqrt(min(1.0, chord)))
    return round(distance_m / _FIBRE_M_PER_S * 1e12)


def _find_rate(data: Mapping[str, Any], label: str) -> int | None:
    """Return the rate of a link, bit/s; None if it is unknown."""
    if "LinkSpeedRaw" in data:
        raw = _read_number(data["LinkSpeedRaw"], f"the LinkSpeedRaw of edge {label}")
        return round(raw) or None
    if "LinkSpeed" in data and "LinkSpeedUnits" in data:
        text = f"{data['LinkSpeed']} {data['LinkSpeedUnits']}bit/s"
        return _read_rate(text, f"the LinkSpeed of edge {label}")
    written = _RATE.fullmatch(str(data.get("LinkLabel", "")).strip())
    return None if written is None else _scale(written) or None


def _read_rate(given: object, subject: str) -> int:
    written = _RATE.fullmatch(str(given).strip())
    if written is None:
        says = "it must be a number and a unit, such as '100 Mbit'"
        raise ScenarioError("", f"{subject} is {given!r}; {says}")
    return _scale(written)


def _scale(written: re.Match[str]) -> int:
    """Return a rate in bit/s; `Ki` and so on are powers of 1024."""
    base = 1024 if written[2].endswith("i") else 1000
    scale: int = base ** _PREFIX[written[2].rstrip("i").lower()]
    return round(Decimal(written[1]) * scale)


def _read_number(given: object, subject: str) -> float:
    try:
        number = float(Decimal(str(given).strip()))
    except InvalidOperation:
        raise ScenarioError("", f"{subject} is {given!r}; it must be a number") from None
    if not math.isfinite(number):
        raise ScenarioError("", f"{subject} is {given!r}; it must be a finite number")
    return number


def _is_zero(given: object) -> bool:
    found = re.match(r"\s*(\d+(?:\.\d+)?)", str(given))
    return found is not None and float(found[1]) == 0
