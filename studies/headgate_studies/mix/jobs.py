"""The scenarios: CUBIC flows, and the flows among them that switched to another algorithm."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from headgate import Flow, Scenario
from headgate.lab import Labels, Setup
from headgate_studies.paths import NO_SERIES, path, seconds

STAYED = "cubic"
#: Flows start within this time. A hundredth of the link is files of two packets at random times.
START_S = 5.0
FILES = {"kind": "poisson", "name": "files", "cca": "reno", "load": 0.01, "size": "2 packets"}


def mixes(setup: Setup, name: str = "plans", first: int = 1) -> Iterator[Labels]:
    """Give every mix of every plan; a mix in which no flow switched occurs once."""
    for plan in setup.settings[name]:
        seeds = range(first, first + plan.get("replicates", len(setup.seeds)))
        levels = (plan["switched"], plan.get("stayed", [None]), plan["buffers"], plan["rtts"])
        for switched, others, buffer, rtts in product(*levels):
            stayed = plan["flows"] - switched if others is None else others
            mix = {"switched": switched, "stayed": stayed, "buffer": buffer, "rtts": rtts}
            for cca, seed in product(plan["ccas"] if switched else [STAYED], seeds):
                yield {"place": plan["place"], "cca": cca, **mix, "seed": seed}


def repeated(setup: Setup) -> Iterator[Labels]:
    """Give the mixes whose claims need more replicates than the others, with other seeds."""
    return mixes(setup, "repeats", first=len(setup.seeds) + 1)


def share_link(  # noqa: PLR0913 - what a run differs by
    setup: Setup,
    *,
    place: str,
    cca: str,
    switched: int,
    stayed: int,
    buffer: float,
    rtts: str,
    seed: int,
) -> Scenario:
    """Let flows of two algorithms share a link."""
    at, delays = setup.settings["places"][place], setup.settings["rtts"][rtts]
    draw = np.random.default_rng(seed)
    groups = {"switched": (cca, switched), "stayed": (STAYED, stayed)}
    flows = [one for name, of in groups.items() for one in _begin(name, *of, delays, draw)]
    network = {"rate": at["rate"], "rtt": at["rtt"], "buffer": f"{buffer:g} BDP"}
    series, linux = at.get("series", NO_SERIES), {**network, "transport": "linux"}
    return path([*flows, FILES], (at["duration"], at["warmup"]), linux, series, seed)


def _begin(
    name: str, cca: str, count: int, delays: list[str], draw: np.random.Generator
) -> Iterator[Flow]:
    """Divide flows among the round trips, from a random one on, and spread their starts."""
    ways = len(delays) or 1
    shift = int(draw.integers(ways))
    for place, rtt in enumerate(delays or [""]):
        members = len(range((place + shift) % ways, count, ways))
        apart_s = START_S / max(1, members)
        start = {"start": seconds(draw.uniform(0, apart_s)), "stagger": seconds(apart_s)}
        if members:
            own = {"name": f"{name} {rtt}", "rtt": rtt} if rtt else {"name": name}
            yield {"cca": cca, "count": members, **start, **own}
