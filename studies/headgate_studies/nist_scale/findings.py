"""Findings of the study of sizes: functions that its claims name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from headgate.claims import Estimate, estimate_share, find_largest
from headgate.lab import NotRunError
from headgate.stats import compute_mean_interval
from headgate_studies.mesonet.parameters import PAIRS
from headgate_studies.nist_scale.sizes import NAMES, Ratio, Sizes, share

LIGHT, SHORT, LONG = "light", "heavy, short buffers", "heavy, long buffers"
STANDARD = "reno"


def worst(
    of: Sizes, *, response: str, next_size: bool = True, conditions: Sequence[str] = ()
) -> Estimate:
    """Find the greatest distance from the largest size, at the next or the least, over CCAs."""
    size = _next(of) if next_size else of.sizes[0]
    return _worst(of, response, size, conditions or of.conditions)


def _worst(of: Sizes, response: str, size: str, conditions: Iterable[str]) -> Estimate:
    apart = {
        f"{name}, {cca}": abs(of.ratio(response, name, size, cca).value - 1)
        for name in conditions
        for cca in of.ccas
    }
    return _largest(apart)


def _largest(apart: Mapping[str, float]) -> Estimate:
    """Return the largest known distance: a small size may lack flows of a pair."""
    there = {name: value for name, value in apart.items() if np.isfinite(value)}
    if not there:
        raise NotRunError("no run has such a flow")
    return find_largest(there, digits=2)


def power(of: Sizes, *, response: str, condition: str) -> Estimate:
    """Fit a line to logarithms for each algorithm and seed; the seeds give the interval."""
    logs = np.log([share(size) for size in of.sizes])
    values = np.array(
        [[of.measured[condition, size, cca][response] for cca in of.ccas] for size in of.sizes]
    )  # (size, algorithm, seed)
    powers = np.polyfit(logs, np.log(values).mean(axis=1), 1)[0]
    mean, low, high = compute_mean_interval(powers)
    return Estimate(ours=mean, ci=(low, high))


def worst_web(of: Sizes) -> Estimate:
    """Compare the throughput of Web objects over normal interfaces."""
    apart = {
        f"{name}, {pair}": abs(of.ratio(f"web_{pair}_normal", name, _next(of)).value - 1)
        for name in of.conditions
        for pair in PAIRS
    }
    return _largest(apart)


def long_flow(of: Sizes) -> Estimate:
    """Compare a long-lived flow between D routers at the least size."""
    return _of_ratio(of.ratio("long_DD", LIGHT, of.sizes[0]))


def same_signs(of: Sizes) -> Estimate:
    """Count the responses whose difference between CCAs keeps the sign of the largest size."""
    same = [
        (there.value > 1) == (of.contrast(name, condition, of.sizes[0], cca, STANDARD).value > 1)
        for condition in (SHORT, LONG)
        for cca in of.ccas
        for name in NAMES
        if cca != STANDARD
        for there in [of.contrast(name, condition, of.sizes[-1], cca, STANDARD)]
        if there.beyond(0.0)
    ]
    return estimate_share(sum(same), len(same), "contrasts")


def fast_contrast(of: Sizes) -> Estimate:
    """Divide FAST over reno at the next size by the same at the largest."""
    both = [
        np.log(of.contrast("y10", condition, size, "fast", STANDARD).value)
        for size in (_next(of), of.sizes[-1])
        for condition in (SHORT, LONG)
    ]
    listed = ", ".join(f"{np.exp(log):.3g}" for log in both)
    ours = float(np.exp(np.mean(both[:2]) - np.mean(both[2:])))
    return Estimate(
        ours=ours, note=f"short and long at the next size, then at the largest: {listed}"
    )


def _of_ratio(ratio: Ratio) -> Estimate:
    return Estimate(ours=ratio.value, ci=(ratio.low, ratio.high))


def _next(of: Sizes) -> str:
    if len(of.sizes) < 2:
        raise NotRunError("one size alone has nothing to be compared with")
    return of.sizes[-2]
