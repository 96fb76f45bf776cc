"""How FAST shares several bottlenecks: by greatest utility, by solution, by packets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from headgate.claims import Estimate, estimate_mean, find_largest
from headgate_studies.flow_level import measures, networks
from headgate_studies.flow_level.solutions import Solutions

Numbers = NDArray[np.float64]


def _off(made: Solutions, rates: Callable[[str], Numbers]) -> dict[str, float]:
    """Return the relative distance of each class's rate from that of greatest utility."""
    return {
        f"{cls} of {row.title}": abs(float(ours / best) - 1)
        for name, row in networks.ROWS.items()
        for cls, ours, best in zip(row.names, rates(name), made.fairest[name], strict=True)
    }


def closed_form(made: Solutions) -> Estimate:
    """Find the largest distance of a rate at greatest utility from the closed form."""
    links = len(networks.EVEN.rates_mbps)
    part = networks.EVEN.rates()[0] / (links + 1)
    closed = np.array([part, *[links * part] * links])
    return Estimate(ours=float(np.abs(made.fairest["even"] / closed - 1).max()))


def solved_shares(made: Solutions) -> Estimate:
    """Find the largest distance of a solved rate from that of greatest utility."""
    return find_largest(_off(made, lambda name: made.settled[name]), digits=2)


def packet_shares(made: Solutions) -> Estimate:
    """Find the largest distance of a rate by packets from that of greatest utility."""
    return find_largest(_off(made, lambda name: measures.by_class(made, name, "fast")), digits=2)


def variation(made: Solutions) -> Estimate:
    """Find the greatest gain of other rates over those by packets."""
    return find_largest(
        {
            row.title: measures.greatest_gain(row, measures.by_class(made, name, "fast"))
            for name, row in networks.ROWS.items()
        }
    )


def rate_ratio(made: Solutions, *, law: str, over: str, under: str) -> Estimate:
    """Compare the rates of two classes."""
    return estimate_mean(measures.ratio(made, law, over, under))


def reno_windows(made: Solutions) -> Estimate:
    """Compare Reno's rate times round trip with a short round trip and with a long one."""
    names = networks.UNEVEN.names
    near, far = (made.reno["uneven"][names.index(name)] for name in ("near", "far"))
    rates = float(np.mean(measures.ratio(made, "reno", "near", "far")))
    note = f"rates {rates:.3g} to 1; {near / far:.3g} at greatest utility, without queues"
    return estimate_mean(measures.window_ratio(made, "reno", "near", "far"), note)
