"""Findings of the study of durations: functions that its claims name."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from headgate.claims import Estimate, estimate_share, find_largest
from headgate.lab import NotRunError
from headgate_studies.nist_duration.durations import NAMES, PUBLISHED, SHORT, Durations

STANDARD = "reno"
#: By how much a law must differ from TCP over the published duration to be apart from it.
APART = 0.1


def farthest(of: Durations, *, response: str) -> Estimate:
    """Find the greatest distance of a short run from the whole one, over experiments and laws."""
    apart = {
        f"{experiment}, {law}": abs(of.ratio(response, experiment, law) - 1)
        for experiment in of.experiments
        for law in of.laws
    }
    there = {name: value for name, value in apart.items() if np.isfinite(value)}
    if not there:
        raise NotRunError("no run has such a flow")
    return find_largest(there, digits=3)


def same_signs(of: Durations) -> Estimate:
    """Count the responses in which a law differs from TCP to the same side in the short run."""
    same = list(_compare_signs(of))
    return estimate_share(sum(same), len(same), "contrasts")


def _compare_signs(of: Durations) -> Iterator[bool]:
    for experiment in of.experiments:
        for law in of.laws:
            for name in NAMES if law != STANDARD else ():
                whole, short = (
                    of.contrast(name, experiment, length, law, STANDARD)
                    for length in (PUBLISHED, SHORT)
                )
                if abs(whole - 1) > APART and np.isfinite(short):
                    yield (whole > 1) == (short > 1)


def contrast_kept(of: Durations, *, response: str, law: str) -> Estimate:
    """Find how far a law over TCP is, in the short run, from the same over the whole one."""
    apart = {
        experiment: abs(_change(of, response, experiment, law)) for experiment in of.experiments
    }
    return find_largest(apart, digits=3)


def _change(of: Durations, response: str, experiment: str, law: str) -> float:
    short, whole = (
        of.contrast(response, experiment, length, law, STANDARD) for length in (SHORT, PUBLISHED)
    )
    return short / whole - 1
