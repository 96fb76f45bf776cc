"""The scenario of one condition: an Abilene-like network with Web users, all under one law."""

from collections.abc import Mapping
from typing import Any

from headgate import Scenario, format_rate, format_time_ps, parse_rate, parse_time_ps
from headgate_studies.mesonet.laws import nist_law_keys
from headgate_studies.mesonet.model import PARETO_SHAPE
from headgate_studies.mesonet.parameters import DISTRIBUTIONS, EXPERIMENTS

#: The source's largest: its top backbone rate, and the most sources.
LARGEST = EXPERIMENTS["1a"]


def scenario(settings: Mapping[str, Any], law: str) -> Scenario:
    """Make the scenario; `size` scales speeds and sources together, hosts keep their speed."""
    warmup, period = parse_time_ps(settings["warmup"]), parse_time_ps(settings["period"])
    return Scenario.from_dict(
        {
            "title": f"tcp-replacements, {law}",
            "duration": format_time_ps(warmup + settings["periods"] * period),
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
    rate_bps = round(parse_rate(LARGEST.rate) * settings["size"] * settings["speed"])
    of_sources, _ = DISTRIBUTIONS[settings["source_shares"]]
    return {
        "kind": "abilene",
        "rate": format_rate(rate_bps),
        "delay_multiplier": settings["delay_multiplier"],
        "buffer": settings["buffer"],
        "source_shares": dict(of_sources),
    }


def _users(settings: Mapping[str, Any], law: str) -> dict[str, Any]:
    return {
        "kind": "web",
        "name": "users",
        **nist_law_keys(law),
        "users": round(LARGEST.sources * settings["size"] * settings["sources"]),
        "receivers": round(LARGEST.sources * settings["size"]),
        "think": settings["think"],
        "size": {"kind": "pareto", "mean": settings["file"], "shape": PARETO_SHAPE},
    }
