"""Corners of a design that run in other ways too, beside the design itself.

Some findings set one initial ssthresh against the other, or ask for a receive window that binds, or
for a network without congestion. As further factors these would leave half of the conditions at a
setting that is not the experiment's. So a study names variants: each runs a corner of its design,
with the same requests, in another way. All of this is ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from headgate import HeadgateError, Scenario
from headgate.design import Design
from headgate.lab import Job, Key, Setup
from headgate_studies.designed import jobs_of
from headgate_studies.nist.control import CONTROL
from headgate_studies.nist.downloads import NAMED, scenario

#: Named before any run: few sources that think long in a fast network, and the reverse.
LIGHT_CORNER = {"X1": 1, "X7": 1, "X12": -1}
HEAVY_CORNER = {name: -sign for name, sign in LIGHT_CORNER.items()}

INFINITE, WINDOW = "infinite ssthresh", "receive window"
UNCONGESTED, UNCONGESTED_INFINITE = "uncongested", "uncongested, infinite ssthresh"


@dataclass(frozen=True)
class Variant:
    """A way to run some corners of a design."""

    corners: tuple[Mapping[str, int], ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    """MesoNet's keys, in place of the study's."""
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the scenario that is made, each a path such as `measure.warmup`."""
    published_speed: bool = False
    """The backbone has the published rate, however few the sources are."""

    def scenario(self, settings: Mapping[str, Any], law: str) -> Scenario:
        """Make the scenario of one condition."""
        speed = {"network_speed": 1 / settings["size"]} if self.published_speed else {}
        return scenario({**settings, **self.settings, **speed}, law).replaced(self.changes)

    def conditions(self, design: Design) -> list[str]:
        """Return the labels of the conditions in its corners."""
        return [name for levels in self.corners for name in corner(design, levels)]


#: At a small size links are slower than the interfaces of hosts and lose packets to any large file,
#: however few the sources. At the published speed windows of large files pass 100 packets and TCP
#: alone sends less than 0.1 % again: this corner was chosen by these two. Figures begin with the
#: run, as the question is how soon a file is at full speed.
_FREE = Variant((LIGHT_CORNER,), changes={"measure.warmup": "0 s"}, published_speed=True)

VARIANTS = {
    INFINITE: Variant((LIGHT_CORNER, HEAVY_CORNER), {"initial_ssthresh": "infinite"}),
    # A flow alone on the slowest path of the quick scale (24 Mbit/s, 41 ms) needs 82 packets.
    WINDOW: Variant((LIGHT_CORNER,), changes={"transport.receive_window": "64 packets"}),
    UNCONGESTED: _FREE,
    UNCONGESTED_INFINITE: Variant(
        _FREE.corners, {"initial_ssthresh": "infinite"}, _FREE.changes, published_speed=True
    ),
}


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run of the design and of the variants that the study names; the control last."""
    names = _known_names(setup.settings.get(NAMED, ()))
    return _make(setup, names) | _make(replace(setup, laws=(CONTROL,)), names)


def _make(setup: Setup, names: Iterable[str]) -> dict[Key, Job]:
    made = jobs_of(setup, scenario)
    for name in names:
        made |= _vary(setup, name, VARIANTS[name])
    return made


def _known_names(names: Iterable[str]) -> list[str]:
    unknown = [name for name in names if name not in VARIANTS]
    if unknown:
        raise HeadgateError(
            f"{NAMED}: {unknown[0]!r} is none; there are {', '.join(map(repr, VARIANTS))}"
        )
    return list(names)


def _vary(setup: Setup, name: str, variant: Variant) -> dict[Key, Job]:
    """Make the runs of a variant; their key ends with its name."""
    conditions = set(variant.conditions(setup.design))
    return {
        (*key, name): Job(job.scenario, {**job.labels, "variant": name})
        for key, job in jobs_of(setup, variant.scenario).items()
        if key[0] in conditions
    }


def corner(design: Design, levels: Mapping[str, int]) -> list[str]:
    """Return the conditions of a corner of the design: these factors at these levels.

    There is none where a plan of the user's does not vary them all.
    """
    if not set(levels) <= {factor.name for factor in design.factors}:
        return []
    kept = [design.column(name) == level for name, level in levels.items()]
    return [design.label(int(place)) for place in np.flatnonzero(np.all(kept, axis=0))]
