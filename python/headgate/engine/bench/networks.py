"""The four networks of the bench.

The dumbbells are ns-2's timing script: flow i starts at i/100 s, 10 Gbit/s host links with a tenth
of the round trip each way on each side, one bandwidth-delay product of buffer, twice that as the
receive window, an ACK of 40 B for each packet of 1460 + 40 B. The Abilene networks have the sizes
of the NIST experiments 1b and 1a, with every source an active Web user.
"""

import math
from collections.abc import Callable

from headgate.engine.api import Scenario

RATE_BPS, RTT_S, PACKET_BYTES = 10**9, 0.04, 1500


def dumbbell(flows: int, duration: str) -> Scenario:
    """Make ns-2's timing dumbbell with N endless SACK flows."""
    bdp = math.ceil(RATE_BPS * RTT_S / 8 / PACKET_BYTES)
    return Scenario.from_dict(
        {
            "duration": duration,
            "network": {
                "kind": "dumbbell",
                "rate": f"{RATE_BPS} bit/s",
                "rtt": "40 ms",
                "buffer": f"{bdp} packets",
            },
            "transport": {"preset": "ns2", "receive_window": f"{2 * bdp} packets"},
            "traffic": [{"kind": "flows", "law": "reno", "count": flows, "stagger": "10 ms"}],
            "measure": {"series": "none"},
        }
    )


def abilene(rate: str, users: int, warmup_s: int, measured_s: int) -> Scenario:
    """Make the four-tier network with Web users: think 3.5 s, files of 75 packets in the mean."""
    return Scenario.from_dict(
        {
            "duration": f"{warmup_s + measured_s} s",
            "network": {"kind": "abilene", "rate": rate},
            "transport": {"preset": "mesonet", "recovery": "sack"},
            "traffic": [
                {
                    "kind": "web",
                    "law": "reno",
                    "users": users,
                    "think": "3.5 s",
                    "size": {"kind": "pareto", "mean": "75 packets", "shape": 1.5},
                }
            ],
            "measure": {"warmup": f"{warmup_s} s", "flows": "none", "series": "none"},
        }
    )


NETWORKS: dict[str, Callable[[], Scenario]] = {
    "dumbbell-100": lambda: dumbbell(100, "40 s"),
    "dumbbell-2000": lambda: dumbbell(2000, "25 s"),
    "abilene-27800": lambda: abilene("28.8 Gbit/s", 27_800, 10, 20),
    "abilene-278000": lambda: abilene("192 Gbit/s", 278_000, 5, 15),
}


def flows(scenario: Scenario) -> int:
    """Return how many flows, or Web users, a bench network has."""
    return scenario.traffic[0].most_flows
