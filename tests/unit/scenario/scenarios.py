"""Small scenarios for tests."""

from typing import Any

from headgate import Scenario

DUMBBELL = {"kind": "dumbbell", "rate": "100 Mbit/s", "rtt": "40 ms"}
RENO = {"kind": "flows", "cca": "reno"}
WEB = {
    "kind": "web",
    "cca": "reno",
    "users": 1000,
    "size": {"kind": "pareto", "mean": "75 packets", "shape": 1.5},
}


def scenario(network: dict[str, Any], *traffic: dict[str, Any], **keys: Any) -> Scenario:
    return Scenario.from_dict({"network": network, "traffic": list(traffic) or [RENO], **keys})


def planned(network: dict[str, Any], *traffic: dict[str, Any], **keys: Any) -> dict[str, Any]:
    return scenario(network, *traffic, **keys).plan()[0]
