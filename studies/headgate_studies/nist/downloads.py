"""Runs of experiments 2a to 2c: MesoNet with some sources on TCP, and users who only download.

In a network of a twentieth of its size hardly any of the larger files that Web users ask for runs
between two fast interfaces. So a miniature has *downloads* too (ours), on each of three paths as
many of a law's as of TCP's: users who fetch one service pack after another, and movies, which begin
at the same times between the same routers on both sides, every other one between fast interfaces.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from headgate import Scenario, format_time_ps, parse_time_ps
from headgate_studies.mesonet import MesoNet
from headgate_studies.mesonet.model import PARETO_SHAPE, STANDARD
from headgate_studies.nist.control import mesonet_keys, traffic_keys

#: One pair of router classes a path: very fast, fast, typical.
DOWNLOAD_PAIRS = (("D", "D"), ("D", "F"), ("F", "N"))
THINK, FIRST_MOVIE = "5 s", "1 s"
#: Sizes in packets: MesoNet's mean ones at the low level of X5.
PACK, MOVIE = ("service pack", 50_000), "500000 packets"
#: Receivers a downloader: enough to have both interfaces at every router.
RECEIVERS = 4
#: What a study says beside MesoNet's own keys.
DOWNLOADERS, NAMED = "downloaders", "variants"


def scenario(settings: Mapping[str, Any], law: str) -> Scenario:
    """Make the scenario of one condition; settings are MesoNet's own keys, and `downloaders`."""
    own = {key: settings[key] for key in settings if key not in {DOWNLOADERS, NAMED}}
    made = MesoNet.from_dict({**own, **mesonet_keys(law)}).scenario().to_dict()
    count, end_ps = int(settings.get(DOWNLOADERS, 0)), parse_time_ps(made["duration"])
    groups = [
        group
        for (source, receiver), followed in product(DOWNLOAD_PAIRS, (law, STANDARD))
        for group in _downloads(count, end_ps, followed, {"source": source, "receiver": receiver})
    ]
    return Scenario.from_dict({**made, "traffic": [*made["traffic"], *groups]})


def _downloads(
    count: int, end_ps: int, law: str, ends: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield users with service packs, and movies; these begin at even intervals.

    The last begins before two thirds of the time are over.
    """
    if not count:
        return
    file, packets = PACK
    size = {"kind": "pareto", "mean": f"{packets} packets", "shape": PARETO_SHAPE}
    path = "".join(ends.values())
    yield {
        **ends, "kind": "web", "name": f"{file}s {path}", **traffic_keys(law), "users": count,
        "receivers": RECEIVERS * count, "think": THINK, "size": size,
        "kinds": [{"name": file, "share": 1.0, "size": size}],
    }  # fmt: skip
    step = format_time_ps(end_ps * 2 // (3 * count))
    yield {
        **ends, "kind": "flows", "name": f"movies {path}", **traffic_keys(law), "count": count,
        "size": MOVIE, "start": FIRST_MOVIE, "stagger": step,
    }  # fmt: skip
