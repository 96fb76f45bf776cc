"""Runs of experiments 2a to 2c: MesoNet with some sources on TCP, and users who only download.

In a network of a twentieth of its size hardly any of the larger files that Web users ask for runs
between two fast interfaces. So a miniature has *downloads* too (ours), on each of three paths as
many of a law's as of TCP's: users who fetch one service pack after another, and movies, which begin
at the same times between the same routers on both sides, every other one between fast interfaces.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from headgate.design import Design
from headgate.run.plan import Job
from headgate.scenario import MesoNet, Scenario
from headgate.scenario.mesonet import PARETO_SHAPE, STANDARD
from headgate.studies.designed import jobs_of
from headgate.studies.runs import Key, Setup
from headgate.units import format_time, parse_time

#: One pair of router classes a path: very fast, fast, typical.
DOWNLOAD_PAIRS = (("D", "D"), ("D", "F"), ("F", "N"))
THINK, FIRST_MOVIE = "5 s", "1 s"
#: Sizes in packets: MesoNet's mean ones at the low level of X5.
PACK, MOVIE = ("service pack", 50_000), "500000 packets"
#: Receivers a downloader: enough to have both interfaces at every router.
RECEIVERS = 4
#: What a study says beside MesoNet's own keys.
DOWNLOADERS, OTHER_SSTHRESH = "downloaders", "compared_ssthresh"
#: Corners of the design in which both settings of the initial ssthresh are run, named before any
#: run: few sources that think long in a fast network, and the reverse.
LIGHT_CORNER = {"X1": 1, "X7": 1, "X12": -1}
HEAVY_CORNER = {name: -sign for name, sign in LIGHT_CORNER.items()}


def scenario(settings: Mapping[str, Any], law: str) -> Scenario:
    """Make the scenario of one condition; settings are MesoNet's own keys, and `downloaders`."""
    own = {key: settings[key] for key in settings if key not in {DOWNLOADERS, OTHER_SSTHRESH}}
    made = MesoNet.from_dict({**own, "law": law}).scenario().to_dict()
    count, end_ps = int(settings.get(DOWNLOADERS, 0)), parse_time(made["duration"])
    groups = [
        group
        for (source, receiver), followed in product(DOWNLOAD_PAIRS, (law, STANDARD))
        for group in _downloads(count, end_ps, followed, {"source": source, "receiver": receiver})
    ]
    return Scenario.from_dict({**made, "traffic": [*made["traffic"], *groups]})


def _downloads(
    count: int, end_ps: int, law: str, ends: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield so many users with service packs, and so many movies; these begin at even intervals.

    The last begins before two thirds of the time are over.
    """
    if not count:
        return
    file, packets = PACK
    size = {"kind": "pareto", "mean": f"{packets} packets", "shape": PARETO_SHAPE}
    path = "".join(ends.values())
    yield {
        **ends, "kind": "web", "name": f"{file}s {path}", "law": law, "users": count,
        "receivers": RECEIVERS * count, "think": THINK, "size": size,
        "kinds": [{"name": file, "share": 1.0, "size": size}],
    }  # fmt: skip
    step = format_time(end_ps * 2 // (3 * count))
    yield {
        **ends, "kind": "flows", "name": f"movies {path}", "law": law, "count": count,
        "size": MOVIE, "start": FIRST_MOVIE, "stagger": step,
    }  # fmt: skip


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run, and those in the corners with the other initial ssthresh, if one is named."""
    made = jobs_of(setup, scenario)
    other = setup.settings.get(OTHER_SSTHRESH)
    if other is None:
        return made
    settings = {**setup.settings, "initial_ssthresh": other}
    corners = {*corner(setup.design, LIGHT_CORNER), *corner(setup.design, HEAVY_CORNER)}
    also = jobs_of(replace(setup, settings=settings), scenario)
    return made | {
        (*key, str(other)): Job(job.scenario, {**job.labels, "initial_ssthresh": str(other)})
        for key, job in also.items()
        if key[0] in corners
    }


def corner(design: Design, levels: Mapping[str, int]) -> list[str]:
    """Return the conditions of a corner of the design: these factors at these levels.

    There is none where a plan of the user's does not vary them all.
    """
    if not set(levels) <= {factor.name for factor in design.factors}:
        return []
    kept = [design.column(name) == level for name, level in levels.items()]
    return [design.label(int(place)) for place in np.flatnonzero(np.all(kept, axis=0))]
