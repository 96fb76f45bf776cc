"""The scenario of one condition: an Abilene-like network with Web users, all under one law."""

from collections.abc import Mapping
from typing import Any

from headgate.scenario import Scenario
from headgate.units import format_rate, format_time, parse_time

# Experiment 1a of the source: the top backbone rate, and the most sources.
BACKBONE_BPS = 192e9
SOURCES = 278_000

# Ours: the source does not publish its two distributions of sources.
SHARES = {
    "web-centric": {"D": 0.3, "F": 0.6, "N": 0.1},
    "peer-to-peer": {"D": 1 / 3, "F": 1 / 3, "N": 1 / 3},
}
PARETO_SHAPE = 1.5


def scenario(settings: Mapping[str, Any], law: str) -> Scenario:
    """Make the scenario; `size` scales speeds and sources together, hosts keep their speed."""
    warmup, period = parse_time(settings["warmup"]), parse_time(settings["period"])
    return Scenario.from_dict(
        {
            "title": f"tcp-replacements, {law}",
            "duration": format_time(warmup + settings["periods"] * period),
            "transport": {
                "preset": "mesonet",
                "initial_ssthresh": settings["initial_ssthresh"],
            },
            "network": _network(settings),
            "traffic": [_users(settings, law)],
            "measure": {
                "warmup": settings["warmup"],
                "periods": settings["periods"],
                "flows": "none",
                "series": "none",
            },
        }
    )


def _network(settings: Mapping[str, Any]) -> dict[str, Any]:
    rate_bps = round(BACKBONE_BPS * settings["size"] * settings["speed"])
    return {
        "kind": "abilene",
        "rate": format_rate(rate_bps),
        "delay_multiplier": settings["delay_multiplier"],
        "buffer": settings["buffer"],
        "source_shares": SHARES[settings["source_shares"]],
    }


def _users(settings: Mapping[str, Any], law: str) -> dict[str, Any]:
    return {
        "kind": "web",
        "name": "users",
        "law": law,
        "users": round(SOURCES * settings["size"] * settings["sources"]),
        "receivers": round(SOURCES * settings["size"]),
        "think": settings["think"],
        "size": {"kind": "pareto", "mean": settings["file"], "shape": PARETO_SHAPE},
    }
