"""Rates of links over a run, for pictures: of those whose rate changes or follows a trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from headgate.scenario.group import Arrays
from headgate.scenario.links.files import OPPORTUNITY_BYTES

#: A trace is told by its mean over as many parts of the run, none shorter than this.
_PARTS, _LEAST_S = 1000, 0.1


def find_rates(plan: Mapping[str, Any], arrays: Arrays) -> dict[str, dict[str, list[float]]]:
    """Give, for each link whose rate is not constant, times (`t_s`) and the rates since then."""
    found = {}
    for link in plan["links"]:
        if "trace" in link:
            found[link["name"]] = _mean_rates(link["trace"], arrays, plan["duration_ps"] / 1e12)
        elif link.get("changes"):
            found[link["name"]] = {
                "t_s": [0.0, *(change["at_ps"] / 1e12 for change in link["changes"])],
                "rate_bps": [float(link["rate_bps"]), *(c["rate_bps"] for c in link["changes"])],
            }
    return found


def _mean_rates(
    trace: Mapping[str, Any], arrays: Arrays, duration_s: float
) -> dict[str, list[float]]:
    times_s = arrays[trace["list"]] / 1e12
    period_s = None if trace["period_ps"] is None else trace["period_ps"] / 1e12
    width_s = max(_LEAST_S, duration_s / _PARTS)
    edges = np.arange(0.0, duration_s + width_s, width_s)
    passed = _count_until(edges, times_s, period_s)
    rates = np.diff(passed) * 8 * OPPORTUNITY_BYTES / width_s
    return {"t_s": edges[:-1].tolist(), "rate_bps": rates.tolist()}


def _count_until(edges: Any, times_s: Any, period_s: float | None) -> Any:
    """Count the opportunities until each time."""
    if period_s is None:
        return np.searchsorted(times_s, edges, side="right")
    rounds, rest = np.divmod(edges, period_s)
    return rounds * len(times_s) + np.searchsorted(times_s, rest, side="right")
