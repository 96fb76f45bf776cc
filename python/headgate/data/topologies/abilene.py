"""The backbone of Abilene, in the shape of the NIST study of TCP replacements.

11 backbone routers (A to K, west to east) and 14 links, 22 points of presence, 6 D, 28 F and 105 N
access routers: the counts are the study's; which routers carry D and F is not published and ours.
"""

from headgate.data.topologies.topology import Topology

# City, latitude and longitude in degrees.
CITIES = {
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
}

ABILENE = Topology(
    cities=CITIES,
    backbone=(
        "A-B", "A-D", "B-C", "B-D", "C-F", "D-E", "E-F",
        "E-H", "F-I", "G-H", "G-K", "H-I", "I-J", "J-K",
    ),
    # Ours: D routers sit at six cities, from coast to coast.
    direct_at=("B", "C", "F", "G", "I", "K"),
    fast=28,
    normal=105,
)  # fmt: skip
