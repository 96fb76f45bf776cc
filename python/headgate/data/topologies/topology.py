"""The backbone of a four-tier network: cities, links between them, and what hangs below."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

EARTH_RADIUS_KM, LIGHT_IN_GLASS_KM_S = 6371.0, 299_792.458 * 2 / 3


@dataclass(frozen=True)
class Topology:
    """Where the routers of each tier are."""

    cities: Mapping[str, tuple[str, float, float]]
    """Backbone router -> city, latitude and longitude in degrees."""
    backbone: tuple[str, ...]
    """Links between backbone routers, such as "A-B"."""
    direct_at: tuple[str, ...]
    """Backbone routers that carry a D access router each."""
    fast: int
    """F access routers, dealt round the points of presence, before the N ones."""
    normal: int
    """N access routers."""
    pops: int = 2
    """Points of presence at each backbone router."""

    def distance_ps(self, one: str, other: str) -> int:
        """Return the time light in glass takes along the great circle between two cities, in ps."""
        (_, lat1, lon1), (_, lat2, lon2) = self.cities[one], self.cities[other]
        phi1, phi2 = math.radians(lat1), math.radians(lat2)
        half = (
            math.sin((phi2 - phi1) / 2) ** 2
            + math.cos(phi1) * math.cos(phi2) * math.sin(math.radians(lon2 - lon1) / 2) ** 2
        )
        km = 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(half))
        return round(km / LIGHT_IN_GLASS_KM_S * 1e12)
