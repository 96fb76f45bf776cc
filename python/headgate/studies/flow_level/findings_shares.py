"""How FAST shares several bottlenecks: by greatest utility, by solution, by packets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from headgate.claims import Estimate
from headgate.experiment.estimates import largest, mean_of
from headgate.studies.flow_level import measures, networks
from headgate.studies.flow_level.solutions import Solutions

Numbers = NDArray[np.float64]
Make = Callable[[Solutions], Estimate]


def _off(made: Solutions, rates: Callable[[str], Numbers]) -> dict[str, float]:
    """Return the relative distance of each class's rate from that of greatest utility."""
    return {
        f"{cls} of {row.title}": abs(float(ours / best) - 1)
        for name, row in networks.ROWS.items()
        for cls, ours, best in zip(row.names, rates(name), made.fairest[name], strict=True)
    }


def _fair_closed(made: Solutions) -> Estimate:
    links = len(networks.EVEN.rates_mbps)
    part = networks.EVEN.rates()[0] / (links + 1)
    closed = np.array([part, *[links * part] * links])
    return Estimate(ours=float(np.abs(made.fairest["even"] / closed - 1).max()))


def _fair_solution(made: Solutions) -> Estimate:
    return largest(_off(made, lambda name: made.settled[name]), digits=2)


def _fair_packets(made: Solutions) -> Estimate:
    return largest(_off(made, lambda name: measures.by_class(made, name, "fast")), digits=2)


def _fair_variation(made: Solutions) -> Estimate:
    return largest(
        {
            row.title: measures.greatest_gain(row, measures.by_class(made, name, "fast"))
            for name, row in networks.ROWS.items()
        }
    )


def _ratio(law: str, over: str, under: str, made: Solutions) -> Estimate:
    return mean_of(measures.ratio(made, law, over, under))


def _reno_rtt(made: Solutions) -> Estimate:
    names = networks.UNEVEN.names
    near, far = (made.reno["uneven"][names.index(name)] for name in ("near", "far"))
    note = f"{near / far:.3g} at greatest utility, without queues"
    return mean_of(measures.ratio(made, "reno", "near", "far"), note)


SHARES: dict[str, Make] = {
    "fair-closed": _fair_closed,
    "fair-solution": _fair_solution,
    "fair-packets": _fair_packets,
    "fair-variation": _fair_variation,
    "fair-rtt": partial(_ratio, "fast", "near", "far"),
    "fair-alpha": partial(_ratio, "fast", "double", "middle"),
    "reno-rtt": _reno_rtt,
}
