"""A second backbone, in the shape of a large provider's: more routers, more ways between them.

All of it is ours: 16 backbone routers (A to P, west to east) in US cities and 26 links, so that
every router has two or more ways out, 32 points of presence, 170 access routers. Its access routers
divide into D, F and N as those of Abilene do: 8, 34 and 128.
"""

from headgate.data.topologies.topology import Topology

# City, latitude and longitude in degrees.
CITIES = {
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
}

ISP = Topology(
    cities=CITIES,
    backbone=(
        "A-B", "A-D", "A-I", "B-C", "B-D", "C-D", "C-E", "D-F", "E-F",
        "E-G", "F-G", "F-H", "G-J", "G-K", "H-I", "H-J", "I-L", "J-L",
        "J-M", "K-M", "K-N", "L-O", "L-P", "M-N", "M-O", "O-P",
    ),
    direct_at=("A", "C", "F", "G", "L", "M", "O", "P"),
    fast=34,
    normal=128,
)  # fmt: skip
