"""A second backbone, in the shape of a large provider's: more routers, more ways between them.

All of it is ours: 16 backbone routers (A to P, west to east) in US cities and 26 links, so that
every router has two or more ways out, 32 points of presence, 170 access routers. Its access routers
divide into D, F and N as those of Abilene do: 8, 34 and 128.
"""

from headgate.scenario.networks.topology import Topology

# City, latitude and longitude in degrees.
CITIES = {
    "A": ("Seattle", 47.61, -122.33),
    "B": ("San Francisco", 37.77, -122.42),
    "C": ("Los Angeles", 34.05, -118.24),
    "D": ("Phoenix", 33.45, -112.07),
    "E": ("Salt Lake City", 40.76, -111.89),
    "F": ("Denver", 39.74, -104.98),
    "G": ("Dallas", 32.78, -96.80),
    "H": ("Houston", 29.76, -95.37),
    "I": ("Kansas City", 39.10, -94.58),
    "J": ("Minneapolis", 44.98, -93.27),
    "K": ("St. Louis", 38.63, -90.20),
    "L": ("Chicago", 41.88, -87.63),
    "M": ("Atlanta", 33.75, -84.39),
    "N": ("Miami", 25.76, -80.19),
    "O": ("Washington", 38.90, -77.04),
    "P": ("New York", 40.71, -74.01),
}

ISP = Topology(
    cities=CITIES,
    backbone=(
        "A-B", "A-E", "A-J", "B-C", "B-E", "C-D", "C-E", "D-G", "E-F",
        "F-G", "F-I", "G-H", "G-I", "G-M", "H-M", "H-N", "I-K", "I-L",
        "J-L", "K-L", "K-M", "L-O", "L-P", "M-N", "M-O", "O-P",
    ),
    direct_at=("A", "B", "C", "G", "L", "M", "O", "P"),
    fast=34,
    normal=128,
)  # fmt: skip
