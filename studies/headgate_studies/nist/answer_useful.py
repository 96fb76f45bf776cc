"""Which laws are useful, and at whose cost, beside what the source says: experiments 2a to 2c.

Useful is a law whose large files get more than those of TCP beside them, beyond what TCP in its
place gets, with the whole 95 % interval over conditions. What it costs is what TCP flows get beside
it, over the mean beside all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from headgate.claims import Estimate, estimate_mean_ratio
from headgate.lab import Listing
from headgate_studies.nist.competing import Numbers
from headgate_studies.nist.mixed_estimates import LARGE
from headgate_studies.nist.mixed_runs import Mixed
from headgate_studies.nist.summary import CONDITIONS

#: What the source says of each law's fairness to TCP.
FAIRNESS: Mapping[str, str] = {
    **dict.fromkeys(("ctcp", "htcp", "fast-at"), "most fair"),
    **dict.fromkeys(("scalable", "bic", "fast"), "most unfair"),
    "hstcp": "moderately fair, unfair under heavy congestion",
}


def compare_usefulness(of: Mixed) -> Listing:
    """Return a row a law: what its large files gain, and what that costs TCP's flows."""
    light, heavy, cost = find_gains(of, of.light), find_gains(of, of.heavy), find_costs(of)
    rows: list[tuple[object, ...]] = [
        (law, *map(_format, (light[law], heavy[law], cost[law])), FAIRNESS.get(law, ""))
        for law in of.laws
    ]
    return Listing(
        "Which laws are useful, and at whose cost",
        "Service packs and movies over those of TCP beside them, over the same with TCP in the"
        " law's place; all files of TCP beside a law over the mean beside all laws, all conditions."
        " Geometric means, 95 % intervals over these.",
        ("law", "gain, uncongested", "gain, heavily congested", "TCP beside it", "the source"),
        rows,
    )


def find_gains(of: Mixed, conditions: Sequence[str]) -> dict[str, Estimate]:
    """Return what large files of each law get over those of TCP beside them."""
    return _by_law(of, of.rates.only(conditions, LARGE).ahead())


def find_costs(of: Mixed) -> dict[str, Estimate]:
    """Return what TCP flows get beside each law over the mean beside all."""
    return _by_law(of, of.rates.beside("tcp"))


def say_usefulness(of: Mixed) -> str:
    """Say which laws help their users here, and in which the source found it so."""
    light, heavy = (_say_useful(find_gains(of, names)) for names in (of.light, of.heavy))
    return (
        "Useful, large files get more than TCP's beside them: without congestion"
        f" {light}; with much of it {heavy}. The source:"
        " all, but for large files on paths with sporadic losses only, or where unfair."
    )


def _say_useful(gains: Mapping[str, Estimate]) -> str:
    """Name the laws whose whole interval is above 1; one condition has no interval."""
    known = {law: found.ci for law, found in gains.items() if found.ci}
    if not known:
        return "cannot be told from one condition"
    return ", ".join(law for law, (low, _) in known.items() if low > 1) or "none"


def _by_law(of: Mixed, logs: Numbers) -> dict[str, Estimate]:
    return {
        law: estimate_mean_ratio(np.exp(column[np.isfinite(column)]).tolist(), CONDITIONS)
        for law, column in zip(of.laws, logs.T, strict=True)
    }


def _format(found: Estimate) -> str:
    if found.ci is None:
        return f"{found.ours:.2f} (one condition)"
    low, high = found.ci
    return f"{found.ours:.2f} ({low:.2f} to {high:.2f})"
