"""Backbones of four-tier networks: cities, the links between them, and the routers below."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

EARTH_RADIUS_KM, LIGHT_IN_GLASS_KM_S = 6371.0, 299_792.458 * 2 / 3


@dataclass(frozen=True)
class Topology:
    """Routers of each tier."""

    cities: Mapping[str, tuple[str, float, float]]
    """Backbone router -> city, latitude and longitude in degrees."""
    backbone: tuple[str, ...]
    """Links between backbone routers, such as "A-B"."""
    direct_at: tuple[str, ...]
    """Backbone routers that carry a D access router each."""
    fast: int
    """F access routers, distributed over the points of presence before the N ones."""
    normal: int
    """N access routers."""
    pops: int = 2
    """Points of presence at each backbone router."""

    def distance_ps(self, one: str, other: str) -> int:
        """Return the time that light in glass takes between two cities, in ps."""
        (_, lat1, lon1), (_, lat2, lon2) = self.cities[one], self.cities[other]
        phi1, phi2 = math.radians(lat1), math.radians(lat2)
        half = (
            math.sin((phi2 - phi1) / 2) ** 2
            + math.cos(phi1) * math.cos(phi2) * math.sin(math.radians(lon2 - lon1) / 2) ** 2
        )
        km = 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(half))
        return round(km / LIGHT_IN_GLASS_KM_S * 1e12)


ABILENE = Topology(
    cities={
        "A": ("Seattle", 47.61, -122.33),
        "B": ("Sunnyvale", 37.37, -122.04),
        "C": ("Los Angeles", 34.05, -118.24),
        "D": ("Denver", 39.74, -104.98),
        "E": ("Kansas City", 39.10, -94.58),
        "F": ("Houston", 29.76, -95.37),
        "G": ("Chicago", 41.88, -87.63),
        "H": ("Indianapolis", 39.77, -86.16),
        "I": ("Atlanta", 33.75, -84.39),
        "J": ("Washington", 38.90, -77.04),
        "K": ("New York", 40.71, -74.01),
    },
    backbone=(
        "A-B", "A-D", "B-C", "B-D", "C-F", "D-E", "E-F",
        "E-H", "F-I", "G-H", "G-K", "H-I", "I-J", "J-K",
    ),
    # Ours: D routers sit at six cities, from coast to coast.
    direct_at=("B", "C", "F", "G", "I", "K"),
    fast=28,
    normal=105,
)  # fmt: skip


ISP = Topology(
    cities={
        "A": ("Seattle", 47.61, -122.33),
        "B": ("Sacramento", 38.58, -121.49),
        "C": ("San Diego", 32.72, -117.16),
        "D": ("Salt Lake City", 40.76, -111.89),
        "E": ("El Paso", 31.76, -106.49),
        "F": ("Denver", 39.74, -104.98),
        "G": ("Dallas", 32.78, -96.80),
        "H": ("Omaha", 41.26, -95.94),
        "I": ("Minneapolis", 44.98, -93.27),
        "J": ("St. Louis", 38.63, -90.20),
        "K": ("New Orleans", 29.95, -90.07),
        "L": ("Chicago", 41.88, -87.63),
        "M": ("Atlanta", 33.75, -84.39),
        "N": ("Miami", 25.76, -80.19),
        "O": ("Washington", 38.90, -77.04),
        "P": ("Boston", 42.36, -71.06),
    },
    backbone=(
        "A-B", "A-D", "A-I", "B-C", "B-D", "C-D", "C-E", "D-F", "E-F",
        "E-G", "F-G", "F-H", "G-J", "G-K", "H-I", "H-J", "I-L", "J-L",
        "J-M", "K-M", "K-N", "L-O", "L-P", "M-N", "M-O", "O-P",
    ),
    direct_at=("A", "C", "F", "G", "L", "M", "O", "P"),
    fast=34,
    normal=128,
)  # fmt: skip
