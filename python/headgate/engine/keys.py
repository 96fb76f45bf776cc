"""Keywords of the functions that make scenarios, as editors and type checkers know them.

`tests/unit/test_keywords.py` holds them to the keys of networks and scenarios.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

Device = str | type | Mapping[str, Any]
"""A queue discipline or a scheme: its name, a class, or a mapping of its keys."""
Keys = Mapping[str, Any]
"""Keys of a table of the scenario."""


class ScenarioKeys(TypedDict, total=False):
    """Keywords of every function: keys of the scenario itself."""

    title: str
    seed: int
    duration: str
    """Simulated time, such as "60 s"."""
    transport: Keys
    measure: Keys


class PortKeys(ScenarioKeys, total=False):
    """Keywords of every network: its links and their ports."""

    rate: str | None
    """Rate, such as "100 Mbit/s"."""
    buffer: str
    """Buffer, such as "1 BDP"."""
    queue: Device
    feedback: Device | None


class DumbbellKeys(PortKeys, total=False):
    """Keywords of `dumbbell`."""

    rtt: str
    """Propagation round trip, such as "40 ms"."""
    loss: float
    lose: Sequence[int]
    reverse: Keys | None
    access: Literal["links", "direct"]
    host_rate: str | None
    ingress: Sequence[Keys]
    impairments: Sequence[Keys]
    outages: Sequence[Keys]
    changes: Sequence[Keys]
    trace: str | Keys | None
    course: str | Keys | None


class ParkingLotKeys(PortKeys, total=False):
    """Keywords of `parking_lot`."""

    hops: int
    rtt: str
    loss: float
    impairments: Sequence[Keys]
    host_rate: str | None


class FourTierKeys(PortKeys, total=False):
    """Keywords of `abilene`."""

    ratios: Keys
    delay_multiplier: float
    lower_delay: str
    source_shares: Keys
    receiver_shares: Keys
    fast_rate: str
    normal_rate: str
    fast_share: float
    host_buffer: str


class GraphKeys(PortKeys, total=False):
    """Keywords of `graph`: defaults of edges without these attributes."""

    delay: str | None
    directed: bool
    host_rate: str | None
    host_delay: str
    unread: Sequence[str]
    routers: Sequence[Keys]
    links: Sequence[Keys]
