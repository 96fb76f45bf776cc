"""The runs of experiments 2a to 2c: sources with TCP, a control, downloads, and variants.

The design: in MesoNet some sources use TCP and the others one algorithm. The control replaces the
algorithm by TCP. Both sides request different files, so one side gets more than the other even with
the same algorithm. Requests depend on the seed and not on the algorithm. The control measures this
difference, and an algorithm's gain is what it gets beyond the control.

Downloads: in a network of a twentieth of the published size, few of the larger files that Web users
request run between two fast interfaces. A miniature therefore also contains users who only
download, on each of three paths as many with the algorithm as with TCP. They fetch service packs
one after another, and movies. Movies start at the same times between the same routers on both
sides, and every second one runs between fast interfaces.

Variants: some findings compare the two initial ssthresh values, or need a receive window that
limits flows, or a network without congestion. As factors these would leave half of the conditions
at a setting that is not the experiment's. A study therefore names variants: each runs a corner of
the design, with the same requests, in another way. The control, the downloads and the variants are
ours.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from headgate import HeadgateError, Scenario, format_time_ps, parse_time_ps
from headgate.design import Design
from headgate.lab import Job, Key, Setup
from headgate_studies.designed import jobs_of
from headgate_studies.mesonet import MesoNet
from headgate_studies.mesonet.model import PARETO_SHAPE, STANDARD
from headgate_studies.mesonet.parameters import nist_cca_keys

#: The name of the control's runs.
CONTROL = "tcp"
#: HighSpeed TCP is standard TCP up to its low window; its name distinguishes the two flows.
STAND_IN: Mapping[str, Any] = {"name": "hstcp", "low_window": 10_000}
#: One pair of router classes a path: very fast, fast, typical.
DOWNLOAD_PAIRS = (("D", "D"), ("D", "F"), ("F", "N"))
THINK, FIRST_MOVIE = "5 s", "1 s"
#: Sizes in packets: MesoNet's mean ones at the low level of X5.
PACK, MOVIE = ("service pack", 50_000), "500000 packets"
#: Receivers a downloader: enough to have both interfaces at every router.
RECEIVERS = 4
#: The study's keys in addition to MesoNet's.
DOWNLOADERS, NAMED = "downloaders", "variants"
#: Named before any run: few sources that think long in a fast network, and the reverse.
LIGHT_CORNER = {"X1": 1, "X7": 1, "X12": -1}
HEAVY_CORNER = {name: -sign for name, sign in LIGHT_CORNER.items()}
INFINITE, WINDOW = "infinite ssthresh", "receive window"
UNCONGESTED, UNCONGESTED_INFINITE = "uncongested", "uncongested, infinite ssthresh"


def mesonet_keys(cca: str) -> dict[str, Any]:
    """Give MesoNet's key for an algorithm, or for the control."""
    return {"cca": dict(STAND_IN)} if cca == CONTROL else {"cca": cca}


def traffic_keys(cca: str) -> dict[str, Any]:
    """Give the key of traffic for an algorithm as NIST had it, or for the control."""
    return {"cca": dict(STAND_IN)} if cca == CONTROL else nist_cca_keys(cca)


def label(cca: str) -> str:
    """Return what tables of a run call the flows of an algorithm, or of the control."""
    return str(STAND_IN["name"]) if cca == CONTROL else cca


def scenario(settings: Mapping[str, Any], cca: str) -> Scenario:
    """Make the scenario of one condition; settings are MesoNet's own keys, and `downloaders`."""
    own = {key: settings[key] for key in settings if key not in {DOWNLOADERS, NAMED}}
    made = MesoNet.from_dict({**own, **mesonet_keys(cca)}).scenario().to_dict()
    count, end_ps = int(settings.get(DOWNLOADERS, 0)), parse_time_ps(made["duration"])
    groups = [
        group
        for (source, receiver), followed in product(DOWNLOAD_PAIRS, (cca, STANDARD))
        for group in _downloads(count, end_ps, followed, {"source": source, "receiver": receiver})
    ]
    return Scenario.from_dict({**made, "traffic": [*made["traffic"], *groups]})


def _downloads(
    count: int, end_ps: int, cca: str, ends: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield users with service packs, and movies; these begin at even intervals.

    The last begins before two thirds of the time have passed.
    """
    if not count:
        return
    file, packets = PACK
    size = {"kind": "pareto", "mean": f"{packets} packets", "shape": PARETO_SHAPE}
    path = "".join(ends.values())
    yield {
        **ends, "kind": "web", "name": f"{file}s {path}", **traffic_keys(cca), "users": count,
        "receivers": RECEIVERS * count, "think": THINK, "size": size,
        "kinds": [{"name": file, "share": 1.0, "size": size}],
    }  # fmt: skip
    step = format_time_ps(end_ps * 2 // (3 * count))
    yield {
        **ends, "kind": "flows", "name": f"movies {path}", **traffic_keys(cca), "count": count,
        "size": MOVIE, "start": FIRST_MOVIE, "stagger": step,
    }  # fmt: skip


@dataclass(frozen=True)
class Variant:
    """A way to run some corners of a design."""

    corners: tuple[Mapping[str, int], ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    """MesoNet's keys, in place of the study's."""
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the scenario that is made, each a path such as `measure.warmup`."""
    published_speed: bool = False
    """The backbone uses the published rate at every number of sources."""

    def scenario(self, settings: Mapping[str, Any], cca: str) -> Scenario:
        """Make the scenario of one condition."""
        speed = {"network_speed": 1 / settings["size"]} if self.published_speed else {}
        return scenario({**settings, **self.settings, **speed}, cca).replaced(self.changes)

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
    return _make(setup, names) | _make(replace(setup, ccas=(CONTROL,)), names)


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

    There is none if a user's plan does not vary them all.
    """
    if not set(levels) <= {factor.name for factor in design.factors}:
        return []
    kept = [design.column(name) == level for name, level in levels.items()]
    return [design.label(int(place)) for place in np.flatnonzero(np.all(kept, axis=0))]
